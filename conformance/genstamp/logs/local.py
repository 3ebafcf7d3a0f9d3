"""The same check in one process, without Spark: for one small log, and for tests.

Not here: partitions, Parquet and the report: everything is kept in memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from genstamp.logs.check import Terms, verdicts
from genstamp.logs.reading import read_unit
from genstamp.logs.rows import rejects_table
from genstamp.logs.semantics import Semantics
from genstamp.logs.summary import Summary
from genstamp.logs.tables import SPANS, TABLES
from genstamp.logs.units import find_units


@dataclass(frozen=True)
class Checked:
    """Tables of Arrow, as `tables` describes them.

    Attributes:
        events, concerns, verdicts, coverage, rejects, steps: the tables of the job; row order means nothing in
        `verdicts`.
        terms: what was taken for granted.
    """

    events: Any
    concerns: Any
    verdicts: Any
    coverage: Any
    rejects: Any
    steps: Any
    terms: Terms


def check_locally(
    paths: Sequence[str | Path],
    *,
    complete: bool = False,
    group: str | None = None,
    semantics: Semantics = "hadoop-3.4",
) -> Checked:
    """Checks the files at some paths.

    Args:
        paths: files, and directories that are read with everything below them.
        complete: the sources are asserted to be whole; else any line may be missing.
        group: name of the cluster for sources that name no block pool.
        semantics: whether known faults of HDFS are allowed.

    Raises:
        NoSuchPathError: a path is not there.
    """
    found = find_units([str(path) for path in paths], group, complete, semantics)
    parts = {table: [schema.empty_table()] for table, schema in {**TABLES, "spans": SPANS}.items()}
    for unit in found.units:
        for table, rows in read_unit(unit):
            parts[table].append(rows)
    parts["rejects"].append(rejects_table("none", found.rejects))
    terms = Summary(found, pa.concat_tables(parts.pop("spans"))).terms(complete)
    parts["verdicts"].append(verdicts(pa.concat_tables(parts["concerns"]), terms, parts["steps"]))
    return Checked(**{table: pa.concat_tables(each) for table, each in parts.items()}, terms=terms)
