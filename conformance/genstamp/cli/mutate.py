"""The verb `mutate`: is the specification strong enough to notice a change of what it does?"""

import multiprocessing
import random
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import typer

from genstamp import exit_codes, lock
from genstamp.cli.interrupting import TOLD
from genstamp.errors import LockError
from genstamp.mutation import Sample, kept, reviewed_in, sampled
from genstamp.mutation import keep as keep_sample
from genstamp.mutation import reviewed as reviewed_of
from genstamp.progress import each_minute
from genstamp.report import Case, Format, Outcome, Rule, document, verdict
from genstamp.report.places import place
from genstamp.systems import chosen, every_system
from genstamp.verify.summing import LOCK
from genstamp_model.explore.board import processors
from genstamp_model.language import Configuration
from genstamp_model.language.model import Model
from genstamp_model.mutate import Below, Mutant, Report, below, judged, mutants

T = TypeVar("T")

_MOST_NAMES: Final = 80

CHEAP: Final = 20_000
"""States up to which, by spec.lock, a configuration is searched before proofs are tried."""


def mutate(
    system: Annotated[
        str,
        typer.Argument(
            metavar="SYSTEM[:CONFIGURATION]", help="By default all configurations that are not only on demand."
        ),
    ],
    semantics: Annotated[str | None, typer.Option(help="Of the system; its default unless named.")] = None,
    action: Annotated[list[str] | None, typer.Option(help="Only mutants of this action; may be repeated.")] = None,
    sample: Annotated[int | None, typer.Option(min=1, help="Only so many mutants, drawn by the seed.")] = None,
    seed: Annotated[int, typer.Option(help="Of the sample.")] = 1,
    most_states: Annotated[
        int | None, typer.Option(min=1, help="Leave out configurations that have more states, by spec.lock.")
    ] = None,
    every_judge: Annotated[bool, typer.Option(help="Ask every judge, not only until one notices.")] = False,
    mutant: Annotated[list[str] | None, typer.Option(help="Only the mutant of this name; may be repeated.")] = None,
    reviewed: Annotated[
        Path | None,
        typer.Option(
            help="TOML with mutants that are known to change nothing that matters; by default that of the repository."
        ),
    ] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Keep what became of the sample, in spec/mutants.")] = False,
    strict: Annotated[bool, typer.Option(help="Exit with 12 where a survivor is not reviewed.")] = False,
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes; by default one a processor.")] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Judge again what survived of the kept sample of this seed, and keep that.")
    ] = False,
    repository: Annotated[Path, typer.Option(help="The repository's root.")] = Path(),
    form: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.TEXT,
) -> None:
    """Change every check, effect, constant and comparison once, and count which changes the judges notice.

    The configurations are searched from the cheapest one on, as far as spec.lock knows.

    Exit code: 0, or with --strict 12 where a mutant survives that is not reviewed; 3 where Ctrl-C ends it.
    """
    declared, configurations = chosen(system)
    if (keep or again) and (action or mutant):
        raise typer.BadParameter("what is kept is a whole sample, drawn by its seed", param_hint="--keep")
    model = declared.model(semantics)
    cheap, dear = _in_order(repository, model, configurations, most_states)
    equivalent = reviewed_in(reviewed) if reviewed else reviewed_of(repository, model.system)
    before = _kept(repository, model, seed) if again else None
    if before is not None:
        mutant, sample = before.left(equivalent), None
        if not mutant:
            typer.echo(f"all of the sample of {model.system} is noticed or reviewed: nothing is judged again", err=True)
            raise typer.Exit(exit_codes.HOLDS)
    drawn, of = _drawn(model, action, mutant, sample, seed)
    whole = len(drawn) == of
    began = time.monotonic()
    share = partial(_shared, jobs or processors())
    lower = _below(repository, model)
    try:
        outcomes = judged(model, drawn, cheap, dear, below=lower, every=every_judge, share=share)
    except KeyboardInterrupt:
        typer.echo(f"{TOLD} in {model.system}, {len(drawn)} mutants with seed {seed}; {_so_far}", err=True)
        raise typer.Exit(exit_codes.UNDETERMINED) from None
    report = Report(outcomes, equivalent, every_judge, time.monotonic() - began)
    where = [*(one.name for one in (*cheap, *dear)), *map(str, lower)]
    if keep or before is not None:
        found = sampled(outcomes, seed=None if whole else seed, of=of, digest=model.digest, where=where)
        found = before.with_later(found) if before is not None else found
        typer.echo(f"kept in {keep_sample(repository, model.system, found)}", err=True)
    found_cases = list(cases(report, strict=strict))
    worst = verdict(found_cases)
    if form is Format.TEXT:
        typer.echo(f"{model.system} ({model.semantics}) in {', '.join(where)}" + ("" if whole else f", seed {seed}"))
        for line in report.lines():
            typer.echo(line)
    else:
        plain_ = {**plain(report), "exit_code": worst.exit_code}
        typer.echo(document(form, "genstamp mutate", lambda: plain_, found_cases, report.seconds), nl=False)
    raise typer.Exit(worst.exit_code)


def _kept(repository: Path, model: Model, seed: int) -> Sample:
    """The sample that was drawn by a seed, or else of all mutants."""
    samples = kept(repository, model.system)
    found = next((one for one in samples if one.seed == seed), next(iter(samples), None))
    if found is None or found.seed not in (seed, None):
        raise typer.BadParameter(f"no sample of {model.system} with seed {seed} is kept", param_hint="--again")
    if (found.digest, found.semantics) != (model.digest, model.semantics):
        raise typer.BadParameter(f"{model.system} was changed since it was sampled: sample anew", param_hint="--again")
    return found


def _in_order(
    repository: Path, model: Model, configurations: Sequence[Configuration], most: int | None
) -> tuple[list[Configuration], list[Configuration]]:
    """Those with few states and those with many, each from the cheapest on; what the lock does not know comes first."""
    try:
        entry = lock.read(repository / LOCK)[model.system].semantics[model.semantics]
    except (LockError, KeyError):
        return list(configurations), []
    states = {name: search.distinct for name, search in entry.searches.items()}
    ordered = sorted(configurations, key=lambda one: states.get(one.name, 0))
    ordered = [one for one in ordered if most is None or states.get(one.name, 0) <= most]
    few = sum(states.get(one.name, 0) <= CHEAP for one in ordered)
    return ordered[:few], ordered[few:]


def _below(repository: Path, model: Model) -> list[Below]:
    """The systems that refine this one, each in its cheapest configuration and others with few states, as locked."""
    try:
        locked = lock.read(repository / LOCK)
    except LockError:
        return []
    states: dict[str, int] = {}
    for system in every_system():
        if system.name in locked and any(one.upper.name == model.system for one in system.refines):
            found = locked[system.name].semantics[system.default_semantics].searches
            known = {one.name: found[one.name].distinct for one in system.configurations if one.name in found}
            few = max(CHEAP, min(known.values(), default=0))
            states |= {f"{system.name}:{name}": count for name, count in known.items() if count <= few}
    return below(model.system, every_system(), sorted(states, key=lambda name: states[name]))


def _drawn(
    model: Model, actions: Sequence[str] | None, names: Sequence[str] | None, sample: int | None, seed: int
) -> tuple[list[Mutant], int]:
    """The mutants that were asked for, and of how many they were drawn."""
    _refuse_unknown("action", actions, [one.name for one in model.actions])
    found = [one for one in mutants(model) if not actions or one.action in actions]
    _refuse_unknown("mutant", names, [one.name for one in found])
    found = [one for one in found if not names or one.name in names]
    if sample is None or sample >= len(found):
        return found, len(found)
    places = sorted(random.Random(seed).sample(range(len(found)), sample))
    return [found[i] for i in places], len(found)


def _refuse_unknown(what: str, asked: Sequence[str] | None, known: Sequence[str]) -> None:
    for name in asked or ():
        if name not in known:
            like = ", ".join(sorted(known)[:_MOST_NAMES]) + (", ..." if len(known) > _MOST_NAMES else "")
            raise typer.BadParameter(f"there is no {what} '{name}'; there is {like}", param_hint=f"--{what}")


# What the processes work on: they are forked, and take it over as it is, since a model does not travel between them.
_task: Callable[[Mutant], Any] | None = None
_of: Sequence[Mutant] = ()
_so_far: str = "nothing is judged"
"""How far the work is, for who interrupts it."""


def _shared(jobs: int, task: Callable[[Mutant], T], of: Sequence[Mutant], told: str) -> Iterator[T]:
    """The work on each mutant, by some processes at once."""
    global _task, _of, _so_far
    _task, _of = task, of
    if not of:
        return
    show = each_minute()
    forked = multiprocessing.get_context("fork")
    # An interrupt from the keyboard comes to all processes; this one takes it for all.
    with ProcessPoolExecutor(min(jobs, len(of)), forked, _ignore_interrupts) as pool:
        _so_far = f"{told}: 0 of {len(of)}"
        try:
            for i, found in enumerate(pool.map(_done, range(len(of)))):
                yield found
                _so_far = f"{told}: {i + 1} of {len(of)}"
                show(f"{_so_far} mutants")
        except BaseException:
            for process in multiprocessing.active_children():
                process.kill()
            raise


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _done(number: int) -> Any:
    assert _task is not None
    return _task(_of[number])


def plain(report: Report) -> dict[str, Any]:
    """A report as JSON."""
    return {
        "mutants": len(report.outcomes),
        "killed": report.killed,
        "killed_by_what_is_claimed": report.killed_without_lock,
        "same_program": len(report.same),
        "proved_to_change_nothing": len(report.proved),
        "kill_rate": report.kill_rate,
        "by_judge": report.by_judge,
        "every_judge": report.every,
        "seconds": round(report.seconds, 3),
        "survivors": [
            {
                "name": outcome.mutant.name,
                "action": outcome.mutant.action,
                "place": outcome.mutant.place,
                "change": outcome.mutant.change,
                "source": str(outcome.mutant.source),
                "reviewed": report.equivalent.get(outcome.mutant.name),
            }
            for outcome in report.survivors
        ],
        "outcomes": {outcome.mutant.name: dict(outcome.noticed) for outcome in report.outcomes},
    }


def cases(report: Report, *, strict: bool = False) -> Iterator[Case]:
    """A test case a mutant: a survivor that is not reviewed is noted, or a failure if that is asked for."""
    survives: Outcome = "failure" if strict else "noted"
    unreviewed = {outcome.mutant.name for outcome in report.open}
    each = report.seconds / max(1, len(report.outcomes))
    for outcome in report.outcomes:
        mutant = outcome.mutant
        system = mutant.model.system
        group = f"genstamp.mutate.{system}.{mutant.action}"
        rule = Rule(f"{system}/mutation", "a change of what the specification does is noticed, or reviewed")
        if mutant.name in unreviewed:
            where = place(mutant.source)
            yield Case(group, mutant.name, each, survives, "survives", str(mutant), rule=rule, place=where)
        else:
            yield Case(group, mutant.name, each, rule=rule)
