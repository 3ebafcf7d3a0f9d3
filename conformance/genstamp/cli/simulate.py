"""The verb `simulate`: random walks in a system, beyond the limits of its configuration."""

import secrets
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any

import typer

from genstamp.cli.check.report import plain_violation, told_violation
from genstamp.cli.choosing import completed
from genstamp.progress import each_minute
from genstamp.report import Case, Format, Verdict, document, verdict
from genstamp.report.of_model import broken_case, group_of, rules, search_rule
from genstamp.systems import chosen
from genstamp_model.simulate import STRETCH, Simulation
from genstamp_model.simulate import simulate as walk


def simulate(
    system: Annotated[
        str,
        typer.Argument(
            metavar="SYSTEM[:CONFIGURATION]", autocompletion=completed, help="By default its first configuration."
        ),
    ],
    semantics: Annotated[str | None, typer.Option(help="Semantics; by default the default of the system.")] = None,
    bug: Annotated[list[str] | None, typer.Option(help="A bug or hole to add; may be repeated.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of all choices; drawn and printed by default.")] = None,
    runs: Annotated[int, typer.Option(min=1, help="Number of walks, each from an initial state.")] = 1000,
    steps: Annotated[int, typer.Option(min=1, help="Steps of one walk, at most.")] = 200,
    weight: Annotated[
        list[str] | None, typer.Option(metavar="ACTION=W", help="Weight of an action; by default 1; 0 is never.")
    ] = None,
    stretch: Annotated[int, typer.Option(min=1, help="Factor by which the limits are raised.")] = STRETCH,
    max_seconds: Annotated[float | None, typer.Option(min=0, help="Begin no further walk after this time.")] = None,
    form: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.TEXT,
) -> None:
    """Walk at random. A violation that is found is real; a run without a violation proves nothing.

    Exit code: 0 no violation, 11 deadlock, 12 a property is violated, 75 a step fails, 3 Ctrl-C before that or no step
    was possible.
    """
    declared, configurations = chosen(system)
    instance = declared.instance(configurations[0].name, semantics, tuple(bug or ()))
    drawn = secrets.randbelow(2**31) if seed is None else seed
    typer.echo(f"seed {drawn}", err=True)
    found = walk(
        instance,
        seed=drawn,
        runs=runs,
        steps=steps,
        weights=_weights(weight or ()),
        stretch=stretch,
        max_seconds=max_seconds,
        progress=_progress(),
    )
    if form is Format.TEXT:
        for line in told(found):
            typer.echo(line)
    else:
        typer.echo(document(form, "genstamp simulate", lambda: plain(found), [case(found)]), nl=False)
    raise typer.Exit(verdict([case(found)]).exit_code)


def _weights(texts: Sequence[str]) -> dict[str, float]:
    weights: dict[str, float] = {}
    for text in texts:
        name, _, number = text.partition("=")
        try:
            weights[name] = float(number)
        except ValueError:
            raise typer.BadParameter(
                f"'{text}' is not a weight; expected ACTION=W with W at least 0", param_hint="--weight"
            ) from None
    return weights


def _progress() -> Callable[[int, int], None]:
    show = each_minute()
    return lambda runs, steps: show(f"{runs:,} walks, {steps:,} steps")


def word(found: Simulation) -> str:
    """The verdict as text; walks without a violation are not a proof."""
    worst = verdict([case(found)])
    if worst is Verdict.HOLDS:
        return "nothing found, which proves nothing"
    return worst.word if worst is not Verdict.UNDETERMINED else f"undetermined: {_open(found)}"


def _open(found: Simulation) -> str:
    """Why walks without a violation say nothing at all; empty where they say something."""
    if found.interrupted:
        return "interrupted"
    return "" if found.looked else "no step was possible"


def told(found: Simulation) -> Iterator[str]:
    """The result of the walks, in lines."""
    model, violation = found.instance.model, found.violation
    bugs = f" with {', '.join(model.bugs)}" if model.bugs else ""
    limits = ", ".join(f"{name} {bound}" for name, bound in sorted(found.instance.limits.items()))
    yield f"{model.system}:{found.instance.configuration.name} ({model.semantics}{bugs}): {word(found)}"
    yield f"  {found.runs:,} walks with seed {found.seed}, {found.steps:,} steps, {found.seconds:.1f} s"
    if limits:
        yield f"  within these limits: {limits}; {found.cut:,} walks ended at one"
    never = [name for name, times in found.taken.items() if not times]
    never += [f"witness {name}" for name, steps in found.witnesses.items() if steps is None]
    if violation is None and never:
        yield f"  never met: {', '.join(never)}"
    if violation is not None:
        yield from told_violation(violation, "a counterexample, not always a shortest one")


def plain(found: Simulation) -> dict[str, Any]:
    """The result of the walks, as JSON; the counterexample in the Informal Trace Format."""
    model = found.instance.model
    return {
        "system": model.system,
        "configuration": found.instance.configuration.name,
        "semantics": model.semantics,
        "bugs": list(model.bugs),
        "digest": model.digest,
        "verdict": word(found),
        "exit_code": verdict([case(found)]).exit_code,
        "limits": dict(found.instance.limits),
        "seed": found.seed,
        "runs": found.runs,
        "steps": found.steps,
        "stopped": found.stopped,
        "interrupted": found.interrupted,
        "ended_at_a_limit": found.cut,
        "seconds": round(found.seconds, 3),
        "taken": dict(found.taken),
        "witnesses": dict(found.witnesses),
        "violation": plain_violation(found.violation),
    }


def case(found: Simulation) -> Case:
    """The result of the walks, as a test case."""
    model = found.instance.model
    group, name = group_of("simulate", model), f"{found.instance.configuration.name} seed {found.seed}"
    if found.violation is not None:
        return broken_case(group, name, found.seconds, found.instance, found.violation)
    rule, judged = search_rule(model), rules(model)
    if _open(found):
        why = f"{_open(found)} after {found.runs:,} walks" if found.interrupted else _open(found)
        return Case(group, name, found.seconds, "undetermined", _open(found), why, rule=rule, judged=judged)
    return Case(group, name, found.seconds, rule=rule, judged=judged)
