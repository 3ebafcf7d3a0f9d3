"""What broke, as `evaluate` sees it: a compiled judge only says where, and here is told what and how.

So nothing is reported that the reference semantics does not confirm.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from genstamp_model.errors import EvaluationError
from genstamp_model.evaluate import Evaluator, Step
from genstamp_model.explore.canonical import Canonical
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
    """

    kind: str
    name: str
    message: str
    path: Path
    story: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """The path and the story, as a reader sees them."""
        yield from self.path.lines()
        yield from (f"  {line}" for line in self.story)

    def __str__(self) -> str:
        what = f"{self.kind} {self.name}".rstrip() + (f": {self.message}" if self.message else "")
        return "\n".join([f"violated: {what}, after {len(self.path)} steps", *self.lines()])


def broken_invariant(evaluator: Evaluator, path: Path) -> Violation:
    """The first invariant that does not hold where a path ends; it is an assertion that there is one."""
    claims = [claim for claim in evaluator.model.properties if claim.kind == "invariant"]
    name = next((claim.name for claim in claims if not evaluator.holds(claim, path.states[-1])), None)
    assert name is not None, f"evaluate finds that every invariant holds in {path.states[-1]}"
    return Violation("invariant", name, "", path)


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
                    return Violation("transition", claim.name, "", longer, story(longer, claim.name))
    raise AssertionError(f"evaluate finds nothing wrong with the steps from {before}")


def deadlock(evaluator: Evaluator, path: Path) -> Violation:
    """A path that ends where no step is possible; likewise."""
    assert next(evaluator.steps(path.states[-1]), None) is None, "evaluate finds a step from the deadlock"
    return Violation("deadlock", "", "no step is possible, and the system may not stop here", path)
