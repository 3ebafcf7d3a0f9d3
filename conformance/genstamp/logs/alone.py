"""The check of logs in one process, without Spark: for what is so small that starting Spark would take longer.

Reads and checks with the same code as the job on Spark, and writes the same tables. Memory is bounded: where there are
many events, they are first parted by key on the disk, and each part is checked by itself. Leaves out what is done
before and after (`genstamp.logs.run`).
"""

import os
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet

from genstamp.logs.check import Terms, verdicts
from genstamp.logs.readers.sighting import Unit
from genstamp.logs.report import Report
from genstamp.logs.run import Options, check_with, read_into
from genstamp.logs.streams import is_compressed
from genstamp.logs.tables import CONCERNS, SPANS

EVENTS_IN_A_PART = 1_000_000
"""Above that many, the keys are checked part by part; a row is some 200 bytes in memory."""

SMALL = 64 << 20
"""Bytes of content up to which one process is done before Spark has started and read with all cores."""

_COMPRESSED_TO = 10
"""How many times smaller than its content a compressed log is, about."""


class Alone:
    """Does the work of a check in this process.

    Args:
        events_in_a_part: above that many events, keys are checked part by part.
    """

    def __init__(self, events_in_a_part: int = EVENTS_IN_A_PART) -> None:
        self._events_in_a_part = events_in_a_part

    def read(self, units: Sequence[Unit], built: Path) -> Any:
        """As `run.Worker` says."""
        return pa.concat_tables([SPANS.empty_table(), *(read_into(built, unit) for unit in units)])

    def check(self, events: int, terms: Terms, built: Path) -> None:
        """As `run.Worker` says."""
        number = 1 + events // self._events_in_a_part
        for part, concerns in enumerate(_parts(built, number)):
            steps: list[Any] = []
            name = f"part-{part:06d}.parquet"
            pyarrow.parquet.write_table(verdicts(concerns, terms, steps), built / "verdicts" / name)
            if steps:
                pyarrow.parquet.write_table(pa.concat_tables(steps), built / "steps" / name)


def check_alone(paths: Sequence[str | Path], options: Options | None = None) -> Report:
    """Checks what is at some paths, in this process.

    Args:
        paths: files, and directories that are read with everything below them.
        options: see there.

    Returns:
        What was found; the tables are in `options.out`.

    Raises:
        NoSuchPathError: a path is not there.
        OutputError: `options.out` holds something else than an earlier result.
    """
    return check_with(Alone(), paths, options)


def is_small(paths: Sequence[str]) -> bool:
    """Whether what is at some paths is checked sooner in one process than Spark would have started."""
    size = 0
    for path in map(Path, paths):
        for file in path.rglob("*") if path.is_dir() else [path]:
            if file.is_file() and os.access(file, os.R_OK):
                size += file.stat().st_size * (_COMPRESSED_TO if is_compressed(file) else 1)
            if size > SMALL:
                return False
    return True


def _parts(built: Path, number: int) -> Iterator[Any]:
    """The concerns, all of a key in one part."""
    rows = pyarrow.dataset.dataset(built / "concerns", schema=CONCERNS)
    if number == 1:
        yield rows.to_table()
        return
    parting = built / "parting"
    parting.mkdir()
    files = [parting / f"{part:06d}.parquet" for part in range(number)]
    writers = [pyarrow.parquet.ParquetWriter(file, CONCERNS) for file in files]
    for batch in rows.to_batches():
        part_of = _part_of_keys(batch, number)
        for part in np.unique(part_of):
            writers[part].write_batch(batch.filter(pa.array(part_of == part)))
    for writer, file in zip(writers, files, strict=True):
        writer.close()
        yield pyarrow.parquet.read_table(file)
        file.unlink()
    parting.rmdir()


def _part_of_keys(batch: Any, number: int) -> Any:
    """For each row the part that its key falls to; of the entity alone, which is enough to keep a key together."""
    entities = batch.column("entity").dictionary_encode()
    parts = np.array([zlib.crc32(entity.encode()) % number for entity in entities.dictionary.to_pylist()], np.int64)
    return parts[np.asarray(entities.indices)]
