"""The verb `mutate`: is the specification strong enough to notice a change of what it does?"""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, NoReturn

import msgspec
import typer

from genstamp import exit_codes
from genstamp.claim_mutants import FAULTS, judge_claims, keep_claims
from genstamp.cli import TOLD
from genstamp.cli.choosing import completed
from genstamp.cli.mutate.all_systems import judge_across, judge_again, shown
from genstamp.drawing import Draw
from genstamp.judging import judged_in, so_far
from genstamp.mutation import Sample, kept, reviewed_in, sampled
from genstamp.mutation import keep as keep_sample
from genstamp.mutation import reviewed as reviewed_of
from genstamp.report import Case, Format, Outcome, Rule, document, verdict
from genstamp.report.places import place
from genstamp.systems import chosen
from genstamp_model.errors import ConfigurationError
from genstamp_model.explore.board import processors
from genstamp_model.language import System
from genstamp_model.language.model import Model
from genstamp_model.mutate import Interrupted, Mutant, Report, mutants

_MOST_NAMES: Final = 80
_UNFINISHED: Final = {"exit_code": exit_codes.UNDETERMINED, "undetermined": "interrupted"}
_NOT_KNOWN: Final = (
    "of",
    "same_program",
    "proved_to_change_nothing",
    "no_difference_is_reached",
    "claim_rate",
    "rate",
    "survivors",
)
"""The fields of a JSON report that an interrupt leaves open."""


def mutate(
    system: Annotated[
        str | None,
        typer.Argument(
            metavar="[SYSTEM[:CONFIGURATION]]",
            autocompletion=completed,
            help="By default all configurations except those on demand.",
        ),
    ] = None,
    across: Annotated[
        bool,
        typer.Option(
            "--all", help="Sample the mutants of all systems uniformly; with --keep the sample can be resumed."
        ),
    ] = False,
    properties: Annotated[
        bool,
        typer.Option(
            "--properties", help="Change properties instead: is each part needed, and could each be stronger?"
        ),
    ] = False,
    semantics: Annotated[str | None, typer.Option(help="Semantics; by default the default of the system.")] = None,
    action: Annotated[list[str] | None, typer.Option(help="Only mutants of this action; may be repeated.")] = None,
    sample: Annotated[int | None, typer.Option(min=1, help="Only this number of mutants, drawn by the seed.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the sample.")] = 1,
    most_states: Annotated[
        int | None, typer.Option(min=1, help="Skip configurations with more states, by spec.lock.")
    ] = None,
    every_judge: Annotated[bool, typer.Option(help="Run every check, even after one has detected the change.")] = False,
    mutant: Annotated[list[str] | None, typer.Option(help="Only this mutant; may be repeated.")] = None,
    reviewed: Annotated[
        Path | None,
        typer.Option(help="TOML file of survivors reviewed as harmless; by default the repository's."),
    ] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Record the results in spec/mutants.")] = False,
    strict: Annotated[bool, typer.Option(help="Exit with 12 if a survivor is not reviewed.")] = False,
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes; by default one for each processor.")] = None,
    again: Annotated[
        bool,
        typer.Option(
            "--again", help="Check the survivors of this seed's recorded sample again, and record the results."
        ),
    ] = False,
    repository: Annotated[Path, typer.Option(help="The repository's root.")] = Path(),
    form: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.TEXT,
) -> None:
    """Change each check, effect, constant and comparison once, and count the changes that the checks notice.

    The configurations are searched in the order of their sizes in spec.lock, the smallest first.

    Exit code: 0, or with --strict 12 if a mutant survives that is not reviewed; 75 if the unchanged system is violated,
    so that no mutant can be judged; 3 after Ctrl-C, with the results so far.
    """
    if (system is None) is not across:
        raise typer.BadParameter("name a system, or use --all", param_hint="SYSTEM")
    if system is None:
        if semantics or action or mutant or reviewed or every_judge or (again and sample):
            raise typer.BadParameter(
                "takes --sample or --again, --seed, --keep, --most-states, --jobs, --strict", param_hint="--all"
            )
        draw = (
            partial(judge_again, repository, seed) if again else partial(judge_across, repository, sample, seed, keep)
        )
        _across(draw, repository, seed, most_states=most_states, jobs=jobs, strict=strict, form=form)
    declared, configurations = chosen(system)
    if properties:
        if semantics or action or mutant or reviewed or again or every_judge or strict:
            raise typer.BadParameter("goes with --sample, --seed, --keep and --format", param_hint="--properties")
        _of_properties(repository, declared, sample or FAULTS, seed, keep=keep, form=form)
    if (keep or again) and (action or mutant):
        raise typer.BadParameter("--keep records only whole samples, drawn by a seed", param_hint="--keep")
    model = declared.model(semantics)
    equivalent = reviewed_in(reviewed) if reviewed else reviewed_of(repository, model.system)
    before = _kept(repository, model, seed) if again else None
    if before is not None:
        mutant, sample = [name for name in before.unclaimed() if name not in equivalent], None
        if not mutant:
            typer.echo(
                f"claims notice all of the sample of {model.system} that is not reviewed: nothing is judged again",
                err=True,
            )
            if form is not Format.TEXT:
                none = Report([], equivalent, every_judge, 0.0)
                _print(form, partial(_plain_whole, none, exit_codes.HOLDS), [], none.seconds)
            raise typer.Exit(exit_codes.HOLDS)
    drawn, of = _drawn(model, action, mutant, sample, seed)
    whole = len(drawn) == of
    began = time.monotonic()
    try:
        outcomes, where = judged_in(
            repository,
            model,
            configurations,
            drawn,
            most_states=most_states,
            every=every_judge,
            jobs=jobs or processors(),
        )
    except KeyboardInterrupt as cut:
        noticed = [one for one in cut.outcomes if one.noticed] if isinstance(cut, Interrupted) else []
        by_now = Report(noticed, equivalent, every_judge, time.monotonic() - began)
        left = _left(f"{model.system}, {len(drawn)} mutants with seed {seed}", model.system)
        if form is not Format.TEXT:
            _print(form, partial(_plain_so_far, by_now, len(drawn)), [*cases(by_now), left], by_now.seconds)
        raise typer.Exit(exit_codes.UNDETERMINED) from None
    report = Report(outcomes, equivalent, every_judge, time.monotonic() - began)
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
        _print(form, partial(_plain_whole, report, worst.exit_code), found_cases, report.seconds)
    raise typer.Exit(worst.exit_code)


def _across(
    judge: Callable[..., Iterator[Draw]],
    repository: Path,
    seed: int,
    *,
    most_states: int | None,
    jobs: int | None,
    strict: bool,
    form: Format,
) -> NoReturn:
    """Check a sample of the mutants of all systems, print the figures, and exit."""
    began = time.monotonic()
    draw, left = Draw(seed=seed, of=0, samples={}), None
    try:
        for draw in judge(most_states=most_states, jobs=jobs or processors()):  # noqa: B007
            pass
    except KeyboardInterrupt:
        left = _left(f"the mutants of all systems with seed {seed}", "all")
    text, worst = shown(draw, repository, form, time.monotonic() - began, strict=strict, left=left)
    typer.echo(text, nl=False)
    raise typer.Exit(worst.exit_code)


def _of_properties(repository: Path, system: System, faults: int, seed: int, *, keep: bool, form: Format) -> NoReturn:
    """Check the mutants of a system's properties, print the figures, and exit."""
    if form not in (Format.TEXT, Format.JSON):
        raise typer.BadParameter("--properties prints only text and json", param_hint="--format")
    try:
        found = judge_claims(repository, system, faults, seed)
    except KeyboardInterrupt:
        left = _left(f"mutants of the properties of {system.name} with seed {seed}", system.name)
        if form is Format.JSON:
            _print(form, lambda: {"system": system.name, "seed": seed, **_UNFINISHED}, [left], 0.0)
        raise typer.Exit(exit_codes.UNDETERMINED) from None
    if keep:
        typer.echo(f"kept in {keep_claims(repository, system.name, found)}", err=True)
    typer.echo("\n".join(found.lines()) if form is Format.TEXT else msgspec.json.encode(found))
    raise typer.Exit(exit_codes.HOLDS)


def _left(what: str, name: str) -> Case:
    """Print the progress; return it as a test case."""
    typer.echo(f"{TOLD} in {what}; {so_far()}", err=True)
    return Case("genstamp.mutate", name, 0.0, "undetermined", "interrupted", so_far())


def _print(form: Format, plain: Callable[[], Any], cases: Sequence[Case], seconds: float) -> None:
    typer.echo(document(form, "genstamp mutate", plain, cases, seconds), nl=False)


def _plain_whole(report: Report, exit_code: int) -> dict[str, Any]:
    """The results as JSON, where every mutant was checked."""
    return {**plain(report), "exit_code": exit_code, "undetermined": None}


def _plain_so_far(report: Report, mutants: int) -> dict[str, Any]:
    """The results up to an interrupt as JSON; the other mutants were not checked."""
    return {**plain(report), **dict.fromkeys(_NOT_KNOWN), "mutants": mutants, **_UNFINISHED}


def _kept(repository: Path, model: Model, seed: int) -> Sample:
    """The recorded sample of a seed, else the recorded results of all mutants.

    Raises:
        BadParameter: there is none, or it is of another text of the system.
    """
    samples = kept(repository, model.system)
    found = next((one for one in samples if one.seed == seed), next(iter(samples), None))
    if found is None or found.seed not in (seed, None):
        raise typer.BadParameter(f"no sample of {model.system} with seed {seed} is recorded", param_hint="--again")
    if (found.digest, found.semantics) != (model.digest, model.semantics):
        raise typer.BadParameter(
            f"{model.system} has changed since it was sampled; draw a new sample", param_hint="--again"
        )
    return found


def _drawn(
    model: Model, actions: Sequence[str] | None, names: Sequence[str] | None, sample: int | None, seed: int
) -> tuple[list[Mutant], int]:
    """The requested mutants, and how many mutants they were drawn from."""
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
            raise ConfigurationError(f"there is no {what} '{name}'; there is {like}")


def plain(report: Report) -> dict[str, Any]:
    """A report as JSON."""
    return {
        "noticed_by_claims": report.claimed,
        "noticed": report.killed,
        "of": report.counted,
        "mutants": len(report.outcomes),
        "same_program": len(report.same),
        "proved_to_change_nothing": len(report.proved),
        "no_difference_is_reached": len(report.alike),
        "claim_rate": report.claim_rate,
        "rate": report.kill_rate,
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
    """One test case for each mutant: an unreviewed survivor is a warning, or a failure if `strict`."""
    survives: Outcome = "failure" if strict else "warning"
    unreviewed = {outcome.mutant.name for outcome in report.open}
    each = report.seconds / max(1, len(report.outcomes))
    for outcome in report.outcomes:
        mutant = outcome.mutant
        system = mutant.model.system
        group = f"genstamp.mutate.{system}.{mutant.subject}"
        rule = Rule(f"{system}/mutation", "a change of what the specification does is noticed, or reviewed")
        if mutant.name in unreviewed:
            where = place(mutant.source)
            yield Case(group, mutant.name, each, survives, "survives", str(mutant), rule=rule, place=where)
        else:
            yield Case(group, mutant.name, each, rule=rule)
