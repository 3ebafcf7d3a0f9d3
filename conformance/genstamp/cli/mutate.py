"""The verb `mutate`: is the specification strong enough to notice a change of what it does?"""

import multiprocessing
import random
import time
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Annotated, Any

import typer

from genstamp import exit_codes
from genstamp.errors import GenstampError
from genstamp.progress import each_minute
from genstamp.report import Case, Format, Rule, document
from genstamp.report.places import place
from genstamp.systems import chosen
from genstamp_model.explore.board import processors
from genstamp_model.language import Instance
from genstamp_model.mutate import (
    Baseline,
    Equivalence,
    Mutant,
    Outcome,
    Report,
    baseline,
    equivalences,
    judge,
    mutants,
)


class ReviewError(GenstampError):
    """The list of reviewed mutants cannot be read.

    Attributes:
        path: of the file.
        reason: what is wrong with it.
    """

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f'{path}: {reason}; write [equivalent] and a line NAME = "reason" for each mutant')
        self.path = path
        self.reason = reason


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
    every_judge: Annotated[bool, typer.Option(help="Ask every judge, not only until one notices.")] = False,
    reviewed: Annotated[
        Path | None, typer.Option(help="TOML with mutants that are known to change nothing that matters.")
    ] = None,
    strict: Annotated[bool, typer.Option(help="Exit with 12 where a survivor is not reviewed.")] = False,
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes; by default one a processor.")] = None,
    form: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.TEXT,
) -> None:
    """Change every check, effect, constant and comparison once, and count which changes the judges notice.

    Exit code: 0, or with --strict 12 where a mutant survives that is not reviewed.
    """
    declared, configurations = chosen(system)
    model = declared.model(semantics)
    equivalent = _equivalent(reviewed)
    known = {one.name for one in model.actions}
    for name in action or ():
        if name not in known:
            raise typer.BadParameter(
                f"there is no action '{name}'; there is {', '.join(sorted(known))}", param_hint="--action"
            )
    chosen_mutants = [one for one in mutants(model) if not action or one.action in action]
    if sample is not None and sample < len(chosen_mutants):
        drawn = sorted(random.Random(seed).sample(range(len(chosen_mutants)), sample))
        chosen_mutants = [chosen_mutants[i] for i in drawn]
    began = time.monotonic()
    bases = baseline(model, configurations)
    proofs = equivalences([Instance(model, one) for one in configurations])
    outcomes = _judged(chosen_mutants, bases, proofs, every_judge, jobs or processors())
    report = Report(outcomes, equivalent, every_judge, time.monotonic() - began)
    if form is Format.TEXT:
        where = ", ".join(base.configuration.name for base in bases)
        typer.echo(f"{model.system} ({model.semantics}) in {where}" + (f", seed {seed}" if sample else ""))
        for line in report.lines():
            typer.echo(line)
    else:
        typer.echo(document(form, "genstamp mutate", lambda: plain(report), cases(report), report.seconds), nl=False)
    raise typer.Exit(exit_codes.VIOLATED if strict and report.open else exit_codes.HOLDS)


def _equivalent(path: Path | None) -> dict[str, str]:
    if path is None:
        return {}
    try:
        text = tomllib.loads(path.read_text())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise ReviewError(path, str(problem)) from problem
    table = text.get("equivalent")
    if (
        set(text) != {"equivalent"}
        or not isinstance(table, dict)
        or not all(isinstance(v, str) for v in table.values())
    ):
        raise ReviewError(path, "it is no list of reviewed mutants")
    return table


# What the processes work on: they are forked, and take it over as it is.
_work: tuple[Sequence[Mutant], Sequence[Baseline], Sequence[Equivalence], bool] = ((), (), (), False)


def _judged(
    chosen_mutants: Sequence[Mutant],
    bases: Sequence[Baseline],
    proofs: Sequence[Equivalence],
    every: bool,
    jobs: int,
) -> list[Outcome]:
    global _work
    _work = (chosen_mutants, bases, proofs, every)
    show = each_minute()
    outcomes: list[Outcome] = []
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("fork")) as pool:
        for i, (noticed, same, proved) in enumerate(pool.map(_judge, range(len(chosen_mutants)), chunksize=4)):
            outcomes.append(Outcome(chosen_mutants[i], noticed, same, proved))
            show(f"{len(outcomes)} of {len(chosen_mutants)} mutants judged")
    return outcomes


def _judge(number: int) -> tuple[dict[str, str], bool, bool]:
    """What is noticed of one mutant; a model does not travel between processes."""
    chosen_mutants, bases, proofs, every = _work
    outcome = judge(chosen_mutants[number], bases, every=every, equivalences=proofs)
    return dict(outcome.noticed), outcome.same, outcome.proved


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


def cases(report: Report) -> Iterator[Case]:
    """A test case a mutant: a survivor that nobody has reviewed is a failure."""
    unreviewed = {outcome.mutant.name for outcome in report.open}
    each = report.seconds / max(1, len(report.outcomes))
    for outcome in report.outcomes:
        mutant = outcome.mutant
        system = mutant.model.system
        group = f"genstamp.mutate.{system}.{mutant.action}"
        rule = Rule(f"{system}/mutation", "a change of what the specification does is noticed, or reviewed")
        if mutant.name in unreviewed:
            where = place(mutant.source)
            yield Case(group, mutant.name, each, "failure", "survives", str(mutant), rule=rule, place=where)
        else:
            yield Case(group, mutant.name, each, rule=rule)
