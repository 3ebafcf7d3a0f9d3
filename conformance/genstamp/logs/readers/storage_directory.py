"""Finds the storage directories of NameNodes and datanodes in a file tree, and their contents, by name.

A storage directory is one that has `current/VERSION` with a storage type. Not here: what is in `previous/`,
`previous.checkpoint/`, trash and the checkpoints of journal nodes: they are older than what is in `current/`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from genstamp.logs.readers.sighting import whole_number
from genstamp.logs.readers.storage_tree import FileContent, Tree
from genstamp.logs.streams import Content, DamagedSourceError

VERSION = "current/VERSION"

KINDS = ("NAME_NODE", "DATA_NODE")
"""Storage types that are read."""

VERSION_MAX = 1 << 16
"""Bytes of a VERSION file; Hadoop's own have some 200."""

_LINE = re.compile(r"([A-Za-z]{1,40})=(.{0,400})")
_SEGMENT = re.compile(r"edits_(?:inprogress_)?(\d{1,19})(?:-(\d{1,19}))?")
_IMAGE = re.compile(r"fsimage_(\d{1,19})")
_BLOCK = re.compile(r"blk_(-?\d{1,19})")
_META = re.compile(r"blk_(-?\d{1,19})(?:_(\d{1,19}))?\.meta")
_POOL = re.compile(r"current/(BP-[^/]{1,255})/(current/finalized|current/rbw|tmp)/")

# Hadoop 1 and before had no block pools. What is written is in tmp/ or, since append, in blocksBeingWritten/.
_BEFORE_POOLS = re.compile(r"(current|blocksBeingWritten|tmp)/(?:subdir\d+/)*(?=blk_)")

_STATES = {
    "current/finalized": "FINALIZED",
    "current": "FINALIZED",
    "current/rbw": "RBW",
    "blocksBeingWritten": "RBW",
    "tmp": "TEMPORARY",
}


@dataclass(frozen=True)
class Storage:
    """A storage directory.

    Attributes:
        root: path of the directory in its tree, "" or ending in a slash.
        kind: "NAME_NODE" or "DATA_NODE".
        namespace: block pool id; of a datanode, and before there were pools, what its namespace id gives.
        node: of a datanode its UUID, or what identified it before there were UUIDs.
    """

    root: str
    kind: str
    namespace: str
    node: str


@dataclass(frozen=True)
class Stored:
    """A file of edits, or an fsimage.

    Attributes:
        path: in its tree.
        name: of the file.
        txid: the first transaction of edits, the last that an image contains; None where the name tells none.
    """

    path: str
    name: str
    txid: int | None


@dataclass(frozen=True)
class Replica:
    """A replica as it lies on a disk.

    Attributes:
        path: of the block file in its tree.
        pool: block pool id, "" before there were pools.
        block_id: its id.
        generation_stamp: as the name of the meta file has it; None if there is none or it has none.
        num_bytes: length of the block file.
        state: FINALIZED, RBW or TEMPORARY, by the directory.
    """

    path: str
    pool: str
    block_id: int
    generation_stamp: int | None
    num_bytes: int
    state: str


def storages(tree: Tree) -> Iterator[Storage]:
    """The storage directories of a tree, in the order of their paths."""
    for path in sorted(tree.sizes):
        if path != VERSION and not path.endswith(f"/{VERSION}"):
            continue
        told = version(tree.open(path)) if tree.sizes[path] <= VERSION_MAX else {}
        kind = told.get("storageType", "")
        if kind in KINDS:
            yield Storage(path.removesuffix(VERSION), kind, namespace(told), node(told))


def namespace(told: Mapping[str, str]) -> str:
    """The block pool that a VERSION file names; before there were pools, its namespace id."""
    return told.get("blockpoolID") or f"namespace {told.get('namespaceID', 'unknown')}"


def node(told: Mapping[str, str]) -> str:
    """The identity of the datanode that has this VERSION file."""
    return told.get("datanodeUuid") or told.get("storageID") or "datanode without an id"


def version_at(path: Path) -> Mapping[str, str]:
    """The contents of the VERSION file at a path; nothing if there is none."""
    return version(FileContent(path)) if path.is_file() else {}


def version(content: Content) -> Mapping[str, str]:
    """The contents of a VERSION file; nothing if it is not one."""
    stored = b""
    try:
        for chunk in content.chunks():
            stored += chunk
            if len(stored) > VERSION_MAX:
                return {}
    except (DamagedSourceError, OSError):
        return {}
    lines = stored.decode(errors="backslashreplace").splitlines()
    return {found[1]: found[2].strip().replace("\\", "") for line in lines if (found := _LINE.fullmatch(line))}


def segments(tree: Tree, storage: Storage) -> list[Stored]:
    """The files of edits of a NameNode's directory."""
    return _in_current(tree, storage, _SEGMENT, ("edits", "edits.new"))


def images(tree: Tree, storage: Storage) -> list[Stored]:
    """The images of a NameNode's directory."""
    return _in_current(tree, storage, _IMAGE, ("fsimage",))


def _in_current(tree: Tree, storage: Storage, numbered: re.Pattern[str], others: Sequence[str]) -> list[Stored]:
    """The files with a number in their name, and those with another one of some names."""
    found = []
    for path in tree.sizes:
        directory, _, name = path.rpartition("/")
        number = numbered.fullmatch(name)
        if f"{directory}/" == f"{storage.root}current/" and (number or name in others):
            found.append(Stored(path, name, int(number[1]) if number else None))
    return found


def replicas(tree: Tree, storage: Storage) -> tuple[list[Replica], list[tuple[str, str]]]:
    """The replicas of a datanode's directory by pool, state and id; and the paths of what should be one and is not,
    with the reason.
    """
    blocks: dict[tuple[str, str, str], tuple[str, int]] = {}
    stamps: dict[tuple[str, str, str], tuple[str, int | None]] = {}
    refused = []
    for path, size in tree.sizes.items():
        if not path.startswith(storage.root):
            continue
        pool, state = _place(path.removeprefix(storage.root))
        directory, _, name = path.rpartition("/")
        block, meta = _BLOCK.fullmatch(name), _META.fullmatch(name)
        found_in_name = block or meta
        if found_in_name is None or not state:
            continue
        if any(number and whole_number(number) is None for number in found_in_name.groups()):
            refused.append((path, "a name with a number that does not fit 64 bits"))
        elif block:
            blocks[pool, directory, block[1]] = path, size
        elif meta:
            stamps[pool, directory, meta[1]] = path, int(meta[2]) if meta[2] else None
    found = []
    for (pool, directory, block_id), (path, size) in blocks.items():
        _, stamp = stamps.pop((pool, directory, block_id), ("", None))
        found.append(Replica(path, pool, int(block_id), stamp, size, _place(path.removeprefix(storage.root))[1]))
    found.sort(key=lambda replica: (replica.pool, replica.state, replica.block_id, replica.path))
    refused += [(path, "a meta file without its block file") for path, _ in stamps.values()]
    return found, sorted(refused)


def kept(replicas: Iterable[Replica]) -> tuple[list[Replica], list[Replica]]:
    """The replicas that a datanode keeps when it starts, and those that it deletes for them.

    B.8, BlockPoolSlice#resolveDuplicateReplicas: of several with one id the one with the higher stamp, then the longer.
    """
    best: dict[tuple[str, int], Replica] = {}
    others = []
    for replica in replicas:
        key = replica.pool, replica.block_id
        if key not in best:
            best[key] = replica
            continue
        better = max(best[key], replica, key=_worth)
        others.append(replica if better is best[key] else best[key])
        best[key] = better
    return list(best.values()), others


def _worth(replica: Replica) -> tuple[bool, int, int]:
    """A replica that is being copied is not loaded, so any other replica takes precedence."""
    return replica.state != "TEMPORARY", replica.generation_stamp or 0, replica.num_bytes


def _place(path: str) -> tuple[str, str]:
    """Block pool and state of what lies at a path below a storage directory; no state where no replica is."""
    pooled = _POOL.match(path)
    if pooled:
        return pooled[1], _STATES[pooled[2]]
    before = _BEFORE_POOLS.match(path)
    return ("", _STATES[before[1]]) if before else ("", "")
