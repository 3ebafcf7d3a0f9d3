"""Proofs for any size agree with `evaluate` on each operation, and with the finite proof and the search on verdicts."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
import z3
from tests.model.random_systems import RandomSystem
from tests.model.random_values import random_state
from tests.model.systems.leases import Client, File, FileState, Holder, Leases
from tests.model.systems.two_phase import Rm, RmState, TmState, TwoPhase

from genstamp_model.evaluate import Evaluator, State
from genstamp_model.explore import explore
from genstamp_model.language import (
    Bool,
    Configuration,
    Instance,
    Model,
    Part,
    Record,
    System,
    action,
    bag,
    flag,
    invariant,
    ir,
    members,
)
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.model import Variable
from genstamp_model.language.types import (
    BOOL,
    INTEGER,
    ArrayType,
    BagType,
    IndexSet,
    RecordType,
    RefType,
    SequenceType,
    SetType,
    Type,
    zero,
)
from genstamp_model.parametric import prove_parametric
from genstamp_model.parametric.finite import Finite
from genstamp_model.parametric.sorts import Sorts
from genstamp_model.parametric.symbolic import Bag, Reference, Symbolic, Table, Values
from genstamp_model.parametric.translate import Taking, Translation, refusal
from genstamp_model.prove import Verdict, prove
from genstamp_model.prove.algebra import lift


class Note(Record):
    """A message."""

    loud = flag()


# Each operation.


class Fixed:
    """One state of an instance, and a next one, with every value known."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.sorts = Sorts(instance.model)
        self.values = Values(self.sorts)
        sizes = {name: instance.configuration.sizes[root.base] for name, root in self.sorts.roots.items()}
        self.sizes = sizes
        self.members = Finite([], self.sorts, sizes, 10_000)

    def symbolic(self, type_: Type, value: Any) -> Symbolic:
        """A plain value as the translation has it, but none that it could know and decide upon beforehand."""
        a = self.values.algebra
        match type_:
            case RefType(index=index):
                return Reference(z3.BoolVal(value is None), self.members.of(index)[value or 0])
            case RecordType(fields=fields):
                return tuple(self.symbolic(kind, part) for (_, kind), part in zip(fields, value, strict=True))
            case ArrayType(index=index, element=element):
                return Table(lambda member: self._element(index, element, value, member))
            case SetType(index=index):
                inside = [self.members.of(index)[i] for i in sorted(value)]
                return Table(lambda member: a.or_([a.eq(member, one) for one in inside]))
            case BagType(message=message):
                content = [self.symbolic(message, one) for one in value]
                return Bag(lambda claim: a.and_([claim(one) for one in content]))
            case SequenceType():
                return None
            case _:
                return lift(self.values.constant(type_, value))

    def _element(self, index: IndexSet, element: Type, value: Any, member: Any) -> Symbolic:
        result = self.symbolic(element, value[0])
        for one, part in zip(self.members.of(index), value, strict=True):
            result = self.values.choose(
                element, self.values.algebra.eq(member, one), self.symbolic(element, part), result
            )
        return result

    def state(self, state: Any) -> Callable[[str], Symbolic]:
        """All variables of a state."""
        pairs = zip(self.instance.model.variables, state, strict=True)
        return {variable.name: self.symbolic(variable.type, value) for variable, value in pairs}.__getitem__

    def same(self, translation: Translation, expr: Expr, bound: dict[str, Symbolic], wanted: Any) -> bool:
        """Whether an expression can have no other value than the wanted one, and can have that."""
        found, value = translation.value(expr, bound), self.symbolic(expr.type, wanted)
        stays: list[Any] = []
        if isinstance(expr.type, BagType):
            equal = self._equal_bags(expr.type, found, value)
            stays = [self._stays(expr.type, taking, value) for taking in translation.takings]
        else:
            equal = self.values.equal(expr.type, found, value)
        given = [z3.BoolVal(True), *self.sorts.axioms(), *translation.definitions, *stays]
        other = Finite([*given, z3.Not(lift(equal))], self.sorts, self.sizes, 10_000).solver.check()
        if not translation.definitions and not stays:
            return bool(other == z3.unsat)
        this = Finite([*given, lift(equal)], self.sorts, self.sizes, 10_000).solver.check()
        return bool(this == z3.sat and other == z3.unsat)

    def _stays(self, type_: BagType, taking: Taking, after: Bag) -> Any:
        """That a copy stays exactly where one is left in the bag after the step."""
        a = self.values.algebra
        return taking.left == a.not_(after.every(lambda one: a.not_(self._same(type_, one, taking.message))))

    def _same(self, type_: BagType, left: Symbolic, right: Symbolic) -> Any:
        return self.values.equal(type_.message, left, right)

    def _equal_bags(self, type_: BagType, left: Bag, right: Bag) -> Any:
        a = self.values.algebra

        def within(inner: Bag, outer: Bag) -> Any:
            return inner.every(lambda one: a.not_(outer.every(lambda other: a.not_(self._same(type_, one, other)))))

        return a.and_([within(left, right), within(right, left)])


def expressions(model: Model) -> Iterator[tuple[Expr, Any]]:
    """Every check and effect with its action, and every property with None, that has a translation."""
    for act in model.actions:
        names = frozenset(parameter.name for parameter in act.parameters)
        for expr in [*(check.condition for check in act.checks), *(effect.value for effect in act.effects)]:
            if refusal(expr, names) is None:
                yield expr, act
    for claim in model.properties:
        if refusal(claim.condition) is None:
            yield claim.closed, None


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 10, 5))
def test_translation_means_what_evaluate_computes(first: int) -> None:
    compared = 0
    for seed in range(first, first + 5):
        instance, draw = RandomSystem(seed).instance(), random.Random(seed)
        evaluator, fixed = Evaluator(instance), Fixed(instance)
        state, after = (random_state(instance, draw) for _ in range(2))
        for expr, act in expressions(instance.model):
            bound: dict[str, Any] = {}
            if act is not None:
                choices = list(evaluator.choices(act, state))
                if not choices:
                    continue
                bound = dict(zip((p.name for p in act.parameters), draw.choice(choices), strict=True))
            wanted = evaluator.value(expr, state, after, bound)
            types = {p.name: p.type for p in act.parameters} if act is not None else {}
            symbolic = {name: fixed.symbolic(types[name], value) for name, value in bound.items()}
            translation = Translation(fixed.values, fixed.state(state), fixed.state(after))
            assert fixed.same(translation, expr, symbolic, wanted), (seed, expr, state, bound)
            compared += 1
    assert compared > 40


class Counted(Part):
    """What can be counted."""

    group = members(Rm)
    post = bag(Note, limit="notes")

    @action
    def leave(s) -> None:
        s.group.clear()


@pytest.mark.slow
@pytest.mark.parametrize("op", [Op.EQ, Op.LT, Op.LE])
@pytest.mark.parametrize("constant_first", [False, True])
def test_comparison_of_a_count_means_what_evaluate_computes(op: Op, constant_first: bool) -> None:
    model = System("counted", parts=[Counted], configurations=[]).model()
    instance = Instance(model, Configuration("three", {"Rm": 3}, {"notes": 2}))
    evaluator, fixed = Evaluator(instance), Fixed(instance)
    group, post = (ir.make(Op.VARIABLE, (), variable.type, variable.name) for variable in model.variables)
    inside = ir.make(Op.MEMBER, (group, ir.make(Op.PARAMETER, (), RefType(Rm.set), "rm")), BOOL)
    counts = [
        ir.make(Op.COUNT, (inside,), INTEGER, ir.Binder("rm", Rm.set)),
        ir.make(Op.CARDINALITY, (group,), INTEGER),
        ir.make(Op.LENGTH, (post,), INTEGER),
    ]
    translated: Counter[Op] = Counter()
    for counted, bound in product(counts, range(-1, 5)):
        expr = ir.make(op, (ir.number(bound), counted) if constant_first else (counted, ir.number(bound)), BOOL)
        if refusal(expr) is not None:
            continue
        translated[counted.op] += 1
        for size in range(4):
            state: State = (frozenset(range(size)), ((True,),) * min(size, 2))
            translation = Translation(fixed.values, fixed.state(state), fixed.state(state))
            assert fixed.same(translation, expr, {}, evaluator.value(expr, state)), (expr, size)
    assert translated[Op.COUNT] == translated[Op.CARDINALITY] >= 5
    assert translated[Op.LENGTH] >= 2


# Random systems.


def inductive(model: Model) -> Model:
    """The system with every variable beginning alike for all members, and every claim to be proved by itself."""
    claims = [claim for claim in model.properties if claim.kind in ("invariant", "transition")]
    return replace(
        model,
        variables=tuple(map(beginning_alike, model.variables)),
        properties=tuple(replace(claim, inductive=True, given=()) for claim in claims),
    )


def beginning_alike(variable: Variable) -> Variable:
    return replace(variable, initial=lambda sizes: zero(variable.type, sizes))


@pytest.mark.slow
def test_random_systems_are_judged_alike() -> None:
    """A counterexample is replayed by `evaluate` wherever one is found: it would be an assertion if it did not fit."""
    seen = dict.fromkeys(Verdict, 0)
    for seed in range(14):
        instance = RandomSystem(seed).instance()
        instance = Instance(inductive(instance.model), instance.configuration)
        report = prove_parametric(instance.model, timeout_ms=2_000)
        proved = {proof.name for proof in report.proofs if proof.verdict is Verdict.PROVED}
        for proof in report.proofs:
            seen[proof.verdict] += 1
        if not proved:
            continue
        found = explore(instance)
        assert found.violation is None or found.violation.name not in proved, seed
        for size in (1, 2):
            sizes = dict.fromkeys(instance.configuration.sizes, size)
            smaller = Instance(instance.model, replace(instance.configuration, sizes=sizes))
            for finite in prove(smaller, others=False, timeout_ms=2_000).proofs:
                assert finite.name not in proved or finite.verdict is not Verdict.VIOLATED, (seed, size, finite.name)
    assert seen[Verdict.PROVED] > 5
    assert seen[Verdict.VIOLATED] > 3


# Random claims.


Literals = list[Callable[[], Any]]
"""Each is made when it is chosen: a value that nothing uses is refused."""


def two_phase_literals(s: Any, rm: Any, other: Any) -> Literals:
    return [
        *(lambda one=one, state=state: s.rm[one].at(state) for one in (rm, other) for state in RmState),
        *(lambda state=state: s.tm.at(state) for state in TmState),
        *(lambda one=one: s.tm_prepared.has(one) for one in (rm, other)),
        *(lambda one=one: s.prepared_sent.has(one) for one in (rm, other)),
        lambda: s.commit_sent,
        lambda: s.abort_sent,
        lambda: rm == other,
    ]


def lease_literals(s: Any, client: Any, other: Any, file: Any) -> Literals:
    return [
        *(lambda state=state: s.file[file].at(state) for state in FileState),
        *(lambda one=one: s.covered[one].has(file) for one in (client, other, Holder.NAMENODE)),
        *(lambda one=one: s._may_write(one, file) for one in (client, other)),
        lambda: s.expired.has(client),
        lambda: s.stream[client][file] <= s.stamp[file],
        lambda: s.stream[client][file] < s.stream[other][file],
        lambda: s.stamp[file] <= s.last_stamp,
        lambda: s.stream[other][file] <= s.last_stamp,
        lambda: client == other,
    ]


def chosen(literals: Literals, choice: list[tuple[float, bool]]) -> Bool:
    """A clause of some of the literals, each as it is or negated."""
    parts = [literals[int(at * len(literals))]() for at, _ in choice]
    [first, *others] = [~part if negated else part for part, (_, negated) in zip(parts, choice, strict=True)]
    for other in others:
        first = first | other
    result: Bool = first
    return result


def two_phase_claim(name: str, choice: list[tuple[float, bool]]) -> Any:
    def claim(s: Any, rm: Rm, other: Rm) -> Bool:
        return chosen(two_phase_literals(s, rm, other), choice)

    claim.__name__ = name
    return invariant(inductive=True)(claim)


def lease_claim(name: str, choice: list[tuple[float, bool]]) -> Any:
    def claim(s: Any, client: Client, other: Client, file: File) -> Bool:
        return chosen(lease_literals(s, client, other, file), choice)

    claim.__name__ = name
    return invariant(inductive=True)(claim)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "make", "sizes", "limits"),
    [
        (TwoPhase, two_phase_claim, {"Rm": 3}, ()),
        (Leases, lease_claim, {"Client": 2, "File": 1}, ("stamps", "bytes")),
    ],
)
def test_random_claims_are_judged_alike(
    part: type[Part], make: Any, sizes: dict[str, int], limits: tuple[str, ...]
) -> None:
    draw = random.Random(5)
    choices = [[(draw.random(), draw.random() < 0.5) for _ in range(draw.choice((2, 2, 3)))] for _ in range(8)]
    claims = {f"claim_{i}": make(f"claim_{i}", choice) for i, choice in enumerate(choices)}
    model = System("claims", parts=[type("Claims", (part,), claims)], configurations=[]).model()
    # The part's own claims are left out.
    model = replace(model, properties=tuple(claim for claim in model.properties if claim.name in claims))
    found = {proof.name: proof for proof in prove_parametric(model).proofs}
    seen = {proof.verdict for proof in found.values()}
    assert {Verdict.PROVED, Verdict.VIOLATED} <= seen
    assert Verdict.UNDETERMINED not in seen
    for size in range(1, max(sizes.values()) + 1):
        configuration = Configuration(
            "some", {name: min(size, most) for name, most in sizes.items()}, dict.fromkeys(limits, 3)
        )
        for proof in prove(Instance(model, configuration), others=False).proofs:
            assert proof.verdict is not Verdict.UNDETERMINED
            broken = found[proof.name].broken_by
            if broken is None:
                assert proof.verdict is Verdict.PROVED, (proof.name, size)
            elif all(needed <= configuration.sizes[n] for n, needed in broken.instance.configuration.sizes.items()):
                # More members do not mend what fewer break.
                assert proof.verdict is Verdict.VIOLATED, (proof.name, size)
