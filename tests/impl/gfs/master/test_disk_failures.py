"""A master whose disk is full, fails, or has changed between two lives."""

import random

import pytest
from tests.impl.gfs.master.bench import Bench
from tests.impl.gfs.master.test_recovery import disk_of, view_of

from genstamp_dfs.errors import DiskError, DiskFullError, SocketTimeoutException
from genstamp_dfs.gfs.master.checkpoint import RETRY_US, checkpoints
from genstamp_dfs.gfs.master.operation_log import encode_batch, log_files, log_path
from genstamp_dfs.gfs.messages.master_protocol import Create, Delete
from genstamp_dfs.gfs.protocol import MASTER
from genstamp_dfs.world.times import SECOND_US


@pytest.mark.parametrize("power_loss", [False, True])
def test_a_call_for_which_the_log_has_no_room_has_no_effect(power_loss: bool) -> None:
    """With room for each number of bytes of its frame; the master stops, and tells nobody."""
    bench = Bench(0)
    bench.ask(Create("/kept"))
    for room in range(0, 24, 3):
        disk_of(bench).room = room
        with pytest.raises(DiskFullError):
            bench.ask(Delete("/kept") if room % 2 else Create("/refused"))
        with pytest.raises(DiskError):
            bench.ask(Create("/later"))
        disk_of(bench).room = None
        bench.restart_master(power_loss=power_loss)
        assert bench.names() == ["/kept"]


def test_a_frame_that_does_not_fit_is_taken_back() -> None:
    bench = Bench(0)
    bench.ask(Create("/kept"))
    view = view_of(bench)
    path = log_path(log_files(view)[-1])
    whole = view.read(path)
    disk_of(bench).room = 10
    with pytest.raises(DiskFullError):
        bench.ask(Create("/refused"))
    assert view.read(path) == whole


def test_a_checkpoint_without_room_is_given_up_and_made_later() -> None:
    bench = Bench(0, checkpoint_records=3)
    for number in range(2):
        bench.ask(Create(f"/{number}"))
    room = 60 + len(encode_batch(3, []))
    disk_of(bench).room = room
    bench.ask(Create("/2"))
    bench.pass_time(20 * SECOND_US)
    assert checkpoints(view_of(bench)) == []
    assert bench.master is not None and bench.master.failure is None
    assert all(not name.endswith(".tmp") for name in view_of(bench).names("log"))
    disk_of(bench).room = None
    bench.ask(Create("/3"))
    bench.pass_time(2 * RETRY_US)
    assert len(checkpoints(view_of(bench))) == 1
    bench.restart_master()
    assert bench.names() == ["/0", "/1", "/2", "/3"]


@pytest.mark.parametrize("power_loss", [False, True])
@pytest.mark.parametrize("sync", range(1, 8))
def test_no_sync_counts_on_what_an_earlier_one_has_lost(sync: int, power_loss: bool) -> None:
    """The n-th sync fails, of the log or of a start; what was answered is there after any number of lives."""
    bench, answered, number = Bench(0), [], 0
    disk_of(bench).sync_fails_in = sync
    while disk_of(bench).failed_syncs == 0:
        number += 1
        try:
            if number % 3 == 0:
                bench.restart_master()
            bench.ask(Create(f"/{number}"))
            answered.append(f"/{number}")
        except (SocketTimeoutException, AssertionError):
            break
    bench.problem = None
    bench.restart_master()
    bench.ask(Create("/after"))
    bench.restart_master(power_loss=power_loss)
    assert {*answered, "/after"} <= set(bench.names()) <= {*answered, "/after", f"/{number}"}
    assert disk_of(bench).false_syncs == []


def problem_of_start(bench: Bench) -> BaseException | None:
    """Why a master does not start; None if it does."""
    bench.problem = None
    bench.start(MASTER)
    bench.pass_time(SECOND_US)
    return bench.problem


def test_a_flipped_bit_after_an_orderly_stop_is_noticed() -> None:
    """At every byte of all records; the end behind them has nothing in it that could be missed."""
    bench = Bench(0)
    for path in ("/a", "/b"):
        bench.ask(Create(path))
    assert bench.master is not None
    view = view_of(bench)
    path = log_path(log_files(view)[-1])
    end_of_records = view.size(path)
    bench.master.close()
    bench.crash(MASTER)
    assert view.size(path) > end_of_records
    file = disk_of(bench).files[path]
    for position in range(end_of_records):
        file.data[position] ^= 1 << position % 8
        before = bytes(file.data)
        assert path in str(problem_of_start(bench)), position
        assert bytes(file.data) == before
        bench.crash(MASTER)
        file.data[position] ^= 1 << position % 8
    position = random.Random(7).randrange(end_of_records, len(file.data))
    file.data[position] ^= 1
    assert problem_of_start(bench) is None
    assert bench.names() == ["/a", "/b"]


def test_records_that_wait_are_forced_by_an_orderly_stop() -> None:
    bench = Bench(0, sync_us=10 * SECOND_US)
    bench.ask_later(Create("/f"))
    bench.pass_time(1)
    assert bench.master is not None
    bench.master.close()
    bench.restart_master(power_loss=True)
    assert bench.names() == ["/f"]
