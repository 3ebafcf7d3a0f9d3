"""The properties of a model in TLA+, and what to ask TLC for to judge each.

Limits are a section of their own, where each claim is said again for states within them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from genstamp_model.evaluate import Evaluator
from genstamp_model.export.tla_expressions import Expressions
from genstamp_model.export.tla_layout import (
    WIDTH,
    Level,
    Lines,
    Piece,
    at_least,
    bullets,
    comment,
    defined,
    hang,
    opened,
    rule,
)
from genstamp_model.export.tla_names import VARIABLES, Names, parameter_names
from genstamp_model.export.tla_steps import Steps, candidates
from genstamp_model.export.tla_values import limits
from genstamp_model.language.ir import FALSE, Expr, negation
from genstamp_model.language.model import Instance, Property
from genstamp_model.language.trace import ActionParameter, OptionalMember
from genstamp_model.language.types import IndexSet
from genstamp_model.mattering import before

RANGES: Final = "TypeOK"
STOPS: Final = "NoDeadlock"
LIMITS: Final = "WithinLimits"


@dataclass(frozen=True)
class Claims:
    """The claims that TLC checks in one run.

    Attributes:
        invariants: operators of the module.
        properties: temporal formulas of the module.
        specification: the behaviours.
        of_states, of_steps: what is said of states and of steps within the limits; empty where limits play no part.
    """

    invariants: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    specification: str = "Spec"
    of_states: str = field(default="", compare=False)
    of_steps: str = field(default="", compare=False)


def together(claims: Sequence[Claims]) -> Claims:
    """Several claims in one run; they are about the same behaviours."""
    specifications = {one.specification for one in claims} or {"Spec"}
    assert len(specifications) == 1, specifications
    return Claims(
        tuple(name for one in claims for name in one.invariants),
        tuple(name for one in claims for name in one.properties),
        specifications.pop(),
    )


class Properties:
    """Writes the properties of one module.

    Attributes:
        claims: what to ask for, by the property's name, `RANGES` and `STOPS` included.
    """

    def __init__(self, instance: Instance, names: Names, expressions: Expressions, steps: Steps) -> None:
        self.instance = instance
        self.model = instance.model
        self.names = names
        self.expressions = expressions
        self.steps = steps
        self.claims = {RANGES: Claims(invariants=(RANGES,))}

    def lines(self) -> Iterator[str]:
        yield from rule()
        for claim in self.model.properties:
            yield from comment(claim.doc)
            yield f"\\* {claim.source}{' (a witness: some state shows it)' if claim.kind == 'witness' else ''}"
            if claim.kind == "leads_to":
                yield from self._leads_to(claim)
            else:
                yield from self._claim(claim)
            yield ""
        if self.model.may_stop is not None:
            yield "\\* Where it is fine that nothing more can happen."
            yield from defined("MayStop", self.expressions.scoped(self.model.may_stop))
            yield ""
            yield from defined(STOPS, Piece("MayStop \\/ ENABLED Next"))
            yield ""
            self.claims[STOPS] = Claims(invariants=(STOPS,))

    def _claim(self, claim: Property) -> Iterator[str]:
        name = self.names.claims[claim.name]
        yield from defined(name, self._closed(claim, claim.condition))
        match claim.kind:
            case "invariant":
                self.claims[claim.name] = Claims(invariants=(name,))
            case "witness":
                never = self.names.operator(f"never_{name}")
                self.claims[claim.name] = Claims(invariants=(never,))
                yield f"{never} == ~{name}"
            case _:
                always = self.names.operator(f"always_{name}")
                yield f"{always} == [][{name}]_{VARIABLES}"
                still = () if self._holds_unchanged(claim) else (self.names.operator(f"{name}_if_nothing_changes"),)
                for operator in still:
                    yield "\\* To TLA+ a step that changes nothing is no step; this asks for the claim there, too."
                    claimed = at_least(self._closed(claim, before(claim.condition)), Level.COMPARE)
                    yield from defined(operator, opened(f"ENABLED (Next /\\ UNCHANGED {VARIABLES}) =>", claimed))
                self.claims[claim.name] = Claims(invariants=still, properties=(always,))

    def _holds_unchanged(self, claim: Property) -> bool:
        """Whether a property of steps holds of every step that changes nothing, whatever the state."""
        from genstamp_model.prove.tautology import always_true

        return bool(always_true([self.instance], [(before(claim.closed), False)]))

    def _closed(self, claim: Property, condition: Expr) -> Piece:
        quantifier = "\\E" if claim.kind == "witness" else "\\A"
        with self._over(claim) as over:
            body = self.expressions.scoped(condition)
            return opened(f"{quantifier} {over} :", body) if over else body

    def _over(self, claim: Property) -> _Quantified:
        return _Quantified(self, claim.parameters)

    def _leads_to(self, claim: Property) -> Iterator[str]:
        assert claim.target is not None
        name = self.names.claims[claim.name]
        with self._over(claim) as over:
            condition, target = self.expressions.scoped(claim.condition), self.expressions.scoped(claim.target)
            formula = Piece(
                f"({condition.inline}) ~> ({target.inline})",
                broken=lambda width: [
                    *hang("(", condition.lines(width - 2), ")"),
                    *hang("~> (", target.lines(width - 5), ")"),
                ],
            )
            if claim.again:
                formula = self._under_hypotheses(claim, formula)
            yield from defined(name, opened(f"\\A {over} :", formula) if over else formula)
        fairness = [*self._fairness("WF", claim.fair), *self._fairness("SF", claim.strongly_fair)]
        fair, specification = self.names.operator(f"FairFor_{name}"), self.names.operator(f"SpecFor_{name}")
        yield from defined(fair, bullets("/\\", fairness) if fairness else Piece("TRUE"))
        yield f"{specification} == Spec /\\ {fair}"
        self.claims[claim.name] = Claims(properties=(name,), specification=specification)

    def _under_hypotheses(self, claim: Property, promise: Piece) -> Piece:
        """A leads-to where some conditions hold again and again; to what never is, it says that they do not."""
        often = " /\\ ".join(f"[]<>({self.expressions.scoped(one).inline})" for one in claim.again)
        if claim.target is FALSE:
            return Piece(f"<>[]({self.expressions.scoped(negation(claim.again[0])).inline})")
        return Piece(f"({often}) => ({promise.inline})")

    def _fairness(self, kind: str, actions: Sequence[str]) -> Iterator[Piece]:
        """Fairness of each action for each choice of members; messages, numbers, labels and subsets may be any."""
        for name in actions:
            action = self.model.action(name)
            outer = [p for p in action.parameters if isinstance(p.domain, IndexSet | OptionalMember)]
            inner = [p for p in action.parameters if p not in outer]
            with self.names.binding([(p.name, candidates(p)) for p in outer]) as bound:
                fair = Piece(f"{kind}_{VARIABLES}({self.steps.some(action, inner).inline})")
                over = ", ".join(f"{b} \\in {self.steps.domain(p)}" for b, p in zip(bound, outer, strict=True))
                yield opened(f"\\A {over} :", fair, level=Level.OPEN) if over else fair

    def limits(self) -> Iterator[str]:
        """The conditions of the limits, and every claim within them."""
        yield from rule()
        yield "(* Limits of a search. They are no part of the protocol: TLC gets them as a CONSTRAINT, and judges a"
        yield "   claim within them only. *)"
        yield f"{LIMITS} =="
        demands = [line for demand in self._demands() for line in hang("/\\ ", demand)]
        evaluator = Evaluator(self.instance)
        if any(map(evaluator.beyond, evaluator.initials)):
            # A search begins in the initial states, whatever the limits say.
            demands = ["\\/ Init", *hang("\\/ ", demands)]
        yield from hang("    ", demands)
        yield ""
        for name, claim in self.claims.items():
            if name != RANGES and claim.specification == "Spec":
                yield from self._within_limits(name, claim)

    def _demands(self) -> Iterator[Lines]:
        for name, expr in self.model.limits:
            value = at_least(self.expressions.scoped(expr), Level.OPERATOR)
            yield hang("", value.lines(WIDTH - 7), f" <= {self.names.limits[name]}")
        for variable in self.model.variables:
            for demand in limits(self.names.variables[variable.name], variable.type, self.names):
                yield [demand]

    def _within_limits(self, name: str, claim: Claims) -> Iterator[str]:
        """Invariants and properties of steps, said of states within the limits."""
        within = [self.names.operator(f"{one}_within_limits") for one in (*claim.invariants, *claim.properties)]
        invariants, properties = within[: len(claim.invariants)], within[len(claim.invariants) :]
        for bounded, stated in zip(invariants, claim.invariants, strict=True):
            yield f"{bounded} == {LIMITS} => {stated}"
        of_steps = self.names.claims[name] if properties else ""
        for bounded in properties:
            yield f"{bounded} == [][{LIMITS}' => {of_steps}]_{VARIABLES}"
        self.claims[name] = Claims((*invariants,), (*properties,), "Spec", "".join(claim.invariants), of_steps)


class _Quantified:
    """Binds a claim's parameters for the time of a block, and gives what a quantifier says of them."""

    def __init__(self, writer: Properties, parameters: Sequence[ActionParameter]) -> None:
        self._writer = writer
        self._parameters = parameters
        self._binding = writer.names.binding([(p.name, parameter_names(p.name)) for p in parameters])

    def __enter__(self) -> str:
        names = self._binding.__enter__()
        pairs = zip(names, self._parameters, strict=True)
        return ", ".join(f"{name} \\in {self._writer.steps.domain(p)}" for name, p in pairs)

    def __exit__(self, *problem: object) -> None:
        self._binding.__exit__(None, None, None)
