"""The stateful test on a small system of its own: any system can be driven, and each kind of outcome is told apart."""

from collections.abc import Callable, Mapping

import msgspec
import pytest
from tests.conformance.patching import Patch, patched
from tests.conformance.track.lock_service import LOCK_SERVICE

from genstamp.adapters import Cluster, Done, NotPossible, Outcome, ReferenceAdapter, Started
from genstamp.errors import AdapterDiedError, AdapterError, DrivingError
from genstamp.events import Event
from genstamp.stateful import Driving, Figures, Report, conform, driving_of
from genstamp.stateful.driving import HARD_LIMIT_MS
from genstamp.stateful.request import Request
from genstamp.stateful.run import Bench, NonconformingError, Run
from genstamp.stateful.shorten import shorten
from genstamp.track import Timer
from genstamp_dfs.errors import AlreadyBeingCreatedException
from genstamp_dfs.hdfs.namenode import lease_recovery
from genstamp_spec.hdfs.systems.recovery import RECOVERY

pytestmark = pytest.mark.slow

LEASE_MS = 60_000
DRIVING = Driving(
    members=lambda cluster: {"Holder": cluster.clients},
    clock={"expire": Timer(LEASE_MS, LEASE_MS)},
    ticks_ms=(1_000, LEASE_MS + 1),
)


class LockServer:
    """The lock service as anybody might write it, behind an adapter."""

    def start(self, cluster: Cluster) -> Started:  # noqa: ARG002
        self.holder: str | None = None
        self.is_free = True
        self.stamp = 100
        self.age_ms = 0
        self.gone: set[str] = set()
        self.notices: list[int] = []
        return Started(101)

    def call(self, event: str, arguments: Mapping[str, str]) -> Outcome:
        step: Callable[..., Outcome] = getattr(self, event)
        return step(**arguments)

    def tick(self, ms: int) -> Outcome:
        self.age_ms += ms
        return Done(())

    def fault(self, event: str, arguments: Mapping[str, str]) -> Outcome:  # noqa: ARG002
        raise AssertionError("the system has no faults")

    def events(self) -> Outcome:
        return Done(())

    def set_times(self, times_ms: Mapping[str, int]) -> bool:  # noqa: ARG002
        return False

    def stop(self) -> None:
        pass

    def shown(self, event: str, refused_with: str | None = None, stamp: int | None = None, **arguments: str) -> Done:
        return Done(
            (
                Event(
                    source="test",
                    node="server",
                    node_sequence=1,
                    kind="node",
                    namespace="test",
                    entity="lock",
                    event=event,
                    refused_with=refused_with,
                    generation_stamp=stamp,
                    arguments=arguments,
                ),
            )
        )

    def acquire(self, client: str) -> Outcome:
        if client in self.gone:
            return self.shown("acquire", "GoneException", client=client)
        if not self.is_free:
            if self.age_ms > LEASE_MS:
                self.holder = "server"
                return self.shown("acquire", "ExpiredException", client=client)
            return self.shown("acquire", "HeldException", client=client)
        self.is_free, self.holder, self.age_ms = False, client, 0
        self.stamp += 1
        self.notices.append(self.stamp)
        return self.shown("acquire", stamp=self.stamp, client=client)

    def told(self) -> Outcome:
        if not self.notices:
            return NotPossible("there is no notice")
        return self.shown("told", stamp=self.notices.pop())

    def release(self, holder: str) -> Outcome:
        if self.holder != holder:
            return self.shown("release", "NotHolderException", holder=holder)
        self.is_free, self.holder = True, "server"
        return self.shown("release", holder=holder)

    def give_up(self, client: str) -> Outcome:
        self.gone.add(client)
        return self.shown("give_up", client=client)


def report_on(server: LockServer, max_states: int = 1_000, examples: int = 60) -> Report:
    return conform(server, LOCK_SERVICE, examples=examples, steps=20, seed=1, max_states=max_states, driving=DRIVING)


def test_a_correct_server_conforms_and_everything_is_seen() -> None:
    report = report_on(LockServer())
    assert report.failure is None, str(report.failure)
    assert report.verdict == "conforms"
    assert report.never_seen == ()
    assert report.answers == 8
    assert report.figures.examples >= 60
    assert report.figures.events == sum(report.figures.seen.values())


def test_progress_is_told_before_each_run() -> None:
    told: list[int] = []
    driving = Driving(DRIVING.members, clock=DRIVING.clock, ticks_ms=DRIVING.ticks_ms)
    conform(
        LockServer(),
        LOCK_SERVICE,
        examples=5,
        steps=3,
        seed=1,
        driving=driving,
        progress=lambda f: told.append(f.examples),
    )
    assert told == list(range(len(told)))
    assert len(told) >= 5


def test_figures_count_requests_that_are_not_possible_and_refusals() -> None:
    figures = report_on(LockServer()).figures
    assert figures.not_possible > 0
    assert figures.refusals == sum(n for (_, refused_with), n in figures.seen.items() if refused_with)
    assert figures.steps > figures.events


def test_a_step_that_is_said_not_to_be_possible_though_it_is_is_told() -> None:
    class LazyServer(LockServer):
        def told(self) -> Outcome:
            return NotPossible("not today")

    failure = report_on(LazyServer()).failure
    assert failure is not None
    assert failure.problem == "told() was said not to be possible, but in each of 1 states it is"
    assert failure.lines == (
        "     start with /a, client1, datanode1; seed 0",
        "  1. call acquire(client client1)",
        "       server: acquire(client client1) shows generation_stamp 101",
        "  2. call told()",
        "       not possible now: not today",
        "     THIS DOES NOT CONFORM:",
        "       told() was said not to be possible, but in each of 1 states it is",
        "         the model performs it",
    )


def test_what_the_model_leaves_to_the_implementation_may_be_declined() -> None:
    class LazyServer(LockServer):
        def told(self) -> Outcome:
            return NotPossible("not today")

    driving = Driving(DRIVING.members, clock=DRIVING.clock, ticks_ms=DRIVING.ticks_ms, may_decline={"told": "it may"})
    assert conform(LazyServer(), LOCK_SERVICE, examples=20, seed=1, driving=driving).verdict == "conforms"


def test_too_many_possible_states_are_no_pass() -> None:
    class SilentServer(LockServer):
        """Does not say which notice it was, of which there may be many."""

        def told(self) -> Outcome:
            if not self.notices:
                return NotPossible("there is no notice")
            self.notices.pop()
            return self.shown("told")

    report = report_on(SilentServer(), max_states=4)
    assert report.verdict == "undetermined"
    assert report.figures.undetermined > 0


def test_a_run_that_is_given_up_before_its_first_request_is_no_pass() -> None:
    report = report_on(LockServer(), max_states=0)
    assert (report.verdict, report.figures.undetermined) == ("undetermined", report.figures.examples)


class RestlessServer(LockServer):
    """Gives the lock to a client just before time stops passing, and takes it for expired all the same."""

    now_ms = 0

    def tick(self, ms: int) -> Outcome:
        self.now_ms += ms
        done = self.acquire("client1")
        assert isinstance(done, Done)
        self.age_ms = LEASE_MS + 1
        time_us = (self.now_ms - 1) * 1_000
        return Done(tuple(msgspec.structs.replace(event, time_us=time_us) for event in done.events))


def new_run(server: LockServer) -> Run:
    bench = Bench(server, LOCK_SERVICE.model(), DRIVING, max_states=100)
    run = Run(bench, Cluster(("/a",), ("client1", "client2"), ("datanode1",), "default"), Figures())
    run.start()
    return run


def test_when_an_event_came_while_time_passed_tells_how_much_passed_after_it() -> None:
    run = new_run(RestlessServer())
    run.request(Request(ms=LEASE_MS + 1))
    with pytest.raises(NonconformingError) as caught:
        run.request(Request("acquire", (("client", "client2"),)))
    assert "not with ExpiredException" in str(caught.value.failure)


@pytest.mark.parametrize("time_us", [None, -5, 10**12])
def test_an_event_that_does_not_say_when_it_came_may_have_come_at_any_time(time_us: int | None) -> None:
    class TimelessServer(RestlessServer):
        def tick(self, ms: int) -> Outcome:
            outcome = super().tick(ms)
            assert isinstance(outcome, Done)
            return Done(tuple(msgspec.structs.replace(event, time_us=time_us) for event in outcome.events))

    run = new_run(TimelessServer())
    run.request(Request(ms=LEASE_MS + 1))
    run.request(Request("acquire", (("client", "client2"),)))
    assert run.tracker.states


def test_what_was_not_possible_is_asked_again_once_something_has_happened() -> None:
    run = new_run(LockServer())
    run.request(Request("told"))
    assert run.declined == {Request("told")}
    run.request(Request("acquire", (("client", "client1"),)))
    assert run.declined == set()


def test_a_run_is_not_shortened_into_one_that_fails_elsewhere() -> None:
    class TwiceBrokenServer(LockServer):
        """Is wrong at a release, and also at an acquire unless somebody has given up."""

        def acquire(self, client: str) -> Outcome:
            return super().acquire(client) if self.gone else self.shown("acquire", "MoodException", client=client)

        def release(self, holder: str) -> Outcome:
            is_right = holder != self.holder
            return super().release(holder) if is_right else self.shown("release", "MoodException", holder=holder)

    server = TwiceBrokenServer()
    requests = [
        Request("give_up", (("client", "client2"),)),
        Request("give_up", (("client", "client2"),)),
        Request("acquire", (("client", "client1"),)),
        Request("release", (("holder", "client1"),)),
    ]
    run = new_run(server)
    with pytest.raises(NonconformingError) as caught:
        for request in requests:
            run.request(request)
    bench = Bench(server, LOCK_SERVICE.model(), DRIVING, max_states=100)
    failure, is_deterministic = shorten(bench, caught.value.failure, seconds=10)
    assert is_deterministic
    assert failure.event == "release"
    assert len(failure.requests) == 3


def test_an_event_before_anything_was_asked_for_is_held_too() -> None:
    class EagerServer(LockServer):
        def start(self, cluster: Cluster) -> Started:
            super().start(cluster)
            return Started(101, self.shown("release", holder="client1").events)

    failure = report_on(EagerServer()).failure
    assert failure is not None
    assert failure.requests == ()
    assert failure.labels == ("the caller holds the lock",)


def test_a_failure_that_does_not_come_again_is_told_as_it_came() -> None:
    class MoodyServer(LockServer):
        moods = 100

        def acquire(self, client: str) -> Outcome:
            MoodyServer.moods -= 1
            return self.shown("acquire", "MoodException", client=client) if not self.moods else super().acquire(client)

    report = report_on(MoodyServer())
    assert report.verdict == "rejected"
    assert not report.is_deterministic
    assert report.failure is not None
    assert "MoodException" in str(report.failure)


def test_a_server_that_dies_is_no_verdict_but_an_error_with_the_run_that_led_there() -> None:
    class MortalServer(LockServer):
        def release(self, holder: str) -> Outcome:
            raise AdapterDiedError(f"release by {holder}", "it is gone")

    with pytest.raises(AdapterError) as caught:
        report_on(MortalServer())
    assert caught.value.story[0].startswith("     start with ")
    assert "call release(" in caught.value.story[-1]


def test_a_system_of_which_nothing_is_known_cannot_be_driven() -> None:
    with pytest.raises(DrivingError, match=r"lock_service cannot be checked .* these can: .*hdfs\.recovery"):
        conform(LockServer(), LOCK_SERVICE)


def test_a_node_of_the_reference_implementation_that_dies_is_told_with_the_run_that_led_there() -> None:
    def close(*_: object) -> bool:
        raise AssertionError("the last block is of no state")

    ended = pytest.raises(AdapterDiedError, match="it ended with AssertionError: the last block is of no state")
    with patched([Patch(lease_recovery, "internal_release_lease", close)]), ended as caught:
        conform(ReferenceAdapter(), RECOVERY, examples=50, seed=1)
    assert caught.value.story[0].startswith("     start with ")


def test_a_monitor_that_cannot_release_an_expired_lease_takes_a_step_that_is_rejected() -> None:
    def refuse(*_: object) -> bool:
        raise AlreadyBeingCreatedException("committed blocks are waiting to be minimally replicated")

    bench = Bench(ReferenceAdapter(), RECOVERY.model(None), driving_of("hdfs.recovery"), max_states=100)
    run = Run(bench, Cluster(("/a",), ("client1",), ("datanode1",), "repaired"), Figures())
    run.start()
    run.request(Request("create", (("client", "client1"), ("file", "/a"))))
    with (
        patched([Patch(lease_recovery, "internal_release_lease", refuse)]),
        pytest.raises(NonconformingError) as caught,
    ):
        run.request(Request(ms=HARD_LIMIT_MS + 2_001))
    assert caught.value.failure.event == "release_expired_lease"
    assert "refused with AlreadyBeingCreatedException" in caught.value.failure.problem
