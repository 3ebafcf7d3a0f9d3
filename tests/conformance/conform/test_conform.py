"""The stateful test on a small system of its own: any system can be driven, and each kind of outcome is told apart."""

from collections.abc import Callable, Mapping

import msgspec
import pytest
from tests.conformance.track.lock_service import LOCK_SERVICE

from genstamp.adapters import Cluster, Done, NotPossible, Outcome, Started
from genstamp.errors import AdapterDiedError, AdapterError, DrivingError
from genstamp.events import Event
from genstamp.stateful import Driving, Report, conform
from genstamp.track import Timer

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


@pytest.mark.parametrize("is_timed", [True, False])
def test_events_that_come_while_time_passes_are_held_whether_or_not_they_say_when(is_timed: bool) -> None:
    class RestlessServer(LockServer):
        """Lets go of a lock by itself, half a lease after it was taken."""

        now_ms = 0

        def tick(self, ms: int) -> Outcome:
            due_ms = LEASE_MS // 2 - self.age_ms
            self.age_ms += ms
            self.now_ms += ms
            if self.is_free or not 0 <= due_ms <= ms:
                return Done(())
            holder = self.holder
            assert holder is not None
            done = super().release(holder)
            assert isinstance(done, Done)
            time_us = (self.now_ms - ms + due_ms) * 1_000 if is_timed else None
            return Done(tuple(msgspec.structs.replace(event, time_us=time_us) for event in done.events))

    report = report_on(RestlessServer())
    assert report.failure is None, str(report.failure)
    # A lock that is let go of in time never expires, which is known only if the time is.
    assert ("acquire (ExpiredException)" in report.never_seen) or not is_timed


def test_an_event_before_anything_was_asked_for_is_held_too() -> None:
    class EagerServer(LockServer):
        def start(self, cluster: Cluster) -> Started:
            super().start(cluster)
            return Started(101, self.shown("release", holder="client1").events)

    failure = report_on(EagerServer()).failure
    assert failure is not None
    assert failure.steps == 0
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
    with pytest.raises(DrivingError, match=r"lock_service cannot be held .* these can: hdfs\.recovery"):
        conform(LockServer(), LOCK_SERVICE)
