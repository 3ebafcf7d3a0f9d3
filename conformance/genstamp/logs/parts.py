"""Tells which logs of a directory are parts of one log, and in which order they were written.

Names that log4j and logrotate give say it (`units.log_name`); `nn-1.log`, `nn.log.old` and the names that `split` gives
do not, so that times and content decide. A log goes on with an earlier one if their times do not overlap, both are of
one sort of server, and the later one tells of a block that the earlier one knows, without giving out any of those. Of
datanodes both must name the same one. Where the times fit and content decides nothing, the later log is checked by
itself, and with `--complete` what is a violation only of a whole log is undetermined.

Not here: logs of several directories, which are those of several servers; events of our servers, merged logs and edit
logs, whose parts their names tell.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from genstamp.events import Place
from genstamp.logs.readers.log_line import log_line
from genstamp.logs.readers.sighting import Reject
from genstamp.logs.streams import head, tail, whole_lines

SLACK_US = 1_000_000
"""Threads write lines a little later than at the time that stands in them."""

_ENDS = 1 << 20

_BLOCK = re.compile(rb"\bblk_(-?\d{1,20})")
_GIVEN_OUT = re.compile(rb"\ballocate(?:Block: /.*?)?.{0,3}\bblk_(-?\d{1,20})")
_HOST = re.compile(rb"STARTUP_MSG: +host = (\S{1,300})")
_RECEIVING = re.compile(rb"\bReceiving .{1,200} dest: /?([\w.:-]{1,300})")
_SERVERS = {
    b"NameNode": re.compile(rb"BLOCK\* |DIR\* |FSNamesystem"),
    b"datanode": re.compile(rb"PacketResponder|DataXceiver|FsDataset|DataNode: "),
}


class Parts:
    """What is known of the logs of a directory.

    Attributes:
        stories: the files of each log, in the order in which they were written.
        perhaps: files of logs of which nobody knows whether they go on with another one.
        notes: what is to be said of files.
        doubts: what is to be said of those of which it is not known, if nothing is to be missing from them.
        rejects: files that cannot be read as they are.
    """

    def __init__(self) -> None:
        self.stories: list[list[str]] = []
        self.perhaps: list[str] = []
        self.notes: list[tuple[str, str]] = []
        self.doubts: list[tuple[str, str]] = []
        self.rejects: list[Reject] = []


class _File(NamedTuple):
    """When a file was written, in microseconds, 0 if it has no time; its first line, and what follows its last whole
    one.
    """

    name: str
    first: int
    last: int
    begin: bytes
    rest: bytes

    def breaks_head_of(self, other: "_File") -> bool:
        """Whether it ends in the midst of the head of a line; what is left of that may be one of another time."""
        own = log_line(other.begin) if other is not self and log_line(self.rest) is None else None
        whole = None if own is None else log_line(self.rest + other.begin)
        return own is not None and whole is not None and whole.time_us != own.time_us

    def is_cut_before(self, next_: "_File") -> bool:
        """Whether it ends in the midst of a line, with which the next file goes on."""
        return self.rest != b"" and next_.begin != b"" and log_line(next_.begin) is None


class _Content(NamedTuple):
    """What a log tells of who wrote it."""

    servers: frozenset[bytes]
    hosts: frozenset[bytes]
    datanodes: frozenset[bytes]
    given_out: frozenset[bytes]
    blocks: frozenset[bytes]

    def with_part(self, part: "_Content") -> "_Content":
        return _Content._make(one | other for one, other in zip(self, part, strict=True))

    def is_another(self, earlier: "_Content") -> bool:
        """Whether something shows that another server has written it, or for another cluster."""
        both = self.servers & earlier.servers
        named = [(self.hosts, earlier.hosts)]
        if b"NameNode" not in both:
            named.append((self.datanodes, earlier.datanodes))
        apart = any(mine and others and not mine & others for mine, others in named)
        return not both or apart or bool(self.given_out & earlier.blocks)

    def goes_on_with(self, earlier: "_Content") -> bool:
        same = b"NameNode" in self.servers & earlier.servers or self.datanodes & earlier.datanodes
        return bool(same and self.blocks & earlier.blocks)


class _Log:
    """A log as far as its parts are known, the earliest first."""

    def __init__(self, files: list[_File]) -> None:
        self.files = files
        self.last = max(file.last for file in files)
        self._content: _Content | None = None

    def names(self) -> list[str]:
        return [file.name for file in self.files]

    def content(self) -> _Content:
        if self._content is None:
            self._content = _content(self.names())
        return self._content

    def goes_on_with(self, earlier: "_Log") -> bool:
        """Whether something proves that the earlier log goes on here."""
        is_cut = earlier.files[-1].is_cut_before(self.files[0])
        return is_cut or self.content().goes_on_with(earlier.content())

    def add(self, later: "_Log") -> None:
        self._content = self.content().with_part(later.content())
        self.files += later.files
        self.last = max(self.last, later.last)


def parts_of(named: Sequence[Sequence[str]]) -> Parts:
    """The logs of a directory.

    Args:
        named: the files whose names say that they are of one log.
    """
    parts = Parts()
    if len(named) == len(named[0]) == 1:  # So nothing has to be read.
        parts.stories.append(list(named[0]))
        return parts
    apart: list[_Log] = []
    for names in named:
        files = sorted(map(_file, names), key=lambda file: (file.first, file.last, file.name))
        if any(one.last > other.first + SLACK_US for one, other in pairwise(files) if other.first):
            apart += (_Log([file]) for file in files)
            parts.perhaps += names
            why = "its times overlap those of a log of the same name: each is checked by itself"
            parts.notes += ((name, why) for name in names)
        else:
            apart.append(_Log(files))
    every = [file for log in apart for file in log.files]
    cuts = {(one.name, other.name) for one in every if one.rest for other in every if one.breaks_head_of(other)}
    for log in _joined(apart, parts):
        cuts |= {(one.name, other.name) for one, other in pairwise(log.files) if one.is_cut_before(other)}
        parts.stories.append(log.names())
    for one, other in sorted(cuts):
        why = f"ends in the midst of a line, with which {other} goes on"
        parts.rejects.append(Reject(Place(one, 0), f"{why}; expected whole lines: cat PARTS | genstamp logs check -"))
    parts.stories = [files for files in parts.stories if not any(set(cut) & set(files) for cut in cuts)]
    return parts


def _joined(logs: list[_Log], parts: Parts) -> list[_Log]:
    """Logs with those that go on with them."""
    found: list[_Log] = []
    for log in sorted(logs, key=lambda log: (log.files[0].first, log.last, log.names())):
        first = log.files[0]
        earlier = [each for each in found if first.first and 0 < each.last <= first.first + SLACK_US]
        earlier = [each for each in earlier if not log.content().is_another(each.content())]
        earlier.sort(key=lambda each: each.last, reverse=True)
        before = next((each for each in earlier if log.goes_on_with(each)), None)
        if before is not None:
            parts.notes.append((first.name, f"read as what follows {before.files[-1].name}"))
            before.add(log)
            continue
        if earlier:
            parts.perhaps += log.names()
            why = f"may go on with {earlier[0].files[-1].name}, which neither name nor content says"
            parts.doubts.append((first.name, f"{why}: what it may lack is undetermined"))
        found.append(log)
    return found


def _file(name: str) -> _File:
    beginning, end = head(name, _ENDS).splitlines(), tail(name, _ENDS)
    first = next(_times(beginning), 0)
    last = next(_times(reversed(end.splitlines())), first)
    return _File(name, first, last, beginning[0] if beginning else b"", end.rpartition(b"\n")[2])


def _times(lines: Iterable[bytes]) -> Iterator[int]:
    return (parts.time_us for line in lines if (parts := log_line(line)) is not None)


def _content(files: Sequence[str]) -> _Content:
    servers: set[bytes] = set()
    found: list[set[bytes]] = [set(), set(), set(), set()]
    for file in files:
        for text in whole_lines(file):
            servers.update(name for name, regex in _SERVERS.items() if name not in servers and regex.search(text))
            for known, regex in zip(found, (_HOST, _RECEIVING, _GIVEN_OUT, _BLOCK), strict=True):
                known.update(regex.findall(text))
    return _Content(frozenset(servers), *map(frozenset, found))
