"""Reads the directories of one NameNode as one story: each image after the last transaction that it contains.

Not here: what operations and images mean (`edit_replay`, `image_state`), and images before protobuf, which are counted
as not read.
"""

import hashlib
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace

from genstamp.events import Place
from genstamp.logs.copies import BINARY_EDITS, is_beginning
from genstamp.logs.readers import edit_binary, image_binary
from genstamp.logs.readers.edit_replay import Replay
from genstamp.logs.readers.image_state import ImageState
from genstamp.logs.readers.sighting import Counts, Reject, Sighting, Unit, until_damage
from genstamp.logs.readers.storage_directory import Storage, Stored, images, segments
from genstamp.logs.readers.storage_tree import Tree
from genstamp.logs.streams import DamagedSourceError

_Finds = Iterator[Sighting | Reject]

NEEDS_PROTOBUF = "image of a layout before protobuf, not read"


class NameDirectories:
    """The storage directories of a namespace; `name.dir` and the checkpoints beside them hold the same files.

    Args:
        unit: for which they are read.
        counts: where is counted what tells nothing.
        namespace: of all of them.
        directories: with the trees in which they are.
        order: gives the place of the next event among those of the unit.
    """

    def __init__(
        self,
        unit: Unit,
        counts: Counts,
        namespace: str,
        directories: Sequence[tuple[Tree, Storage]],
        order: Callable[[], int],
    ) -> None:
        self._counts = counts
        self._namespace = namespace
        self._directories = directories
        self._order = order
        self._replay = Replay(replace(unit, namespace=namespace), counts, order)
        self._images: list[tuple[Tree, Stored]] = []
        self._known_to: int | None = None

    def sightings(self) -> _Finds:
        """The events of edits and images, in the order of their transactions; and copies that differ."""
        edits = yield from self._each_once(segments)
        self._images = yield from self._each_once(images)
        finished = {stored.txid: (tree, stored) for tree, stored in edits if not _is_in_progress(stored)}
        for tree, stored in edits:
            if _is_in_progress(stored) and stored.txid in finished:
                other, whole = finished[stored.txid]
                if _is_beginning((tree, stored), (other, whole)):
                    self._counts.remarks[tree.name(stored.path), "copy of edits that were finished elsewhere"] += 1
                else:
                    reason = f"it is not the beginning of {other.name(whole.path)}, as which it was finished"
                    yield Reject(Place(tree.name(stored.path), 0), reason)
                continue
            yield from until_damage(tree.name(stored.path), self._edits(tree, stored))
        yield from self._images_before(None)
        self._counts.gapless[self._namespace] = self._replay.gapless()

    def _each_once(
        self, files: Callable[[Tree, Storage], list[Stored]]
    ) -> Generator[Reject, None, list[tuple[Tree, Stored]]]:
        """Files of all directories in the order of their transactions, each of those that bear one name once."""
        kept: dict[str, tuple[Tree, Stored]] = {}
        for tree, storage in self._directories:
            for stored in files(tree, storage):
                if stored.name not in kept:
                    kept[stored.name] = tree, stored
                    continue
                other, first = kept[stored.name]
                if _digest(tree, stored) == _digest(other, first):
                    self._counts.remarks[tree.name(stored.path), "copy of what another directory holds"] += 1
                elif _is_in_progress(stored) and _is_beginning((tree, stored), (other, first)):
                    self._counts.remarks[tree.name(stored.path), "beginning of what another directory holds"] += 1
                elif _is_in_progress(stored) and _is_beginning((other, first), (tree, stored)):
                    self._counts.remarks[other.name(first.path), "beginning of what another directory holds"] += 1
                    kept[stored.name] = tree, stored
                else:
                    reason = f"it differs from {other.name(first.path)}, of which it should be a copy"
                    yield Reject(Place(tree.name(stored.path), 0), reason)
        return sorted(kept.values(), key=lambda one: (one[1].txid or 0, one[1].name))

    def _edits(self, tree: Tree, stored: Stored) -> _Finds:
        file = tree.name(stored.path)
        for operation in edit_binary.operations(tree.open(stored.path)):
            if operation.txid is None:
                self._known_to = None
            else:
                yield from self._images_before(operation.txid)
                begins = operation.txid == 1 or self._known_to == operation.txid - 1
                self._known_to = operation.txid if begins else None
            yield from self._replay.events(file, operation)

    def _images_before(self, txid: int | None) -> _Finds:
        """The images that contain no transaction from one on, or all that are left."""
        while self._images and (txid is None or (self._images[0][1].txid or 0) < txid):
            tree, stored = self._images.pop(0)
            yield from until_damage(tree.name(stored.path), self._image(tree, stored))

    def _image(self, tree: Tree, stored: Stored) -> _Finds:
        file, content = tree.name(stored.path), tree.open(stored.path)
        if not image_binary.is_image(next(iter(content.chunks()), b"")):
            self._counts.remarks[file, NEEDS_PROTOBUF] += 1
            # Where history was known from its beginning, it still is.
            return
        state = ImageState(self._namespace, file, image_binary.items(content), self._order, self._counts)
        whole = self._known_to == state.txid
        yield from state.events(self._replay.tree if whole else None)
        if not whole:
            self._replay.go_on_from(state.files(), state.txid)
            self._known_to = state.txid


def _is_in_progress(stored: Stored) -> bool:
    return "inprogress" in stored.name


def _is_beginning(one: tuple[Tree, Stored], other: tuple[Tree, Stored]) -> bool:
    """Whether edits hold nothing but what others begin with."""
    (tree, stored), (other_tree, whole) = one, other
    return is_beginning(
        lambda: iter(tree.open(stored.path).chunks()),
        lambda: iter(other_tree.open(whole.path).chunks()),
        BINARY_EDITS,
    )


def _digest(tree: Tree, stored: Stored) -> bytes:
    digest = hashlib.sha256()
    try:
        for chunk in tree.open(stored.path).chunks():
            digest.update(chunk)
    except (DamagedSourceError, OSError) as error:
        digest.update(str(error).encode())
    return digest.digest()
