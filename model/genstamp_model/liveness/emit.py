"""Writes the functions of the liveness judge as LLVM IR, in addition to those of the search (`explore.emit`).

    edges(state, out) -> number of int64 written to `out`
    obligation<n>(state) -> MET, OWED or NEITHER

`edges` writes a record for each step that changes the state: the words of the next state, as the search stores it, and
the step's number. If a limit cuts the step off, its number is negative (-1 - number) and the words have no meaning. A
step that raises an ordered number changes the state, even if renumbering makes both states equal. Not here: checks that
the search has made before, such as numbers that leave their range.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from genstamp_model.expand import Expansion, Step, cells
from genstamp_model.explore.assume import Assumption
from genstamp_model.explore.layout import Layout, layout, span
from genstamp_model.explore.renumber import Renumbering
from genstamp_model.explore.renumber_emit import changes, renumber_function, unbounded, widened
from genstamp_model.explore.scalar import Graph, Scalar
from genstamp_model.explore.text import DECLARATIONS, Body
from genstamp_model.language.model import Action, Instance, Property
from genstamp_model.language.types import IndexSet
from genstamp_model.liveness.kernel import MET, NEITHER, OWED

_STEPS_A_FUNCTION = 64


@dataclass(frozen=True)
class Obligation:
    """A leads-to property for one choice of its members, by position."""

    claim: Property
    members: tuple[int, ...]

    @property
    def bound(self) -> dict[str, int]:
        """The members by the names of the property's parameters."""
        return {parameter.name: member for parameter, member in zip(self.claim.parameters, self.members, strict=True)}


@dataclass(frozen=True)
class Program:
    """A program to compile.

    Attributes:
        layout: the layout of a state.
        text: the LLVM IR of its functions.
        steps: the action and the arguments of each step, by its number.
        obligations: the obligation of each function, by its number.
    """

    layout: Layout
    text: str
    steps: tuple[tuple[Action, tuple[int, ...]], ...]
    obligations: tuple[Obligation, ...]


def obligations(instance: Instance) -> Iterator[Obligation]:
    """Every leads-to property for every choice of its members."""
    for claim in instance.model.properties:
        if claim.kind == "leads_to":
            domains = []
            for parameter in claim.parameters:
                assert isinstance(parameter.domain, IndexSet), "a property's parameters range over index sets"
                domains.append(range(instance.sizes.of(parameter.domain)))
            for members in product(*domains):
                yield Obligation(claim, members)


def program(instance: Instance, renumbering: Renumbering | None = None) -> Program:
    """Write the functions of an instance.

    Args:
        instance: the instance.
        renumbering: the renumbering of ordered numbers in the search whose states are judged.
    """
    return _Writer(instance, renumbering).program()


class _Writer:
    def __init__(self, instance: Instance, renumbering: Renumbering | None) -> None:
        self.instance = instance
        self.renumbering = renumbering
        self.graph = Graph()
        declared = cells(instance)
        self.cells = [self.graph.cell(i, cell.kind == "flag", *span(cell)) for i, cell in enumerate(declared)]
        limited = unbounded(renumbering, declared) if renumbering else declared
        self.expansion: Expansion[Scalar] = Expansion(instance, self.graph, self.cells, limited)
        self.steps = tuple(self.expansion.steps())
        wide = widened(renumbering, declared, self.steps) if renumbering else declared
        self.layout = layout(wide)
        self.functions: list[str] = [DECLARATIONS]
        if renumbering:
            limits = sorted(instance.limits)
            self.functions.append(renumber_function(renumbering, self.graph, self.layout, declared, wide, limits))

    def program(self) -> Program:
        self._edges()
        owed = tuple(obligations(self.instance))
        for number, obligation in enumerate(owed):
            self._obligation(number, obligation)
        steps = tuple((step.action, step.arguments) for step in self.steps)
        return Program(self.layout, "\n".join(self.functions), steps, owed)

    def _edges(self) -> None:
        starts = range(0, len(self.steps), _STEPS_A_FUNCTION)
        for start in starts:
            body, out = Body(self.layout), "%out"
            for number, step in enumerate(self.steps[start : start + _STEPS_A_FUNCTION], start):
                out = self._step(body, number, step, out)
            body.line(f"  ret ptr {out}")
            self._function(f"internal ptr @edges{start}(ptr noalias %state, ptr noalias %out)", body.text())
        lines, out = [], "%out"
        for start in starts:
            lines.append(f"  %out{start} = call ptr @edges{start}(ptr %state, ptr {out})")
            out = f"%out{start}"
        lines += [f"  %end = ptrtoint ptr {out} to i64", "  %begin = ptrtoint ptr %out to i64"]
        lines += ["  %bytes = sub i64 %end, %begin", "  %count = lshr exact i64 %bytes, 3", "  ret i64 %count"]
        self._function("i64 @edges(ptr %state, ptr %out)", "\n".join(lines))

    def _function(self, signature: str, text: str) -> None:
        self.functions.append(f"define {signature} {{\n{text}\n}}\n")

    def _step(self, body: Body, number: int, step: Step[Scalar], out: str) -> str:
        """Write one step; returns the place of the next record."""
        graph = self.graph
        guard = graph.and_([step.possible, *step.checks])
        assumption = Assumption(graph, [step.possible, *step.checks])
        next_cells = [
            cell if after is cell else assumption.simplify(after)
            for cell, after in zip(self.cells, step.next_cells, strict=True)
        ]
        changed = assumption.simplify(self._changed(next_cells))
        if guard is graph.false or changed is graph.false:
            return out
        cut = assumption.simplify(graph.or_([condition for _, condition in step.cuts]))
        after = body.name("next")
        ways = [(out, body.block)]
        inside = body.name("step")
        body.line(f"  br i1 {body.value(guard)}, label %{inside}, label %{after}")
        body.start(inside)
        body.open()
        if changed is not graph.true:
            onward = body.name("changes")
            operand = body.value(changed)
            ways.append((out, body.block))
            body.line(f"  br i1 {operand}, label %{onward}, label %{after}")
            body.start(onward)
        place = body.address(out, self.layout.words)
        if cut is not graph.false:
            aside, onward = body.name("cut"), body.name("within")
            body.line(f"  br i1 {body.value(cut)}, label %{aside}, label %{onward}")
            body.start(aside)
            body.store(str(-1 - number), place, 0)
            ways.append((body.address(out, self.layout.words + 1), body.block))
            body.line(f"  br label %{after}")
            body.start(onward)
        for i, word in enumerate(body.packed(self.cells, next_cells)):
            body.store(word, out, i)
        told = str(number)
        if self.renumbering and changes(self.renumbering, self.cells, next_cells):
            exceeded = body.let(f"icmp ne i64 {body.let(f'call i64 @renumber(ptr {out})')}, 0")
            told = body.let(f"select i1 {exceeded}, i64 {-1 - number}, i64 {number}")
        body.store(told, place, 0)
        ways.append((body.address(out, self.layout.words + 1), body.block))
        body.line(f"  br label %{after}")
        body.close()
        body.start(after)
        return body.let("phi ptr " + ", ".join(f"[{value}, %{block}]" for value, block in ways))

    def _changed(self, next_cells: list[Scalar]) -> Scalar:
        graph = self.graph
        return graph.or_(
            [
                graph.not_(graph.eq(cell, after))
                for cell, after in zip(self.cells, next_cells, strict=True)
                if after is not cell
            ]
        )

    def _obligation(self, number: int, obligation: Obligation) -> None:
        claim, members = obligation.claim, obligation.bound
        assert claim.target is not None, "a leads-to has two conditions"
        here = self.expansion.condition(claim.condition, members=members)
        there = self.expansion.condition(claim.target, members=members)
        body = Body(self.layout)
        owed = body.let(f"select i1 {body.value(here)}, i64 {OWED}, i64 {NEITHER}")
        body.line(f"  ret i64 {body.let(f'select i1 {body.value(there)}, i64 {MET}, i64 {owed}')}")
        self._function(f"i64 @obligation{number}(ptr %state)", body.text())
        for k, condition in enumerate(claim.again):
            body = Body(self.layout)
            holds = body.value(self.expansion.condition(condition, members=members))
            body.line(f"  ret i64 {body.let(f'select i1 {holds}, i64 {OWED}, i64 {NEITHER}')}")
            self._function(f"i64 @again{number}_{k}(ptr %state)", body.text())
