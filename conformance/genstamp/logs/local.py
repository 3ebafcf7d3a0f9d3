"""The same check in one process, without Spark: for one small log, and for tests.

Not here: partitions, Parquet and the report: everything is kept in memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from genstamp.logs.check import Terms, verdicts
from genstamp.logs.event_columns import EVENT_SCHEMA
from genstamp.logs.reading import read_unit
from genstamp.logs.rows import reject_row
from genstamp.logs.semantics import Semantics
from genstamp.logs.summary import Summary
from genstamp.logs.tables import CONCERNS, COVERAGE, REJECTS, SPANS, STEPS
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
    schemas = {"events": EVENT_SCHEMA, "concerns": CONCERNS, "coverage": COVERAGE, "rejects": REJECTS, "spans": SPANS}
    parts = {table: [schema.empty_table()] for table, schema in schemas.items()}
    for unit in found.units:
        for table, rows in read_unit(unit):
            parts[table].append(rows)
    before = [reject_row("none", reject) for reject in found.rejects]
    parts["rejects"].append(pa.Table.from_pylist(before, REJECTS))
    tables = {table: pa.concat_tables(each) for table, each in parts.items()}
    summary = Summary(found, tables["spans"])
    terms = summary.terms(complete)
    steps = [STEPS.empty_table()]
    judged = verdicts(tables["concerns"], terms, steps)
    return Checked(
        tables["events"],
        tables["concerns"],
        judged,
        tables["coverage"],
        tables["rejects"],
        pa.concat_tables(steps),
        terms,
    )
