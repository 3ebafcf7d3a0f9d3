"""Turns an fsimage into events: what the NameNode had on disk at one transaction.

An image holds a state and no steps. If every transaction up to it is known, what the operations have made is checked
against it, and what it does not have is told as well; else it is where the history of its files begins, as far as it is
known. Source: NN/FSImageFormatPBINode.

Not here: inodes that only snapshots refer to; their blocks are reported.
"""

from collections.abc import Callable, Iterable, Iterator

from genstamp.events import Event, Kind, Place
from genstamp.logs.readers.edit_events import NAMENODE
from genstamp.logs.readers.edit_grants import LEGACY_STAMPS
from genstamp.logs.readers.edit_ops import LoggedBlock
from genstamp.logs.readers.file_tree import FileTree, KnownBlock, KnownFile
from genstamp.logs.readers.image import ImageChildren, ImageCounters, ImageInode, ImageItem, ImageOpenFile
from genstamp.logs.readers.sighting import Concern, Counts, Sighting
from genstamp.logs.sources import IMAGES


class ImageState:
    """The content of an image.

    Args:
        namespace: of the image.
        file: where it stands.
        items: of the image, in its order.
        order: gives the place of the next event among those of the unit.
        counts: where is counted what could not be put under a key.
    """

    def __init__(
        self, namespace: str, file: str, items: Iterable[ImageItem], order: Callable[[], int], counts: Counts
    ) -> None:
        self._namespace = namespace
        self._file = file
        self._order = order
        self._counts = counts
        self._files: list[ImageInode] = []
        self._names: dict[int, str] = {}
        self._twice: list[ImageInode] = []
        self._parents: dict[int, int] = {}
        self._open: dict[int, int] = {}
        self._counters = ImageCounters(0, 0, 0, 0)
        for item in items:
            self._take(item)
        self._paths = {inode.inode_id: self._path(inode.inode_id) for inode in self._files}

    @property
    def txid(self) -> int:
        """The last transaction that the image contains."""
        return self._counters.txid

    def files(self) -> Iterator[KnownFile]:
        """The files of the image, for readers that continue from it."""
        for inode in self._files:
            path = self._paths[inode.inode_id]
            if path is not None:
                blocks = [KnownBlock(*block, committed=True, complete=True) for block in inode.blocks]
                if blocks and inode.client_name is not None:
                    blocks[-1].committed = blocks[-1].complete = False
                yield KnownFile(
                    str(inode.inode_id), path, inode.client_name or "", inode.client_name is not None, blocks
                )

    def events(self, known: FileTree | None) -> Iterator[Sighting]:
        """The facts in the image.

        Args:
            known: what the transactions up to the image have made of the namespace; None if not all are known.
        """
        yield from self._stamps(known is None)
        for inode in self._files:
            yield from self._inode(inode, known is None)
        yield from self._of_two_places()
        if known is not None:
            yield from self._missing(known)

    def _take(self, item: ImageItem) -> None:
        match item:
            case ImageCounters():
                self._counters = item
            case ImageInode() if item.inode_id in self._names:
                self._twice.append(item)
            case ImageInode():
                self._names[item.inode_id] = item.name
                if item.is_file:
                    self._files.append(item)
            case ImageChildren():
                self._parents.update(dict.fromkeys(item.children, item.parent))
            case ImageOpenFile():
                self._open[item.inode_id] = item.number

    def _path(self, inode_id: int) -> str | None:
        """The path of an inode; None if it hangs on nothing but a snapshot, or on itself."""
        names: list[str] = []
        here: int | None = inode_id
        visited: set[int] = set()
        while here is not None and here not in visited and here in self._names:
            visited.add(here)
            if not self._names[here] and here not in self._parents:  # The root has no name.
                return "/" + "/".join(reversed(names))
            names.append(self._names[here])
            here = self._parents.get(here)
        return None

    def _stamps(self, first: bool) -> Iterator[Sighting]:
        """The counters, and the highest stamps that blocks of the image have."""
        limit = self._counters.legacy_limit
        stamps = [block.generation_stamp for inode in self._files for block in inode.blocks]
        for entity, counter, used in (
            (NAMENODE, self._counters.generation_stamp, [stamp for stamp in stamps if stamp >= limit]),
            (LEGACY_STAMPS, self._counters.legacy_generation_stamp, [stamp for stamp in stamps if stamp < limit]),
        ):
            if entity == LEGACY_STAMPS and not used:
                continue
            concerns = [Concern("node", entity)]
            yield self._seen(0, "node", entity, "stored_in_image", concerns, first=first, generation_stamp=counter)
            if used:
                above = "stamp_above_counter" if max(used) > counter else "stamps_in_image"
                yield self._seen(0, "node", entity, above, concerns, generation_stamp=max(used))

    def _inode(self, inode: ImageInode, first: bool) -> Iterator[Sighting]:
        path = self._paths[inode.inode_id]
        is_open = inode.client_name is not None
        for block in inode.blocks:
            state = "UNDER_CONSTRUCTION" if is_open and block is inode.blocks[-1] else "COMPLETE"
            yield self._block(inode.number, block, state, path or "", first)
        if path is None:
            self._counts.remarks[self._file, "file that only snapshots refer to"] += 1
            return
        if is_open and inode.inode_id not in self._open:
            self._counts.remarks[self._file, "file under construction that is not in the list of such files"] += 1
        key = str(inode.inode_id)
        concerns = [Concern("file", key)]
        if inode.client_name:
            concerns.append(Concern("lease", inode.client_name, "holder"))
        yield self._seen(
            inode.number,
            "file",
            key,
            "stored_in_image",
            concerns,
            {"file_state": "under construction" if is_open else "closed"},
            {"file": path, "holder": inode.client_name or ""},
            first=first,
        )

    def _block(self, number: int, block: LoggedBlock, state: str, path: str, first: bool) -> Sighting:
        return self._seen(
            number,
            "block",
            str(block.block_id),
            "stored_in_image",
            [Concern("block", str(block.block_id))],
            {"block_state": state},
            {"file": path},
            first=first,
            generation_stamp=block.generation_stamp,
            num_bytes=block.num_bytes,
        )

    def _of_two_places(self) -> Iterator[Sighting]:
        """Inodes that the image has twice, and blocks, in one file or in two; snapshots have lists of their own."""
        for inode in self._twice:
            key = str(inode.inode_id)
            yield self._seen(inode.number, "file", key, "list_inode_twice", [Concern("file", key)])
        owners: dict[int, int] = {}
        for number, inode in enumerate(self._files):
            for block in inode.blocks:
                if block.block_id not in owners:
                    owners[block.block_id] = number
                    continue
                event = "list_block_twice" if owners[block.block_id] == number else "take_block_of_another_file"
                key, arguments = str(inode.inode_id), {"block": str(block.block_id)}
                yield self._seen(inode.number, "file", key, event, [Concern("file", key)], None, arguments)

    def _missing(self, known: FileTree) -> Iterator[Sighting]:
        """Results of the transactions that the image does not have."""
        ids = {str(inode.inode_id) for inode in self._files}
        blocks = {block.block_id for inode in self._files for block in inode.blocks}
        for file in known.files():
            if not file.key.isdecimal():
                continue
            for block in file.blocks:
                if block.block_id not in blocks:
                    key = str(block.block_id)
                    yield self._seen(0, "block", key, "missing_from_image", [Concern("block", key)])
            if file.key not in ids:
                arguments = {"file": file.path}
                concerns = [Concern("file", file.key)]
                yield self._seen(0, "file", file.key, "missing_from_image", concerns, None, arguments)

    def _seen(
        self,
        number: int,
        kind: Kind,
        entity: str,
        event: str,
        concerns: list[Concern],
        observed: dict[str, str] | None = None,
        arguments: dict[str, str] | None = None,
        *,
        first: bool = False,
        generation_stamp: int | None = None,
        num_bytes: int | None = None,
    ) -> Sighting:
        order = self._order()
        told = {"txid": str(self.txid), **(arguments or {})}
        if first:
            told["history"] = "begins"
        seen = Event(
            source=IMAGES,
            node=NAMENODE,
            node_sequence=order,
            kind=kind,
            namespace=self._namespace,
            entity=entity,
            event=event,
            generation_stamp=generation_stamp,
            num_bytes=num_bytes,
            arguments={name: value for name, value in told.items() if value},
            observed=observed or {},
            place=Place(self._file, number),
        )
        return Sighting(order, seen, concerns)
