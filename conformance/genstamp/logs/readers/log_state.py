"""The facts about the cluster in the lines of a log so far, and the state needed to read the next ones.

The lines of a NameNode name no block pool, and those of a datanode often not the datanode; other lines of the same
log tell. Not here: the messages themselves (`log_namenode`, `log_datanode`).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from genstamp.events import Event, Kind, Place
from genstamp.logs.readers import log_grants
from genstamp.logs.readers.file_tree import Elsewhere, FileTree, KnownFile
from genstamp.logs.readers.log_head import LogLine
from genstamp.logs.readers.sighting import WAITED, Concern, Counts, Reject, Sighting, Unit
from genstamp.logs.sources import DATANODE_LOG, NAMENODE_LOG

NAMENODE = "namenode"

UNKNOWN = "?"
"""Stands for a datanode that no line names."""

WAITING_MAX = 100_000
"""Events that wait for a line that names their datanode; beyond, they go without."""

EVENTS_OF_A_LINE = 1 << 20
"""Numbers that are kept for the events of one line, so that the order of an event follows from its line alone."""

_POOL = re.compile(rb"\bBP-\d{1,20}-[\w.:-]{1,255}-\d{1,20}\b")
_BLOCK_OF_POOL = re.compile(rb"(BP-\d{1,20}-[\w.:-]{1,255}?-\d{1,20}):blk_(-?\d{1,20})_(\d{1,20})")
_STAMP_TO_COME = re.compile(rb"\b(?:recoveryId|newGenerationStamp)=(\d{1,20})")
_NEW_POOL = re.compile(rb"(?:Allocated new BlockPoolId: |Formatting block pool )(BP-[\w.:-]+)")
_SERVICE = re.compile(rb"Block pool (BP-[\w.:-]+) .{0,200}?service to [^ ]{1,300}:(\d+) (?:beginning|successfully)")
_REGISTRATION = re.compile(rb"DatanodeRegistration\(([\w.:-]+:\d+), .{0,300}?ipcPort=(\d+)")
_STORAGE = re.compile(rb"nsid=(\d+)")
_PORT = re.compile(rb"IPC Server handler \d+ on (?:default port )?(\d+)")


class LogState:
    """The known facts about the cluster whose log is read.

    Args:
        unit: whose files are read.
        counts: where lines are counted that are no events.
        pools: block pools named in the beginning of the first file.

    Attributes:
        elsewhere: where files may be that no tree has yet.
        completes_again: whose complete() of a closed file is answered once more in the next line; "" if there is none.
    """

    def __init__(self, unit: Unit, counts: Counts, pools: list[str]) -> None:
        self.unit = unit
        self.counts = counts
        self._pools = dict.fromkeys(pools)
        self._newest_pool: str | None = None
        self._pool_of_stamp: dict[str, dict[int, str]] = {}
        self._pool_of_port: dict[bytes, str] = {}
        self._datanode_of_ipc: dict[str, str] = {}
        self._datanodes: dict[str, None] = {}
        self._namenode_ports: dict[bytes, None] = {}
        self.elsewhere: Elsewhere | None = None
        self.completes_again = ""
        self._trees: dict[str, FileTree] = {}
        self._file_of_block: dict[tuple[str, str], KnownFile] = {}
        self._replicas: dict[tuple[str, str], dict[str, None]] = {}
        self._granted: dict[str, Any] = {}
        self._sequences: dict[str, int] = {}
        self._line = self._order = 0
        self._waiting: list[tuple[Sighting, str]] = []
        self.recoveries: dict[tuple[str, str], Recovery] = {}
        self._requests: dict[tuple[bytes, str], Request] = {}
        self._created: dict[int, None] = {}
        self._lacking: dict[tuple[str, str], int] = {}
        self._unreported: dict[tuple[str, str], tuple[int, str]] = {}
        self._waited, self._longest = 0, (0, "", "")

    # -- what every line may tell ---------------------------------------------------------------------------------

    def learn(self, line: LogLine) -> None:
        """Takes what a line says about pools and datanodes."""
        message = line.message
        if b"BP-" in message:
            for pool in _POOL.findall(message):
                self._pools.setdefault(pool.decode(), None)
            new = _NEW_POOL.match(message)
            if new is not None:
                self._newest_pool = new[1].decode()
            service = _SERVICE.search(message)
            if service is not None:
                self._pool_of_port[service[2]] = service[1].decode()
            if len(self._pools) > 1:
                self._learn_blocks(message)
        if b"DatanodeRegistration(" in message:
            self._learn_datanode(line)

    def _learn_blocks(self, message: bytes) -> None:
        """Takes which pool has which blocks under which stamps, a recovery's new one among them."""
        for pool, block_id, stamp in _BLOCK_OF_POOL.findall(message):
            known = self._pool_of_stamp.setdefault(block_id.decode(), {})
            for each in (stamp, *_STAMP_TO_COME.findall(message)):
                known[int(each)] = pool.decode()

    def _learn_datanode(self, line: LogLine) -> None:
        found = _REGISTRATION.search(line.message)
        if found is None:
            return
        address = found[1].decode()
        self._datanode_of_ipc[found[2].decode()] = address
        self.saw_datanode(address)
        storage = _STORAGE.search(line.message, found.end())
        port = _PORT.match(line.thread)
        pool = self.unit.pools.get(storage[1].decode()) if storage is not None else None
        if pool is not None:
            self._pools.setdefault(pool, None)
            if port is not None:
                self._pool_of_port.setdefault(port[1], pool)

    def saw_datanode(self, address: str) -> None:
        """A datanode of this cluster has this address."""
        self._datanodes.setdefault(address, None)

    def pool(self) -> str:
        """The only block pool that was named; empty if none was, or several."""
        return next(iter(self._pools)) if len(self._pools) == 1 else ""

    def has_several_pools(self) -> bool:
        """Whether a line that names none may be of either."""
        return len(self._pools) > 1

    # -- where and who --------------------------------------------------------------------------------------------

    def namespace(self, line: LogLine, pool: str = "") -> str:
        """The namespace of a line: the pool it names, else that of its NameNode, else the only or newest pool, else its
        NameNode's port.
        """
        if pool:
            return pool
        port = _PORT.match(line.thread)
        if port is not None and port[1] in self._pool_of_port:
            return self._pool_of_port[port[1]]
        if len(self._pools) == 1:
            return next(iter(self._pools))
        if self._newest_pool is not None:
            return self._newest_pool
        if port is not None and self.has_several_pools():
            # Which NameNode has which pool was told before the log begins; block ids of one are ids of the other.
            return f"{self.unit.namespace} on port {port[1].decode()}"
        return self.unit.namespace

    def namespace_of_block(self, line: LogLine, block_id: str, stamp: int) -> str:
        """The namespace of a datanode's line that names no pool: of several the one that has the block under the stamp.

        Blocks of two pools have the same ids. Where no line told the stamp it is the only pool that has the block, or
        the one in which it had the last lower stamp.
        """
        if not self.has_several_pools():
            return self.namespace(line)
        known = self._pool_of_stamp.get(block_id, {})
        if stamp in known:
            return known[stamp]
        named = set(known.values())
        seen = {
            namespace
            for (namespace, datanode), replicas in self._replicas.items()
            if namespace in self._pools and f"{block_id}@{datanode}" in replicas
        }
        for only in (seen | named, seen - named):
            if len(only) == 1:
                return only.pop()
        lower = [each for each in known if each < stamp]
        return known[max(lower)] if lower else self.namespace(line)

    def namenode(self, line: LogLine) -> str:
        """Which NameNode logged a line: by its port, where one file has several."""
        port = _PORT.match(line.thread)
        if port is None:
            return NAMENODE
        self._namenode_ports.setdefault(port[1], None)
        return NAMENODE if next(iter(self._namenode_ports)) == port[1] else f"{NAMENODE}:{port[1].decode()}"

    def datanode(self, line: LogLine) -> str:
        """Which datanode logged a line: by the port of its handler, else the only one of the log."""
        port = _PORT.match(line.thread)
        if port is not None:
            return self._datanode_of_ipc.get(port[1].decode(), UNKNOWN)
        return next(iter(self._datanodes)) if len(self._datanodes) == 1 else UNKNOWN

    def tree(self, namespace: str) -> FileTree:
        """The files of a namespace."""
        return self._trees.setdefault(namespace, FileTree())

    def namespaces(self) -> list[str]:
        """The namespaces whose files occur in lines, in a fixed order."""
        return sorted(self._trees)

    def open_files(self, namespace: str) -> list[KnownFile]:
        """The files of a namespace that were last seen under construction."""
        if self.elsewhere is not None and self.elsewhere.namespace == namespace:
            self.elsewhere.ask_open()
        return [file for file in self.tree(namespace).known() if file.is_open]

    def file_of_block(self, namespace: str, block_id: str) -> KnownFile | None:
        """The file that was given a block, if that was seen."""
        if self.elsewhere is not None and self.elsewhere.namespace == namespace:
            self.elsewhere.ask_block(block_id)
        return self._file_of_block.get((namespace, block_id))

    def give_block(self, namespace: str, block_id: str, file: KnownFile) -> None:
        """A file was given a block."""
        if self.elsewhere is not None and self.elsewhere.namespace == namespace:
            self.elsewhere.gave_block(block_id)
        self._file_of_block[namespace, block_id] = file

    def adopt_block(self, namespace: str, block_id: str, file: KnownFile) -> None:
        """A file that comes from elsewhere was given a block."""
        self._file_of_block[namespace, block_id] = file

    def granted(self, namespace: str, thread: bytes = b"") -> Any:
        """The stamps that a NameNode has granted (`log_grants`).

        Nothing where there are several, and the thread of a line does not tell which of them has written it.
        """
        if self.has_several_pools() and _PORT.match(thread) is None:
            return log_grants.NOBODYS
        if namespace not in self._granted:
            self._granted[namespace] = log_grants.new_grants()
        return self._granted[namespace]

    def forget_granted(self) -> None:
        """A NameNode starts, or becomes active: its counter may be lower."""
        for granted in self._granted.values():
            granted[:] = 0

    def replicas(self, namespace: str, datanode: str) -> list[str]:
        """The replicas of a datanode that were seen."""
        return sorted(self._replicas.get((namespace, datanode), ()))

    def saw_replicas(self, namespace: str, datanode: str, entities: Iterable[str]) -> None:
        """Replicas of a datanode were seen."""
        self._replicas.setdefault((namespace, datanode), {}).update(dict.fromkeys(entities))

    def datanodes(self) -> list[str]:
        """The datanodes that were seen."""
        return list(self._datanodes)

    # -- numbers of events ----------------------------------------------------------------------------------------

    def next_line(self) -> None:
        """The events that follow are of the next line of the unit."""
        self._line += 1
        self._order = self._line * EVENTS_OF_A_LINE

    def count_on(self, line: int, sequences: Mapping[str, int]) -> None:
        """Another reader has read lines: how many of the unit there were in all, and the number of each node's last
        event.
        """
        self._line = line
        self._sequences.update(sequences)

    def counted(self, node: str) -> int:
        """The number of the last event of a node."""
        return self._sequences.get(node, 0)

    # -- events ---------------------------------------------------------------------------------------------------

    def seen(
        self,
        place: Place,
        line: LogLine,
        event: str,
        kind: Kind,
        entity: str,
        concerns: list[Concern],
        *,
        namespace: str,
        node: str,
        generation_stamp: int | None = None,
        recovery_id: int | None = None,
        num_bytes: int | None = None,
        refused_with: str | None = None,
        observed: dict[str, str] | None = None,
        source: str = "",
        **arguments: str,
    ) -> Sighting:
        """An event that a line reports; the source is the node's log, unless it is named."""
        # A line of still more events tells of one entity in each.
        self._order = min(self._order + 1, (self._line + 1) * EVENTS_OF_A_LINE - 1)
        seen = Event(
            source=source or (NAMENODE_LOG if node.startswith(NAMENODE) else DATANODE_LOG),
            node=node,
            node_sequence=self._next(node),
            time_us=line.time_us,
            kind=kind,
            namespace=namespace,
            entity=entity,
            event=event,
            refused_with=refused_with,
            generation_stamp=generation_stamp,
            recovery_id=recovery_id,
            num_bytes=num_bytes,
            arguments={name: value for name, value in arguments.items() if value},
            observed=observed or {},
            place=place,
        )
        return Sighting(self._order, seen, concerns)

    def at_replica(self, sighting: Sighting, block_id: str, waits_for: str = "") -> Iterator[Sighting]:
        """An event of a replica; one whose datanode is not known waits for a line that tells."""
        event = sighting.event
        datanode = event.node
        if datanode != UNKNOWN:
            entity = f"{block_id}@{datanode}"
            self._replicas.setdefault((event.namespace, datanode), {})[entity] = None
            yield sighting._replace(concerns=[Concern("replica", entity), *sighting.concerns])
        elif len(self._waiting) < WAITING_MAX:
            self._waiting.append((sighting, waits_for))
        else:
            yield sighting

    def rest(self) -> Iterator[Sighting | Reject]:
        """The events that waited, when no more lines come."""
        for sighting, waits_for in self._waiting:
            event = sighting.event
            block_id = event.entity.partition("@")[0]
            recovery = self.recoveries.get((event.namespace, waits_for))
            datanode = self.datanode_left(recovery)
            if datanode == UNKNOWN:
                self.counts.remarks[
                    event.place.file if event.place else "", "event of a datanode that no line names"
                ] += 1
                yield sighting
                continue
            entity = f"{block_id}@{datanode}"
            event = msgspec.structs.replace(event, node=datanode, entity=entity)
            yield Sighting(sighting.order, event, [Concern("replica", entity), *sighting.concerns])
        self._waiting.clear()
        if self._waited:
            time_us, block_id, file = self._longest
            told = f"{self._waited:,} COMMITTED, the longest blk_{block_id}, for {time_us / 1_000_000:.3f} s"
            self.counts.remarks[file, f"{WAITED}: {told}"] += 1
            self._waited = 0

    def ask(
        self,
        line: LogLine,
        call: str,
        *,
        recovery_id: int | None = None,
        length: int | None = None,
        client: str = "",
        deletes: bool = False,
        block_id: str = "",
        locations: str = "",
    ) -> None:
        """Keeps the request of a thread until the thread logs its result."""
        if len(self._requests) >= WAITING_MAX:
            self._requests.clear()
        self._requests[line.thread, call] = Request(recovery_id, length, client, deletes, block_id, locations)

    def asked(self, line: LogLine, call: str) -> "Request":
        """The last request of the thread of a line in such a call."""
        return self._requests.get((line.thread, call), Request())

    def is_asked(self, line: LogLine, call: str) -> bool:
        """Whether the thread of a line got such a call and has not logged its result."""
        return (line.thread, call) in self._requests

    def answered(self, line: LogLine, call: str) -> "Request":
        """As `asked`, of a line with the result."""
        return self._requests.pop((line.thread, call), Request())

    def is_unreported(self, namespace: str, block_id: str, line: LogLine, file: str) -> None:
        """A line shows that a block is COMMITTED and waits for a replica to be reported."""
        if len(self._unreported) < WAITING_MAX:
            self._unreported.setdefault((namespace, block_id), (line.time_us, file))

    def is_reported(self, namespace: str, block_id: str, line: LogLine) -> None:
        """A replica of a block was reported."""
        since, file = self._unreported.pop((namespace, block_id), (line.time_us, ""))
        if line.time_us > since:
            self._waited += 1
            self._longest = max(self._longest, (line.time_us - since, block_id, file))

    def lacks_replicas(self, namespace: str, block_id: str, lacking: int) -> None:
        """A committed block waits for this many replicas."""
        if len(self._lacking) >= WAITING_MAX:
            self._lacking.clear()
        self._lacking[namespace, block_id] = lacking

    def has_replicas(self, namespace: str, block_id: str) -> bool:
        """One more replica of a block is stored: whether it is the last that a committed block waits for."""
        lacking = self._lacking.pop((namespace, block_id), 0) - 1
        if lacking > 0:
            self._lacking[namespace, block_id] = lacking
        return lacking == 0

    def created(self, file: KnownFile) -> None:
        """The log of state changes has reported a creation, which the audit log may repeat."""
        if len(self._created) >= WAITING_MAX:
            self._created.clear()
        self._created[id(file)] = None

    def closed_by(self, namespace: str, path: str, holder: str) -> list[KnownFile]:
        """The files of which a holder closes one, as in `FileTree`; none where it is answered once more."""
        if self.completes_again == holder:
            self.completes_again = ""
            return []
        return self.tree(namespace).closed_by(path, holder)

    def was_created(self, file: KnownFile | None) -> bool:
        """Whether the creation of a file was already reported; computed once."""
        return file is not None and self._created.pop(id(file), True) is None

    def datanode_left(self, recovery: "Recovery | None") -> str:
        """The primary of a recovery: the one location that is left. Else the only datanode."""
        if recovery is not None:
            left = [target for target in recovery.targets if target not in recovery.answered]
            if len(left) == 1:
                return left[0]
        return next(iter(self._datanodes)) if len(self._datanodes) == 1 else UNKNOWN

    def _next(self, node: str) -> int:
        self._sequences[node] = self._sequences.get(node, 0) + 1
        return self._sequences[node]


@dataclass(frozen=True)
class Request:
    """The request of a call, as far as its first line states it."""

    recovery_id: int | None = None
    length: int | None = None
    client: str = ""
    deletes: bool = False
    block_id: str = ""
    locations: str = ""


@dataclass
class Recovery:
    """An attempt to recover a block, as its primary logs it.

    Attributes:
        targets: the locations, among them the primary.
        answered: those of them that have stated, by answering a call over the network, that they are not the primary.
    """

    targets: list[str]
    answered: set[str]
