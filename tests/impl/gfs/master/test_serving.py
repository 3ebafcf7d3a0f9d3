"""What clients and chunkservers meet every day: files, chunks, leases, and lists of what is there."""

import pytest
from tests.impl.gfs.master.bench import LIMITS, Bench

from genstamp_dfs.errors import GenstampDfsError
from genstamp_dfs.gfs.errors import (
    ChunkNotFound,
    ChunkserverUnknown,
    DirectoryNotEmpty,
    GfsRefusal,
    InvalidPath,
    IsADirectory,
    NoReplica,
    NotADirectory,
    PathExists,
    PathNotFound,
)
from genstamp_dfs.gfs.messages.chunkserver_protocol import CreateChunk, GrantLease, RecordVersion
from genstamp_dfs.gfs.messages.master_protocol import (
    Create,
    Delete,
    FindChunk,
    FindLease,
    GetFileInfo,
    Heartbeat,
    List,
    MakeDirectory,
    Rename,
    Undelete,
)
from genstamp_dfs.gfs.protocol import FileInfo, ReplicaReport
from genstamp_dfs.world.request import Caller, Request
from genstamp_dfs.world.times import SECOND_US


def test_a_chunk_is_made_and_has_a_primary() -> None:
    bench = Bench(4)
    (lease,) = bench.file("/f")
    assert lease.version == 2 and len(set(lease.chunkservers)) == LIMITS.replicas
    assert bench.primaries(lease.handle) == [lease.primary]
    for name in lease.chunkservers:
        assert bench.chunkservers[name].replicas == {lease.handle: 2}
    assert bench.find("/f").chunkservers == tuple(sorted(lease.chunkservers))
    assert bench.lease("/f") == lease
    assert (bench.count(CreateChunk), bench.count(RecordVersion), bench.count(GrantLease)) == (3, 3, 1)
    assert bench.ask(GetFileInfo("/f")) == FileInfo("/f", is_directory=False, chunks=1)


def test_replicas_stand_on_different_racks() -> None:
    bench = Bench(6)
    for number in range(5):
        (lease,) = bench.file(f"/f{number}")
        assert len({bench.chunkservers[name].rack for name in lease.chunkservers}) == 2


def test_chunks_are_spread_by_recent_creations() -> None:
    bench = Bench(6)
    leases = [bench.file(f"/f{number}")[0] for number in range(4)]
    counts = [sum(name in lease.chunkservers for lease in leases) for name in bench.chunkservers]
    assert counts == [2] * 6


def test_a_full_chunkserver_gets_no_chunk() -> None:
    bench = Bench(4)
    bench.chunkservers["c2"].free_bytes = LIMITS.chunk_bytes - 1
    bench.pass_time(2 * SECOND_US)
    assert all("c2" not in bench.file(f"/f{number}")[0].chunkservers for number in range(5))


@pytest.mark.parametrize("away", [1, 2])
def test_others_stand_in_for_chunkservers_that_make_no_replica(away: int) -> None:
    bench = Bench(5)
    for number in range(1, away + 1):
        bench.crash(f"c{number}")
    for number in range(4):
        (lease,) = bench.file(f"/f{number}")
        assert len(lease.chunkservers) == 3 and "c1" not in lease.chunkservers


def test_a_directory_is_listed_by_name() -> None:
    bench = Bench(0)
    for path in ("/b", "/a", "/a-b"):
        bench.ask(MakeDirectory(path))
    for path in ("/a/z", "/a/y", "/c"):
        bench.ask(Create(path))
    assert bench.names() == ["/a", "/a-b", "/b", "/c"]
    assert bench.names("/a") == ["/a/y", "/a/z"]
    assert bench.names("/b") == []
    assert bench.names("/c") == ["/c"]


@pytest.mark.parametrize(
    ("request_", "refusal"),
    [
        (Create("/f"), PathExists),
        (Create("/d"), PathExists),
        (Create("/"), PathExists),
        (Create("/nowhere/f"), PathNotFound),
        (Create("/f/g"), NotADirectory),
        (Create("/f/g/h"), NotADirectory),
        (Create("f"), InvalidPath),
        (Create("/a//b"), InvalidPath),
        (Create("/a/../b"), InvalidPath),
        (Create("/.deleted.1.2.f"), InvalidPath),
        (Create("/" + "n" * 256), InvalidPath),
        (Create("/" + "n/" * 2_000 + "n"), InvalidPath),
        (Create("/\udc80"), InvalidPath),
        (MakeDirectory("/d"), PathExists),
        (MakeDirectory("/nowhere/d"), PathNotFound),
        (Delete("/nowhere"), PathNotFound),
        (Delete("/d"), DirectoryNotEmpty),
        (Delete("/"), InvalidPath),
        (Undelete("/f"), InvalidPath),
        (Undelete("/.deleted.1.2.f"), PathNotFound),
        (Undelete("/.deleted.f"), InvalidPath),
        (Rename("/nowhere", "/g"), PathNotFound),
        (Rename("/f", "/d"), PathExists),
        (Rename("/d", "/d/e"), InvalidPath),
        (Rename("/", "/e"), InvalidPath),
        (Rename("/f", "/f"), PathExists),
        (Rename("/f", "/d/g/h"), NotADirectory),
        (List("/nowhere"), PathNotFound),
        (GetFileInfo("/nowhere"), PathNotFound),
        (FindChunk("/nowhere", 0), PathNotFound),
        (FindChunk("/d", 0), IsADirectory),
        (FindChunk("/f", 0), ChunkNotFound),
        (FindLease("/nowhere", 0), PathNotFound),
        (FindLease("/d", 0), IsADirectory),
        (FindLease("/f", 1), ChunkNotFound),
        (FindLease("/f", -1), ChunkNotFound),
        (FindLease("/f", 0), NoReplica),
        (Heartbeat("c9", 0, (), (), ()), ChunkserverUnknown),
    ],
)
def test_what_is_refused_changes_nothing(request_: Request[object], refusal: type[GfsRefusal]) -> None:
    bench = Bench(0)
    bench.ask(MakeDirectory("/d"))
    bench.ask(Create("/f"))
    bench.ask(Create("/d/g"))
    before = (bench.names(), bench.names("/d", hidden=True))
    with pytest.raises(refusal):
        bench.ask(request_)
    assert bench.log.events[-1].refused_with == refusal.__name__
    assert (bench.names(), bench.names("/d", hidden=True)) == before


def test_a_mistake_of_ours_is_no_answer() -> None:
    bench = Bench(0)
    master = bench.master
    assert master is not None

    async def fail(request: Request[object], caller: Caller) -> object:
        raise KeyError(request, caller)

    master._handlers[List] = fail
    came_of_it = bench.begin(master.handle(List("/"), Caller("client")))
    bench.pass_time(SECOND_US)
    assert [type(each) for each in came_of_it] == [KeyError]


def test_a_request_to_somebody_else_is_refused() -> None:
    bench = Bench(0)
    assert bench.master is not None
    came_of_it = bench.begin(bench.master.handle(CreateChunk(1, 1), Caller("client")))
    bench.pass_time(SECOND_US)
    assert [type(each) for each in came_of_it] == [GenstampDfsError]


def test_a_version_that_nobody_can_have_is_not_taken() -> None:
    bench = Bench()
    (lease,) = bench.file("/f")
    bench.ask_as("c1", Heartbeat("c1", 0, (), (ReplicaReport(lease.handle, 2**64 - 1, 0),), ()))
    assert bench.find("/f").version == lease.version
