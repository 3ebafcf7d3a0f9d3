"""What the verb `prove` was not asked about: a proof of the ranges of numbers alone is no proof of the properties."""

from collections.abc import Collection

from genstamp.report import Case
from genstamp_model.language import Model
from genstamp_model.prove import Verdict


def not_asked(model: Model, proved: Collection[str]) -> list[str]:
    """Invariants and transition properties that are not declared inductive, and were not found to be.

    Args:
        model: the model.
        proved: the names of what was asked about or found to be inductive.
    """
    return [
        claim.name
        for claim in model.properties
        if claim.kind in ("invariant", "transition") and claim.name not in proved
    ]


def judged(verdict: Verdict, model: Model, proved: Collection[str]) -> Verdict:
    """The verdict of a proof; undetermined where no property is proved although the model has some."""
    return Verdict.UNDETERMINED if verdict is Verdict.PROVED and _left(model, proved) else verdict


def hollow_case(group: str, model: Model, proved: Collection[str]) -> Case | None:
    """The test case that says that no property was asked about; None where one was."""
    left = _left(model, proved)
    if not left:
        return None
    why = f"no property is declared inductive: {', '.join(left)}"
    return Case(group, "properties", 0.0, "undetermined", "not asked", why)


def _left(model: Model, proved: Collection[str]) -> list[str]:
    """Everything that the model promises, where no property is declared inductive and not all of them are."""
    promises = [claim for claim in model.properties if claim.kind != "witness"]
    if any(claim.inductive for claim in promises):
        return []
    return [claim.name for claim in promises if claim.name not in proved]
