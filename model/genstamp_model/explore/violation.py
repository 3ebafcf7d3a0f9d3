"""What broke, as `evaluate` sees it: a compiled judge only says where, and here is told what and how.

So nothing is reported that the reference semantics does not confirm.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from genstamp_model.errors import EvaluationError
from genstamp_model.evaluate import Evaluator, State, Step
from genstamp_model.explore.canonical import Canonical
from genstamp_model.false_part import FalsePart, false_part
from genstamp_model.language.model import Property
from genstamp_model.path import Path
from genstamp_model.refinement import story


@dataclass(frozen=True)
class Violation:
    """A violation, and a shortest path to it.

    Attributes:
        kind: "invariant", "transition", "deadlock", or "error" (a step went wrong while it was computed).
        name: the property; the action for an error; empty for a deadlock.
        message: what went wrong, in words, for a deadlock or an error.
        path: for a transition property its last step breaks it, for an error the failing step is omitted.
        story: for a refinement, why that step is none of the upper system; a line each.
        part: for another property, which part of it is false there.
    """

    kind: str
    name: str
    message: str
    path: Path
    story: tuple[str, ...] = ()
    part: FalsePart | None = None

    @property
    def steps(self) -> int:
        """The number of steps, including one that fails."""
        return len(self.path) + (self.kind == "error")

    @property
    def why(self) -> str:
        """The message, or the false part of the property; empty for a refinement."""
        return self.message or str(self.part or "")

    def run(self) -> Iterator[str]:
        """The path and the story, as a reader sees them."""
        yield from self.path.lines()
        yield from (f"  {line}" for line in self.story)

    def lines(self) -> Iterator[str]:
        """The path, the story, and the part of the property that is false."""
        yield from self.run()
        if self.part is not None:
            yield from (f"  {line}" for line in self.part.lines())

    def __str__(self) -> str:
        what = f"{self.kind} {self.name}".rstrip() + (f": {self.message}" if self.message else "")
        return "\n".join([f"violated: {what}, after {len(self.path)} steps", *self.lines()])


def broken_invariant(evaluator: Evaluator, path: Path) -> Violation:
    """The first invariant that does not hold where a path ends; it is an assertion that there is one."""
    claims = [claim for claim in evaluator.model.properties if claim.kind == "invariant"]
    broken = next((claim for claim in claims if not evaluator.holds(claim, path.states[-1])), None)
    assert broken is not None, f"evaluate finds that every invariant holds in {path.states[-1]}"
    return of_property(evaluator, broken, path)


def of_property(evaluator: Evaluator, claim: Property, path: Path) -> Violation:
    """The violation of an invariant where a path ends, or of a transition property by its last step."""
    told = story(path, claim.name)
    part = None if told else false_part(evaluator, claim, *ending(claim, path))
    return Violation(claim.kind, claim.name, "", path, told, part)


def ending(claim: Property, path: Path) -> Sequence[State]:
    """What a property is about where a path ends: the last state, or both states of the last step."""
    return path.states[-2:] if claim.kind == "transition" else path.states[-1:]


def bad_step(evaluator: Evaluator, path: Path, canonical: Canonical | None = None) -> Violation:
    """The first step from a path's end that fails or breaks a transition property; likewise.

    Args:
        canonical: how the search stored its states, where not as they are.

    Raises:
        ConfigurationError: a step cannot be taken with ordered numbers renumbered.
    """
    before = path.states[-1]
    if canonical is not None and canonical.renumbering is not None:
        canonical.renumbering.refuse(evaluator, before)
    claims = [claim for claim in evaluator.model.properties if claim.kind == "transition"]
    for action in evaluator.model.actions:
        for arguments in evaluator.choices(action, before):
            if evaluator.first_failing(action, arguments, before) is not None:
                continue
            try:
                after = evaluator.apply(action, arguments, before)
            except EvaluationError as error:
                return Violation("error", action.name, f"{evaluator.call(action, arguments)}: {error}", path)
            if canonical.beyond(evaluator, after) if canonical is not None else evaluator.beyond(after):
                continue
            for claim in claims:
                if not evaluator.holds(claim, before, after):
                    longer = Path(path.instance, path.initial, (*path.steps, Step(action, arguments, after)))
                    return of_property(evaluator, claim, longer)
    raise AssertionError(f"evaluate finds nothing wrong with the steps from {before}")


def deadlock(evaluator: Evaluator, path: Path) -> Violation:
    """A path that ends where no step is possible; likewise."""
    assert next(evaluator.steps(path.states[-1]), None) is None, "evaluate finds a step from the deadlock"
    return Violation("deadlock", "", "no step is possible, and the system may not stop here", path)
