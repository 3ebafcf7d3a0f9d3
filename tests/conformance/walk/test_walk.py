"""The walk: what the implementation follows is reached, what it does not is listed, and what is wrong ends it."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs
from tests.model.test_any_of import TOKENS

from genstamp.adapters import REFERENCE_SYSTEMS, Cluster, NotPossible, Outcome, ReferenceAdapter
from genstamp.adapters.adapter import Started
from genstamp.cli.conform import walks
from genstamp.errors import AdapterDiedError, DrivingError
from genstamp.stateful import Figures, driving_of
from genstamp.stateful.request import Request
from genstamp.stateful.run import Bench, Run
from genstamp.systems import system_named
from genstamp.tables import model_coverage_page
from genstamp.walk import Walk, configurations_of, kept, walk
from genstamp.walk.conduct import cluster_of, graph_of
from genstamp.walk.ways import Ways
from genstamp_model.errors import ConfigurationError
from genstamp_model.language import Configuration

RECOVERY = system_named("hdfs.recovery")
MODEL = RECOVERY.model(None)
ONE = {"Client": 1, "File": 1, "Datanode": 1}
# A real client sends along its chain only, and a primary updates in one order: some steps are in no order.
LOWER_FLOORS = {"hdfs.recovery": 0.94}
TWO_NODES = Configuration("two_nodes", {**ONE, "Datanode": 2}, {"stamps": 1, "bytes": 0, "crashes": 0})
NO_BYTE = Configuration("no_byte", ONE, {"stamps": 1, "bytes": 0, "crashes": 0})


class WithoutAnswer(ReferenceAdapter):
    """Says of one event that it is not possible."""

    def __init__(self, event: str) -> None:
        super().__init__()
        self._event = event

    def call(self, event: str, arguments: Mapping[str, str]) -> Outcome:
        return NotPossible("not today") if event == self._event else super().call(event, arguments)


class SecondNodeFirst(ReferenceAdapter):
    """Sends the last packet only if the second datanode was set up first."""

    def start(self, cluster: Cluster) -> Started:
        self._set_up: list[str] = []
        return super().start(cluster)

    def call(self, event: str, arguments: Mapping[str, str]) -> Outcome:
        if event == "create_rbw":
            self._set_up.append(arguments["datanode"])
        if event == "last_packet" and self._set_up[:1] == ["datanode1"]:
            return NotPossible("not after datanode1")
        return super().call(event, arguments)


class WithoutTime(ReferenceAdapter):
    """A clock that stands."""

    def tick(self, ms: int) -> Outcome:  # noqa: ARG002
        return self.events()


class OtherStamps(ReferenceAdapter):
    """Says that it begins with another stamp than it does."""

    def start(self, cluster: Cluster) -> Started:
        return Started(super().start(cluster).first_generation_stamp + 1)


@pytest.fixture(scope="module")
def small() -> Walk:
    return walk(ReferenceAdapter(), RECOVERY, NO_BYTE)


@pytest.mark.slow
def test_an_implementation_is_led_to_nearly_everything_and_the_same_way_each_time(small: Walk) -> None:
    assert small.verdict == "conforms"
    assert small.share > 0.95
    assert small.certain <= small.possible <= small.transitions
    assert {one.transition for one in small.missing} == small.transitions - small.certain
    again = walk(ReferenceAdapter(), RECOVERY, NO_BYTE)
    assert (again.missing, again.figures) == (small.missing, small.figures)


@pytest.mark.slow
def test_what_is_declined_is_listed_with_a_way_and_the_reason(small: Walk) -> None:
    declined = walk(WithoutAnswer("last_packet"), RECOVERY, NO_BYTE)
    assert declined.verdict == "conforms", "a client may decline it"
    lost = {one.action for one in small.certain - declined.certain}
    assert "last_packet" in lost
    [left, *_] = [one for one in declined.missing if one.transition.action == "last_packet"]
    assert left.path[-1].startswith("last_packet(client client1")
    assert (left.call, left.why) == (left.path[-1], "not possible now: not today")
    assert not left.is_possible


def test_what_may_not_be_declined_ends_the_walk() -> None:
    rejected = walk(WithoutAnswer("create"), RECOVERY, NO_BYTE)
    assert rejected.verdict == "rejected"
    assert rejected.failure is not None
    assert rejected.failure.event == "create"
    assert rejected.is_deterministic


@pytest.mark.parametrize("problem", [KeyboardInterrupt(), AdapterDiedError("start", "it is gone")])
def test_a_failure_stays_one_though_it_cannot_be_made_shorter(problem: BaseException) -> None:
    class FailsOnce(WithoutAnswer):
        def start(self, cluster: Cluster) -> Started:
            if self.failed:
                raise problem
            return super().start(cluster)

        def call(self, event: str, arguments: Mapping[str, str]) -> Outcome:
            self.failed = self.failed or event == "create"
            return super().call(event, arguments)

        failed = False

    rejected = walk(FailsOnce("create"), RECOVERY, NO_BYTE)
    assert rejected.verdict == "rejected"
    assert rejected.failure is not None
    assert rejected.failure.event == "create"


def test_a_walk_without_an_event_is_no_pass() -> None:
    class Absent(ReferenceAdapter):
        """Declines everything, which the driving allows."""

        def call(self, event: str, arguments: Mapping[str, str]) -> Outcome:  # noqa: ARG002
            return NotPossible("not today")

        fault = call

        def tick(self, ms: int) -> Outcome:  # noqa: ARG002
            return NotPossible("not today")

    driving = driving_of("hdfs.recovery")
    events = {action.event for action in RECOVERY.model().actions}
    driving = replace(driving, may_decline=dict.fromkeys(events, "it may"))
    nothing = walk(Absent(), RECOVERY, NO_BYTE, driving=driving)
    assert (nothing.figures.events, nothing.verdict) == (0, "undetermined")
    assert walks.case(nothing, RECOVERY.model()).message == "no event was checked"


def test_an_event_that_does_not_fit_ends_the_walk_with_a_short_story() -> None:
    rejected = walk(OtherStamps(), RECOVERY, NO_BYTE)
    assert rejected.failure is not None
    assert rejected.failure.event == "add_block"
    assert len(rejected.failure.requests) == 2


@pytest.mark.slow
def test_what_nobody_asks_for_and_does_not_come_is_listed(small: Walk) -> None:
    timeless = walk(WithoutTime(), RECOVERY, NO_BYTE)
    expired = {one for one in small.certain if one.action.startswith("release_expired_lease")}
    assert expired
    assert not expired & timeless.possible
    whys = [one.why for one in timeless.missing if one.transition in expired]
    assert len(whys) == len(expired)
    assert all(why.startswith("it was waited for and did not come: ") for why in whys)


@pytest.mark.slow
def test_what_takes_longer_in_the_usual_times_is_reached_in_others() -> None:
    one_recovery = Configuration("one_byte", ONE, {"stamps": 2, "bytes": 0, "crashes": 0})
    timeless = replace(driving_of("hdfs.recovery"), other_times=())
    usual = walk(ReferenceAdapter(), RECOVERY, one_recovery, driving=timeless)
    others = walk(ReferenceAdapter(), RECOVERY, one_recovery)
    assert usual.certain < others.certain
    assert {one.action for one in others.certain - usual.certain} >= {"recover_lease_waits"}


@pytest.mark.slow
def test_what_depends_on_the_way_is_reached_by_another_way() -> None:
    driving = replace(driving_of("hdfs.recovery"), other_times=())
    one_way, others = (
        walk(SecondNodeFirst(), RECOVERY, TWO_NODES, driving=one)
        for one in (replace(driving, depends_on_way=lambda cluster: False), driving)
    )
    assert one_way.certain < others.certain
    assert "last_packet" in {one.action for one in others.certain - one_way.certain}


def test_no_walk_can_tell_an_implementation_where_to_begin() -> None:
    with pytest.raises(ConfigurationError, match=r"test_any_of.py:\d+: 'has' of tokens begins with any of several"):
        graph_of(TOKENS, TOKENS.configuration(), driving=driving_of("hdfs.recovery"))


def test_one_shortest_way_or_another_is_picked_by_chance() -> None:
    graph = graph_of(RECOVERY, TWO_NODES)
    ways, chance = Ways(graph), np.random.default_rng(0)
    ways.wanted[[one.action == "last_packet" for one in graph.steps.transitions]] = True
    found = [ways.shortest([0], chance) for _ in range(20)]
    assert {len(way or ()) for way in found} == {len(ways.shortest([0]) or ())}
    assert len(set(map(str, found))) > 1
    assert ways.shortest([0]) == ways.shortest([0])


@pytest.mark.slow
def test_a_monitor_that_comes_seldom_shows_that_it_finds_a_lease_past_its_hard_limit() -> None:
    driving, two_recoveries = (
        driving_of("hdfs.recovery"),
        Configuration("two", ONE, {"stamps": 3, "bytes": 0, "crashes": 0}),
    )
    often = replace(driving, other_times=tuple(one for one in driving.other_times if not one.ticks_ms))
    usual = walk(ReferenceAdapter(), RECOVERY, two_recoveries, driving=often)
    others = walk(ReferenceAdapter(), RECOVERY, two_recoveries, driving=driving)
    won = others.certain - usual.certain
    assert usual.certain < others.certain
    assert won <= usual.possible
    assert {one.action for one in won} == {"release_expired_lease_starts"}


@pytest.mark.parametrize(("renewer", "is_held"), [("client1", True), ("client2", False)])
def test_a_lease_that_was_renewed_in_time_is_known_to_be_held(renewer: str, is_held: bool) -> None:
    bench = Bench(ReferenceAdapter(), MODEL, driving_of("hdfs.recovery"), 100)
    run = Run(bench, cluster_of(bench.driving, {**ONE, "Client": 2}, "repaired", "hdfs.recovery"), Figures())
    run.start()
    run.request(Request("create", (("client", "client1"), ("file", "/a"))))
    held = run.tracker.states
    run.request(Request(ms=30_001))
    run.request(Request("renew_lease", (("client", renewer),)))
    run.request(Request(ms=30_000))
    assert len(run.tracker.states) == 1
    assert (run.tracker.states == held) is is_held


def test_a_walk_needs_a_cluster_with_as_many_members() -> None:
    driving = driving_of("hdfs.recovery")
    assert cluster_of(driving, {**ONE, "Client": 2}, "repaired", "hdfs.recovery").clients == ("client1", "client2")
    with pytest.raises(DrivingError):
        cluster_of(driving, {**ONE, "Block": 2}, "repaired", "hdfs.recovery")


@pytest.mark.slow
def test_a_walk_is_told_to_people_and_to_machines(small: Walk) -> None:
    lines = list(walks.told(small, missing=True))
    assert lines[0] == "hdfs.recovery:no_byte (repaired): conforms"
    assert lines[2].startswith(f"    {len(small.certain)} (")
    declined = walk(WithoutAnswer("hflush"), RECOVERY, NO_BYTE)
    assert declined.missing
    ways = [line for line in walks.told(declined, missing=True) if line.startswith("      way: ")]
    assert len(ways) == len(declined.missing)
    data = walks.plain(declined)
    assert (data["transitions"], data["certain"]) == (len(declined.transitions), len(declined.certain))
    assert len(data["missing"]) == len(declined.missing)
    assert walks.case(small, MODEL).outcome == "passed"
    rejected = walk(WithoutAnswer("create"), RECOVERY, NO_BYTE)
    assert walks.case(rejected, MODEL).outcome == "failure"
    assert "     THIS DOES NOT CONFORM:" in walks.told(rejected, missing=False)


@pytest.mark.slow
def test_what_is_kept_is_read_again_and_shown(tmp_path: Path, small: Walk) -> None:
    assert kept.read(tmp_path, "hdfs.recovery") is None
    kept.keep(tmp_path, [small])
    found = kept.read(tmp_path, "hdfs.recovery")
    assert found == kept.kept_of([small])
    page = model_coverage_page.page(["hdfs.recovery", "hdfs.pipeline"], tmp_path)
    assert "| [hdfs.recovery](model-coverage/hdfs.recovery.md) | no_byte |" in page
    assert f"| no_byte | {small.states:,} | {len(small.transitions)} | {len(small.certain)} (" in page
    assert "| as they are |" in page
    assert "Not walked: hdfs.pipeline." in page
    assert "Apache" not in page
    kept.keep(tmp_path, [replace(small, certain=frozenset(), digest=MODEL.digest)], "3.4.1")
    assert kept.read(tmp_path, "hdfs.recovery") == found
    of_apache = model_coverage_page.page(["hdfs.recovery"], tmp_path).partition("## Apache HDFS 3.4.1\n")[2]
    assert f" | no_byte | {small.states:,} | {len(small.transitions)} | 0 (0.0%) |" in of_apache
    assert "| changed since |" in of_apache
    assert "| as they are |" not in of_apache
    left = model_coverage_page.pages(["hdfs.recovery"], tmp_path)
    assert list(left) == ["hdfs.recovery.md", "hdfs.recovery-3.4.1.md"]
    assert left["hdfs.recovery-3.4.1.md"].startswith("# hdfs.recovery: what was not reached on Apache HDFS 3.4.1\n")
    assert all("## no_byte\n" in page for page in left.values())
    (tmp_path / kept.WALKS / "hdfs.recovery.json").write_text("{}")
    with pytest.raises(kept.KeptWalksError, match="semantics"):
        kept.read(tmp_path, "hdfs.recovery")


def _two_walks() -> tuple[Walk, Walk]:
    """The second one's configuration can do more; each leaves out something that the other one does."""
    a_byte = replace(NO_BYTE, name="a_byte", limits={**NO_BYTE.limits, "bytes": 1})
    return walk(WithoutAnswer("hflush"), RECOVERY, NO_BYTE), walk(WithoutAnswer("last_packet"), RECOVERY, a_byte)


def _words(one: Walk) -> frozenset[str]:
    return frozenset(map(str, one.transitions))


@pytest.mark.slow
def test_walks_that_are_kept_one_by_one_are_those_that_are_kept_together(tmp_path: Path) -> None:
    first, second = _two_walks()
    assert first.certain - second.certain
    assert second.certain - first.certain
    configurations = [first.configuration, second.configuration]
    by_name = {one.configuration.name: _words(one) for one in (first, second)}
    for one in (second, first, second):
        kept.add(tmp_path, one, "3.4.1", configurations, by_name.__getitem__, "2026-11-28")
    together = kept.kept_of([first, second])
    on_that_day = {name: structs.replace(walk, day="2026-11-28") for name, walk in together.walks.items()}
    assert kept.read(tmp_path, "hdfs.recovery", "3.4.1") == structs.replace(together, walks=on_that_day)


@pytest.mark.slow
def test_a_kept_walk_of_something_else_goes_when_another_is_added(tmp_path: Path) -> None:
    small, other = _two_walks()
    both = [small.configuration, other.configuration]
    larger = replace(small.configuration, limits={**NO_BYTE.limits, "crashes": 1})

    def after(first: Walk, configurations: list[Configuration], words: frozenset[str]) -> list[str]:
        kept.keep(tmp_path, [first], "3.4.1")
        kept.add(tmp_path, other, "3.4.1", configurations, lambda _: words, "2026-11-28")
        found = kept.read(tmp_path, "hdfs.recovery", "3.4.1")
        assert found is not None
        return list(found.walks)

    assert after(small, both, _words(small)) == ["no_byte", "a_byte"]
    assert after(replace(small, digest="another"), both, _words(small)) == ["a_byte"]
    assert after(replace(small, semantics="hadoop-3.4"), both, _words(small)) == ["a_byte"]
    assert after(small, [larger, other.configuration], _words(small)) == ["a_byte"]
    assert after(small, both[1:], _words(small)) == ["a_byte"]
    assert after(small, both, _words(other)) == ["a_byte"], "its transitions are counted in another way now"


@pytest.mark.parametrize("system", REFERENCE_SYSTEMS)
def test_nearly_all_of_each_system_is_reached(system: str, repository: Path) -> None:
    found = kept.read(repository, system)
    assert found is not None
    assert list(found.walks) == [one.name for one in configurations_of(system_named(system), driving_of(system))]
    walks = found.walks.values()
    assert sum(one.possible for one in walks) >= 0.95 * sum(one.transitions for one in walks), "with what is perhaps"
    assert found.certain >= LOWER_FLOORS.get(system, 0.95) * found.transitions, "for certain"
