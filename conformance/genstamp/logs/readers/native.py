"""Reads the events of the reference implementation, or of anybody's who writes the same schema: one JSON object a line.

Leaves out what an event means (`genstamp.logs.rules`); says only which entities it concerns beside the one that it
names.
"""

import re
from collections.abc import Iterator

import msgspec

from genstamp.events import Event, Kind, Place
from genstamp.logs.readers.file_tree import FileTree, KnownBlock, KnownFile
from genstamp.logs.readers.sighting import Concern, Counts, Reject, Sighting, Unit, shortened, whole_number
from genstamp.logs.rules import NO_RULE, rule_of
from genstamp.logs.streams import LINE_LENGTH_MAX

NAMENODE = "namenode"
"""The holder to which expired leases go."""

OF_GFS = (
    "events of GFS, and logs are held against HDFS only; genstamp conform --simulate 20 --system gfs.chunk_lease judges"
    " runs of GFS"
)
"""Why a file is not read that has events of the other protocol in the same schema."""

_GFS = re.compile(rb'"kind"\s*:\s*"(?:chunk|log)"|"event"\s*:\s*"start_(?:master|chunkserver|shadow)"')

_DECODER = msgspec.json.Decoder(Event)

_OPENS = frozenset({"create", "append", "truncate"})

_NAMES_ITS_LAST_BLOCK = frozenset({"add_block", "append", "truncate", "complete"})


def is_native(head: bytes) -> bool:
    """Whether a file that begins so holds JSON objects."""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def is_of_gfs(head: bytes) -> bool:
    """Whether the events of a file that begins so are of GFS: of chunks, a master's log or its servers."""
    return _GFS.search(head) is not None


class NativeReader:
    """Reads the files of a unit one after another.

    Args:
        unit: whose files these are.
        counts: where blank lines and gaps are counted.
    """

    def __init__(self, unit: Unit, counts: Counts) -> None:
        self._unit = unit
        self._counts = counts
        self._trees: dict[str, FileTree] = {}
        self._files: dict[tuple[str, str], KnownFile] = {}
        self._replicas: dict[tuple[str, str], set[str]] = {}
        self._inodes: dict[tuple[str, str], KnownFile] = {}
        self._known: dict[str, set[tuple[Kind, str]]] = {}
        self._sequences: dict[tuple[str, str], int] = {}
        self._order = 0

    def sightings(self, file: str, lines: Iterator[bytes | None], after: int = 0) -> Iterator[Sighting | Reject]:
        """The events of a file of the unit, given its lines.

        Args:
            file: its name.
            lines: without their ends; None for one that is too long.
            after: lines of the file that came before them.
        """
        for number, line in enumerate(lines, after + 1):
            place = Place(file, number)
            if line is None:
                yield Reject(place, f"the line is longer than {LINE_LENGTH_MAX} bytes")
            elif not line.strip():
                self._counts.lines[file, "blank"] += 1
            else:
                yield from self._line(place, line)

    def _line(self, place: Place, line: bytes) -> Iterator[Sighting | Reject]:
        try:
            event = _DECODER.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            yield Reject(place, f"not an event: {error}", shortened(line))
            return
        yield from self._check_sequence(place, event)
        if event.recovery_id is None:
            shown = whole_number(event.observed.get("recovery_id", ""))
            event = msgspec.structs.replace(event, recovery_id=shown)
        self._order += 1
        event = msgspec.structs.replace(event, place=place, namespace=event.namespace or self._unit.namespace)
        yield Sighting(self._order, event, self._concerns(event))

    def _check_sequence(self, place: Place, event: Event) -> Iterator[Reject]:
        key = event.namespace, event.node
        last = self._sequences.get(key)
        self._sequences[key] = event.node_sequence
        if last is None or event.node_sequence == last + 1:
            return
        if event.node_sequence <= last:
            reason = (
                f"event {event.node_sequence} of {event.node} follows {last}: out of order, or two runs in one file"
            )
            yield Reject(place, reason, event.event)
            return
        missing = event.node_sequence - last - 1
        self._counts.remarks[place.file, "missing events"] += missing
        if self._unit.complete:
            reason = f"event {event.node_sequence} of {event.node} follows {last}: the log was said to be whole"
            yield Reject(place, reason, event.event)

    def _concerns(self, event: Event) -> list[Concern]:
        """The entity that the event names, and those that its arguments name or imply."""
        file = self._file(event)
        concerns = [Concern(event.kind, event.entity if event.kind != "file" or file is None else file.key)]
        if file is not None:
            concerns.append(Concern("file", file.key))
            concerns += self._blocks_of(event, file)
            if file.holder:
                concerns.append(Concern("lease", file.holder, "holder"))
        if event.kind == "replica":
            block_id, _, datanode = event.entity.partition("@")
            concerns.append(Concern("block", block_id))
            self._replicas.setdefault((event.namespace, datanode), set()).add(event.entity)
        if event.event == "namenode_restart":
            concerns += [Concern(kind, entity) for kind, entity in sorted(self._known.get(event.namespace, ()))]
        elif event.kind == "node":
            concerns += [
                Concern("replica", each) for each in sorted(self._replicas.get((event.namespace, event.node), ()))
            ]
        actor = event.arguments.get("client", event.arguments.get("holder", ""))
        if actor:
            concerns += [Concern("lease", actor), Concern("lease", actor, "new_holder")]
        if event.event == "release_expired_lease":
            concerns.append(Concern("lease", event.arguments.get("new_holder", NAMENODE), "new_holder"))
        if "replaced" in event.arguments:
            concerns.append(Concern("file", event.arguments["replaced"], "replaced"))
        self._remember(event, file)
        self._known.setdefault(event.namespace, set()).update(
            (each.kind, each.entity) for each in concerns if each.kind in ("block", "lease")
        )
        # An event concerns those of them for which a rule says what it means. Where there is none at all, that is told.
        distinct = list(dict.fromkeys(concerns))
        return [each for each in distinct if rule_of(each.kind, each.role, event) != NO_RULE] or distinct[:1]

    def _file(self, event: Event) -> KnownFile | None:
        path = event.entity if event.kind == "file" else event.arguments.get("file")
        inode = event.arguments.get("inode")
        if inode is not None:
            return self._by_inode(event, inode, path)
        if path is None:
            return None
        tree = self._trees.setdefault(event.namespace, FileTree())
        # Where any line may be missing, the deletion of the file before may be; in a whole log it is the same file.
        if event.event == "create" and event.refused_with is None and not (self._unit.complete and tree.find(path)):
            return tree.create(path)
        return tree.at(path) if event.refused_with is None else tree.was_at(path)

    def _by_inode(self, event: Event, inode: str, path: str | None) -> KnownFile:
        """The file of an event that names it by inode, whatever paths it has had."""
        known = self._inodes.get((event.namespace, inode))
        if known is None:
            known = self._inodes[event.namespace, inode] = KnownFile(inode, path or "")
        return known

    def _blocks_of(self, event: Event, file: KnownFile) -> list[Concern]:
        """The block that the event names or that is the last of its file; of a new block also the one before it."""
        last, named = file.last_block(), event.arguments.get("block")
        if named is None or event.kind == "block":
            # A truncate that needs no recovery has removed blocks, and does not say which.
            is_lost = event.event == "truncate" and event.observed.get("answer") == "true"
            return [] if last is None or is_lost else [Concern("block", str(last.block_id))]
        concerns = [Concern("block", named)]
        if event.event == "add_block" and last is not None and str(last.block_id) != named:
            concerns.append(Concern("block", str(last.block_id), "previous"))
        return concerns

    def _remember(self, event: Event, file: KnownFile | None) -> None:
        """What later events of the same file imply."""
        if file is None or event.refused_with is not None:
            return
        self._remember_blocks(event, file)
        if event.event == "delete" and "inode" not in event.arguments:
            self._trees[event.namespace].remove(file.path)
        elif event.event in _OPENS:
            file.holder = event.arguments.get("client", "")
        elif event.event == "add_block" and event.kind == "block":
            _remember_block(file, event.entity)
        elif event.observed.get("closed") == "true":
            file.holder = ""
        elif event.event == "recover_lease":
            file.holder = event.arguments.get("client", "")
        elif event.event == "release_expired_lease":
            file.holder = event.arguments.get("new_holder", NAMENODE)

    def _remember_blocks(self, event: Event, file: KnownFile) -> None:
        """Which block is the last, where the NameNode names it in events of the file."""
        named = event.arguments.get("block")
        if event.kind != "file":
            if event.event == "commit_block_synchronization" and event.observed.get("deleted") == "true":
                file.blocks.clear()
            return
        if event.event == "abandon_block" or (event.event == "truncate" and named is None):
            file.blocks.clear()
        elif named is not None and event.event in _NAMES_ITS_LAST_BLOCK:
            _remember_block(file, named)


def _remember_block(file: KnownFile, named: str) -> None:
    number = whole_number(named)
    if number is not None:
        file.blocks.append(KnownBlock(number))
