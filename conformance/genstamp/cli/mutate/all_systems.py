"""`mutate --all`: a uniform sample of the mutants of all systems."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import typer

from genstamp.drawing import Draw, Figures, figures, keep_draw, kept_draw, names_drawn
from genstamp.judging import judged_in, judged_where
from genstamp.mutation import Sample, reviewed, sampled
from genstamp.report import Case, Format, Outcome, Rule, Verdict, document, verdict
from genstamp.systems import every_system
from genstamp_model.language import System
from genstamp_model.language.model import Model
from genstamp_model.mutate import Mutant, mutants


def judge_across(
    repository: Path, size: int | None, seed: int, keep: bool, *, most_states: int | None, jobs: int
) -> Iterator[Draw]:
    """Draw mutants of all systems and judge those that are not in the kept draw of this seed.

    Gives the draw with what is kept of it, and then after each system.

    Args:
        repository: its root.
        size: how many are drawn; None for all.
        seed: by which they are drawn.
        keep: write what became of the mutants after each system.
        most_states: leave out configurations that have more, by spec.lock.
        jobs: processes.

    Raises:
        KeptError: the kept draw cannot be read.
        ModelError: as `judged_in`.
    """
    systems = {one.name: one for one in every_system()}
    every = {name: {one.name: one for one in mutants(system.model())} for name, system in systems.items()}
    of, before = sum(map(len, every.values())), kept_draw(repository)
    known = before.samples if before is not None and before.seed == seed else {}
    drawn = names_drawn(
        {name: [*some] for name, some in every.items()}, size, seed, {name: one.outcomes for name, one in known.items()}
    )
    draw = Draw(seed=seed, of=of, size=of if size is None else min(size, of), samples=known)
    # The kept draw may be larger: what is no longer drawn is not counted.
    draw = draw.only(drawn)
    yield draw
    chosen = {name: [every[name][one] for one in some] for name, some in drawn.items()}
    for number, (name, wanted) in enumerate(chosen.items(), 1):
        typer.echo(f"{name}: {len(wanted)} mutants, system {number} of {len(chosen)}", err=True)
        found = _sample(repository, systems[name], systems[name].model(), wanted, draw, most_states, jobs)
        draw = draw.with_sample(name, found)
        if keep:
            keep_draw(repository, draw)
        yield draw


def _sample(
    repository: Path,
    system: System,
    model: Model,
    wanted: Sequence[Mutant],
    draw: Draw,
    most_states: int | None,
    jobs: int,
) -> Sample:
    """The results of some mutants of a system.

    Mutants that the sample already has for the same text are not judged again, except survivors where there are further
    configurations.
    """
    before = draw.samples.get(system.name)
    if before is not None and before.digest != model.digest:
        before = None
    configurations = [one for one in system.configurations if not one.on_demand]
    where = judged_where(repository, model, configurations, most_states)
    known = before.outcomes if before is not None else {}
    fresh = [one for one in wanted if one.name not in known]
    again: list[Mutant] = []
    if before is not None and set(where) - {*before.configurations}:
        survived = set(before.left())
        again = [one for one in wanted if one.name in survived]
    of = len(mutants(model))
    # For survivors the proof that they change nothing has been tried already.
    for some, proofs in ((fresh, True), (again, False)):
        if some:
            outcomes, where = judged_in(
                repository, model, configurations, some, most_states=most_states, proofs=proofs, jobs=jobs
            )
            later = sampled(outcomes, seed=draw.seed, of=of, digest=model.digest, where=where)
            before = later if before is None else before.with_later(later)
    assert before is not None, "a system with drawn mutants has some to judge, or was judged before"
    return before


def judge_again(repository: Path, seed: int, *, most_states: int | None, jobs: int) -> Iterator[Draw]:
    """Judge again the mutants of the recorded sample that no claim has noticed, by the current text, and record the
    results.

    Gives the draw as it is kept, and then after each system that is judged again. A mutant that a claim has noticed
    stays noticed, and a mutant of a deleted line stays as it was.

    Args:
        repository: its root.
        seed: by which the draw was drawn.
        most_states: leave out configurations that have more, by spec.lock.
        jobs: processes.

    Raises:
        KeptError: the kept draw cannot be read.
        ModelError: as `judged_in`.
    """
    draw = kept_draw(repository)
    if draw is None or draw.seed != seed:
        raise typer.BadParameter(
            f"no sample with seed {seed} is recorded; --sample N --keep records one", param_hint="--again"
        )
    yield draw
    systems = {one.name: one for one in every_system()}
    for number, (name, before) in enumerate(draw.samples.items(), 1):
        model, unclaimed = systems[name].model(), set(before.unclaimed())
        wanted = [one for one in mutants(model) if one.name in unclaimed] if unclaimed else []
        typer.echo(f"{name}: {len(wanted)} mutants, system {number} of {len(draw.samples)}", err=True)
        if wanted:
            configurations = [one for one in systems[name].configurations if not one.on_demand]
            outcomes, where = judged_in(repository, model, configurations, wanted, most_states=most_states, jobs=jobs)
            later = sampled(outcomes, seed=seed, of=before.of, digest=model.digest, where=where)
            draw = draw.with_sample(name, before.with_later(later))
            keep_draw(repository, draw)
            yield draw


def shown(
    draw: Draw, repository: Path, form: Format, seconds: float, *, strict: bool, left: Case | None = None
) -> tuple[str, Verdict]:
    """The draw as it is printed, and its verdict.

    Args:
        left: what an interrupt has left open.
        seconds: that judging took.
        strict: a survivor that is not reviewed is a failure, and not only a warning.
    """
    reasons = {name: reviewed(repository, name) for name in draw.samples}
    found, all_ = figures(draw, reasons), list(_cases(draw, reasons, seconds, strict=strict))
    all_ += [] if left is None else [left]
    worst = verdict(all_)
    if form is Format.TEXT:
        head = f"{found.judged:,} of {draw.of:,} mutants of {len(draw.samples)} systems, seed {draw.seed}"
        open_ = [
            f"  {system} {name}: {sample.outcomes[name].change}"
            for system, sample in draw.samples.items()
            for name in sample.survivors(reasons[system])
        ]
        lines = [head, *found.lines(), f"{len(open_)} survive and are not reviewed:", *open_]
        text = "\n".join(lines) + "\n"
    else:
        plain = {
            **_plain(draw, found),
            "exit_code": worst.exit_code,
            "undetermined": None if left is None else left.kind,
        }
        text = document(form, "genstamp mutate", lambda: plain, all_, seconds)
    return text, worst


def _plain(draw: Draw, found: Figures) -> dict[str, Any]:
    """A draw as JSON: the figures, then what became of each mutant."""
    outcomes = {
        system: {name: msgspec.to_builtins(one) for name, one in sample.outcomes.items()}
        for system, sample in draw.samples.items()
    }
    return {
        "noticed_by_claims": found.by_claims,
        "noticed": found.noticed,
        "of": found.counted,
        "judged": found.judged,
        "mutants": draw.of,
        "seed": draw.seed,
        "same_program": found.same,
        "proved_to_change_nothing": found.proved,
        "no_difference_is_reached": found.alike,
        "reviewed": found.reviewed,
        "by_judge": found.by_judge,
        "outcomes": outcomes,
    }


def _cases(draw: Draw, reasons: Mapping[str, Mapping[str, str]], seconds: float, *, strict: bool) -> Iterator[Case]:
    """One test case for each mutant: an unreviewed survivor is a warning, or a failure if `strict`."""
    survives: Outcome = "failure" if strict else "warning"
    each = seconds / max(1, sum(len(one.outcomes) for one in draw.samples.values()))
    for system, sample in draw.samples.items():
        survivors = set(sample.survivors(reasons[system]))
        rule = Rule(f"{system}/mutation", "a change of what the specification does is noticed, or reviewed")
        for name, one in sample.outcomes.items():
            group = f"genstamp.mutate.{system}"
            if name in survivors:
                yield Case(group, name, each, survives, "survives", one.change, rule=rule)
            else:
                yield Case(group, name, each, rule=rule)
