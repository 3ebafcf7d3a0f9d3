"""The output of a reader: events with the entities they concern, and the parts that it could not read.

Not here: how any source is read.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from genstamp.events import Event, Kind, Place
from genstamp.logs.semantics import Semantics
from genstamp.logs.streams import DamagedSourceError

TEXT_MAX = 300
"""Characters of a rejected line that are kept."""


OF_NO_LAYOUT = "of no layout that is known"
"""The name under which a line is counted that no layout reads and that states no step."""

UNREAD = f"looks like a step, and is {OF_NO_LAYOUT}"
"""Why a line is rejected that states a step, and that no layout reads."""


KNOWN_HOLE = "known hole"
"""How the remark on a known fault of HDFS begins; its name among the holes follows."""

WAITED = "waited for a report"
"""How the remark on blocks begins that were COMMITTED for a while, because no datanode had reported a replica."""


NO_START_IS_MISSING = "taken for granted: no line of a start of the NameNode is missing, after which stamps may fall"
"""The remark on a log in which a stamp is lower than one before. A log that was filtered may lack such a line."""


OF_ONE_TIME = "not checked: a stamp below another one that a line of the same time shows, as lines may be swapped"
OF_NO_POOL = "not checked: stamps in lines that name neither their block pool nor a port, in a log of several pools"
"""The remarks on stamps that are not compared with the counter of the NameNode."""


class Concern(NamedTuple):
    """An entity that an event concerns.

    Attributes:
        kind, entity: the entity's key, with the event's namespace.
        role: in which part, as the rules of the kind distinguish it.
        after: orders of events of the same unit and entity on other nodes that certainly came before, and that no
        order of one node's own events tells.
    """

    kind: Kind
    entity: str
    role: str = ""
    after: tuple[int, ...] = ()


class Sighting(NamedTuple):
    """One event that was read.

    Attributes:
        order: its place in the order in which its unit was written; no two of a unit are the same.
        event: what happened.
        concerns: under which keys it is checked, each once; none if it is only kept.
    """

    order: int
    event: Event
    concerns: Sequence[Concern]


class Reject(NamedTuple):
    """Something that should have been read and could not be.

    Attributes:
        place: where it stands.
        reason: what is wrong, in one sentence.
        text: what stands there, cut to `TEXT_MAX` characters.
    """

    place: Place
    reason: str
    text: str = ""


def until_damage(file: str, finds: Iterator[Sighting | Reject]) -> Iterator[Sighting | Reject]:
    """What is found in a file, up to its damage, which is a reject."""
    last = 0
    try:
        for find in finds:
            place = find.place if isinstance(find, Reject) else find.event.place
            last = place.line if place is not None else last
            yield find
    except DamagedSourceError as error:
        yield Reject(Place(file, last), error.reason)
    except OSError as error:
        yield Reject(Place(file, last), f"cannot be read: {error.strerror}")


def whole_number(text: str) -> int | None:
    """The number that a text is; None if it is none of 64 bits."""
    if len(text) > 20 or not (text.isascii() and text.removeprefix("-").isdecimal()):
        return None
    number = int(text)
    return number if -(2**63) <= number < 2**63 else None


def shortened(line: bytes) -> str:
    """A line as it may be shown: decoded, without control characters, cut."""
    text = line[: 4 * TEXT_MAX].decode(errors="backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)[:TEXT_MAX]


@dataclass
class Unit:
    """Files that are one story, read one after another by one task: a log and its older parts, the segments of an
    edit log.

    Attributes:
        number: among the units of a run.
        reader: name of the reader, by the content of the first file.
        files: in the order in which they were written.
        namespace: of what names no block pool: the declared group, else the first file.
        pools: block pool id by namespace id, as other files tell it.
        complete: whether the user asserts that nothing is missing.
        semantics: whether known faults of HDFS are allowed.
    """

    number: int
    reader: str
    files: tuple[str, ...]
    namespace: str
    pools: dict[str, str] = field(default_factory=dict)
    complete: bool = False
    semantics: Semantics = "hadoop-3.4"


@dataclass
class Counts:
    """The number of things read, by kind.

    Attributes:
        lines: lines or records that are no events, by file and kind.
        remarks: what else is to be counted, by file and kind: gaps, and events that could not be put under a key.
        gapless: by namespace, what the column of `tables.SPANS` says of the unit's edit log.
    """

    lines: Counter[tuple[str, str]] = field(default_factory=Counter)
    remarks: Counter[tuple[str, str]] = field(default_factory=Counter)
    gapless: dict[str, str] = field(default_factory=dict)
