"""`conform --simulate`: simulated runs of the reference implementation in lockstep with a system.

Not here: the runs and their judgement (see `genstamp.lockstep`).
"""

from collections.abc import Iterator
from typing import Any, Final

import typer

from genstamp import progress
from genstamp.errors import DrivingError
from genstamp.lockstep import LOCKSTEPS, Held, hold_seeds
from genstamp.report import Case, Format, Rule, document, verdict
from genstamp.report.of_model import beginning
from genstamp.systems import system_named
from genstamp.transitions import Reached, Transition, explored
from genstamp_model.language import Instance, System

SHOWN_REJECTIONS: Final = 3


def simulate(
    system: str,
    semantics: str | None,
    seeds: int,
    first: int,
    *,
    faults: bool,
    coverage: bool,
    missing: bool,
    form: Format = Format.TEXT,
) -> int:
    """Run some seeds, check the runs against a system, and print the result.

    Args:
        system: name of a system that runs are projected on.
        semantics: of system and implementation; the system's default unless one is named.
        seeds: how many runs.
        first: the first seed.
        faults: whether faults are injected into them.
        coverage: whether to count abstract transitions.
        missing: whether to list those that were not reached.
        form: what to print; transitions are counted in the text alone.

    Returns:
        The exit code.

    Raises:
        DrivingError: runs are not projected on this system.
        UsageError: the implementation has no such semantics.
    """
    if system not in LOCKSTEPS:
        raise DrivingError(system, sorted(LOCKSTEPS))
    declared = system_named(system)
    chosen = semantics or declared.default_semantics
    known = LOCKSTEPS[system].semantics
    if chosen not in known:
        raise typer.BadParameter(f"the implementation has no semantics '{chosen}'; it has {', '.join(known)}")
    reached = Reached(LOCKSTEPS[system].forgotten) if coverage or missing else None
    with progress.live() as show:
        held = hold_seeds(
            declared,
            range(first, first + seeds),
            semantics=chosen,
            faults=faults,
            watch=reached,
            progress=lambda so_far: show(f"{so_far.runs:,} of {seeds:,} runs, {so_far.judged:,} events judged"),
        )
    found = case(held, declared, chosen, first)
    code = verdict([found]).exit_code
    if form is not Format.TEXT:
        plain_ = {**plain(held, system, chosen, first), "exit_code": code}
        typer.echo(document(form, "genstamp conform", lambda: plain_, [found]), nl=False)
        return code
    for line in told(held, f"{system} ({chosen})", first, LOCKSTEPS[system].entities):
        typer.echo(line)
    if reached is not None and not held.interrupted:
        for line in covered(reached, declared, chosen, missing=missing):
            typer.echo(line)
    return code


def plain(held: Held, system: str, semantics: str, first: int) -> dict[str, Any]:
    """The result of some runs as JSON."""
    return {
        "system": system,
        "semantics": semantics,
        "verdict": held.verdict,
        "first_seed": first,
        "runs": held.runs,
        "events": held.events,
        "judged": held.judged,
        "undetermined": held.undetermined,
        "interrupted": held.interrupted,
        "left_out": dict(held.left_out),
        "seconds": round(held.seconds, 3),
        "rejections": [list(one.lines()) for one in held.rejections],
    }


def case(held: Held, system: System, semantics: str, first: int) -> Case:
    """The result of some runs as a test case."""
    group = f"genstamp.conform.{system.name}"
    name = f"{semantics}, {held.runs} simulated runs from seed {first}"
    rule = Rule(f"{system.name}/conforms", f"the implementation conforms to {system.name}", beginning(system.model()))
    if held.rejections:
        story = "\n".join(line for one in held.rejections[:SHOWN_REJECTIONS] for line in one.lines())
        why = f"{len(held.rejections):,} rejections"
        return Case(group, name, held.seconds, "failure", "rejected", why, story, rule=rule)
    if held.verdict == "undetermined":
        given_up = f"{held.undetermined:,} {LOCKSTEPS[system.name].entities} were given up"
        why = "interrupted" if held.interrupted else given_up if held.undetermined else "no event was checked"
        return Case(group, name, held.seconds, "undetermined", "undetermined", why, rule=rule)
    return Case(group, name, held.seconds, rule=rule)


def told(held: Held, what: str, first: int, entities: str) -> Iterator[str]:
    """The result of some runs, in lines."""
    yield f"seeds {first} to {first + held.runs - 1}{', interrupted' if held.interrupted else ''}"
    for rejection in held.rejections[:SHOWN_REJECTIONS]:
        yield from rejection.lines()
    if len(held.rejections) > SHOWN_REJECTIONS:
        yield f"and {len(held.rejections) - SHOWN_REJECTIONS:,} more that do not conform"
    yield f"{what}: {held.verdict}"
    yield f"  {held.runs:,} runs, {held.events:,} events, {held.judged:,} of them judged, in {held.seconds:.1f} s"
    yield f"  {held.entities:,} {entities} judged, {sum(held.ended.values()):,} of them not to their end"
    yield f"  at most {held.largest:,} possible states at a time"
    if held.undetermined:
        yield f"  {held.undetermined:,} {entities} were given up, as too many states were possible"
    yield "  not covered:"
    for reason, count in held.left_out.most_common():
        yield f"  {count:9,}  {reason}"
    if held.lived:
        yield f"  {entities} judged until something else ended them:"
    for reason, count in held.lived.most_common():
        yield f"  {count:9,}  {reason}"
    if held.ended:
        yield f"  {entities} not judged to their end:"
    for reason, count in held.ended.most_common():
        yield f"  {count:9,}  {reason}"


def covered(reached: Reached, system: System, semantics: str, *, missing: bool) -> Iterator[str]:
    """How many of the abstract transitions of the system's first configuration were reached, in lines."""
    configuration = system.configuration()
    asked = explored(Instance(system.model(semantics), configuration), LOCKSTEPS[system.name].forgotten)
    certain, possible = len(reached.certain & asked), len(reached.possible & asked)
    yield f"  {len(asked):,} abstract transitions in {system.name}:{configuration.name}, reached:"
    yield f"    {_share(certain, asked)} for certain, {_share(possible, asked)} perhaps"
    yield f"    {len(reached.certain - asked):,} for certain that this configuration does not have"
    if missing:
        yield "  not reached:"
        for transition in sorted(asked - reached.possible):
            yield f"    {transition}"


def _share(number: int, asked: set[Transition]) -> str:
    return f"{number:,} ({number / len(asked):.1%})"
