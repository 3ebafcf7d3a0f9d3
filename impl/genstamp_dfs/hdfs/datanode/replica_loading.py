"""The replicas that a restart finds on disk, and what it puts right there.

What a replica is says the directory of its block file: `finalized` means FINALIZED, `rbw` RWR (or RBW after a planned
restart in time), `tmp` is emptied. Recoveries were in memory only and are forgotten. A move that a crash cut in two has
left the meta file in the other directory: it is brought beside its block file.

A replica whose files cannot be read, such as one that was replaced by a symbolic link, is out of service: it is left
alone, and the others are served. It is not reported, so the namenode has another one made.

Source: FD/BlockPoolSlice#getVolumeMap, #addReplicaToReplicasMap, #resolveDuplicateReplicas, Hadoop 3.4.1; facts B.8,
    B11 to B15.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from genstamp_dfs.errors import DiskError, DiskFailedError, DiskFullError
from genstamp_dfs.hdfs.datanode.replica_files import BLOCK_NAME, META_NAME, RESTART_NAME, ReplicaFiles
from genstamp_dfs.hdfs.datanode.replicas import Replica
from genstamp_dfs.hdfs.protocol import ReplicaState
from genstamp_dfs.world.disk import UNFINISHED_SUFFIX

NO_STAMP = 0
"""Stamp of a block file without a meta file (GenerationStamp.GRANDFATHER_GENERATION_STAMP)."""


@dataclass(slots=True)
class FoundFiles:
    """What lies in the directories of a block pool.

    Attributes:
        blocks: block id -> the directories of its block files, finalized ones first.
        metas: block id -> stamp and directory of each meta file.
        restarts: block id -> the content of its `.restart` file.
    """

    blocks: dict[int, list[str]]
    metas: dict[int, list[tuple[int, str]]]
    restarts: dict[int, bytes]


def load_replicas(files: ReplicaFiles, now_ms: int, problems: list[str]) -> dict[int, Replica]:
    """The replicas, by block id, with their files put right.

    Args:
        files: where they lie.
        now_ms: wall clock, against which a planned restart was in time.
        problems: gets a sentence for everything that is out of service.

    Raises:
        DiskError: the disk failed, or is full.
    """
    for name in files.disk.names(files.temporary):
        with _out_of_service(problems):
            files.disk.remove(f"{files.temporary}/{name}")
    found = _find_files(files, problems)
    replicas: dict[int, Replica] = {}
    for block_id, directories in found.blocks.items():
        loaded: list[Replica] = []
        for directory in directories:
            with _out_of_service(problems):
                loaded.append(_load(files, found, block_id, directory, now_ms))
        if len(loaded) < len(directories):
            # It is not known which one the namenode counts on: none is reported, and none is removed.
            continue
        first, *others = loaded
        for other in others:
            loser = _worse_of(first, other)
            files.remove(loser)
            first = other if loser is first else first
        replicas[block_id] = first
    _remove_orphans(files, found, replicas, problems)
    return replicas


@contextmanager
def _out_of_service(problems: list[str]) -> Iterator[None]:
    """Note what cannot be read, and go on after the body; a disk that failed or is full is raised."""
    try:
        yield
    except (DiskFailedError, DiskFullError):
        raise
    except DiskError as problem:
        problems.append(str(problem))


def _find_files(files: ReplicaFiles, problems: list[str]) -> FoundFiles:
    found = FoundFiles({}, {}, {})
    for directory in (*_leaves(files, files.finalized, problems), files.rbw):
        for name in files.disk.names(directory):
            if match := META_NAME.fullmatch(name):
                found.metas.setdefault(int(match[1]), []).append((int(match[2]), directory))
            elif match := BLOCK_NAME.fullmatch(name):
                found.blocks.setdefault(int(match[1]), []).append(directory)
            elif match := RESTART_NAME.fullmatch(name):
                with _out_of_service(problems):
                    found.restarts[int(match[1])] = files.disk.read(f"{directory}/{name}")
    return found


def _leaves(files: ReplicaFiles, directory: str, problems: list[str]) -> list[str]:
    """The directories below that hold replicas."""
    found: list[str] = []
    for name in files.disk.names(directory):
        path = f"{directory}/{name}"
        with _out_of_service(problems):
            if files.disk.is_directory(path):
                found += [*_leaves(files, path, problems), path]
    return found


def _load(files: ReplicaFiles, found: FoundFiles, block_id: int, directory: str, now_ms: int) -> Replica:
    """A replica from its block file and the meta file that belongs to it."""
    state = ReplicaState.RWR if directory == files.rbw else ReplicaState.FINALIZED
    replica = Replica(block_id, NO_STAMP, state, directory, is_inherited=True)
    metas = found.metas.get(block_id, [])
    beside = [meta for meta in metas if meta[1] == directory]
    astray = [meta for meta in metas if meta[1] not in found.blocks[block_id]]
    if beside or astray:
        stamp, meta_directory = max(beside or astray)
        replica.generation_stamp = stamp
        if meta_directory != directory:
            files.disk.rename(f"{meta_directory}/{replica.name}.meta", files.meta_path(replica))
            metas.remove((stamp, meta_directory))
            metas.append((stamp, directory))
    size = files.disk.size(files.block_path(replica))
    replica.set_length(size)
    if state is ReplicaState.FINALIZED:
        _load_finalized(files, replica)
    else:
        _load_unfinished(files, found, replica, now_ms)
    replica.synced_bytes = replica.num_bytes
    return replica


def _load_finalized(files: ReplicaFiles, replica: Replica) -> None:
    """Hadoop takes the file as it is. Repaired, a cut that a crash interrupted is brought to its end."""
    if files.spares_synced_bytes and replica.generation_stamp != NO_STAMP:
        end = files.covered_end(replica)
        if end is not None:
            files.cut(replica, end)
            replica.set_length(end)
    replica.bytes_acked = replica.num_bytes


def _load_unfinished(files: ReplicaFiles, found: FoundFiles, replica: Replica, now_ms: int) -> None:
    """Cut to what the checksums vouch for (since HDFS-5728); RBW again if a planned restart was in time.

    Hadoop takes all that is left for acknowledged then. Repaired, the `.restart` file says how much was.
    """
    length = files.validated_length(replica) if replica.generation_stamp != NO_STAMP else 0
    if replica.generation_stamp != NO_STAMP and files.disk.exists(files.meta_path(replica)):
        if files.spares_synced_bytes:
            files.give_up_place(replica, length)
        files.cut(replica, length)
    elif replica.num_bytes > length:
        files.disk.truncate(files.block_path(replica), length)
    replica.set_length(length)
    announced = found.restarts.pop(replica.block_id, None)
    if announced is None:
        return
    deadline, _, acked = announced.decode("ascii", "replace").partition("\n")
    if deadline.isdecimal() and int(deadline) > now_ms:
        replica.state = ReplicaState.RBW
        replica.bytes_acked = min(length, int(acked)) if acked.isdecimal() else length
    files.disk.remove(files.restart_path(replica))


def _worse_of(one: Replica, other: Replica) -> Replica:
    """Which of two replicas of one block is to go: the lower stamp, then the shorter, then the one found first."""
    key = (one.generation_stamp, one.num_bytes)
    return other if key > (other.generation_stamp, other.num_bytes) else one


def _remove_orphans(files: ReplicaFiles, found: FoundFiles, replicas: dict[int, Replica], problems: list[str]) -> None:
    """Meta and restart files that belong to no replica go; those of one that is out of service stay."""
    out_of_service = found.blocks.keys() - replicas.keys()
    for directory in (*_leaves(files, files.finalized, []), files.rbw):
        for name in files.disk.names(directory):
            path = f"{directory}/{name}"
            is_orphan = RESTART_NAME.fullmatch(name) is not None or name.endswith(UNFINISHED_SUFFIX)
            if match := META_NAME.fullmatch(name):
                block_id = int(match[1])
                replica = replicas.get(block_id)
                is_own = replica is not None and files.meta_path(replica) == path
                is_orphan = not is_own and block_id not in out_of_service
            if is_orphan:
                with _out_of_service(problems):
                    files.disk.remove(path)
