"""One state for all that differ in the numbering of members: as many as there are orbits, and no orbit is lost."""

import random
from itertools import permutations

import numpy as np
import pytest
from tests.model.machine import Machine
from tests.model.random_values import random_state
from tests.model.systems.every_form import EVERY_FORM
from tests.model.systems.fencing import FENCING
from tests.model.systems.relations import LOOSE, PLACED, RELATED
from tests.model.systems.small_recovery import SMALL_RECOVERY
from tests.model.systems.two_phase import TWO_PHASE
from tests.model.traces.test_pictures import LETTERS

from genstamp_model.errors import ConfigurationError
from genstamp_model.evaluate import Evaluator
from genstamp_model.expand import cells, from_cells, to_cells
from genstamp_model.explore import Compiled, Search, Verdict, explore
from genstamp_model.explore.symmetry import groups, least, renamed, renamings
from genstamp_model.explore.symmetry_plan import plan
from genstamp_model.explore.symmetry_sort import network
from genstamp_model.explore.symmetry_try import plain_changes
from genstamp_model.language import Configuration, Instance


def two_phase(managers: int) -> Instance:
    return Instance(TWO_PHASE.model(), Configuration("some", sizes={"Rm": managers}))


def recovery(datanodes: int, stamps: int, num_bytes: int, crashes: int) -> Instance:
    limits = {"stamps": stamps, "bytes": num_bytes, "crashes": crashes}
    return Instance(SMALL_RECOVERY.model(), Configuration("some", sizes={"Datanode": datanodes}, limits=limits))


def unreduced(instance: Instance) -> list[tuple[int, ...]]:
    """Every reachable state as cells, without symmetry, by the compiled `expand` alone."""
    machine = Machine(instance)
    seen = level = {machine.packed(Evaluator(instance).initial())}
    while level:
        level = {after for row in level for after in machine.expand_row(row).successors.values()} - seen
        seen = seen | level
    return [tuple(machine.program.layout.unpack(row)) for row in seen]


def orbits_by_name(instance: Instance, member: str, size: int) -> int:
    """Orbits of all reachable states, by brute force: cells are exchanged as their names say, references renamed.

    For systems with one symmetric set, whose members are called `member1`, ..., and without message bags and sequences.
    """
    named = cells(instance)
    position = {cell.name: i for i, cell in enumerate(named)}
    types = instance.model.types
    references = [i for i, cell in enumerate(named) if type(types[cell.variable]).__name__ == "RefType"]
    states = np.array(unreduced(instance), np.int8)
    smallest = np.full(len(states), b"\xff" * states.shape[1], dtype=f"S{states.shape[1]}")
    for image in permutations(range(size)):
        other = states.copy()
        for name, i in position.items():
            for j in range(size):
                if f"[{member}{j + 1}]" in name:
                    target = position[name.replace(f"[{member}{j + 1}]", f"[{member}{image[j] + 1}]")]
                    other[:, target] = states[:, i]
        for i in references:
            other[:, i] = np.array([*image, size], np.int8)[states[:, i]]
        # One more than each value, because numpy takes zeros at the end of a string for nothing.
        texts = np.ascontiguousarray(other + 1).view(smallest.dtype)[:, 0]
        smallest = np.where(texts < smallest, texts, smallest)
    return len(np.unique(smallest))


@pytest.mark.parametrize(("managers", "orbits"), [(5, 314), (6, 553), (9, 2_232)])
def test_two_phase_commit_has_as_many_states_as_orbits(managers: int, orbits: int) -> None:
    result = explore(two_phase(managers), symmetry=True)
    assert (result.verdict, result.states) == (Verdict.HOLDS, orbits)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sizes", "orbits", "levels"),
    [((3, 2, 1, 1), 3_992, 22), ((3, 3, 1, 1), 30_033, 27), ((3, 4, 2, 2), 1_128_613, 39), ((4, 4, 2, 1), 869_042, 44)],
)
def test_small_recovery_has_as_many_states_as_orbits(
    sizes: tuple[int, int, int, int], orbits: int, levels: int
) -> None:
    """The third has 6 582 011 states, the fourth 17 355 270: 5.8 and 20 times as many."""
    result = explore(recovery(*sizes), symmetry=True)
    assert (result.verdict, result.states, result.levels) == (Verdict.HOLDS, orbits, levels)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("instance", "member", "size"),
    [(two_phase(4), "rm", 4), (two_phase(5), "rm", 5), (recovery(3, 2, 1, 1), "datanode", 3)],
    ids=["4 managers", "5 managers", "3 datanodes"],
)
def test_states_are_orbits_by_brute_force(instance: Instance, member: str, size: int) -> None:
    assert explore(instance, symmetry=True).states == orbits_by_name(instance, member, size)


@pytest.mark.slow
@pytest.mark.parametrize("renumber", [False, True])
@pytest.mark.parametrize(
    "instance",
    [FENCING.instance("small"), FENCING.instance("stores")],
    ids=["writers", "stores"],
)
def test_states_are_the_orbits_of_the_plain_twin(instance: Instance, renumber: bool) -> None:
    """Message bags, sequences and records included, and with ranks for numbers."""
    machine = Machine(instance, renumber=renumber)
    seen = level = {machine.compiled.canonical.row(Evaluator(instance).initial())}
    while level:
        level = {after for row in level for after in machine.expand_row(row).successors.values()} - seen
        seen = seen | level
    orbits = {least(instance, from_cells(instance, machine.program.layout.unpack(row))) for row in seen}
    result = explore(instance, symmetry=True, renumber=renumber)
    assert result.states == len(orbits)
    assert result.states <= explore(instance, renumber=renumber).states


@pytest.mark.parametrize(
    "instance",
    [
        LOOSE.instance("small"),
        LOOSE.instance("crowd"),
        PLACED.instance("people"),
        PLACED.instance("places"),
        RELATED.instance("small"),
        pytest.param(RELATED.instance("people"), marks=pytest.mark.slow),
        pytest.param(RELATED.instance("places"), marks=pytest.mark.slow),
        FENCING.instance("both"),
        EVERY_FORM.instance("wide"),
        recovery(4, 4, 2, 1),
    ],
    ids=lambda instance: f"{instance.model.system}:{instance.configuration.name}",
)
def test_representatives_are_equal_exactly_within_an_orbit(instance: Instance) -> None:
    """On arbitrary states: renaming does not change the representative, which is the state renamed."""
    compiled, draw = Compiled(instance, symmetry=True), random.Random(7)
    canonical, layout = compiled.canonical, compiled.program.layout
    everything = list(renamings(groups(instance)))[:6000]
    for _ in range(12):
        state = random_state(instance, draw)
        row = canonical.row(state)
        for renaming in draw.sample(everything, min(6, len(everything))):
            assert canonical.row(renamed(instance, state, renaming)) == row
        representative = from_cells(instance, layout.unpack(row))
        assert canonical.row(representative) == row
        if len(everything) <= 24:
            assert least(instance, representative) == least(instance, state)


def test_sorted_are_groups_without_relations_and_the_others_tried() -> None:
    def names(instance: Instance) -> tuple[list[str], list[str]]:
        found = plan(instance)
        return [group.name for group in found.sorted], [group.name for group in found.tried]

    assert names(recovery(3, 2, 1, 1)) == (["Datanode"], [])
    assert names(LOOSE.instance("crowd")) == (["Person", "Place"], [])
    assert names(RELATED.instance("small")) == ([], ["Person", "Place"])
    assert names(FENCING.instance("both")) == (["Writer"], ["Store"])
    # People's places relate the two sets; one of them is tried, that with fewer numberings.
    assert names(PLACED.instance("people")) == (["Person"], ["Place"])
    assert names(PLACED.instance("places")) == (["Place"], ["Person"])


def test_an_initial_state_that_is_not_symmetric_does_no_harm() -> None:
    """The first person speaks; there are as many representatives as orbits all the same."""
    instance = LOOSE.instance("small")
    orbits = {least(instance, from_cells(instance, state)) for state in unreduced(instance)}
    assert explore(instance, symmetry=True).states == len(orbits)


def test_a_counterexample_is_shown_as_it_is() -> None:
    instance = FENCING.instance("both", bugs=["unfenced"])
    plain, reduced = explore(instance).violation, explore(instance, symmetry=True, renumber=True).violation
    assert plain is not None and reduced is not None
    assert (reduced.name, len(reduced.path)) == (plain.name, len(plain.path))
    evaluator = Evaluator(instance)
    assert reduced.path.initial == evaluator.initial()
    for before, step in zip(reduced.path.states, reduced.path.steps, strict=False):
        assert step in list(evaluator.steps(before))


def test_witnesses_are_as_far_as_without_symmetry() -> None:
    instance = FENCING.instance("both")
    plain, reduced = explore(instance), explore(instance, symmetry=True)
    assert reduced.witnesses == plain.witnesses
    assert [refusal.seen for refusal in reduced.refusals] == [refusal.seen for refusal in plain.refusals]
    assert reduced.levels == plain.levels
    assert reduced.reductions == ("up to the numbering of Writer and Store",)
    assert plain.reductions == ()


def test_the_path_to_a_witness_is_a_real_one() -> None:
    instance = FENCING.instance("both")
    search, evaluator = Search(Compiled(instance, symmetry=True, renumber=True)), Evaluator(instance)
    found = search.run()
    for claim in (claim for claim in instance.model.properties if claim.kind == "witness"):
        path = search.witness(claim.name)
        assert path is not None
        assert len(path) == found.witnesses[claim.name]
        assert evaluator.holds(claim, path.states[-1])
        for before, step in zip(path.states, path.steps, strict=False):
            assert step in list(evaluator.steps(before))


@pytest.mark.parametrize(
    ("instance", "message"),
    [
        (FENCING.instance("both", bugs=["preferred"]), r"fencing\.py:\d+: action time_out chooses the first Writer"),
        (FENCING.instance("both", bugs=["careless"]), r"fencing\.py:\d+: action write reads waiting\.at\(0\)"),
        (
            FENCING.instance("both", bugs=["partial"]),
            r"fencing\.py:\d+: invariant first_is_open reads waiting\.at\(0\)",
        ),
        (RELATED.instance("crowd"), "7 Person and 2 Place are related to one another, so that 10080 numberings"),
        (LETTERS.instance(), "letters declares no index set symmetric"),
    ],
    ids=["choose", "a read of nothing", "a property", "too many", "none declared"],
)
def test_a_model_without_symmetry_is_refused(instance: Instance, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        Compiled(instance, symmetry=True)


@pytest.mark.parametrize(
    ("bug", "message"),
    [("careless", "action write does not treat the members"), ("partial", "invariant first_is_open does not treat")],
)
def test_walks_notice_what_the_decision_should_have_refused(
    bug: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("genstamp_model.explore.search.refuse_asymmetry", lambda instance, groups: None)
    monkeypatch.setattr("genstamp_model.explore.symmetry_check._SAMPLE", 800)
    with pytest.raises(ConfigurationError, match=rf"fencing\.py:\d+: {message}"):
        Compiled(FENCING.instance("both", bugs=[bug]), symmetry=True)


def test_every_numbering_is_tried_once() -> None:
    for size in range(1, 6):
        order, seen = list(range(size)), {tuple(range(size))}
        for place in plain_changes(size):
            order[place], order[place + 1] = order[place + 1], order[place]
            assert tuple(order) not in seen
            seen.add(tuple(order))
        assert seen == set(permutations(range(size)))


def test_the_network_sorts() -> None:
    """By the zero-one principle: every row of zeros and ones is sorted."""
    for size in range(1, 10):
        for bits in range(2**size):
            row = [bits >> i & 1 for i in range(size)]
            for left, right in network(size):
                row[left], row[right] = min(row[left], row[right]), max(row[left], row[right])
            assert row == sorted(row)


def test_renaming_is_undone_by_the_inverse() -> None:
    instance, draw = RELATED.instance("people"), random.Random(1)
    for renaming in renamings(groups(instance)):
        inverse = {name: tuple(image.index(i) for i in range(len(image))) for name, image in renaming.items()}
        state = random_state(instance, draw)
        assert renamed(instance, renamed(instance, state, renaming), inverse) == state
        assert len(to_cells(instance, state)) == len(cells(instance))
