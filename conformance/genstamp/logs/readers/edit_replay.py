"""Turns the operations of an edit log into events, in one pass in the order of the transactions.

The pass knows which file is at which path, who holds it and which blocks it has, as the NameNode does on replay; so
an operation that lists all blocks of a file becomes the event that changed the list. Source:
NN/FSEditLogLoader#applyEditLogOpInternal, #updateBlocks.

Leaves out snapshots, quotas, permissions, caching and storage policies; those operations are counted by kind.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import count

from genstamp.events import Event, Kind, Place
from genstamp.logs.readers.edit_ops import EditOp, LoggedBlock, is_known
from genstamp.logs.readers.file_tree import FileTree, KnownBlock, KnownFile
from genstamp.logs.readers.granted_stamps import HOLE, RESTORED_UNTIL, GrantedStamps
from genstamp.logs.readers.sighting import KNOWN_HOLE, Concern, Counts, Reject, Sighting, Unit
from genstamp.logs.sources import edits_source
from genstamp.logs.tables import FROM_THE_FIRST, LATER

FIRST_STAMP, FIRST_INODE = 1001, 16386
"""What a new namespace gives out first (H; INodeId#LAST_RESERVED_ID). An older one that was upgraded to transaction ids
begins with transaction 1, too, and goes on with its own numbers.
"""

_STAMPS = frozenset({"OP_SET_GENSTAMP_V1", "OP_SET_GENSTAMP_V2"})

_TOLD_MAX = 20
"""Stamps granted again that are told one by one."""

NAMENODE = "namenode"
STRIPED_IDS = "namenode:striped"
"""Key of the counter of ids of block groups, which are negative; the other counter of ids is the NameNode's own."""
LEGACY_STAMPS = "namenode:legacy"
"""Key of the counter of stamps for blocks with random ids, OP_SET_GENSTAMP_V1; the other counter is the NameNode's
own key.
"""


class Replay:
    """What the operations so far have made of the namespace.

    Args:
        unit: whose operations these are.
        counts: where operations are counted that tell nothing.
        order: gives the place of the next event among those of the unit, where others tell of it too.

    Attributes:
        tree: the files that are known.
    """

    def __init__(self, unit: Unit, counts: Counts, order: Callable[[], int] | None = None) -> None:
        self._unit = unit
        self._counts = counts
        self.tree = FileTree()
        self._next = order or count(1).__next__
        self._granted = GrantedStamps()
        self._granted_again = 0
        self._highest, self._counter = 0, NAMENODE
        self._highest_id = 0
        self._txid: int | None = None
        self._last: int | None = None
        self._has_gap = self._is_new = self._begins = False
        self._file = ""
        self._op = EditOp(0, 0, None, "")
        self._handlers: dict[str, Callable[[], Iterator[Sighting]]] = {
            "OP_ADD": self._add,
            "OP_CLOSE": self._close,
            "OP_ADD_BLOCK": self._add_block,
            "OP_UPDATE_BLOCKS": self._update_blocks,
            "OP_APPEND": self._append,
            "OP_TRUNCATE": self._truncate,
            "OP_REASSIGN_LEASE": self._reassign_lease,
            "OP_DELETE": self._delete,
            "OP_RENAME_OLD": self._rename,
            "OP_RENAME": self._rename,
            "OP_CONCAT_DELETE": self._concat,
            "OP_SET_GENSTAMP_V1": self._set_generation_stamp,
            "OP_SET_GENSTAMP_V2": self._set_generation_stamp,
            "OP_ALLOCATE_BLOCK_ID": self._allocate_block_id,
        }

    def events(self, file: str, op: EditOp) -> Iterator[Sighting | Reject]:
        """The events of the next operation, from a file of the unit."""
        self._file, self._op = file, op
        yield from self._check_txid()
        self._follow(op)
        if not is_known(op):
            yield self._reject(f"operation {op.name} is not known")
        yield from self._not_granted()
        yield from self._listed_twice()
        handler = self._handlers.get(op.name)
        if handler is None:
            self._counts.lines[file, op.name] += 1
        else:
            yield from handler()

    def gapless(self) -> str:
        """What the operations so far say of gaps, as in `tables.SPANS`."""
        if self._has_gap or self._last is None:
            return ""
        return FROM_THE_FIRST if self._begins and self._is_new else LATER

    def _follow(self, op: EditOp) -> None:
        """Notices a gap, as which an operation counts that is not known, and what shows that the namespace is new."""
        is_gap = op.txid is None or (self._last is not None and op.txid != self._last + 1) or not is_known(op)
        if is_gap:
            self._has_gap = True
        elif self._last is None:
            self._begins = op.txid == 1
        if (is_gap or op.name == "OP_START_LOG_SEGMENT") and op.layout_version < RESTORED_UNTIL:
            self._granted.start()
        for block in op.blocks:
            self._granted.use(block.generation_stamp)
        self._last = op.txid
        if op.name in _STAMPS:
            self._is_new |= op.number == FIRST_STAMP
        elif op.name == "OP_ADD":
            self._is_new |= op.inode_id == FIRST_INODE

    def go_on_from(self, files: Iterable[KnownFile], txid: int | None) -> None:
        """Forgets what the operations have made, and goes on from an image that has these files.

        Args:
            files: of the image.
            txid: the last transaction that it contains.
        """
        if self._last is None:
            self._begins = self._is_new = True  # All that was before, the image tells.
        elif self._last != txid:
            self._has_gap = True
        self._last = txid
        self.tree = FileTree()
        for file in files:
            self.tree.put(file)

    def _check_txid(self) -> Iterator[Reject]:
        txid, last = self._op.txid, self._txid
        if txid is None:
            return
        self._txid = txid
        if last is None or txid == last + 1:
            return
        missing = txid - last - 1
        if missing < 0:
            yield self._reject(f"transaction {txid} follows {last}, expected was {last + 1}")
            return
        self._counts.remarks[self._file, "missing transactions"] += missing
        if self._unit.complete:
            yield self._reject(
                f"transaction {txid} follows {last}, so {missing} are missing from a log said to be complete"
            )

    def _reject(self, reason: str) -> Reject:
        return Reject(Place(self._file, self._op.record), reason, self._op.name)

    def _add(self) -> Iterator[Sighting]:
        op = self._op
        file = self.tree.find(op.path)
        if file is None and op.blocks:
            file = self.tree.at(op.path)  # A new file has no blocks, so this one is opened again.
        elif file is None or op.flag or (op.inode_id and file.key != str(op.inode_id)):
            yield from self._remove(self.tree.remove(op.path))
            file = self.tree.create(op.path, op.inode_id)
            yield from self._opened(file, "create")
            return
        if not file.is_open:
            yield from self._opened(file, "append", block=True)
        yield from self._compare(file, op.blocks)

    def _append(self) -> Iterator[Sighting]:
        yield from self._opened(self.tree.at(self._op.path), "append", block=not self._op.flag)

    def _opened(self, file: KnownFile, event: str, *, block: bool = False) -> Iterator[Sighting]:
        """A client opens a file, at its last block if it has one."""
        file.is_open, file.holder = True, self._op.client_name
        concerns = [Concern("file", file.key), Concern("lease", file.holder)]
        last = file.last_block()
        if block and last is not None:
            last.committed = last.complete = False
            concerns.append(Concern("block", str(last.block_id)))
        yield self._seen("file", file.key, event, concerns, client=file.holder, file=file.path)

    def _add_block(self) -> Iterator[Sighting]:
        file = self.tree.at(self._op.path)
        *before, last = self._op.blocks or (None,)
        for block in before:
            if block is not None:
                yield from self._commit(file, block)
        if last is not None:
            yield from self._new_block(file, last)

    def _new_block(self, file: KnownFile, block: LoggedBlock) -> Iterator[Sighting]:
        if self._op.name == "OP_ADD_BLOCK" and 0 < self._highest_id < block.block_id:
            event = self._event("node", NAMENODE, "blocks_in_edits", {}, {}, num_bytes=block.block_id)
            yield self._sighting(event, [Concern("node", NAMENODE)])
        file.blocks.append(KnownBlock(*block))
        file.is_open = True
        yield self._seen_block(file, block, "add_block", with_file=True)

    def _commit(self, file: KnownFile, block: LoggedBlock) -> Iterator[Sighting]:
        """A block that is followed by another one: committed at least."""
        known = self._known(file, block)
        if not known.committed:
            known.num_bytes, known.generation_stamp, known.committed = block.num_bytes, block.generation_stamp, True
            yield self._seen_block(file, block, "commit")

    def _update_blocks(self) -> Iterator[Sighting]:
        file = self.tree.at(self._op.path)
        file.is_open = True
        yield from self._compare(file, self._op.blocks)

    def _compare(self, file: KnownFile, blocks: tuple[LoggedBlock, ...]) -> Iterator[Sighting]:
        """What changed from the list of blocks that is known to the one that is given."""
        yield from self._drop(file, blocks, "abandon_block")
        for block in blocks[len(file.blocks) :]:
            if file.blocks:
                yield from self._commit(file, blocks[len(file.blocks) - 1])
            yield from self._new_block(file, block)
        if blocks and len(blocks) == len(file.blocks):
            known, block = file.blocks[-1], blocks[-1]
            if (known.num_bytes, known.generation_stamp) != (block.num_bytes, block.generation_stamp):
                event = "fsync" if known.generation_stamp == block.generation_stamp else "update_blocks"
                known.num_bytes, known.generation_stamp = block.num_bytes, block.generation_stamp
                yield self._seen_block(file, block, event, with_file=True)

    def _drop(self, file: KnownFile, blocks: tuple[LoggedBlock, ...], event: str) -> Iterator[Sighting]:
        while len(file.blocks) > len(blocks):
            gone = file.blocks.pop()
            concerns = [Concern("block", str(gone.block_id)), Concern("file", file.key)]
            if event == "remove_last_block":
                concerns.pop()
            yield self._seen("block", str(gone.block_id), event, concerns, file=file.path)

    def _close(self) -> Iterator[Sighting]:
        file = self.tree.at(self._op.path)
        blocks = self._op.blocks
        of_another = self._of_another(file)
        if of_another:
            concerns = [Concern("file", file.key)]
            yield self._seen("file", file.key, "take_block_of_another_file", concerns, file=file.path, block=of_another)
        yield from self._drop(file, blocks, "remove_last_block")
        for block in blocks:
            known = self._known(file, block)
            if not known.complete or known is file.blocks[-1]:
                known.num_bytes, known.generation_stamp = block.num_bytes, block.generation_stamp
                known.committed = known.complete = True
                yield self._seen_block(file, block, "close")
        concerns = [Concern("file", file.key), *_holder(file)]
        yield self._seen("file", file.key, "close", concerns, file=file.path, holder=file.holder)
        file.is_open, file.holder = False, ""

    def _of_another(self, file: KnownFile) -> str:
        """A block that a file is closed with, and that is of another file: only a gap could explain that."""
        known = {block.block_id for block in file.blocks}
        strange = {block.block_id for block in self._op.blocks} - known
        if self._has_gap or not strange:
            return ""
        others = (block.block_id for other in self.tree.known() for block in other.blocks)
        return next((str(block) for block in others if block in strange), "")

    def _truncate(self) -> Iterator[Sighting]:
        op = self._op
        file = self.tree.at(op.path)
        cut = op.blocks[0] if op.blocks else None
        observed = {} if cut else {"closed": "true"}
        concerns = [Concern("file", file.key), *([Concern("lease", op.client_name)] if cut else [])]
        yield self._seen("file", file.key, "truncate", concerns, observed, client=op.client_name, file=file.path)
        yield from self._cut(file, op.number)
        if cut is None:
            return
        file.is_open, file.holder = True, op.client_name
        last = file.last_block()
        if last is not None and last.block_id != cut.block_id:
            gone = file.blocks.pop()
            yield self._seen(
                "block", str(gone.block_id), "delete", [Concern("block", str(gone.block_id))], file=file.path
            )
        if last is None or last.block_id != cut.block_id:
            file.blocks.append(KnownBlock(*cut))
            yield self._seen_block(file, cut, "copy_on_truncate")
            return
        last.committed = last.complete = False
        # The recovery cuts the block; until then it keeps its stamp and length.
        concerns = [Concern("block", str(cut.block_id))]
        event = self._event(
            "block", str(cut.block_id), "truncate", {}, {"file": file.path}, recovery_id=cut.generation_stamp
        )
        yield self._sighting(event, concerns)

    def _cut(self, file: KnownFile, length: int) -> Iterator[Sighting]:
        """Drops the blocks that begin at or beyond a length, as far as lengths are known."""
        begin = 0
        for number, block in enumerate(file.blocks):
            if begin >= length:
                gone, file.blocks = file.blocks[number:], file.blocks[:number]
                concerns = [Concern("block", str(block.block_id)) for block in gone]
                yield self._seen("block", concerns[0].entity, "delete", concerns, file=file.path)
                return
            if block.num_bytes is None:
                return
            begin += block.num_bytes

    def _reassign_lease(self) -> Iterator[Sighting]:
        op = self._op
        file = self.tree.at(op.path)
        file.is_open, file.holder = True, op.new_holder
        concerns = [
            Concern("file", file.key),
            Concern("lease", op.client_name, "holder"),
            Concern("lease", op.new_holder, "new_holder"),
        ]
        yield self._seen(
            "file",
            file.key,
            "reassign_lease",
            concerns,
            file=file.path,
            holder=op.client_name,
            new_holder=op.new_holder,
        )

    def _delete(self) -> Iterator[Sighting]:
        files = self.tree.remove(self._op.path)
        yield from self._remove(files)
        if not files:  # A directory, or a file from before the log began.
            yield self._seen("file", self._op.path, "delete", [], file=self._op.path)

    def _remove(self, files: list[KnownFile]) -> Iterator[Sighting]:
        for file in files:
            concerns = [Concern("file", file.key), *_holder(file)]
            concerns += [Concern("block", str(block.block_id)) for block in file.blocks]
            yield self._seen("file", file.key, "delete", concerns, file=file.path)

    def _rename(self) -> Iterator[Sighting]:
        op = self._op
        alone = self.tree.find(op.path)
        _, overwritten = self.tree.rename(op.path, op.destination)
        yield from self._remove(overwritten)
        key = op.path if alone is None else alone.key
        concerns = [] if alone is None else [Concern("file", key)]
        yield self._seen("file", key, "rename", concerns, file=op.path, destination=op.destination)

    def _concat(self) -> Iterator[Sighting]:
        target = self.tree.at(self._op.path)
        concerns = [Concern("file", target.key)]
        yield self._seen("file", target.key, "concat", concerns, file=target.path, sources=",".join(self._op.sources))
        for path in self._op.sources:
            source = self.tree.at(path)
            self.tree.remove(path)
            target.blocks += source.blocks
            yield self._seen("file", source.key, "delete", [Concern("file", source.key)], file=path)

    def _not_granted(self) -> Iterator[Sighting]:
        """Tells a block whose stamp is above all that were granted: with the first grant the counter is known."""
        stamp = max((block.generation_stamp for block in self._op.blocks), default=0)
        if 0 < self._highest < stamp:
            self._highest = stamp
            event = self._event("node", self._counter, "stamps_in_edits", {}, {}, generation_stamp=stamp)
            yield self._sighting(event, [Concern("node", self._counter)])

    def _listed_twice(self) -> Iterator[Sighting]:
        """Tells a block that an operation has twice for one file."""
        ids = [block.block_id for block in self._op.blocks]
        if len(set(ids)) == len(ids):
            return
        twice = next(block for place, block in enumerate(ids) if block in ids[:place])
        file = self.tree.at(self._op.path)
        concerns = [Concern("file", file.key)]
        yield self._seen("file", file.key, "list_block_twice", concerns, file=file.path, block=str(twice))

    def _set_generation_stamp(self) -> Iterator[Sighting]:
        entity, stamp = NAMENODE if self._op.name == "OP_SET_GENSTAMP_V2" else LEGACY_STAMPS, self._op.number
        if stamp > self._highest:
            self._highest, self._counter = stamp, entity
        by = f"transaction {self._op.txid}"
        before = self._granted.grant(stamp, by) if entity == NAMENODE else ""
        observed = {"granted_before": before, "semantics": self._unit.semantics} if before else {}
        if before:
            self._granted_again += 1
            again = f"{by} grants generation stamp {stamp} again, which {before} granted"
            told = again if self._granted_again <= _TOLD_MAX else "more stamps are granted again"
            self._counts.remarks[self._file, f"{KNOWN_HOLE} {HOLE}: {told}"] += 1
        event = self._event("node", entity, "set_generation_stamp", observed, {}, generation_stamp=stamp)
        yield self._sighting(event, [Concern("node", entity)])

    def _allocate_block_id(self) -> Iterator[Sighting]:
        number = self._op.number
        entity, self._highest_id = (STRIPED_IDS, self._highest_id) if number < 0 else (NAMENODE, number)
        event = self._event("node", entity, "allocate_block_id", {}, {"block": str(number)}, num_bytes=number)
        yield self._sighting(event, [Concern("node", entity)])

    def _known(self, file: KnownFile, block: LoggedBlock) -> KnownBlock:
        """What is known of a block of a file; one that was never seen is added."""
        for known in file.blocks:
            if known.block_id == block.block_id:
                return known
        file.blocks.append(KnownBlock(block.block_id))
        return file.blocks[-1]

    def _seen_block(self, file: KnownFile, block: LoggedBlock, event: str, *, with_file: bool = False) -> Sighting:
        concerns = [Concern("block", str(block.block_id))]
        if with_file:
            concerns += [Concern("file", file.key), *(concern._replace(role="") for concern in _holder(file))]
        seen = self._event(
            "block",
            str(block.block_id),
            event,
            {},
            {"file": file.path, **({"client": file.holder} if file.holder else {})},
            generation_stamp=block.generation_stamp,
            num_bytes=block.num_bytes,
        )
        return self._sighting(seen, concerns)

    def _seen(
        self,
        kind: Kind,
        entity: str,
        event: str,
        concerns: list[Concern],
        observed: dict[str, str] | None = None,
        **arguments: str,
    ) -> Sighting:
        return self._sighting(self._event(kind, entity, event, observed or {}, arguments), concerns)

    def _event(
        self,
        kind: Kind,
        entity: str,
        event: str,
        observed: dict[str, str],
        arguments: dict[str, str],
        generation_stamp: int | None = None,
        recovery_id: int | None = None,
        num_bytes: int | None = None,
    ) -> Event:
        if self._op.txid is not None:
            arguments = {**arguments, "txid": str(self._op.txid)}
        return Event(
            source=edits_source(self._op.layout_version),
            node=NAMENODE,
            node_sequence=self._next(),
            kind=kind,
            namespace=self._unit.namespace,
            entity=entity,
            event=event,
            generation_stamp=generation_stamp,
            recovery_id=recovery_id,
            num_bytes=num_bytes,
            arguments={name: value for name, value in arguments.items() if value},
            observed=observed,
            place=Place(self._file, self._op.record),
        )

    def _sighting(self, event: Event, concerns: list[Concern]) -> Sighting:
        return Sighting(event.node_sequence, event, concerns)


def _holder(file: KnownFile) -> list[Concern]:
    return [Concern("lease", file.holder, "holder")] if file.holder else []
