"""The compiled search finds every reachable state, and says what broke, what was cut off and what was seen."""

import enum
from typing import Self

import pytest
from tests.model.systems.every_form import EVERY_FORM
from tests.model.systems.small_recovery import SMALL_RECOVERY
from tests.model.systems.two_phase import TWO_PHASE

from genstamp_model.evaluate import Evaluator, State
from genstamp_model.explore import Compiled, Progress, Search, Verdict, explore
from genstamp_model.language import (
    Bool,
    Configuration,
    Instance,
    Number,
    Part,
    System,
    action,
    enumeration,
    invariant,
    leads_to,
    limit,
    number,
    require,
    transition,
    witness,
)


def two_phase(managers: int) -> Instance:
    return Instance(TWO_PHASE.model(), Configuration("some", sizes={"Rm": managers}))


@pytest.mark.parametrize(("managers", "states"), [(3, 288), (5, 8_832), (6, 50_816)])
def test_two_phase_commit_has_the_published_number_of_states(managers: int, states: int) -> None:
    result = explore(two_phase(managers))
    assert (result.verdict, result.states) == (Verdict.HOLDS, states)


@pytest.mark.parametrize(
    ("configuration", "states", "generated", "levels"),
    [
        ("three", 284_862, 897_111, 31),
        pytest.param("medium", 1_269_152, 4_285_048, 33, marks=pytest.mark.slow),
        pytest.param("large", 6_582_011, 24_959_629, 39, marks=pytest.mark.slow),
    ],
)
def test_small_recovery_has_the_known_counts(configuration: str, states: int, generated: int, levels: int) -> None:
    result = explore(SMALL_RECOVERY.instance(configuration))
    assert result.verdict is Verdict.HOLDS
    assert (result.states, result.generated, result.levels) == (states, generated, levels)


def everything(instance: Instance) -> tuple[int, int, int, dict[str, int]]:
    """States, steps, levels and cuts, counted with `evaluate` alone."""
    evaluator = Evaluator(instance)
    level: list[State] = [evaluator.initial()]
    seen, generated, levels = set(level), 1, 0
    cuts = dict.fromkeys(sorted(instance.limits), 0)
    while level:
        levels += 1
        found: list[State] = []
        for step in (step for state in level for step in evaluator.steps(state)):
            beyond = evaluator.beyond(step.after)
            for name in beyond:
                cuts[name] += 1
            generated += not beyond
            if not beyond and step.after not in seen:
                seen.add(step.after)
                found.append(step.after)
        level = found
    return len(seen), generated, levels, cuts


@pytest.mark.parametrize(
    "instance",
    [
        two_phase(3),
        Instance(
            SMALL_RECOVERY.model(),
            Configuration("least", sizes={"Datanode": 1}, limits={"stamps": 3, "bytes": 1, "crashes": 1}),
        ),
        Instance(
            EVERY_FORM.model(),
            Configuration(
                "least",
                sizes={"Clerk": 1, "Shelf": 1},
                limits={"tickets": 1, "journal": 0, "orders": 0, "deliveries": 1, "parcels": 1},
            ),
        ),
    ],
    ids=lambda instance: instance.model.system,
)
def test_counts_are_those_of_a_search_with_evaluate(instance: Instance) -> None:
    result = explore(instance)
    assert (result.states, result.generated, result.levels, result.cuts) == everything(instance)
    assert result.generated == 1 + sum(result.taken.values())


def test_a_search_takes_less_memory_than_promised() -> None:
    for instance in (two_phase(6), SMALL_RECOVERY.instance("three")):
        result = explore(instance)
        assert result.bytes_a_state <= 8 * result.words + 31


# What a search says about one small counter with everything that can go wrong.


class Phase(enum.Enum):
    """Where the counter is."""

    RUNNING = enum.auto()
    DONE = enum.auto()


class Counter(Part):
    """It counts to a hard bound, and may finish."""

    value = number(0, 5)
    rounds = number(limit="rounds")
    phase = enumeration(Phase)

    @action
    def step(s) -> None:
        """One more."""
        require(s.phase.at(Phase.RUNNING), "the counter runs", refuses="StoppedException")
        require(s.value < 5, "there is room", refuses="FullException")
        s.value = s.value + 1

    @action
    def wrap(s) -> None:
        """Back to the beginning, one round more."""
        require(s.value == 5, "the counter is full")
        s.value = 0
        s.rounds = s.rounds + 1

    @witness
    def half(s) -> Bool:
        """The counter comes half way."""
        return s.value == 3

    @witness
    def never(s) -> Bool:
        """It goes too far."""
        return s.value + s.rounds > 99

    @leads_to()
    def counts_on(s) -> tuple[Bool, Bool]:
        """It starts over."""
        return s.value == 5, s.value == 0


class Finishes(Counter):
    """It may finish anywhere."""

    @action
    def finish(s) -> None:
        """No more steps."""
        require(s.phase.at(Phase.RUNNING) & (s.value == 2), "it is time")
        s.phase = Phase.DONE


class Small(Counter):
    """A claim that breaks at 4, beside another one."""

    @invariant
    def finite(s) -> Bool:
        """It does not grow for ever."""
        return s.rounds < 9

    @invariant
    def small(s) -> Bool:
        """It stays small."""
        return s.value < 4


class Rises(Counter):
    """A claim about steps that breaks when the counter starts over."""

    @transition
    def rises(s, t: Self) -> Bool:
        """It never falls."""
        return s.value <= t.value


class Falls(Counter):
    """Of two steps that fall, the first one lies beyond a limit."""

    @action
    def fall_far(s) -> None:
        """Down and beyond."""
        require(s.value == 3, "it is time")
        s.value = 0
        s.rounds = s.rounds + 2

    @action
    def fall(s) -> None:
        """Down."""
        require(s.value == 3, "it is time")
        s.value = 1

    @transition
    def rises(s, t: Self) -> Bool:
        """It never falls."""
        return s.value <= t.value


class Careless(Counter):
    """It does not look at the bound."""

    @action
    def step(s) -> None:
        """One more, whatever there is."""
        s.value = s.value + 1


class TwiceLimited(Counter):
    """Two limits that one step exceeds."""

    @limit("sum")
    def sum(s) -> Number:
        """Rounds and value together."""
        return s.rounds * 5 + s.value


def counter(part: type[Part], may_stop: bool = False, rounds: int = 1, **limits: int) -> Instance:
    system = System(
        "counter",
        parts=[part],
        configurations=[Configuration("one", sizes={}, limits={"rounds": rounds, **limits})],
        may_stop=(lambda s: s.phase.at(Phase.DONE)) if may_stop else None,
    )
    return system.instance()


def test_what_holds_holds_within_limits_that_are_counted() -> None:
    result = explore(counter(Counter))
    assert (result.verdict, result.violation, result.undetermined) == (Verdict.HOLDS, None, "")
    assert (result.states, result.levels, result.depth) == (12, 12, 11)
    assert result.cuts == {"rounds": 1}
    assert result.taken == {"step": 10, "wrap": 1}


def test_a_broken_invariant_comes_with_a_shortest_path() -> None:
    result = explore(counter(Small))
    assert result.verdict is Verdict.VIOLATED
    assert result.violation is not None
    assert (result.violation.kind, result.violation.name) == ("invariant", "small")
    assert [step.action.name for step in result.violation.path.steps] == ["step"] * 4


def test_a_broken_transition_property_comes_with_the_step_that_breaks_it() -> None:
    result = explore(counter(Rises))
    assert result.violation is not None
    assert (result.violation.kind, result.violation.name) == ("transition", "rises")
    assert [step.action.name for step in result.violation.path.steps] == ["step"] * 5 + ["wrap"]


def test_a_step_beyond_a_limit_breaks_nothing() -> None:
    result = explore(counter(Falls))
    assert result.violation is not None
    assert [step.action.name for step in result.violation.path.steps] == ["step"] * 3 + ["fall"]
    assert explore(counter(Rises, rounds=0)).verdict is Verdict.HOLDS


def test_a_step_out_of_range_is_an_error_with_the_path_to_it() -> None:
    result = explore(counter(Careless))
    assert result.violation is not None
    assert (result.violation.kind, result.violation.name) == ("error", "step")
    assert result.violation.message.endswith("step makes value 6, outside 0..5")
    assert len(result.violation.path) == 5


def test_a_stop_that_is_allowed_is_no_deadlock() -> None:
    assert explore(counter(Finishes, may_stop=True)).verdict is Verdict.HOLDS
    assert explore(counter(Finishes)).verdict is Verdict.HOLDS, "where nothing is said, stopping is fine"


def test_a_deadlock_comes_with_its_path() -> None:
    system = System(
        "counter",
        parts=[Finishes],
        configurations=[Configuration("one", sizes={}, limits={"rounds": 1})],
        may_stop=lambda s: s.value == 5,
    )
    result = explore(system.instance())
    assert result.violation is not None
    assert result.violation.kind == "deadlock"
    assert [step.action.name for step in result.violation.path.steps] == ["step", "step", "finish"]
    assert explore(system.instance(), check_deadlock=False).verdict is Verdict.HOLDS


def test_a_state_whose_steps_are_cut_off_is_no_deadlock() -> None:
    system = System(
        "counter",
        parts=[Counter],
        configurations=[Configuration("one", sizes={}, limits={"rounds": 0})],
        may_stop=lambda s: s.rounds > 7,
    )
    result = explore(system.instance())
    assert (result.verdict, result.cuts) == (Verdict.HOLDS, {"rounds": 1})


def test_a_step_beyond_two_limits_counts_for_both() -> None:
    result = explore(counter(TwiceLimited, rounds=0, sum=4))
    assert result.cuts == {"rounds": 0, "sum": 1}
    assert explore(counter(TwiceLimited, rounds=0, sum=5)).cuts == {"rounds": 1, "sum": 0}


def test_refusals_and_witnesses_are_seen_or_not() -> None:
    result = explore(counter(Counter))
    assert result.witnesses == {"half": 3, "never": None}
    assert {(refusal.label, refusal.refuses): refusal.seen for refusal in result.refusals} == {
        ("the counter runs", "StoppedException"): False,
        ("there is room", "FullException"): True,
    }
    finished = explore(counter(Finishes))
    assert all(refusal.seen for refusal in finished.refusals)


def test_a_witness_comes_with_a_path() -> None:
    search = Search(Compiled(counter(Counter)))
    search.run()
    path = search.witness("half")
    assert path is not None
    assert len(path) == 3
    assert search.witness("never") is None


def test_leads_to_is_never_passed() -> None:
    assert explore(counter(Counter)).not_judged == ("counts_on",)
    assert "refines tally" not in explore(EVERY_FORM.instance("tiny")).not_judged


def test_more_states_than_allowed_leave_it_undetermined() -> None:
    result = explore(SMALL_RECOVERY.instance("three"), max_states=20_000)
    assert (result.verdict, result.undetermined) == (Verdict.UNDETERMINED, "there are more than 20000 states")
    assert 20_000 < result.states < 20_000 + 500


def test_as_many_states_as_there_are_may_be_allowed() -> None:
    assert explore(two_phase(3), max_states=288).verdict is Verdict.HOLDS
    assert explore(two_phase(3), max_states=287).verdict is Verdict.UNDETERMINED


def test_too_little_time_leaves_it_undetermined() -> None:
    result = explore(SMALL_RECOVERY.instance("three"), max_seconds=0)
    assert (result.verdict, result.undetermined) == (Verdict.UNDETERMINED, "0 seconds were not enough")
    assert 1 < result.states < 284_862


def test_an_interrupted_search_gives_what_it_has() -> None:
    def interrupt(progress: Progress) -> None:
        raise KeyboardInterrupt

    result = explore(SMALL_RECOVERY.instance("three"), progress=interrupt)
    assert (result.verdict, result.undetermined) == (Verdict.UNDETERMINED, "interrupted")
    assert 1 < result.states < 284_862


def test_progress_is_told_on_the_way() -> None:
    told: list[Progress] = []
    result = explore(SMALL_RECOVERY.instance("three"), progress=told.append)
    assert told
    assert [p.states for p in told] == sorted(p.states for p in told)
    assert told[-1].states <= result.states
    assert told[-1].levels <= result.levels


def test_bugs_are_found_at_their_depth() -> None:
    for system in (TWO_PHASE, SMALL_RECOVERY, EVERY_FORM):
        for bug in system.bugs:
            result = explore(system.instance(bug.configuration, bugs=[bug.name]))
            assert result.violation is not None
            assert len(result.violation.path) == bug.depth
            assert not bug.breaks or result.violation.name in bug.breaks
