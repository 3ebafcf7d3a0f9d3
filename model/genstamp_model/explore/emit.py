"""The compiled functions of one instance, as LLVM IR.

    expand(state, out, counters) -> number of successors written to `out`
    judge(state) -> one bit for each invariant that fails
    may_stop(state) -> 1 where the state needs no further step
    cover(state, place, seen) -> 1 where all targets were seen before; notes the place of a state that first shows one

A step's checks stand on the spine of `expand`, in order, so that what they share is computed once; what only its effect
needs is in a block of its own. Many steps are split over several functions, because the time that LLVM takes rises
faster than the length of a function.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from genstamp_model.expand import Expansion, Step, cells
from genstamp_model.explore.assume import Assumption
from genstamp_model.explore.edges import Edges
from genstamp_model.explore.layout import Layout, layout, span
from genstamp_model.explore.renumber import Renumbering
from genstamp_model.explore.renumber_emit import changes, faults, renumber_function, unbounded, widened
from genstamp_model.explore.scalar import Graph, Scalar
from genstamp_model.explore.symmetry_emit import canonical_functions
from genstamp_model.explore.symmetry_plan import Plan, plan
from genstamp_model.explore.symmetry_sort import Kernel
from genstamp_model.explore.symmetry_static import treats_alike
from genstamp_model.explore.text import DECLARATIONS, Body
from genstamp_model.interest import Interest, interests
from genstamp_model.language.ir import Expr
from genstamp_model.language.model import Action, Instance, Property
from genstamp_model.language.trace import Check

# Slots of `counters`: an edge breaks a transition property or goes wrong; steps cut; then one for each limit, one for
# each step taken, one for each upper action of a refinement that a step was, one for each part of a transition property
# that a step could have broken, and one for each action whose steps changed nothing.
ALARM, CUT, LIMITS = 0, 1, 2

_STEPS_A_FUNCTION = 64
_INVARIANT_BITS = 63


@dataclass(frozen=True)
class Target:
    """The targets of coverage: a witness, a refusal at a check of an action, where a part of a property could fail."""

    witness: Property | None = None
    action: Action | None = None
    check: Check | None = None
    interest: Interest | None = None


Group = list[tuple[Target, Scalar]]
"""What one function of `cover` looks for: targets, each with its condition."""


@dataclass(frozen=True)
class Program:
    """An instance ready to be compiled.

    Attributes:
        text: LLVM IR of the functions above.
        steps: action and arguments of each step, in the order of its counter.
        limits: names of the limits, in the order of their counters.
        refined: names of the upper actions that steps may be, likewise.
        interests: the parts of all properties, by symmetry those that treat members alike. Most of those about two
            states have a counter each, in their order, of the steps in which they could fail; those about one state
            are among the targets.
        targets: what `cover` looks for, in the order of `seen`.
        invariants: in the order of the bits of `judge`; bit i stands for all those at i modulo 63.
        symmetry: how the representative of a state is found, if one stands for many.
        renumbering: of ordered numbers after each step, if they are renumbered.
    """

    instance: Instance
    layout: Layout
    text: str
    steps: tuple[tuple[Action, tuple[int, ...]], ...]
    limits: tuple[str, ...]
    targets: tuple[Target, ...]
    invariants: tuple[Property, ...]
    symmetry: Plan | None = None
    renumbering: Renumbering | None = None
    refined: tuple[str, ...] = ()
    interests: tuple[Interest, ...] = ()

    @property
    def first_step(self) -> int:
        """The counter of the first step."""
        return LIMITS + len(self.limits)

    @property
    def first_refined(self) -> int:
        """The counter of the first upper action."""
        return self.first_step + len(self.steps)

    @property
    def critical(self) -> tuple[Interest, ...]:
        """The parts of properties that have a counter."""
        return tuple(one for one in self.interests if one.has_counter)

    @property
    def first_critical(self) -> int:
        """The counter of the first of these."""
        return self.first_refined + len(self.refined)

    @property
    def first_idle(self) -> int:
        """The counter of the steps of the first action that changed nothing."""
        return self.first_critical + len(self.critical)

    @property
    def counters(self) -> int:
        """Length of the counters."""
        return self.first_idle + len(self.instance.model.actions)


def program(instance: Instance, *, symmetry: bool = False, renumber: bool = False) -> Program:
    """Expand an instance and write its functions.

    Args:
        symmetry: `expand` gives the representatives of successors, and there is one function more: `canonical`, which
            puts a state's representative in its place; see `symmetry`.
        renumber: replace ordered numbers by their ranks after each step; see `renumber`.
    """
    return Writer(instance, plan(instance) if symmetry else None, Renumbering(instance) if renumber else None).program()


class Writer:
    """Writes the functions of one instance; `program` is its public face.

    Args:
        shown: conditions of an edge beside those of refinements, which `refined` of a result counts.
    """

    linkage = "internal "
    """Linkage of functions that only others of the same text call."""

    def __init__(
        self,
        instance: Instance,
        symmetry: Plan | None,
        renumbering: Renumbering | None,
        shown: Sequence[Property] = (),
    ) -> None:
        self.instance = instance
        self.symmetry = symmetry
        self.renumbering = renumbering
        self.graph = Graph()
        declared = cells(instance)
        self.cells = [self.graph.cell(i, cell.kind == "flag", *span(cell)) for i, cell in enumerate(declared)]
        limited = unbounded(renumbering, declared) if renumbering else declared
        self.expansion: Expansion[Scalar] = Expansion(instance, self.graph, self.cells, limited)
        self.steps = tuple(self.expansion.steps())
        self.limits = tuple(sorted(instance.limits))
        self.interests = interests(instance.model)
        if symmetry:
            # A part by itself may read what only the whole property guards; then it says nothing of other members.
            alike = (*symmetry.sorted, *symmetry.tried)
            self.interests = tuple(one for one in self.interests if treats_alike(alike, one.where))
        taken = [claim for refinement in instance.model.refinements for claim in refinement.taken]
        self.refined = [*taken, *shown]
        to_show = [*(claim.closed for claim in self.refined), *(one.where for one in self.interests if one.has_counter)]
        self.first_shown = LIMITS + len(self.limits) + len(self.steps)
        first_idle = self.first_shown + len(to_show)
        self.idle = {action.name: first_idle + i for i, action in enumerate(instance.model.actions)}
        claims = [claim.closed for claim in instance.model.properties if claim.kind == "transition"]
        self.edges = Edges(self.expansion, claims, to_show)
        self.functions: list[str] = [DECLARATIONS]
        wide = widened(renumbering, declared, self.steps) if renumbering else declared
        self.layout = layout(wide, symmetry.blocks(wide) if symmetry else ())
        if renumbering:
            self.functions.append(renumber_function(renumbering, self.graph, self.layout, declared, wide, self.limits))
        if symmetry:
            kernel = Kernel(instance, wide, self.graph, self.cells, self.layout)
            self.functions.extend(canonical_functions(kernel, symmetry))

    def program(self) -> Program:
        properties = self.instance.model.properties
        invariants = tuple(claim for claim in properties if claim.kind == "invariant")
        self._expand()
        self.functions += self.judges(invariants)
        targets = self._cover([claim for claim in properties if claim.kind == "witness"])
        return Program(
            instance=self.instance,
            layout=self.layout,
            text="\n".join(self.functions),
            steps=tuple((step.action, step.arguments) for step in self.steps),
            limits=self.limits,
            targets=targets,
            invariants=invariants,
            symmetry=self.symmetry,
            renumbering=self.renumbering,
            refined=tuple(claim.name for claim in self.refined),
            interests=self.interests,
        )

    def _expand(self) -> None:
        numbered = list(enumerate(self.steps))
        for start in range(0, len(numbered), _STEPS_A_FUNCTION):
            some = numbered[start : start + _STEPS_A_FUNCTION]
            self.functions.append(self.steps_function(f"expand{start}", some))
        self.functions.append(
            self.all_steps([f"@expand{start}" for start in range(0, len(numbered), _STEPS_A_FUNCTION)])
        )

    def steps_function(self, name: str, numbered: Iterable[tuple[int, Step[Scalar]]]) -> str:
        """The function of some steps: it gives the place for the next successor."""
        body = Body(self.layout)
        out = "%out"
        for number, step in numbered:
            out = self._step(body, number, step, out)
        body.line(f"  ret ptr {out}")
        signature = f"{self.linkage}ptr @{name}(ptr noalias %state, ptr noalias %out, ptr noalias %counters)"
        return _defined(signature, body)

    def all_steps(self, callees: Iterable[str]) -> str:
        """The function that calls those of all steps, each by its name or address."""
        lines, out = [], "%out"
        for i, callee in enumerate(callees):
            lines.append(f"  %out{i} = call ptr {callee}(ptr %state, ptr {out}, ptr %counters)")
            out = f"%out{i}"
        lines += [f"  %end = ptrtoint ptr {out} to i64", "  %begin = ptrtoint ptr %out to i64"]
        lines += ["  %bytes = sub i64 %end, %begin", f"  %count = udiv exact i64 %bytes, {8 * self.layout.words}"]
        text = "\n".join([*lines, "  ret i64 %count"])
        name = "internal i64 @successors" if self.symmetry else "i64 @expand"
        return f"define {name}(ptr %state, ptr %out, ptr %counters) {{\n{text}\n}}\n"

    def _step(self, body: Body, number: int, step: Step[Scalar], out: str) -> str:
        """One step on the spine; gives the place for the next successor."""
        guard = self.graph.and_([step.possible, *step.checks])
        if guard is self.graph.false:
            return out
        after = body.name("next")
        ways = [(out, body.block)]
        inside = body.name("step")
        body.line(f"  br i1 {body.value(guard)}, label %{inside}, label %{after}")
        body.start(inside)
        body.open()
        assumption = Assumption(self.graph, [step.possible, *step.checks])
        next_cells = self._next_cells(step, assumption)
        errors = [condition for _, condition in step.errors]
        if self.renumbering:
            errors += faults(self.renumbering, self.expansion, step)
        error = assumption.simplify(self.graph.or_(errors))
        if error is not self.graph.false:
            with _rarely(body, body.value(error), after):
                ways.append((out, body.block))
                body.increase("%counters", ALARM, "1")
        cuts = self._cuts(step, assumption)
        if cuts:
            with _rarely(body, body.value(self.graph.or_(list(cuts.values()))), after):
                ways.append((out, body.block))
                body.increase("%counters", CUT, "1")
                for name, condition in cuts.items():
                    body.increase("%counters", LIMITS + self.limits.index(name), body.number(condition))
        words = body.packed(self.cells, next_cells)
        for i, word in enumerate(words):
            body.store(word, out, i)
        if self.renumbering and changes(self.renumbering, self.cells, next_cells):
            exceeded = body.let(f"call i64 @renumber(ptr {out})")
            with _rarely(body, body.let(f"icmp ne i64 {exceeded}, 0"), after):
                ways.append((out, body.block))
                body.increase("%counters", CUT, "1")
                for i in range(len(self.limits)):
                    bit = body.let(f"and i64 {body.let(f'lshr i64 {exceeded}, {i}')}, 1")
                    body.increase("%counters", LIMITS + i, bit)
        broken = assumption.simplify(self.edges.broken(next_cells))
        if broken is not self.graph.false:
            body.increase("%counters", ALARM, body.number(broken))
        body.increase("%counters", self.first_shown - len(self.steps) + number, "1")
        for i, shown in enumerate(self.edges.shown(next_cells), self.first_shown):
            taken = assumption.simplify(shown)
            if taken is not self.graph.false:
                body.increase("%counters", i, body.number(taken))
        self._count_idle(body, step, words, self._changes(assumption, next_cells))
        ways.append((body.address(out, self.layout.words), body.block))
        body.line(f"  br label %{after}")
        body.close()
        body.start(after)
        return body.let("phi ptr " + ", ".join(f"[{value}, %{block}]" for value, block in ways))

    def _count_idle(self, body: Body, step: Step[Scalar], words: Sequence[str], is_certain: bool) -> None:
        """Count a step that is taken and changes nothing; of most steps it is certain that they do."""
        if is_certain:
            return
        difference = "0"
        for word, before in zip(words, body.words, strict=True):
            if word is not before:
                difference = body.let(f"or i64 {difference}, {body.let(f'xor i64 {word}, {before}')}")
        same = body.let(f"icmp eq i64 {difference}, 0")
        body.increase("%counters", self.idle[step.action.name], body.let(f"zext i1 {same} to i64"))

    def _changes(self, assumption: Assumption, next_cells: Sequence[Scalar]) -> bool:
        """Whether a step certainly changes the state."""
        graph = self.graph
        pairs = zip(self.cells, next_cells, strict=True)
        return any(graph.eq(assumption.simplify(cell), after) is graph.false for cell, after in pairs)

    def _next_cells(self, step: Step[Scalar], assumption: Assumption) -> list[Scalar]:
        """The cells after a step, simplified; what turns out not to change is the cell itself."""
        found = []
        for cell, after in zip(self.cells, step.next_cells, strict=True):
            value = after if after is cell else assumption.simplify(after)
            found.append(cell if value is assumption.simplify(cell) else value)
        return found

    def _cuts(self, step: Step[Scalar], assumption: Assumption) -> dict[str, Scalar]:
        """For each limit that a step can exceed, the condition under which it does."""
        conditions: dict[str, list[Scalar]] = {}
        for name, cut in step.cuts:
            condition = assumption.simplify(cut)
            if condition is not self.graph.false:
                conditions.setdefault(name, []).append(condition)
        return {name: self.graph.or_(found) for name, found in conditions.items()}

    def judges(self, invariants: Sequence[Property]) -> list[str]:
        """The functions `judge` and `may_stop`."""
        return [self._judge(invariants), self._may_stop()]

    def _judge(self, invariants: Sequence[Property]) -> str:
        body = Body(self.layout)
        failing = "0"
        for i, claim in enumerate(invariants):
            fails = body.number(self.graph.not_(self.expansion.condition(claim.closed)))
            bit = body.let(f"shl i64 {fails}, {i % _INVARIANT_BITS}")
            failing = body.let(f"or i64 {failing}, {bit}")
        body.line(f"  ret i64 {failing}")
        return _defined("i64 @judge(ptr %state)", body)

    def _may_stop(self) -> str:
        body = Body(self.layout)
        condition = self.instance.model.may_stop
        allowed = self.graph.true if condition is None else self.expansion.condition(condition)
        body.line(f"  ret i64 {body.number(allowed)}")
        return _defined("i64 @may_stop(ptr %state)", body)

    def _cover(self, witnesses: Sequence[Property]) -> tuple[Target, ...]:
        """A function for each witness, place where properties could fail, and action with refusals.

        It runs until all of its targets were seen.
        """
        groups = [self.witness_group(claim) for claim in witnesses]
        by_where: dict[Expr, Group] = {}
        for one in self.interests:
            if not one.two_states:
                by_where.setdefault(one.where, []).extend(self.interest_group(one))
        groups += by_where.values()
        groups += [group for group in map(self.refusal_group, self.instance.model.actions) if group]
        for number, group in enumerate(groups):
            self.functions.append(self.cover_function(f"cover{number}", group))
        self.functions.append(self.all_covers((f"@cover{number}", len(group)) for number, group in enumerate(groups)))
        return tuple(target for group in groups for target, _ in group)

    def witness_group(self, claim: Property) -> Group:
        """A witness as `cover` looks for it."""
        return [(Target(witness=claim), self.expansion.condition(claim.closed))]

    def interest_group(self, one: Interest) -> Group:
        """A part of a property about one state, and where it could fail."""
        return [(Target(interest=one), self.expansion.condition(one.where))]

    def refusal_group(self, action: Action, steps: Sequence[Step[Scalar]] | None = None) -> Group:
        """The refusals of an action as `cover` looks for them; its steps are those of the instance unless given."""
        own = [step for step in self.steps if step.action is action] if steps is None else steps
        return [
            (Target(action=action, check=check), self._refused(own, position))
            for position, check in enumerate(action.checks)
            if check.refuses is not None
        ]

    def all_covers(self, groups: Iterable[tuple[str, int]]) -> str:
        """The function that calls those of all groups, each by its name or address and with its length."""
        main, complete, first = Body(self.layout), "true", 0
        for callee, length in groups:
            look, after = main.name("look"), main.name("next")
            all_seen = "true"
            for i in range(first, first + length):
                seen = main.let(f"icmp ne i64 {main.load('%seen', i)}, 0")
                all_seen = main.let(f"and i1 {all_seen}, {seen}")
            complete = main.let(f"and i1 {complete}, {all_seen}")
            main.line(f"  br i1 {all_seen}, label %{after}, label %{look}")
            main.start(look)
            main.line(f"  call void {callee}(ptr %state, i64 %place, ptr {main.address('%seen', first)})")
            main.line(f"  br label %{after}")
            main.start(after)
            first += length
        main.line(f"  ret i64 {main.let(f'zext i1 {complete} to i64')}")
        return _defined("i64 @cover(ptr %state, i64 %place, ptr %seen)", main)

    def cover_function(self, name: str, group: Group) -> str:
        """The function of one group; `%seen` points to the slot of its first target."""
        body = Body(self.layout)
        for i, (_, condition) in enumerate(group):
            before = body.load("%seen", i)
            unseen = body.let(f"icmp eq i64 {before}, 0")
            shown = body.let(f"select i1 {body.value(condition)}, i64 %place, i64 0")
            body.store(body.let(f"select i1 {unseen}, i64 {shown}, i64 {before}"), "%seen", i)
        body.line("  ret void")
        signature = f"{self.linkage}void @{name}(ptr noalias %state, i64 %place, ptr noalias %seen) noinline"
        return _defined(signature, body)

    def _refused(self, steps: Sequence[Step[Scalar]], position: int) -> Scalar:
        """Whether some of an action's steps fails first at this check."""
        graph = self.graph
        return graph.or_(
            [graph.and_([step.possible, *step.checks[:position], graph.not_(step.checks[position])]) for step in steps]
        )


def _defined(signature: str, body: Body) -> str:
    return f"define {signature} {{\n{body.text()}\n}}\n"


@contextmanager
def _rarely(body: Body, condition: str, after: str) -> Iterator[None]:
    """A block that is entered under a condition and continues to `after`; what follows it stands where it is false."""
    aside, onward = body.name("rare"), body.name("usual")
    body.line(f"  br i1 {condition}, label %{aside}, label %{onward}")
    body.start(aside)
    body.open()
    yield
    body.close()
    body.line(f"  br label %{after}")
    body.start(onward)
