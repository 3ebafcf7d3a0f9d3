"""Turns the operations of an edit log into events, in one pass in the order of the transactions.

As the NameNode does on replay, the pass keeps which file is at which path, its holder and its blocks. So an operation
that lists all blocks of a file becomes the event that changed the list. Source:
NN/FSEditLogLoader#applyEditLogOpInternal, #updateBlocks.

Not here: snapshots, quotas, permissions, caching and storage policies; their operations are counted by kind.
"""

from collections.abc import Callable, Iterable, Iterator

from genstamp.logs.readers.edit_events import EditEvents
from genstamp.logs.readers.edit_grants import EditGrants
from genstamp.logs.readers.edit_ops import EditOp, LoggedBlock, is_known
from genstamp.logs.readers.edit_transactions import STAMPS, Transactions
from genstamp.logs.readers.file_tree import FileTree, KnownBlock, KnownFile
from genstamp.logs.readers.sighting import Concern, Counts, Reject, Sighting, Unit

_REASSIGNED_BY_AN_OPERATION = -36
"""The first layout version in which OP_REASSIGN_LEASE is always written (`genstamp.logs.sources.edits`)."""

_ADDED_BY_AN_OPERATION = -50
"""The first layout version in which only OP_ADD_BLOCK adds a block. LayoutVersion says -48, but some logs of version
-49 still add blocks with OP_UPDATE_BLOCKS.
"""

_DELETED_MAX = 10_000
"""How many paths of deleted files are remembered."""


class Replay:
    """The namespace after the operations so far.

    Args:
        unit: the log.
        counts: where operations without an event are counted.
        order: gives the place of the next event among those of the unit; needed if others make events of it, too.

    Attributes:
        tree: the files that are known.
    """

    def __init__(self, unit: Unit, counts: Counts, order: Callable[[], int] | None = None) -> None:
        self._counts = counts
        self._events = EditEvents(unit, order)
        self._transactions = Transactions(unit, counts)
        self._grants = EditGrants(self._events, unit, counts)
        self.tree = FileTree()
        self._deleted: dict[str, None] = {}
        self._handlers: dict[str, Callable[[EditOp], Iterator[Sighting]]] = {
            "OP_ADD": self._add,
            "OP_CLOSE": self._close,
            "OP_ADD_BLOCK": self._add_block,
            "OP_UPDATE_BLOCKS": self._update_blocks,
            "OP_APPEND": self._append,
            "OP_TRUNCATE": self._truncate,
            "OP_REASSIGN_LEASE": self._reassign_lease,
            "OP_DELETE": self._delete,
            "OP_MKDIR": self._make,
            "OP_SYMLINK": self._make,
            "OP_RENAME_OLD": self._rename,
            "OP_RENAME": self._rename,
            "OP_CONCAT_DELETE": self._concat,
            **dict.fromkeys(STAMPS, self._grants.set_generation_stamp),
            "OP_ALLOCATE_BLOCK_ID": self._grants.allocate_block_id,
        }

    def events(self, file: str, op: EditOp) -> Iterator[Sighting | Reject]:
        """The events of the next operation, from a file of the unit."""
        self._events.file, self._events.op = file, op
        if problem := self._transactions.problem(file, op):
            yield self._events.reject(problem)
        is_gap = self._transactions.follow(op)
        if is_gap:
            self._deleted.clear()
        if not is_known(op):
            yield self._events.reject(f"operation {op.name} is not known")
        yield from self._grants.follow(op, is_gap)
        yield from self._listed_twice(op)
        handler = self._handlers.get(op.name)
        if handler is None:
            self._counts.lines[file, op.name] += 1
        else:
            yield from handler(op)

    def gapless(self) -> str:
        """The gaps that the operations so far show, as in `tables.SPANS`."""
        return self._transactions.gapless()

    def go_on_from(self, files: Iterable[KnownFile], txid: int | None) -> None:
        """Forget the operations so far, and continue from an image.

        Args:
            files: the files of the image.
            txid: the last transaction that it contains.
        """
        self._transactions.go_on_after(txid)
        self._grants.forget()
        self._deleted.clear()
        self.tree = FileTree()
        for file in files:
            self.tree.put(file)

    def _at(self, path: str) -> KnownFile:
        """The file of an operation. A deleted one is not put back: it cannot have been at its path all the time."""
        return self.tree.was_at(path) if path in self._deleted else self.tree.at(path)

    def _add(self, op: EditOp) -> Iterator[Sighting]:
        file = self.tree.find(op.path)
        if file is None and op.blocks:
            file = self._at(op.path)  # A new file has no blocks, so this one is opened again.
        elif file is None or op.flag or (op.inode_id and file.key != str(op.inode_id)):
            yield from self._remove(self.tree.remove(op.path))
            self._deleted.pop(op.path, None)
            yield self._opened(op, self.tree.create(op.path, op.inode_id), "create")
            return
        # A holder lists its blocks so, too; that another one has the lease would be an operation of its own.
        is_another = op.client_name and file.holder and op.client_name != file.holder
        if not file.is_open or (is_another and op.layout_version <= _REASSIGNED_BY_AN_OPERATION):
            yield self._opened(op, file, "append", at_block=True)
        yield from self._compare(op, file)

    def _append(self, op: EditOp) -> Iterator[Sighting]:
        yield self._opened(op, self._at(op.path), "append", at_block=not op.flag)

    def _opened(self, op: EditOp, file: KnownFile, event: str, *, at_block: bool = False) -> Sighting:
        """A client opens a file, and its last block if it goes on there."""
        file.is_open, file.holder = True, op.client_name
        concerns = [_file(file), Concern("lease", file.holder)]
        last = file.last_block()
        if at_block and last is not None:
            last.committed = last.complete = False
            concerns.append(_block(last))
        return self._events.seen(event, *concerns, client=file.holder, file=file.path)

    def _add_block(self, op: EditOp) -> Iterator[Sighting]:
        file = self._at(op.path)
        for block in op.blocks[:-1]:
            yield from self._commit(file, block)
        for block in op.blocks[-1:]:
            if self._grants.block_id not in (None, block.block_id):
                yield self._never(file, "add_block_of_another_id", block.block_id)
            if self._grants.stamp not in (None, block.generation_stamp):
                yield self._never(file, "add_block_under_another_stamp", block.block_id)
            yield self._new_block(file, block)

    def _new_block(self, file: KnownFile, block: LoggedBlock) -> Sighting:
        file.blocks.append(KnownBlock(*block))
        file.is_open = True
        return self._seen_block(file, block, "add_block", *_writing(file))

    def _commit(self, file: KnownFile, block: LoggedBlock) -> Iterator[Sighting]:
        """A block that is followed by another one has been committed."""
        known = _known(file, block)
        if not known.committed:
            _update(known, block)
            known.committed = True
            yield self._seen_block(file, block, "commit")

    def _update_blocks(self, op: EditOp) -> Iterator[Sighting]:
        file = self._at(op.path)
        file.is_open = True
        yield from self._compare(op, file)

    def _compare(self, op: EditOp, file: KnownFile) -> Iterator[Sighting]:
        """The difference between the known blocks of a file and those that an operation lists."""
        blocks = op.blocks
        yield from self._drop(file, len(blocks), "abandon_block", _file(file))
        for block in blocks[len(file.blocks) :]:
            # A file with an inode id was created in this log, or is in the image before it.
            if op.layout_version <= _ADDED_BY_AN_OPERATION and file.key.isdigit() and not self._transactions.has_gap:
                yield self._never(file, "list_block_never_added", block.block_id)
            if file.blocks:
                yield from self._commit(file, blocks[len(file.blocks) - 1])
            yield self._new_block(file, block)
        if blocks and len(blocks) == len(file.blocks):
            known, block = file.blocks[-1], blocks[-1]
            if (known.num_bytes, known.generation_stamp) != (block.num_bytes, block.generation_stamp):
                event = "fsync" if known.generation_stamp == block.generation_stamp else "update_blocks"
                _update(known, block)
                yield self._seen_block(file, block, event, *_writing(file))

    def _drop(self, file: KnownFile, left: int, event: str, *others: Concern) -> Iterator[Sighting]:
        """The last blocks of a file are gone, and so many are left."""
        while len(file.blocks) > left:
            yield self._events.seen(event, _block(file.blocks.pop()), *others, file=file.path)

    def _close(self, op: EditOp) -> Iterator[Sighting]:
        file = self._at(op.path)
        of_another = self._of_another(op, file)
        if of_another is not None:
            yield self._never(file, "take_block_of_another_file", of_another)
        yield from self._drop(file, len(op.blocks), "remove_last_block")
        for block in op.blocks:
            known = _known(file, block)
            if not known.complete or known is file.blocks[-1]:
                _update(known, block)
                known.committed = known.complete = True
                yield self._seen_block(file, block, "close")
        yield self._events.seen("close", _file(file), *_holder(file), file=file.path, holder=file.holder)
        file.is_open, file.holder = False, ""

    def _of_another(self, op: EditOp, file: KnownFile) -> int | None:
        """A block of another file that this file is closed with; None after a gap, which could explain it."""
        new = {block.block_id for block in op.blocks} - {block.block_id for block in file.blocks}
        if self._transactions.has_gap or not new:
            return None
        others = (block.block_id for other in self.tree.known() for block in other.blocks)
        return next((block for block in others if block in new), None)

    def _never(self, file: KnownFile, event: str, block: int) -> Sighting:
        """An event that no NameNode writes."""
        return self._events.seen(event, _file(file), file=file.path, block=str(block))

    def _truncate(self, op: EditOp) -> Iterator[Sighting]:
        file = self._at(op.path)
        cut = op.blocks[0] if op.blocks else None
        observed = {} if cut else {"closed": "true"}
        holder = [Concern("lease", op.client_name)] if cut else []
        yield self._events.seen(
            "truncate", _file(file), *holder, observed=observed, client=op.client_name, file=file.path
        )
        yield from self._cut(file, op.number)
        if cut is not None:
            file.is_open, file.holder = True, op.client_name
            yield from self._recover_cut(file, cut)

    def _cut(self, file: KnownFile, length: int) -> Iterator[Sighting]:
        """Removes the blocks that begin at or beyond a length, as far as lengths are known."""
        begin = 0
        for number, block in enumerate(file.blocks):
            if begin >= length:
                gone, file.blocks = file.blocks[number:], file.blocks[:number]
                yield self._events.seen("delete", *map(_block, gone), file=file.path)
                return
            if block.num_bytes is None:
                return
            begin += block.num_bytes

    def _recover_cut(self, file: KnownFile, cut: LoggedBlock) -> Iterator[Sighting]:
        """The last block will be cut by a recovery, or is replaced by a copy that will be."""
        last = file.last_block()
        if last is not None and last.block_id == cut.block_id:
            last.committed = last.complete = False
            # The block keeps its stamp and length until the recovery ends.
            yield self._events.seen("truncate", _block(last), recovery_id=cut.generation_stamp, file=file.path)
            return
        if last is not None:
            yield self._events.seen("delete", _block(file.blocks.pop()), file=file.path)
        file.blocks.append(KnownBlock(*cut))
        yield self._seen_block(file, cut, "copy_on_truncate")

    def _reassign_lease(self, op: EditOp) -> Iterator[Sighting]:
        file = self._at(op.path)
        file.is_open, file.holder = True, op.new_holder
        leases = Concern("lease", op.client_name, "holder"), Concern("lease", op.new_holder, "new_holder")
        yield self._events.seen(
            "reassign_lease",
            _file(file),
            *leases,
            file=file.path,
            holder=op.client_name,
            new_holder=op.new_holder,
        )

    def _delete(self, op: EditOp) -> Iterator[Sighting]:
        files = self.tree.remove(op.path) or ([self._at(op.path)] if op.path in self._deleted else [])
        yield from self._remove(files)
        if not files:  # A directory, or a file from before the log began.
            yield self._events.seen("delete", file=op.path)
        for file in files:
            self._deleted[file.path] = None
        while len(self._deleted) > _DELETED_MAX:
            del self._deleted[next(iter(self._deleted))]

    def _make(self, op: EditOp) -> Iterator[Sighting]:
        """A directory or a link is made at a path, which is no event."""
        self._deleted.pop(op.path, None)
        self._counts.lines[self._events.file, op.name] += 1
        yield from ()

    def _remove(self, files: list[KnownFile]) -> Iterator[Sighting]:
        for file in files:
            blocks = map(_block, file.blocks)
            yield self._events.seen("delete", _file(file), *_holder(file), *blocks, file=file.path)

    def _rename(self, op: EditOp) -> Iterator[Sighting]:
        file = self._at(op.path) if op.path in self._deleted else self.tree.find(op.path)
        if file is None:  # A directory, which may have files that this log does not show.
            self._deleted.clear()
        self._deleted.pop(op.destination, None)
        _, overwritten = self.tree.rename(op.path, op.destination)
        yield from self._remove(overwritten)
        renamed = [] if file is None else [_file(file)]
        yield self._events.seen("rename", *renamed, file=op.path, destination=op.destination)

    def _concat(self, op: EditOp) -> Iterator[Sighting]:
        target = self._at(op.path)
        files = map(_file, (target, *map(self._at, op.sources)))
        yield self._events.seen("concat", *files, file=target.path, sources=",".join(op.sources))
        for path in op.sources:
            source = self._at(path)
            self.tree.remove(path)
            target.blocks += source.blocks
            yield self._events.seen("delete", _file(source), file=path)

    def _listed_twice(self, op: EditOp) -> Iterator[Sighting]:
        """An event for a block that an operation lists twice."""
        ids = [block.block_id for block in op.blocks]
        if len(set(ids)) < len(ids):
            twice = next(block for place, block in enumerate(ids) if block in ids[:place])
            yield self._never(self._at(op.path), "list_block_twice", twice)

    def _seen_block(self, file: KnownFile, block: LoggedBlock, event: str, *others: Concern) -> Sighting:
        """An event of a block, with the stamp and the length that the operation shows."""
        return self._events.seen(
            event,
            _block(block),
            *others,
            stamp=block.generation_stamp,
            num_bytes=block.num_bytes,
            file=file.path,
            client=file.holder,
        )


def _known(file: KnownFile, block: LoggedBlock) -> KnownBlock:
    """The known facts about a block of a file; one that was never seen is added."""
    for known in file.blocks:
        if known.block_id == block.block_id:
            return known
    file.blocks.append(KnownBlock(block.block_id))
    return file.blocks[-1]


def _update(known: KnownBlock, block: LoggedBlock) -> None:
    known.num_bytes, known.generation_stamp = block.num_bytes, block.generation_stamp


def _file(file: KnownFile) -> Concern:
    return Concern("file", file.key)


def _block(block: KnownBlock | LoggedBlock) -> Concern:
    return Concern("block", str(block.block_id))


def _holder(file: KnownFile) -> list[Concern]:
    return [Concern("lease", file.holder, "holder")] if file.holder else []


def _writing(file: KnownFile) -> list[Concern]:
    """A file that is written, and the lease of its writer."""
    return [_file(file), *(holder._replace(role="") for holder in _holder(file))]
