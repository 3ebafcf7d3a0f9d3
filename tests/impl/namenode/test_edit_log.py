"""The edit log: segments, frames, torn ends that are cut, lost middles that are refused; a crash at every byte."""

from typing import Any

import msgspec
import pytest

from genstamp_dfs.errors import DiskError, StorageError
from genstamp_dfs.hdfs.messages.client_protocol import Delete, Mkdirs, RenewLease
from genstamp_dfs.hdfs.namenode.edit_log import FORMAT, segments_of
from genstamp_dfs.hdfs.namenode.edit_ops import SetGenstampOp, SetReplicationOp
from genstamp_dfs.world import frames
from genstamp_dfs.world.request import Caller


def log_of(bench: Any) -> str:
    """The path of the segment that is written."""
    (path,) = [path for path in bench.disk.files if "edits_inprogress" in path]
    return str(path)


def restarted(bench: Any, disk: Any) -> Any:
    """The namenode that starts over a disk like this one."""
    return type(bench)(datanodes="", disk=disk)


def test_a_frame_holds_the_edits_of_one_sync() -> None:
    data = FORMAT.encode(5, [SetGenstampOp(1001), SetReplicationOp("/f", 2)])
    decoded = FORMAT.decode("data", b"x" + data, 1)
    assert decoded is not None
    frame, end = decoded
    assert (frame.first, frame.records, end) == (5, (SetGenstampOp(1001), SetReplicationOp("/f", 2)), 1 + len(data))


def test_a_frame_that_is_torn_or_changed_at_any_byte_is_none() -> None:
    data = FORMAT.encode(5, [SetGenstampOp(1001)])
    for length in range(len(data)):
        assert FORMAT.decode("data", data[:length], 0) is None
    for position in range(len(data)):
        changed = bytearray(data)
        changed[position] ^= 1
        assert FORMAT.decode("data", bytes(changed), 0) is None


def test_nothing_is_on_disk_before_the_sync_and_all_is_after_it(bench: Any) -> None:
    size = len(bench.disk.files[log_of(bench)])
    bench.namenode.handle(Mkdirs("/d"), Caller("client1"))
    assert (bench.namenode.needs_sync, len(bench.disk.files[log_of(bench)])) == (True, size)
    bench.namenode.log_sync()
    assert not bench.namenode.needs_sync
    assert restarted(bench, bench.disk.copy()).namesystem.directory.get("/d") is not None


def test_several_calls_share_one_sync(bench: Any) -> None:
    for path in ("/a", "/b", "/c"):
        bench.namenode.handle(Mkdirs(path), Caller("client1"))
    syncs = bench.disk.syncs
    bench.namenode.log_sync()
    assert bench.disk.syncs == syncs + 1
    assert len(restarted(bench, bench.disk.copy()).namesystem.directory.inodes) == 4


def test_what_changes_nothing_needs_no_sync(bench: Any) -> None:
    bench.create()
    for request in (RenewLease("client1"), Delete("/no")):
        bench.ask(request)
        assert not bench.namenode.needs_sync


def test_a_crash_at_every_byte_of_the_log_loses_nothing_that_was_acknowledged(bench: Any) -> None:
    """The log is cut at each length: of all answers given up to there everything is there, and nothing else."""
    path = log_of(bench)
    states: dict[int, Any] = {len(bench.disk.files[path]): bench.durable()}
    calls: list[Any] = [
        lambda: bench.create("/d/f"),
        lambda: bench.add_block("/d/f"),
        lambda: bench.create("/g"),
        lambda: bench.add_block("/g"),
        lambda: bench.recover_lease("/g"),
        lambda: bench.commit(bench.last("/g").as_block(), 1003, 3),
        lambda: bench.ask(Delete("/d", recursive=True)),
    ]
    for call in calls:
        call()
        states[len(bench.disk.files[path])] = bench.durable()
    assert len(states) == len(calls) + 1
    acknowledged = states[min(states)]
    for length in range(len(bench.disk.files[path]) + 1):
        acknowledged = states.get(length, acknowledged)
        disk = bench.disk.copy()
        del disk.files[path][length:]
        assert restarted(bench, disk).durable() == acknowledged, length


def test_a_torn_end_is_cut_and_the_log_goes_on(bench: Any) -> None:
    bench.ask(Mkdirs("/a"))
    path = log_of(bench)
    bench.disk.files[path] += b"SYNC\0\0\0\x09torn"
    bench.start()
    bench.ask(Mkdirs("/b"))
    bench.start()
    assert sorted(bench.namesystem.directory.root.children) == ["a", "b"]
    names = [segment.name for segment in segments_of(bench.disk.names("current"))]
    assert names == [
        "edits_0000000000000000001-0000000000000000001",
        "edits_0000000000000000002-0000000000000000002",
        "edits_inprogress_0000000000000000003",
    ]


def test_a_damaged_middle_is_refused_and_nothing_is_changed(bench: Any) -> None:
    """At every byte of the first frame, while another is behind it."""
    path = log_of(bench)
    bench.ask(Mkdirs("/a"))
    end = len(bench.disk.files[path])
    bench.ask(Mkdirs("/b"))
    for position in range(len(FORMAT.header), end):
        disk = bench.disk.copy()
        disk.files[path][position] ^= 1
        before = disk.copy().files
        with pytest.raises(StorageError, match="damaged at byte"):
            restarted(bench, disk)
        assert disk.files == before


def test_a_damaged_complete_segment_is_refused(bench: Any) -> None:
    bench.ask(Mkdirs("/a"))
    bench.start()
    (path,) = [path for path in bench.disk.files if "edits_0" in path]
    whole = bytes(bench.disk.files[path])
    for damaged in (whole[:-1], whole + b"x", b"x" + whole[1:]):
        disk = bench.disk.copy()
        disk.files[path] = bytearray(damaged)
        before = disk.copy().files
        with pytest.raises(StorageError, match="edits_0000000000000000001-"):
            restarted(bench, disk)
        assert disk.files == before


def test_a_missing_segment_is_refused(bench: Any) -> None:
    for path in ("/a", "/b"):
        bench.ask(Mkdirs(path))
        bench.start()
    bench.disk.remove("current/edits_0000000000000000001-0000000000000000001")
    with pytest.raises(StorageError, match="edits from 1 to 1 are missing"):
        restarted(bench, bench.disk)


@pytest.mark.parametrize("mkdirs", [0, 2], ids=["without transactions", "with transactions"])
@pytest.mark.parametrize("starts", [0, 1], ids=["first life", "second life"])
def test_the_newest_segment_is_missed(bench: Any, starts: int, mkdirs: int) -> None:
    """Removed whole, it would leave a log that ends as any other; all that was in it would be gone without a word."""
    for number in range(starts):
        bench.ask(Mkdirs(f"/before{number}"))
        bench.start()
    for number in range(mkdirs):
        bench.ask(Mkdirs(f"/{number}"))
    bench.disk.remove(log_of(bench))
    before = bench.disk.copy().files
    with pytest.raises(
        StorageError, match=rf"the edits from {starts + 1} on are missing, which current/seen_txid tells"
    ):
        restarted(bench, bench.disk)
    assert bench.disk.files == before


def test_an_image_of_all_edits_makes_up_for_them(bench: Any) -> None:
    """Nothing is lost where the image has the transaction that the number names."""
    bench.ask(Mkdirs("/a"))
    bench.namenode.checkpointer.finish(bench.namesystem, bench.namenode.retry_cache)
    bench.disk.files["current/seen_txid"] = bytearray(b"1\n")
    for path in [path for path in bench.disk.files if "edits_" in path]:
        bench.disk.remove(path)
    assert restarted(bench, bench.disk).durable() == bench.durable()


def test_a_directory_that_keeps_no_number_is_taken_as_it_is(bench: Any) -> None:
    bench.ask(Mkdirs("/a"))
    bench.disk.remove("current/seen_txid")
    assert restarted(bench, bench.disk).durable() == bench.durable()


@pytest.mark.parametrize("text", [b"", b"two", b"-1", "²".encode()])
def test_a_number_that_is_none_is_refused(bench: Any, text: bytes) -> None:
    bench.disk.files["current/seen_txid"] = bytearray(text)
    with pytest.raises(StorageError, match=r"current/seen_txid has .* in it, accepted: the number of one of the edits"):
        restarted(bench, bench.disk)


def test_an_edit_that_does_not_fit_is_refused(bench: Any) -> None:
    path = log_of(bench)
    bench.disk.files[path] += FORMAT.encode(1, [SetReplicationOp("/no", 2)])
    with pytest.raises(StorageError, match=r"edit 1, .*/no"):
        restarted(bench, bench.disk)


def test_an_edit_of_a_kind_that_is_not_known_is_refused_and_no_torn_end(bench: Any) -> None:
    """A namenode of another version may have written it, and have acknowledged it."""
    path = log_of(bench)
    bench.disk.files[path] += frames.encode_frame(b"SYNC", msgspec.msgpack.encode([1, [[999, 1]]]))
    with pytest.raises(StorageError, match="has edits at byte 8 not known here: "):
        restarted(bench, bench.disk)


def test_a_disk_that_fails_to_sync_stops_the_namenode(bench: Any) -> None:
    bench.disk.fails = True
    with pytest.raises(DiskError, match="no space left"):
        bench.create()
    bench.disk.fails = False
    with pytest.raises(DiskError, match="no space left"):
        bench.ask(RenewLease("client1"))
    with pytest.raises(DiskError):
        bench.namenode.tick()
    with pytest.raises(DiskError):
        bench.namenode.log_sync()
