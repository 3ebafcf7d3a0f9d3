"""Reports of the random test of the verb `conform`: as text, as JSON, and as a test case; what walks report alike.

Not here: the rest of the report of a walk (`walks`), of simulated runs (`lockstep`) and of levels (`levels`).
"""

from collections.abc import Iterator
from typing import Any

from genstamp.report import Case, Place, Rule
from genstamp.report.of_model import beginning
from genstamp.report.places import place
from genstamp.stateful import Failure, Figures, Report, answer_text
from genstamp.walk import Walk
from genstamp_model.language import Model


def progress_line(figures: Figures, examples: int) -> str:
    """The figures so far, in a line."""
    return (
        f"{figures.examples:,} of about {examples:,} runs, {figures.events:,} events, "
        f"at most {figures.largest_set:,} possible states"
    )


def told_failure(found: Report | Walk) -> Iterator[str]:
    """The run that does not conform, in lines; none where all do."""
    if found.failure is not None:
        yield from found.failure.lines
        if not found.is_deterministic:
            yield "  repeated, these requests did not fail: the answers depend on more than the seed"


def told_figures(found: Report | Walk) -> str:
    """What was done, in a line."""
    figures = found.figures
    return (
        f"  {figures.examples:,} runs, {figures.steps:,} requests ({figures.not_possible:,} not possible), "
        f"{figures.events:,} events, {figures.refusals:,} of them refusals, {found.seconds:.1f} s"
    )


def told_unsettled(found: Report | Walk) -> Iterator[str]:
    """How many runs were given up, or that nothing was checked, in a line; none where the runs say something."""
    if found.figures.undetermined:
        yield f"  {found.figures.undetermined:,} runs were given up, as too many states were possible"
    elif found.figures.unsettled:
        yield f"  {found.figures.unsettled}"


def plain_failure(found: Report | Walk) -> dict[str, Any] | None:
    """The run that does not conform as JSON; None where all do."""
    failure = found.failure
    if failure is None:
        return None
    return {
        "problem": failure.problem,
        "event": failure.event,
        "checks": list(failure.labels),
        "requests": len(failure.requests),
        "is_deterministic": found.is_deterministic,
        "story": list(failure.lines),
    }


def told(report: Report) -> Iterator[str]:
    """The result of a test, in lines; the seed is printed before them."""
    yield from told_failure(report)
    early = ", interrupted" if report.interrupted else ""
    yield f"{report.system} ({report.semantics}): {report.verdict}{early}"
    yield told_figures(report)
    yield f"  at most {report.figures.largest_set:,} possible states at a time"
    yield from told_unsettled(report)
    yield f"  seen: {report.answers - len(report.never_seen)} of the {report.answers} answers that the model has"
    yield f"  taken: {report.transitions:,} abstract transitions, for certain"
    if report.never_seen:
        yield f"  never seen: {', '.join(report.never_seen)}"


def plain(report: Report) -> dict[str, Any]:
    """A report as JSON."""
    figures = report.figures
    return {
        "system": report.system,
        "semantics": report.semantics,
        "seed": report.seed,
        "verdict": report.verdict,
        "seconds": round(report.seconds, 3),
        "runs": figures.examples,
        "requests": figures.steps,
        "not_possible": figures.not_possible,
        "events": figures.events,
        "refusals": figures.refusals,
        "largest_set": figures.largest_set,
        "undetermined": figures.undetermined,
        "interrupted": report.interrupted,
        "seen": {answer_text(answer): count for answer, count in sorted(figures.seen.items(), key=str)},
        "never_seen": list(report.never_seen),
        "abstract_transitions": report.transitions,
        "failure": plain_failure(report),
    }


def case(report: Report, model: Model) -> Case:
    """A report as a test case, at the check that failed."""
    group, name = f"genstamp.conform.{report.system}", f"{report.semantics}, seed {report.seed}"
    rule = Rule(f"{report.system}/conforms", f"the implementation conforms to {report.system}", beginning(model))
    if report.failure is not None:
        problem, story, where = report.failure.problem, str(report.failure), _place(report.failure, model)
        return Case(group, name, report.seconds, "failure", "rejected", problem, story, rule=rule, place=where)
    if report.verdict == "undetermined":
        why = report.why_undetermined
        return Case(group, name, report.seconds, "undetermined", "undetermined", why, rule=rule)
    return Case(group, name, report.seconds, rule=rule)


def _place(failure: Failure, model: Model) -> Place | None:
    """The first check that failed among the actions that show the event; else the first of these actions."""
    actions = [action for action in model.actions if action.event == failure.event]
    checks = [check for action in actions for check in action.checks if check.label in failure.labels]
    sources = [check.source for check in checks] or [action.source for action in actions]
    return place(sources[0]) if sources else None
