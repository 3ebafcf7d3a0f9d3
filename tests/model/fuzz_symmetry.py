"""Symmetry against brute force: the decision on arbitrary states, and searches against the orbits of a plain search.

Three questions of each system. Does the decision accept it? Then any state, reached or not, must behave like itself
renamed, as `evaluate` computes it. Does the search find what is violated, as far away as it is? Are there as many
states as orbits, as deep as they are?

Run as `python -m tests.model.fuzz_symmetry FIRST --seconds 3600`; see `tests/model/fuzzing.py`.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import permutations, product
from typing import Any

from tests.model.fuzz_judges import begins_beyond
from tests.model.fuzzing import run
from tests.model.random_deep_system import deep_system
from tests.model.random_symmetry import SymmetricSystem
from tests.model.random_values import random_state
from tests.model.test_random_systems import Plain, search, without_claims

from genstamp_model.errors import ConfigurationError, EvaluationError
from genstamp_model.evaluate import Evaluator, State
from genstamp_model.explore import Result, Verdict, explore
from genstamp_model.explore import symmetry_static as static
from genstamp_model.explore.symmetry import groups
from genstamp_model.language import Instance
from genstamp_model.language.types import (
    ArrayType,
    BagType,
    IndexSet,
    RecordType,
    RefType,
    SequenceType,
    SetType,
    Type,
    sort_key,
)

MOST_STATES = 400
STATES = 25
SMALL = 12
CARELESSNESS = 0.5

# The new position of each unnamed member, by the name of their set.
Renaming = Mapping[str, tuple[int, ...]]


def compare(seed: int, counts: Counter[str]) -> None:
    """One system; every third is deep, and every other one is careless about what it reads."""
    kind = "deep" if seed % 3 == 0 else "random"
    counts[kind] += 1
    instance = _system(seed)
    try:
        static.refuse_asymmetry(instance, groups(instance))
    except ConfigurationError:
        counts[f"{kind}: refused by the decision"] += 1
        return
    counts["states alike"] += states_behave_alike(instance, random.Random(seed))
    search_finds_all_orbits(instance, counts, fingerprints=seed % 4 == 0)


def compare_states(seed: int, counts: Counter[str]) -> None:
    """The decision alone, of many small systems."""
    draw = random.Random(seed)
    for instance in SymmetricSystem(seed, carelessness=CARELESSNESS if seed % 2 else 0.0).small_instances(SMALL):
        try:
            static.refuse_asymmetry(instance, groups(instance))
        except ConfigurationError:
            counts["refused"] += 1
        else:
            counts["accepted"] += 1
            counts["states alike"] += states_behave_alike(instance, draw)


def _system(seed: int) -> Instance:
    if seed % 3 == 0:
        return deep_system(seed)
    return SymmetricSystem(seed, carelessness=CARELESSNESS if seed % 2 else 0.0).instance()


def states_behave_alike(instance: Instance, draw: random.Random) -> int:
    """How many arbitrary states behave like themselves renamed; an error where one does not."""
    evaluator, everything = Evaluator(instance), list(renamings(instance))
    for _ in range(STATES):
        state, renaming = random_state(instance, draw), draw.choice(everything)
        other = renamed_state(instance, state, renaming)
        assert _behaviour(evaluator, state, renaming) == _behaviour(evaluator, other, None), (state, renaming)
    return STATES


def _behaviour(evaluator: Evaluator, state: State, renaming: Renaming | None) -> Counter[object]:
    """All that a search sees of a state, its successors renamed."""
    model, instance, seen = evaluator.model, evaluator.instance, Counter[object]()
    for action in model.actions:
        for arguments in evaluator.choices(action, state):
            failing = evaluator.first_failing(action, arguments, state)
            if failing is not None:
                seen[action.name, "fails", failing.label] += 1
                continue
            try:
                after = evaluator.apply(action, arguments, state)
            except EvaluationError:
                seen[action.name, "goes wrong"] += 1
                continue
            broken = tuple(
                claim.name
                for claim in model.properties
                if claim.kind == "transition" and not evaluator.holds(claim, state, after)
            )
            shown = after if renaming is None else renamed_state(instance, after, renaming)
            seen[action.name, comparable(shown), tuple(evaluator.beyond(after)), broken] += 1
    for claim in model.properties:
        if claim.kind in ("invariant", "witness"):
            seen[claim.name] += evaluator.holds(claim, state)
    seen["beyond", tuple(evaluator.beyond(state))] += 1
    if model.may_stop is not None:
        seen["may stop"] += bool(evaluator.value(model.may_stop, state))
    return seen


def search_finds_all_orbits(instance: Instance, counts: Counter[str], *, fingerprints: bool) -> None:
    """The search by symmetry against a plain one, if that comes to its end."""
    if begins_beyond(instance):
        counts["begins beyond a limit"] += 1
        return
    plain = search(instance, MOST_STATES)
    if not plain.finished:
        counts["too large for brute force"] += 1
        return
    result = _explored(instance, counts, fingerprints)
    if result is None:
        return
    assert (result.verdict is Verdict.VIOLATED) == bool(plain.broken), (result.verdict, plain.broken)
    if plain.broken:
        violation = result.violation
        assert violation is not None
        counts["violated"] += 1
        assert len(violation.path) == plain.broken[violation.kind, violation.name], plain.broken
        bare = without_claims(instance)
        plain = search(bare, MOST_STATES)
        result = _explored(bare, counts, fingerprints)
        if plain.broken or not plain.finished or result is None:
            return
    depths = orbits(instance, plain)
    counts["orbits compared"] += 1
    counts["fewer orbits than states"] += len(depths) < len(plain.depths)
    assert (result.states, result.depth) == (len(depths), max(depths.values()))


def _explored(instance: Instance, counts: Counter[str], fingerprints: bool) -> Result | None:
    """The search by symmetry; None where too many numberings would have to be tried."""
    try:
        return explore(instance, symmetry=True, fingerprints=fingerprints)
    except ConfigurationError as refusal:
        if "stand in relations" not in str(refusal):
            raise
        counts["too many numberings"] += 1
        return None


def orbits(instance: Instance, plain: Plain) -> dict[object, int]:
    """The orbits of all states that were found, each by its least state, with the depth of the nearest one."""
    found: dict[object, int] = {}
    everything = list(renamings(instance))
    for state, depth in plain.depths.items():
        least = min(repr(comparable(renamed_state(instance, state, renaming))) for renaming in everything)
        found[least] = min(found.get(least, depth), depth)
    return found


def renamings(instance: Instance) -> Iterator[Renaming]:
    """Every renaming of the unnamed members of every set."""
    sizes = instance.configuration.sizes
    for images in product(*(permutations(range(size)) for size in sizes.values())):
        yield dict(zip(sizes, images, strict=True))


def renamed_state(instance: Instance, state: State, renaming: Renaming) -> State:
    """A state with its members renamed, written anew rather than with what the search uses."""
    types = (variable.type for variable in instance.model.variables)
    return tuple(_renamed(type_, value, renaming) for type_, value in zip(types, state, strict=True))


def _renamed(type_: Type, value: Any, renaming: Renaming) -> Any:
    match type_:
        case RefType(index=index):
            return value if value is None else _image(index, value, renaming)
        case SetType(index=index):
            return frozenset(_image(index, member, renaming) for member in value)
        case RecordType(fields=fields):
            return tuple(_renamed(kind, part, renaming) for (_, kind), part in zip(fields, value, strict=True))
        case ArrayType(index=index, element=element):
            moved = {_image(index, i, renaming): _renamed(element, part, renaming) for i, part in enumerate(value)}
            return tuple(moved[i] for i in range(len(value)))
        case SequenceType(element=element):
            return tuple(_renamed(element, part, renaming) for part in value)
        case BagType(message=message):
            return tuple(sorted((_renamed(message, part, renaming) for part in value), key=sort_key))
        case _:
            return value


def _image(index: IndexSet, member: int, renaming: Renaming) -> int:
    """Named members stay."""
    images = renaming[index.base]
    return images[member] if member < len(images) else member


def comparable(value: Any) -> Any:
    """A value with sets in order, so that equal ones are written alike."""
    if isinstance(value, frozenset):
        return "set", *sorted(value)
    return tuple(comparable(part) for part in value) if isinstance(value, tuple) else value


if __name__ == "__main__":
    sys.exit(run({"all": compare, "states": compare_states}, __doc__))
