"""`conform --walk`: drives an implementation to each abstract transition of some configurations of a system.

Not here: the walk (see `genstamp.walk`).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from genstamp import progress
from genstamp.adapters import Adapter
from genstamp.cli.conform.report import plain_failure, told_failure, told_figures, told_unsettled
from genstamp.cli.interrupting import each
from genstamp.report import Case, Format, Rule, document, verdict
from genstamp.report.of_model import beginning
from genstamp.stateful import Driving
from genstamp.walk import Walk, configurations_of, kept, walk
from genstamp_model.language import Instance, Model, System


def walks(
    adapter: Adapter,
    declared: System,
    driving: Driving,
    semantics: str | None,
    names: Sequence[str],
    *,
    shrink_seconds: float,
    form: Format,
    missing: bool,
    keeps: bool,
    required: float,
) -> int:
    """Walk some configurations, and print the result.

    Args:
        adapter: the implementation.
        declared: the system.
        driving: how its events are brought about.
        semantics: of the system; its default unless one is named.
        names: of the configurations; all that are walked unless one is named.
        shrink_seconds: how long a failing run may be shortened.
        form: what to print.
        missing: whether the text lists what was not reached, each with a way to it.
        keeps: whether to keep what was reached in spec/walks.
        required: the share of the transitions, of 1, below which a walk is undetermined.

    Returns:
        The exit code, the worst of all.

    Raises:
        AdapterError: the implementation cannot be driven.
        UsageError: there is no such configuration, or not all that is kept would be walked.
    """
    walked = [one.name for one in configurations_of(declared, driving)]
    known = {one.name: one for one in (*declared.configurations, *configurations_of(declared, driving))}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise typer.BadParameter(f"{declared.name} has no configuration '{unknown[0]}'; it has {', '.join(known)}")
    if keeps and names and set(names) != set(walked):
        raise typer.BadParameter(f"--keep needs all walked configurations: {', '.join(walked)}")
    model = declared.model(semantics)

    def one(instance: Instance) -> Walk:
        with progress.live() as show:
            found = walk(
                adapter,
                declared,
                instance.configuration,
                semantics,
                shrink_seconds=shrink_seconds,
                driving=driving,
                progress=show,
            )
        found = replace(found, required=required)
        if form is Format.TEXT:
            for line in told(found, missing=missing):
                typer.echo(line)
        return found

    instances = [Instance(model, known[name]) for name in names or walked]
    found, left = each("conform", instances, one, lambda walked: walked.failure is not None)
    # After a failure the rest is not run, and so not undetermined; after an interrupt it is.
    left = [] if found and found[-1].failure is not None else left
    cases = [*(case(one, model) for one in found), *(one.case() for one in left)]
    worst = verdict(cases).exit_code
    if form is Format.TEXT:
        for open_ in left:
            typer.echo(open_.told())
    else:
        plain_ = {"exit_code": worst, "walks": [*map(plain, found), *(one.plain() for one in left)]}
        typer.echo(document(form, "genstamp conform", lambda: plain_, cases), nl=False)
    if keeps and not left and all(one.failure is None for one in found):
        typer.echo(kept.keep(Path(), found), err=form is not Format.TEXT)
    return worst


def told(one: Walk, *, missing: bool) -> Iterator[str]:
    """The result of a walk, in lines."""
    yield from told_failure(one)
    yield f"{one.system}:{one.configuration.name} ({one.semantics}): {one.verdict}"
    yield f"  {one.states:,} states, {len(one.transitions):,} abstract transitions, reached:"
    yield f"    {len(one.certain):,} ({one.share:.1%}) for certain"
    if len(one.possible) > len(one.certain):
        yield f"    {len(one.possible) - len(one.certain):,} more perhaps, as several states were possible"
    yield told_figures(one)
    yield from told_unsettled(one)
    if one.missing and one.failure is None:
        yield f"  {len(one.missing):,} not reached for certain, by where the implementation did not follow:"
        reasons = Counter((left.call.partition("(")[0], left.why) for left in one.missing)
        yield from (f"  {count:6,}  {action}: {why}" for (action, why), count in reasons.most_common())
    if missing:
        for left in one.missing:
            yield f"  {left.transition}"
            yield f"      way: {', '.join(left.path)}"
            yield f"      at {left.call}: {left.why}"


def plain(one: Walk) -> dict[str, Any]:
    """A walk as JSON."""
    figures = one.figures
    return {
        "system": one.system,
        "semantics": one.semantics,
        "configuration": one.configuration.name,
        "verdict": one.verdict,
        "seconds": round(one.seconds, 3),
        "states": one.states,
        "transitions": len(one.transitions),
        "certain": len(one.certain),
        "possible": len(one.possible),
        "runs": figures.examples,
        "requests": figures.steps,
        "not_possible": figures.not_possible,
        "events": figures.events,
        "undetermined": figures.undetermined,
        "missing": [
            {
                "transition": str(left.transition),
                "is_possible": left.is_possible,
                "path": list(left.path),
                "call": left.call,
                "why": left.why,
            }
            for left in one.missing
        ],
        "failure": plain_failure(one),
    }


def case(one: Walk, model: Model) -> Case:
    """A walk as a test case."""
    group, name = f"genstamp.conform.{one.system}", f"{one.semantics}, walk through {one.configuration.name}"
    rule = Rule(f"{one.system}/conforms", f"the implementation conforms to {one.system}", beginning(model))
    if one.failure is not None:
        return Case(group, name, one.seconds, "failure", "rejected", one.failure.problem, str(one.failure), rule=rule)
    if one.verdict == "undetermined":
        return Case(group, name, one.seconds, "undetermined", "undetermined", one.why_undetermined, rule=rule)
    return Case(group, name, one.seconds, rule=rule)
