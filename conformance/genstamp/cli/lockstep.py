"""`conform --simulate`: simulated runs of the reference implementation in lockstep with a system.

Leaves out the runs and their judgement (see `genstamp.lockstep`).
"""

from collections.abc import Iterator
from typing import Final

import typer

from genstamp import exit_codes, progress
from genstamp.errors import DrivingError
from genstamp.lockstep import LOCKSTEPS, Held, hold_seeds
from genstamp.systems import system_named
from genstamp.transitions import Reached, Transition, explored
from genstamp_model.language import Instance, System

SHOWN_REJECTIONS: Final = 3

_EXIT_CODES: Final = {
    "conforms": exit_codes.HOLDS,
    "rejected": exit_codes.VIOLATED,
    "undetermined": exit_codes.UNDETERMINED,
}


def simulate(
    system: str, semantics: str | None, seeds: int, first: int, *, faults: bool, coverage: bool, missing: bool
) -> int:
    """Run some seeds, hold them against a system, and print what came of it.

    Args:
        system: name of a system that runs are projected on.
        semantics: of system and implementation; the system's default unless named.
        seeds: how many runs.
        first: the first seed.
        faults: whether anything goes wrong in them.
        coverage: whether to count abstract transitions.
        missing: whether to list those that were not reached.

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
        raise typer.BadParameter(f"the implementation has no semantics '{chosen}', it has {', '.join(known)}")
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
    for line in told(held, f"{system} ({chosen})", first, LOCKSTEPS[system].entities):
        typer.echo(line)
    if reached is not None:
        for line in covered(reached, declared, chosen, missing=missing):
            typer.echo(line)
    return _EXIT_CODES[held.verdict]


def told(held: Held, what: str, first: int, entities: str) -> Iterator[str]:
    """What came of some runs, in lines."""
    yield f"seeds {first} to {first + held.runs - 1}"
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
    yield "  left out:"
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
