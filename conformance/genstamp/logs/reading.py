"""Reads one unit with the reader that its content asks for, and gives tables.

Not here: Spark, which runs this once for each unit, and finding the units.
"""

from collections.abc import Callable, Iterator
from itertools import count

from genstamp.logs.opening import size
from genstamp.logs.readers import edit_binary, edit_xml, image_binary, image_xml
from genstamp.logs.readers.edit_ops import EditOp
from genstamp.logs.readers.edit_replay import Replay
from genstamp.logs.readers.image_state import ImageState
from genstamp.logs.readers.log_fast import log_batches
from genstamp.logs.readers.log_text import LogReader, pools_named
from genstamp.logs.readers.merged_log import MergedLogReader
from genstamp.logs.readers.native import NativeReader
from genstamp.logs.readers.sequences import SequenceReader
from genstamp.logs.readers.sighting import Counts, Reject, Sighting, Unit, until_damage
from genstamp.logs.readers.storage import StorageReader
from genstamp.logs.readers.tracebench import TraceReader, rank_of_table
from genstamp.logs.rows import Batch, batches
from genstamp.logs.streams import Stream, head, lines, whole_lines
from genstamp.logs.units import (
    EDIT_LOG,
    EDIT_XML,
    HEAD,
    IMAGE,
    IMAGE_XML,
    LOG,
    MERGED_LOG,
    MODEL_TRACE,
    NATIVE,
    SEQUENCES,
    STORAGE,
    TRACE,
)

_Finds = Iterator[Sighting | Reject]


COMPILED_FROM = 4 << 20
"""Bytes of text logs below which lines are read one by one, as that is done before compiled code was loaded."""


def read_unit(unit: Unit, keeps_events: bool = True) -> Iterator[Batch]:
    """The events of a unit and the entities they concern, its coverage and its rejects, as tables in pieces.

    A source that is damaged is read up to the damage, which is a reject: no error is raised for what a file contains.

    Args:
        unit: what is read.
        keeps_events: whether the table of events is made, which no check needs; else what concerns keys may be in the
            columns of `exchange.EXCHANGED`.
    """
    counts = Counts()
    if unit.reader == LOG and sum(size(file) for file in unit.files) >= COMPILED_FROM:
        yield from log_batches(unit, counts, _naming_pools(unit), keeps_events)
        return
    readers: dict[str, Callable[[Unit, Counts], _Finds]] = {
        EDIT_LOG: _edits,
        EDIT_XML: _edits,
        LOG: _log,
        MERGED_LOG: _merged_log,
        NATIVE: _events,
        SEQUENCES: _sequences,
        IMAGE: _image,
        IMAGE_XML: _image,
        STORAGE: _storage,
        TRACE: _trace,
        MODEL_TRACE: _model_trace,
    }
    yield from batches(unit, unit.reader, readers[unit.reader](unit, counts), counts, keeps_events)


def _edits(unit: Unit, counts: Counts) -> _Finds:
    replay = Replay(unit, counts)
    operations = edit_binary.operations if unit.reader == EDIT_LOG else edit_xml.operations
    for file in unit.files:
        yield from _of_file(file, lambda stream: _replayed(replay, file, operations(stream)))  # noqa: B023 - used at once
    counts.gapless[unit.namespace] = replay.gapless()


def _replayed(replay: Replay, file: str, operations: Iterator[EditOp]) -> _Finds:
    for operation in operations:
        yield from replay.events(file, operation)


def _image(unit: Unit, counts: Counts) -> _Finds:
    items = image_binary.items if unit.reader == IMAGE else image_xml.items
    order = count(1).__next__
    for file in unit.files:

        def shown(stream: Stream, file: str = file) -> _Finds:
            return ImageState(unit.namespace, file, items(stream), order, counts).events(None)

        yield from _of_file(file, shown)


def _storage(unit: Unit, counts: Counts) -> _Finds:
    return StorageReader(unit, counts).sightings()


def _naming_pools(unit: Unit) -> bytes:
    """The beginning of a log; where that names no block pool, the name of the first that comes later.

    Lines before it are of that pool, too.
    """
    beginning = head(unit.files[0], HEAD)
    if pools_named(beginning):
        return beginning
    named = (pools_named(text) for file in unit.files for text in whole_lines(file) if b"BP-" in text)
    return next((pools[0].encode() for pools in named if pools), b"")


def _log(unit: Unit, counts: Counts) -> _Finds:
    reader = LogReader(unit, counts, _naming_pools(unit))
    yield from _by_lines(unit, reader.sightings)
    yield from reader.rest()


def _merged_log(unit: Unit, counts: Counts) -> _Finds:
    reader = MergedLogReader(unit, counts)
    yield from _by_lines(unit, reader.sightings)
    yield from reader.rest()


def _sequences(unit: Unit, counts: Counts) -> _Finds:
    return _by_lines(unit, SequenceReader(unit, counts).sightings)


def _events(unit: Unit, counts: Counts) -> _Finds:
    return _by_lines(unit, NativeReader(unit, counts).sightings)


def _by_lines(unit: Unit, sightings: Callable[[str, Iterator[bytes | None]], _Finds]) -> _Finds:
    for file in unit.files:
        yield from _of_file(file, lambda stream: sightings(file, lines(stream)))  # noqa: B023 - used at once


def _trace(unit: Unit, counts: Counts) -> _Finds:
    reader = TraceReader(unit, counts)
    # What orders the records has to be known before them.
    for file in reversed(unit.files):
        table = rank_of_table(head(file, HEAD))
        yield from _of_file(file, lambda stream: reader.sightings(file, table, lines(stream)))  # noqa: B023 - used at once
    yield from reader.rest()


def _model_trace(unit: Unit, counts: Counts) -> _Finds:
    # Loads the judges, which the logs of a system do without.
    from genstamp.logs.readers.itf import ItfReader

    reader = ItfReader(unit, counts)
    for file in unit.files:
        yield from _of_file(file, lambda stream: reader.sightings(file, stream.chunks()))  # noqa: B023 - used at once


def _of_file(file: str, finds: Callable[[Stream], _Finds]) -> _Finds:
    def found() -> _Finds:
        with Stream(file) as stream:
            yield from finds(stream)

    return until_damage(file, found())
