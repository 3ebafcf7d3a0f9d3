"""Reads the events of the reference implementation, or of anybody's who writes the same schema: one JSON object a line.

Leaves out what an event means (`genstamp.logs.rules`); says only which entities it concerns beside the one that it
names.
"""

from collections.abc import Iterator

import msgspec

from genstamp.events import Event, Place
from genstamp.logs.readers.file_tree import FileTree, KnownBlock, KnownFile
from genstamp.logs.readers.sighting import Concern, Counts, Reject, Sighting, Unit, shortened
from genstamp.logs.rules import NO_RULE, rule_of
from genstamp.logs.streams import LINE_LENGTH_MAX

NAMENODE = "namenode"
"""The holder to which expired leases go."""

_OPENS = frozenset({"create", "append", "truncate"})


def is_native(head: bytes) -> bool:
    """Whether a file that begins so holds JSON objects."""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


class NativeReader:
    """Reads the files of a unit one after another.

    Args:
        unit: whose files these are.
        counts: where blank lines and gaps are counted.
    """

    def __init__(self, unit: Unit, counts: Counts) -> None:
        self._unit = unit
        self._counts = counts
        self._decoder = msgspec.json.Decoder(Event)
        self._trees: dict[str, FileTree] = {}
        self._files: dict[tuple[str, str], KnownFile] = {}
        self._replicas: dict[tuple[str, str], set[str]] = {}
        self._sequences: dict[tuple[str, str], int] = {}
        self._order = 0

    def sightings(self, file: str, lines: Iterator[bytes | None]) -> Iterator[Sighting | Reject]:
        """The events of a file of the unit, given its lines."""
        for number, line in enumerate(lines, 1):
            place = Place(file, number)
            if line is None:
                yield Reject(place, f"the line is longer than {LINE_LENGTH_MAX} bytes")
            elif not line.strip():
                self._counts.lines[file, "blank"] += 1
            else:
                yield from self._line(place, line)

    def _line(self, place: Place, line: bytes) -> Iterator[Sighting | Reject]:
        try:
            event = self._decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            yield Reject(place, f"not an event: {error}", shortened(line))
            return
        yield from self._check_sequence(place, event)
        recovery_id = event.observed.get("recovery_id", "")
        if event.recovery_id is None and recovery_id.isdecimal():
            event = msgspec.structs.replace(event, recovery_id=int(recovery_id))
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
            block = file.last_block()
            if block is not None:
                concerns.append(Concern("block", str(block.block_id)))
            if file.holder:
                concerns.append(Concern("lease", file.holder, "holder"))
        if event.kind == "replica":
            block_id, _, datanode = event.entity.partition("@")
            concerns.append(Concern("block", block_id))
            self._replicas.setdefault((event.namespace, datanode), set()).add(event.entity)
        if event.kind == "node":
            concerns += [
                Concern("replica", each) for each in sorted(self._replicas.get((event.namespace, event.node), ()))
            ]
        actor = event.arguments.get("client", event.arguments.get("holder", ""))
        if actor:
            concerns += [Concern("lease", actor), Concern("lease", actor, "new_holder")]
        if event.event == "release_expired_lease":
            concerns.append(Concern("lease", event.arguments.get("new_holder", NAMENODE), "new_holder"))
        self._remember(event, file)
        # An event concerns those of them for which a rule says what it means. Where there is none at all, that is told.
        distinct = list(dict.fromkeys(concerns))
        return [each for each in distinct if rule_of(each.kind, each.role, event) != NO_RULE] or distinct[:1]

    def _file(self, event: Event) -> KnownFile | None:
        path = event.entity if event.kind == "file" else event.arguments.get("file")
        if path is None:
            return None
        tree = self._trees.setdefault(event.namespace, FileTree())
        # Where any line may be missing, the deletion of the file before may be; in a whole log it is the same file.
        if event.event == "create" and event.refused_with is None and not (self._unit.complete and tree.find(path)):
            return tree.create(path)
        return tree.at(path)

    def _remember(self, event: Event, file: KnownFile | None) -> None:
        """What later events of the same file imply."""
        if file is None or event.refused_with is not None:
            return
        if event.event == "delete":
            self._trees[event.namespace].remove(file.path)
        elif event.event in _OPENS:
            file.holder = event.arguments.get("client", "")
        elif event.event == "add_block" and event.kind == "block" and event.entity.removeprefix("-").isdecimal():
            file.blocks.append(KnownBlock(int(event.entity)))
        elif event.observed.get("closed") == "true":
            file.holder = ""
        elif event.event == "recover_lease":
            file.holder = event.arguments.get("client", "")
        elif event.event == "release_expired_lease":
            file.holder = event.arguments.get("new_holder", NAMENODE)
