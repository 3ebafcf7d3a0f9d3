"""A log divided into ranges of its bytes, so that many tasks read it, and the files by which they tell each other.

Each range is read by itself (`readers.log_ranges`), and then one task takes up in order what all ranges of a unit have
set aside (`readers.log_ordered`); it says what is to be added to the numbers of each range's rows. Leaves out who runs
the tasks (`genstamp.logs.job`). A compressed file is not divided, as it can be read from its beginning only.
"""

import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from genstamp.logs.opening import size as size_of_file
from genstamp.logs.readers.log_ordered import Shift
from genstamp.logs.readers.log_ranges import Aside, Range
from genstamp.logs.readers.sighting import Unit
from genstamp.logs.streams import is_compressed
from genstamp.logs.units import HEAD, LOG

RANGE_BYTES = 128 << 20
"""Bytes of a range: a second of reading, some ten times what it costs to begin a task and its files."""

WORTH_DIVIDING = 2
"""A log is read in ranges if it has more than so many times a core's share of all bytes. In ranges a NameNode's log
takes up to twice the work, so that of two cores none is idle long enough; of eight, some are where one log is the half.
"""

_ASIDE, _SHIFTS = "aside", "shifts"


def divide(units: Sequence[Unit], size: int | None, cores: int) -> dict[int, list[Range]]:
    """The ranges of the units that are to be read in ranges, by their numbers.

    Args:
        units: all that are read.
        size: bytes of a range, and every log of two of them is divided; None to divide only where it pays.
        cores: that read at the same time.
    """
    if size is not None:
        return {unit.number: ranges_of(unit, size) for unit in units}
    share = sum(size_of(unit) for unit in units) / cores
    return {unit.number: ranges_of(unit) for unit in units if size_of(unit) > WORTH_DIVIDING * share}


def size_of(unit: Unit) -> int:
    """Bytes of all files of a unit, as they stand."""
    return sum(size_of_file(file) for file in unit.files)


def ranges_of(unit: Unit, size: int = RANGE_BYTES) -> list[Range]:
    """The ranges of a unit, in order; none if it is read as a whole. What comes before the first is its beginning, from
    which is known what the other lines are about.

    Args:
        unit: of any reader.
        size: bytes of a range, about.
    """
    if unit.reader != LOG or any(is_compressed(file) for file in unit.files):
        return []
    sizes = [size_of_file(file) for file in unit.files]
    if sum(sizes) < 2 * size or sizes[0] <= HEAD:
        return []
    ranges: list[Range] = []
    for file, whole in enumerate(sizes):
        begins = 0 if file else HEAD
        number = max(1, round((whole - begins) / size))
        places: list[int | None] = [begins + (whole - begins) * each // number for each in range(number)]
        for begin, end in zip(places, [*places[1:], None], strict=True):
            assert begin is not None
            ranges.append(Range(len(ranges), file, begin, end))
    return ranges


def keep_aside(built: Path, unit: int, of: Range, aside: Aside) -> None:
    """Keeps what a range has set aside, in one step and over what an earlier attempt has left."""
    _put(_aside(built, unit, of.number), msgspec.msgpack.encode(aside))


def kept_aside(built: Path, unit: int, of: Range) -> Aside | None:
    """What a range has set aside; None if it could not be read."""
    path = _aside(built, unit, of.number)
    return msgspec.msgpack.decode(path.read_bytes(), type=Aside) if path.exists() else None


def keep_shifts(built: Path, unit: int, shifts: Sequence[Shift]) -> None:
    """Keeps what is to be added to the numbers of a unit's ranges, and so which of them hold."""
    _put(built / _SHIFTS / f"unit-{unit:06d}", msgspec.msgpack.encode(shifts))


def kept_shifts(built: Path, unit: int) -> Mapping[int, Shift]:
    """What was kept, by range."""
    kept = (built / _SHIFTS / f"unit-{unit:06d}").read_bytes()
    return {shift.range: shift for shift in msgspec.msgpack.decode(kept, type=list[Shift])}


def _aside(built: Path, unit: int, number: int) -> Path:
    return built / _ASIDE / f"unit-{unit:06d}-range-{number:06d}"


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(exist_ok=True)
    waiting = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    waiting.write_bytes(content)
    waiting.replace(path)
