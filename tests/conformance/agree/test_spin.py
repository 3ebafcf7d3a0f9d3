"""Spin finds in the export what our own search finds in the model, and what it cannot know it does not say."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.model.random_kinds import STANDARD, Profile, choosing
from tests.model.random_systems import RandomSystem
from tests.model.systems.awkward_names import AWKWARD_NAMES
from tests.model.systems.choices import CHOICES
from tests.model.systems.deck import DECK
from tests.model.systems.division import DIVISION, EUCLID
from tests.model.systems.every_form import EVERY_FORM
from tests.model.systems.ewd840 import EWD840
from tests.model.systems.fenced_lock import FENCED_LOCK
from tests.model.systems.odd_names import NO_VARIABLES, ODD_NAMES
from tests.model.systems.readers import READERS
from tests.model.systems.rings import DINING, RING, TABLE
from tests.model.systems.small_recovery import SMALL_RECOVERY
from tests.model.systems.two_phase import TWO_PHASE
from tests.model.test_only_named import RING as RING_OF_LIGHTS
from tests.model.test_random_systems import search

from genstamp.agree.compare import Outcome
from genstamp.agree.peer import RANGES, STOPS, Verdict
from genstamp.agree.run import agreement
from genstamp.agree.spin import Spin
from genstamp_model import explore as ours
from genstamp_model.export import promela
from genstamp_model.export.promela import left_out, promela_model
from genstamp_model.language import (
    Configuration,
    Instance,
    Part,
    Record,
    RefinementDeclaration,
    System,
    action,
    bag,
    number,
    pick,
    record,
    require,
    sequence,
)
from genstamp_model.language.types import ArrayType, BagType, RecordType, SequenceType, Type, Value

ENOUGH_S = 120.0


class Half(Part):
    count = number(0, 3)

    @action
    def step(s) -> None:
        require(s.count < 2, "below two")
        s.count = s.count + 2


class Whole(Part):
    count = number(0, 3)

    @action
    def step(s) -> None:
        require(s.count < 3, "below three")
        s.count = s.count + 1


class Countdown(Part):
    """A clock that runs down and stays there; how often it was looked at, nothing ever reads."""

    left = number(0, 2, initially=2)
    seen = number(0, 2)

    @action
    def tick(s) -> None:
        """It ticks."""
        require(s.left > 0, "there is time")
        s.left = s.left - 1

    @action
    def look(s) -> None:
        """Somebody looks."""
        require(s.left > 1, "there is time")
        s.seen = s.left


COUNTDOWN = System(
    "countdown",
    parts=[Countdown],
    configurations=[Configuration("one", sizes={})],
    may_stop=lambda s: s.left > 1,
)


class Letter(Record):
    """A number on its way."""

    count = number(0, 2)


class Post(Part):
    """What is taken out of a bag or a sequence is still read in the same step."""

    post = bag(Letter, limit="letters")
    queue = sequence(record(Letter), capacity=2)
    received = number(0, 2)

    @action
    def send(s) -> None:
        """It is sent."""
        s.post.send(Letter(count=pick("count", 1, 2)))

    @action
    def receive(s) -> None:
        """It arrives."""
        letter = s.post.receive()
        require(s.queue.size() < 2, "there is room")
        s.post.take(letter)
        s.queue.append(letter)
        s.received = letter.count

    @action
    def read(s) -> None:
        """It is read."""
        require(s.queue.size() > 0, "there is a letter")
        first = s.queue.first()
        s.queue.drop_first()
        s.received = first.count


POST = System("post", parts=[Post], configurations=[Configuration("two", sizes={}, limits={"letters": 2})])


@pytest.mark.slow
def test_a_broken_refinement_has_its_whole_name(tmp_path: Path) -> None:
    once = [Configuration("once", sizes={})]
    upper = System("a.upper", parts=[Whole], configurations=once)
    mapping = {"count": lambda s: s.count}
    lower = System("lower", parts=[Half], configurations=once, refines=[RefinementDeclaration(upper, mapping)])
    (tmp_path / "model.pml").write_text(promela_model(lower.instance()), encoding="utf-8")
    found = Spin().run_text(lower.instance(), tmp_path, ENOUGH_S)
    assert found.verdicts["refines a.upper"] is Verdict.VIOLATED


def expected(instance: Instance) -> dict[str, Verdict]:
    """What our search says, of a system in which nothing is violated."""
    result = ours.explore(instance)
    assert result.verdict is ours.Verdict.HOLDS
    found = {RANGES: Verdict.HOLDS}
    if instance.model.may_stop is not None:
        found[STOPS] = Verdict.HOLDS
    for claim in instance.model.properties:
        if claim.kind == "witness":
            seen = result.witnesses[claim.name] is not None
            found[claim.name] = Verdict.SEEN if seen else Verdict.NOT_SEEN
        elif claim.kind != "leads_to":
            found[claim.name] = Verdict.HOLDS
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "configuration", "states"),
    [
        (TWO_PHASE, "three", 288),
        (FENCED_LOCK, "two", 201),
        (AWKWARD_NAMES, "one", 4),
        (ODD_NAMES, "small", 342),
        (NO_VARIABLES, "only", 1),
        (EVERY_FORM, "tiny", 49320),
        (CHOICES, "g2", 192),
        (RING_OF_LIGHTS, "one", 9),
        (DECK, "p1", 146),
        (DIVISION, "one", 175),
        (READERS, "a2", 390),
        (RING, "n4", 92),
        (TABLE, "g2", 1604),
        (SMALL_RECOVERY, "two", 16214),
        (POST, "two", 66),
        (EUCLID, "one", 163),
        (EWD840, "n3", 302),
    ],
    ids=lambda value: value.name if isinstance(value, System) else str(value),
)
def test_spin_counts_what_we_count(spin: Spin, tmp_path: Path, system: System, configuration: str, states: int) -> None:
    instance = system.instance(configuration)
    found = spin.run(instance, tmp_path, ENOUGH_S)
    assert (found.undetermined, found.distinct, ours.explore(instance).states) == ("", states, states)
    assert dict(found.verdicts) == expected(instance)
    assert found.depth is None


@pytest.mark.slow
@pytest.mark.parametrize("system", [FENCED_LOCK, COUNTDOWN], ids=lambda value: value.name)
def test_long_checks_are_judged_within_the_step(
    spin: Spin, tmp_path: Path, system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a deadlock is looked for they stay in the guard, or else none would be found."""
    instance = system.instance()
    plain, before = promela_model(instance), spin.run(instance, tmp_path, ENOUGH_S)
    monkeypatch.setattr("genstamp_model.export.promela_steps._LONG", 0)
    assert (promela_model(instance) == plain) == (system is COUNTDOWN)
    after = spin.run(instance, tmp_path, ENOUGH_S)
    assert (after.distinct, after.verdicts) == (before.distinct, before.verdicts)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "bug", "broken"),
    [
        (TWO_PHASE, "eager-commit", "consistent"),
        (FENCED_LOCK, "no-fencing", "written_never_goes_back"),
        (EVERY_FORM, "overpaid", RANGES),
    ],
    ids=lambda value: value.name if isinstance(value, System) else str(value),
)
def test_spin_finds_a_bug(spin: Spin, tmp_path: Path, system: System, bug: str, broken: str) -> None:
    configuration = next(b.configuration for b in system.bugs if b.name == bug)
    found = spin.run(system.instance(configuration, bugs=[bug]), tmp_path, ENOUGH_S)
    assert [name for name, verdict in found.verdicts.items() if verdict is Verdict.VIOLATED] == [broken]
    assert found.undetermined == ""
    assert ("settle takes a number out of its range" in found.notes) == (broken == RANGES)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "profile"),
    [*((seed, STANDARD) for seed in (0, 2, 7, 12)), *((seed, choosing(seed)) for seed in (1, 4))],
    ids=lambda value: value if isinstance(value, int) else f"begins in {value.begins}",
)
def test_spin_agrees_on_a_random_system(spin: Spin, tmp_path: Path, seed: int, profile: Profile) -> None:
    instance = as_declared(RandomSystem(seed, profile).instance())
    plain, found = search(instance), spin.run(instance, tmp_path, ENOUGH_S)
    assert found.distinct == len(plain.depths)
    broken = {name for _, name in plain.broken}
    for claim in instance.model.properties:
        if claim.kind == "witness":
            wanted = Verdict.SEEN if claim.name in plain.witnesses else Verdict.NOT_SEEN
        else:
            wanted = Verdict.VIOLATED if claim.name in broken else Verdict.HOLDS
        assert found.verdicts[claim.name] is wanted, claim.name
    kinds = {kind for kind, _ in plain.broken}
    assert found.verdicts[RANGES] is (Verdict.VIOLATED if "error" in kinds else Verdict.HOLDS)
    if instance.model.may_stop is not None:
        assert found.verdicts[STOPS] is (Verdict.VIOLATED if "deadlock" in kinds else Verdict.HOLDS)


def as_declared(instance: Instance) -> Instance:
    """A random system that begins as the language lets one begin: elements alike, sequences and bags empty."""

    def alike(value: Value, kind: Type) -> Value:
        match kind:
            case ArrayType(element=element):
                assert isinstance(value, tuple)
                return (alike(value[0], element),) * len(value)
            case RecordType(fields=fields):
                assert isinstance(value, tuple)
                return tuple(alike(part, field) for part, (_, field) in zip(value, fields, strict=True))
            case SequenceType() | BagType():
                return ()
            case _:
                return value

    variables = tuple(
        replace(variable, initial=lambda sizes, of=variable: alike(of.initial(sizes), of.type))  # type: ignore[misc]
        for variable in instance.model.variables
    )
    return Instance(replace(instance.model, variables=variables), instance.configuration)


def test_a_model_that_the_export_refuses_is_undetermined_with_its_line(spin: Spin) -> None:
    [comparison] = agreement(DINING.instance("p3"), [spin], ENOUGH_S).comparisons
    assert comparison.outcome is Outcome.UNDETERMINED
    assert "the Promela export cannot say that structured elements of 'forks' begin differently" in comparison.reason
    assert comparison.reason.startswith("rings.py:")


@pytest.mark.slow
def test_spin_finds_a_deadlock_and_keeps_what_nothing_reads(spin: Spin, tmp_path: Path) -> None:
    found = spin.run(COUNTDOWN.instance(), tmp_path, ENOUGH_S)
    assert dict(found.verdicts) == {RANGES: Verdict.HOLDS, STOPS: Verdict.VIOLATED}
    assert found.distinct == 6


@pytest.mark.slow
def test_an_export_that_is_wrong_is_noticed(spin: Spin, tmp_path: Path) -> None:
    instance = TWO_PHASE.instance("three")
    text = promela_model(instance)
    wrong = text.replace("rm[this_rm] = RmState_ABORTED", "rm[this_rm] = RmState_COMMITTED", 1)
    assert wrong != text
    (tmp_path / "model.pml").write_text(wrong)
    found = spin.run_text(instance, tmp_path, ENOUGH_S)
    assert found.distinct not in (None, 288)
    assert found.verdicts["consistent"] is Verdict.VIOLATED


@pytest.mark.slow
def test_what_spin_did_not_search_it_does_not_judge(spin: Spin, tmp_path: Path) -> None:
    instance = TWO_PHASE.instance("three")
    (tmp_path / "model.pml").write_text("active proctype")
    found = spin.run_text(instance, tmp_path, ENOUGH_S)
    assert found.distinct is None
    assert "spin refuses the model" in found.undetermined
    assert set(found.verdicts.values()) == {Verdict.UNDETERMINED}


@pytest.mark.slow
@pytest.mark.parametrize(("memory_mb", "limit_s", "why"), [(1, ENOUGH_S, "memory"), (8000, 0.01, "0.01 seconds")])
def test_a_search_that_was_cut_short_is_undetermined(
    spin: Spin, tmp_path: Path, memory_mb: int, limit_s: float, why: str
) -> None:
    found = replace(spin, memory_mb=memory_mb).run(TWO_PHASE.instance("five"), tmp_path, limit_s)
    assert found.distinct is None
    assert why in found.undetermined
    assert found.verdicts[RANGES] is Verdict.UNDETERMINED


@pytest.mark.slow
def test_a_stack_that_is_too_small_is_undetermined(spin: Spin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("genstamp.agree.spin._DEPTHS", (2, 3))
    found = spin.run(TWO_PHASE.instance("three"), tmp_path, ENOUGH_S)
    assert found.distinct is None
    assert found.undetermined == "paths are longer than 3 steps"


def test_the_version_is_a_number(spin: Spin) -> None:
    assert re.fullmatch(r"Spin \d+\.\d+\.\d+", spin.version() or "")


def test_without_a_compiler_spin_is_absent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "spin").write_text("#!/bin/sh\n")
    (tmp_path / "spin").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert Spin().version() is None


def test_what_spin_has_no_room_for_is_left_out_and_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = SMALL_RECOVERY.instance()
    steps = {claim.name for claim in instance.model.properties if claim.kind == "transition"}
    assert steps
    assert left_out(instance.model) == frozenset()
    monkeypatch.setattr(promela, "LONGEST_CLAIM", 0)
    assert left_out(instance.model) == steps
    assert not any(name in promela.promela_model(instance) for name in steps)
