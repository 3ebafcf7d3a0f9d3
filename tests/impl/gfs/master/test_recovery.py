"""What a master answered survives: group commit, crashes at any change to the disk, torn logs, checkpoints."""

import random
from typing import Any

import pytest
from tests.impl.gfs.master.bench import Bench
from tests.impl.gfs.master.test_snapshot import check_counts

from genstamp_dfs.errors import NETWORK_FAILURES, DiskError, StorageError
from genstamp_dfs.gfs.errors import GfsRefusal, MasterStarting
from genstamp_dfs.gfs.master.checkpoint import checkpoint_path, checkpoints
from genstamp_dfs.gfs.master.operation_log import NEWEST, log_files, log_path
from genstamp_dfs.gfs.messages import master_protocol as messages
from genstamp_dfs.gfs.messages.master_protocol import Create, Delete, GetFileInfo, List, MakeDirectory
from genstamp_dfs.gfs.protocol import MASTER
from genstamp_dfs.simulation.disk import DiskOfLife, SimulatedDisk
from genstamp_dfs.simulation.loop import Life
from genstamp_dfs.world.request import Caller, Request
from genstamp_dfs.world.times import SECOND_US


def disk_of(bench: Bench) -> SimulatedDisk:
    return bench.machines[MASTER].disk


def view_of(bench: Bench) -> DiskOfLife:
    """The master's disk, for a test that looks at it or damages it."""
    return DiskOfLife(disk_of(bench), Life("test"), random.Random(0))


def test_what_was_answered_is_there_after_a_power_loss() -> None:
    for seed in range(20):
        bench = Bench(0, seed=seed)
        for number in range(5):
            bench.ask(Create(f"/f{number}"))
        bench.restart_master(power_loss=True)
        assert bench.names() == [f"/f{number}" for number in range(5)]


def test_calls_that_come_together_share_a_flush() -> None:
    bench = Bench(0, sync_us=SECOND_US // 10)
    assert bench.master is not None and bench.master._base is not None
    log = bench.master._base.log
    before = log.flushes
    answers = [bench.ask_later(Create(f"/f{number}")) for number in range(100)]
    assert [bench.wait_for(answer) for answer in answers] == [None] * 100
    assert log.flushes - before <= 4


def test_nobody_sees_what_is_not_flushed() -> None:
    """While a flush is under way its effects are not told, nor is a refusal that would tell of them."""
    bench = Bench(0, sync_us=10 * SECOND_US, seed=3)
    created = bench.ask_later(Create("/f"))
    bench.pass_time(SECOND_US // 100)
    answers = [bench.ask_later(List("/")), bench.ask_later(GetFileInfo("/f")), bench.ask_later(Create("/f"))]
    bench.pass_time(SECOND_US // 100)
    assert not created and answers == [[], [], []]
    bench.crash(MASTER, power_loss=True)
    bench.start(MASTER)
    bench.until(lambda: bool(bench.events("start_master")[1:]))
    disk_has_it = bench.names() == ["/f"]
    assert disk_has_it or bench.names() == []


def test_a_starting_master_refuses() -> None:
    bench = Bench(0)
    bench.ask(Create("/f"))
    bench.crash(MASTER)
    bench.start(MASTER)
    assert bench.master is not None
    came_of_it = bench.begin(bench.master.handle(List("/"), Caller("client")))
    bench.loop.run(bench.loop.now_us, max_steps=3)
    assert [type(each) for each in came_of_it] == [MasterStarting]


def test_a_call_that_is_repeated_after_a_restart_has_its_first_answer() -> None:
    bench = Bench(0)
    callers = [Caller("client", b"c" * 16, number) for number in range(3)]
    bench.repeat(Create("/f"), callers[0])
    bench.repeat(MakeDirectory("/d"), callers[1])
    bench.repeat(messages.Rename("/f", "/d/f"), callers[2])
    bench.restart_master()
    bench.repeat(Create("/f"), callers[0])
    bench.repeat(MakeDirectory("/d"), callers[1])
    bench.repeat(messages.Rename("/f", "/d/f"), callers[2])
    assert bench.names() == ["/d"] and bench.names("/d") == ["/d/f"]


def test_answers_are_remembered_up_to_a_number() -> None:
    bench = Bench(0, remembered_answers=2)
    callers = [Caller("client", b"c" * 16, number) for number in range(3)]
    for number, caller in enumerate(callers):
        bench.repeat(Create(f"/f{number}"), caller)
    bench.repeat(Create("/f2"), callers[2])
    with pytest.raises(GfsRefusal):
        bench.repeat(Create("/f0"), callers[0])


class Script:
    """Calls of one client that notes what was answered, and what may have happened."""

    def __init__(self, bench: Bench, seed: int) -> None:
        self.bench = bench
        self.chance = random.Random(f"script {seed}")
        self.paths: dict[str, bool] = {}
        self.uncertain: set[str] = set()

    def request(self) -> tuple[Request[Any], set[str]]:
        """Something to ask for, and the paths that it changes."""
        taken = sorted(self.paths)
        number = self.chance.randrange(12)
        match self.chance.randrange(5):
            case 0 if taken:
                path = self.chance.choice(taken)
                return Delete(path), {path}
            case 1 if taken:
                source, target = self.chance.choice(taken), f"/f{number}"
                return messages.Rename(source, target), {source, target}
            case 2 if taken:
                source, target = self.chance.choice(taken), f"/f{number}"
                return messages.Snapshot(source, target), {target}
            case 3 if taken:
                return messages.FindLease(self.chance.choice(taken), 0), set()
            case _:
                return Create(f"/f{number}"), {f"/f{number}"}

    def go_on(self, calls: int) -> None:
        """Ask, until the master is dead."""
        for _ in range(calls):
            request, changed = self.request()
            before = set(self.paths)
            answer = self.bench.ask_later(request, timeout_us=60 * SECOND_US)
            self.bench.until(lambda answer=answer: bool(answer))  # type: ignore[misc]
            if isinstance(answer[0], NETWORK_FAILURES):
                self.uncertain = changed
                return
            if isinstance(answer[0], GfsRefusal):
                continue
            for path in changed:
                is_gone = path in before and not isinstance(request, Create | messages.Snapshot)
                if is_gone:
                    del self.paths[path]
                else:
                    self.paths[path] = True

    def check(self) -> None:
        """All that was answered is there, and nothing else but what the last call may have done."""
        assert set(self.bench.names()) ^ set(self.paths) <= self.uncertain
        check_counts(self.bench)


@pytest.mark.parametrize("power_loss", [False, True])
@pytest.mark.parametrize("effect", range(1, 46))
def test_nothing_that_was_answered_is_lost_by_a_crash_at_any_change_to_the_disk(effect: int, power_loss: bool) -> None:
    """Checkpoints are made all the time, so the changes are those of logs, of checkpoints and of removals."""
    bench = Bench(seed=effect, checkpoint_records=8, monitor_period_us=SECOND_US // 50)
    script = Script(bench, effect)
    bench.crash_at_effect(MASTER, effect)
    script.go_on(60)
    assert not bench.is_up(MASTER), "there were not so many changes"
    bench.restart_master(power_loss=power_loss)
    script.check()
    script.uncertain = set()
    script.paths = dict.fromkeys(bench.names(), True)
    bench.crash_at_effect(MASTER, effect // 2 + 1)
    script.go_on(60)
    bench.restart_master(power_loss=power_loss)
    script.check()


@pytest.mark.parametrize("effect", range(1, 12))
def test_a_crash_while_a_master_starts_loses_nothing(effect: int) -> None:
    bench = Bench(0)
    bench.ask(Create("/f"))
    bench.crash(MASTER)
    bench.start(MASTER)
    bench.crash_at_effect(MASTER, effect)
    bench.pass_time(SECOND_US)
    bench.restart_master(power_loss=True)
    assert bench.names() == ["/f"]


@pytest.mark.parametrize("effect", range(1, 10))
def test_a_crash_in_the_first_start_leaves_a_disk_that_starts(effect: int) -> None:
    bench = Bench(0)
    bench.crash(MASTER)
    bench.machines[MASTER].disk = SimulatedDisk()
    bench.start(MASTER)
    bench.crash_at_effect(MASTER, effect)
    bench.pass_time(SECOND_US)
    bench.restart_master(power_loss=True)
    bench.ask(Create("/f"))


def crashed_bench(files: int = 3) -> tuple[Bench, str]:
    """A dead master whose log has so many records, and the path of its log."""
    bench = Bench(0)
    for number in range(files):
        bench.ask(Create(f"/f{number}"))
    bench.crash(MASTER)
    return bench, log_path(log_files(view_of(bench))[-1])


def test_a_torn_end_is_cut_off_and_the_log_goes_on() -> None:
    bench, path = crashed_bench()
    data = disk_of(bench).files[path].data
    del data[-3:]
    bench.restart_master()
    assert bench.names() == ["/f0", "/f1"]
    bench.ask(Create("/g"))
    bench.restart_master()
    assert bench.names() == ["/f0", "/f1", "/g"]


def test_a_lost_middle_is_refused_and_left_as_it_is() -> None:
    bench, path = crashed_bench()
    data = disk_of(bench).files[path].data
    data[20] ^= 1
    before = bytes(data)
    bench.start(MASTER)
    bench.pass_time(SECOND_US)
    assert isinstance(bench.problem, StorageError) and "before a whole frame" in str(bench.problem)
    assert bytes(disk_of(bench).files[path].data) == before
    with pytest.raises(MasterStarting):
        bench.ask(List("/"))


def test_a_newest_file_that_is_gone_is_noticed() -> None:
    bench, path = crashed_bench()
    view_of(bench).remove(path)
    bench.start(MASTER)
    bench.pass_time(SECOND_US)
    assert isinstance(bench.problem, StorageError) and NEWEST in str(bench.problem)


def checkpointed_bench() -> Bench:
    """A master with two checkpoints, and records behind them."""
    bench = Bench(0, checkpoint_records=5)
    for number in range(23):
        bench.ask(Create(f"/f{number:02}"))
        bench.pass_time(2 * SECOND_US)
    assert len(checkpoints(view_of(bench))) == 2
    return bench


def test_a_checkpoint_and_the_records_behind_it_are_taken() -> None:
    bench = checkpointed_bench()
    names = bench.names()
    assert log_files(view_of(bench))[0] > 1, "the log stands from its beginning"
    bench.restart_master()
    assert bench.names() == names and len(names) == 23
    assert bench.events("complete_checkpoint")


@pytest.mark.parametrize("damage", ["cut", "changed", "empty"])
def test_a_damaged_checkpoint_is_skipped_for_the_one_before_it(damage: str) -> None:
    bench = checkpointed_bench()
    names = bench.names()
    data = disk_of(bench).files[checkpoint_path(checkpoints(view_of(bench))[0])].data
    match damage:
        case "cut":
            del data[-1:]
        case "changed":
            data[len(data) // 2] ^= 1
        case _:
            data.clear()
    bench.restart_master()
    assert bench.names() == names


def test_a_damaged_checkpoint_is_not_kept_as_the_one_to_fall_back_on() -> None:
    bench = checkpointed_bench()
    names = bench.names()
    for number in range(2):
        damaged = checkpoints(view_of(bench))[0]
        disk_of(bench).files[checkpoint_path(damaged)].data.clear()
        bench.restart_master()
        assert bench.names() == names
        while checkpoints(view_of(bench))[0] == damaged:
            names.append(f"/g{number}{len(names):02}")
            bench.ask(Create(names[-1]))
            bench.pass_time(2 * SECOND_US)
        names.sort()
        assert len(checkpoints(view_of(bench))) == 2


def test_what_was_found_and_done_with_a_log_is_told() -> None:
    bench = checkpointed_bench()
    begins = log_files(view_of(bench))[0] - 1
    newest, older = (position - 1 for position in checkpoints(view_of(bench)))
    completed, deleted = bench.events("complete_checkpoint")[-1], bench.events("delete_old_log")[-1]
    assert completed.observed == {"records": str(newest), "fall_back": str(older)}
    assert deleted.observed == {"records": str(begins)}
    assert begins <= older
    bench.restart_master()
    nothing = {"records": "0", "checkpoint": "0", "log_begins": "0", "torn": "0", "skipped": "0"}
    assert bench.events("recover")[0].observed == nothing
    found = {"records": "23", "checkpoint": str(newest), "log_begins": str(begins), "torn": "0", "skipped": "0"}
    assert bench.events("recover")[-1].observed == found
    assert [event.observed["records"] for event in bench.events("append_record")] == list(map(str, range(1, 24)))
    for answered in bench.events("create"):
        logged = bench.log.events[: bench.log.events.index(answered)]
        flushed = [event.observed["records"] for event in logged if event.event == "flush_log"]
        assert answered.observed["records"] == flushed[-1]


def test_a_torn_end_is_told() -> None:
    bench, path = crashed_bench()
    del disk_of(bench).files[path].data[-3:]
    bench.restart_master()
    found = bench.events("recover")[-1].observed
    assert found["records"] == "2"
    assert int(found["torn"]) > 0


def test_without_any_whole_checkpoint_a_log_that_begins_later_is_refused() -> None:
    bench = checkpointed_bench()
    bench.crash(MASTER)
    for position in checkpoints(view_of(bench)):
        disk_of(bench).files[checkpoint_path(position)].data.clear()
    bench.start(MASTER)
    bench.pass_time(SECOND_US)
    assert isinstance(bench.problem, StorageError) and "no checkpoint is whole" in str(bench.problem)


def test_mutations_go_on_while_a_checkpoint_is_written() -> None:
    bench = Bench(0, sync_us=SECOND_US, checkpoint_records=5)
    view = view_of(bench)
    answered_meanwhile = 0
    for number in range(40):
        unfinished = [name for name in view.names("log") if name.endswith(".tmp")]
        bench.ask(Create(f"/f{number:02}"))
        answered_meanwhile += bool(unfinished) and unfinished[0] in view.names("log")
    assert answered_meanwhile > 0
    bench.restart_master(power_loss=True)
    bench.until(lambda: len(bench.events("start_master")) == 2)
    assert len(bench.names()) == 40


@pytest.mark.slow
def test_no_checkpoint_is_there_before_the_records_in_it() -> None:
    """A log replica does not answer: what it has not on disk is told to nobody, and counts for no checkpoint."""
    bench = Bench(0, checkpoint_records=5)
    assert bench.master is not None and bench.master._base is not None

    async def hang(first: int, frame: bytes, after: int) -> None:
        await bench.client.sleep_us(1_000 * SECOND_US)

    bench.master._base.log._replicate = hang
    answers = [bench.ask_later(Create(f"/f{number}")) for number in range(10)]
    bench.pass_time(100 * SECOND_US)
    view = view_of(bench)
    assert not any(answers) and next(name for name in view.names("log") if "checkpoint" in name).endswith(".tmp")
    assert checkpoints(view) == []
    bench.pass_time(3_000 * SECOND_US)
    assert len(checkpoints(view)) == 1


def test_a_disk_that_fails_stops_the_master() -> None:
    bench = Bench(0)
    view = bench.machines[MASTER].view
    assert view is not None

    def fail(path: str) -> None:
        raise DiskError(f"{path} is gone")

    view.sync = fail  # type: ignore[method-assign]
    assert bench.master is not None
    answers = [bench.begin(bench.master.handle(Create(f"/{name}"), Caller("client"))) for name in "ab"]
    bench.pass_time(SECOND_US)
    answers.append(bench.begin(bench.master.handle(List("/"), Caller("client"))))
    bench.pass_time(SECOND_US)
    assert all(isinstance(answer[0], DiskError) for answer in answers)
    assert isinstance(bench.master.failure, DiskError)
