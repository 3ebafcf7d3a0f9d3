"""Reads events of the reference implementation, or of any program with the same schema: one JSON object per line.

Adds the entities that an event concerns besides the one that it names. Not here: what an event means
(`genstamp.logs.rules`).
"""

import codecs
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import msgspec

from genstamp.events import Event, Kind, Place
from genstamp.logs.readers.file_tree import FileTree, KnownBlock, KnownFile
from genstamp.logs.readers.sighting import Concern, Counts, Reject, Sighting, Unit, shortened, whole_number
from genstamp.logs.rules import NO_RULE, rule_of
from genstamp.logs.streams import LINE_LENGTH_MAX

NAMENODE = "namenode"
"""The holder to which expired leases go."""

OF_GFS = (
    "events of GFS, but logs are checked against HDFS only; genstamp conform --simulate 20 --system gfs.chunk_lease "
    "judges"
    " runs of GFS"
)
"""Why a file with events of GFS, in the same schema, is not read."""

_GFS = re.compile(rb'"kind"\s*:\s*"(?:chunk|log)"|"event"\s*:\s*"start_(?:master|chunkserver|shadow)"')

_DECODER = msgspec.json.Decoder(Event)

_OPENS = frozenset({"create", "append", "truncate"})

_NAMES_ITS_LAST_BLOCK = frozenset({"add_block", "append", "truncate", "complete"})


def is_native(head: bytes) -> bool:
    """Whether a file with this beginning contains JSON objects."""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def is_of_gfs(head: bytes) -> bool:
    """Whether a file with this beginning has events of GFS: of chunks, of a master's log or of its servers."""
    return _GFS.search(head) is not None


class _Numbered(msgspec.Struct):
    """The node of an event, and its number among the events of the node."""

    node: str
    node_sequence: int


_NUMBERED = msgspec.json.Decoder(_Numbered)


def first_number(beginning: bytes) -> int:
    """The number of the first event of a NameNode, else of the first node by name; 0 if there is no event."""
    firsts: dict[str, int] = {}
    for line in beginning.splitlines():
        with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            event = _NUMBERED.decode(line.removeprefix(codecs.BOM_UTF8))
            firsts.setdefault(event.node, event.node_sequence)
    return firsts[min(firsts, key=lambda node: (not node.startswith(NAMENODE), node))] if firsts else 0


_LOST_MAX: Final = 10_000
"""How many of a NameNode's last events are kept at least, in case that it loses their edits."""


@dataclass(frozen=True)
class _Edit:
    """An event of a file whose edit may be lost.

    Attributes:
        transaction: the last edit at the time of the event; None if the event does not show it.
        file: the file.
        concerns: the file, its blocks and its holder.
    """

    transaction: int | None
    file: KnownFile
    concerns: tuple[Concern, ...]


class NativeReader:
    """Reads the files of a unit one after another.

    Args:
        unit: the log that the files belong to.
        counts: where blank lines and gaps are counted.
    """

    def __init__(self, unit: Unit, counts: Counts) -> None:
        self._unit = unit
        self._counts = counts
        self._trees: dict[str, FileTree] = {}
        self._files: dict[tuple[str, str], KnownFile] = {}
        self._replicas: dict[tuple[str, str], set[str]] = {}
        self._inodes: dict[tuple[str, str], KnownFile] = {}
        self._edits: dict[str, list[_Edit]] = {}
        self._known: dict[str, set[tuple[Kind, str]]] = {}
        self._sequences: dict[tuple[str, str], int] = {}
        self._order = 0

    def sightings(self, file: str, lines: Iterator[bytes | None], after: int = 0) -> Iterator[Sighting | Reject]:
        """The events of a file of the unit.

        Args:
            file: the name of the file.
            lines: its lines without line ends; None for a line that is too long.
            after: how many lines of the file came before.
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
            event = _DECODER.decode(line.removeprefix(codecs.BOM_UTF8))
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
        """The entity of an event, and the entities that its arguments name or imply."""
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
            concerns += self._lost_at(event)
        elif event.kind == "node":
            concerns += [
                Concern("replica", each) for each in sorted(self._replicas.get((event.namespace, event.node), ()))
            ]
        actor = event.arguments.get("client", event.arguments.get("holder", ""))
        if actor:
            concerns += [Concern("lease", actor), Concern("lease", actor, "new_holder")]
        new_holder = _new_holder(event)
        if new_holder is not None:
            concerns.append(Concern("lease", new_holder, "new_holder"))
        if event.node.startswith(NAMENODE) and not self._was_answered(event, file):
            concerns.append(Concern("node", event.node, "grants"))
        if "replaced" in event.arguments:
            concerns.append(Concern("file", event.arguments["replaced"], "replaced"))
        if file is not None and event.node.startswith(NAMENODE):
            edits = self._edits.setdefault(event.namespace, [])
            edits.append(_Edit(_transaction(event), file, tuple(concerns)))
            if len(edits) > 2 * _LOST_MAX:
                del edits[:_LOST_MAX]
        self._remember(event, file)
        self._known.setdefault(event.namespace, set()).update(
            (each.kind, each.entity) for each in concerns if each.kind in ("block", "lease")
        )
        # An event concerns those for which it has a rule. If there is no rule at all, the check reports that.
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
        # In a complete log a second create is of the same file; otherwise the line of its deletion may be missing.
        if event.event == "create" and event.refused_with is None and not (self._unit.complete and tree.find(path)):
            return tree.create(path)
        return tree.at(path) if event.refused_with is None else tree.was_at(path)

    def _by_inode(self, event: Event, inode: str, path: str | None) -> KnownFile:
        """The file of an event that shows its inode, for any path."""
        known = self._inodes.get((event.namespace, inode))
        if known is None:
            known = self._inodes[event.namespace, inode] = KnownFile(inode, path or "")
        return known

    def _lost_at(self, start: Event) -> list[Concern]:
        """The changes that are undone because a NameNode has lost its edits in a start: ids are granted again (H)."""
        kept, done, lost = _transaction(start), self._edits.get(start.namespace), list[Concern]()
        while kept is not None and done and (done[-1].transaction or 0) > kept:
            edit = done.pop()
            lost += [Concern(each.kind, each.entity, "lost") for each in edit.concerns]
            edit.file.holder = ""
            edit.file.blocks.clear()
        return lost

    def _blocks_of(self, event: Event, file: KnownFile) -> list[Concern]:
        """The block that the event names, else the last one of the file; for a new block also the one before it."""
        last, named = file.last_block(), event.arguments.get("block")
        if named is None or event.kind == "block":
            # A truncate without a recovery removes blocks, but does not show which.
            role = "previous" if _cuts_at_a_border(event) else ""
            return [] if last is None else [Concern("block", str(last.block_id), role)]
        concerns = [Concern("block", named)]
        goes_on = event.event == "add_block" or _closes_before(event)
        if goes_on and last is not None and str(last.block_id) != named:
            concerns.append(Concern("block", str(last.block_id), "previous"))
        return concerns

    def _was_answered(self, event: Event, file: KnownFile | None) -> bool:
        """Whether a retried call returns a block again (FSDirWriteFileOp#analyzeFileState)."""
        named = event.arguments.get("block", event.entity)
        return (
            event.event == "add_block"
            and file is not None
            and any(str(block.block_id) == named for block in file.blocks)
        )

    def _remember(self, event: Event, file: KnownFile | None) -> None:
        """Update the file for its later events."""
        if file is None:
            return
        if _closes_before(event):
            file.holder = ""
        if event.refused_with is not None:
            file.holder = _new_holder(event) or file.holder
            return
        self._remember_blocks(event, file)
        if event.event == "delete" and "inode" not in event.arguments:
            self._trees[event.namespace].remove(file.path)
        elif event.event in _OPENS and not _cuts_at_a_border(event):
            file.holder = "" if _may_be_again(event) else event.arguments.get("client", "")
        elif event.event == "add_block" and event.kind == "block":
            _remember_block(file, event.entity)
        elif event.observed.get("closed") == "true":
            file.holder = ""
        elif event.event == "recover_lease":
            file.holder = event.arguments.get("client", "")
        elif event.event == "release_expired_lease":
            file.holder = _new_holder(event) or ""

    def _remember_blocks(self, event: Event, file: KnownFile) -> None:
        """Update the file's last block, where an event of the NameNode shows it."""
        named = event.arguments.get("block")
        if event.kind != "file":
            if event.event == "commit_block_synchronization" and event.observed.get("deleted") == "true":
                file.blocks.clear()
            return
        if event.event == "abandon_block" or _cuts_at_a_border(event):
            file.blocks.clear()
        elif named is not None and event.event in _NAMES_ITS_LAST_BLOCK:
            _remember_block(file, named)


def _transaction(event: Event) -> int | None:
    """The last edit at the time of an event; None if the event does not show it."""
    return whole_number(event.arguments.get("transaction", ""))


def _new_holder(event: Event) -> str | None:
    """The holder during a recovery, if the event shows or implies a new one."""
    default = NAMENODE if event.event == "release_expired_lease" else None
    return event.observed.get("new_holder", event.arguments.get("new_holder", default))


def _closes_before(event: Event) -> bool:
    """Whether the call first closed the file, because its writer was past the soft limit."""
    return event.observed.get("closed_before") == "true"


def _cuts_at_a_border(event: Event) -> bool:
    """Whether a truncate left the file closed: it cut at a block boundary, or to the current length."""
    return event.event == "truncate" and event.observed.get("answer") == "true"


def _may_be_again(event: Event) -> bool:
    """Whether a truncate may be a retry while the file is being cut to that length, which changes nothing."""
    return event.observed.get("answer") == "false" and event.recovery_id is None


def _remember_block(file: KnownFile, named: str) -> None:
    number = whole_number(named)
    if number is not None:
        file.blocks.append(KnownBlock(number))
