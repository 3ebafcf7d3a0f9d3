"""The verb `prove`: what is declared inductive, for integers of any size; what is not kept is shown with its step."""

import json
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Final, NoReturn

import typer

from genstamp.cli import any_size
from genstamp.systems import chosen
from genstamp_model.language import Instance, Model
from genstamp_model.parametric import prove_parametric
from genstamp_model.prove import Proof, Report, Verdict
from genstamp_model.prove import prove as judge

_EXIT_CODES: Final = {Verdict.PROVED: 0, Verdict.VIOLATED: 12, Verdict.UNDETERMINED: 3}


class Format(StrEnum):
    """What standard output gets."""

    TEXT = "text"
    JSON = "json"


def prove(
    system: Annotated[str, typer.Argument(metavar="SYSTEM[:CONFIGURATION]", help="What is proved, and its sizes.")],
    semantics: Annotated[str | None, typer.Option(help="Of the system; its default unless named.")] = None,
    bug: Annotated[list[str] | None, typer.Option(help="A bug or hole to put in; may be repeated.")] = None,
    k_induction: Annotated[int, typer.Option(min=1, metavar="K", help="Look back so many steps at most.")] = 1,
    distinct: Annotated[bool, typer.Option(help="With --k-induction: only rows of states that differ.")] = False,
    parametric: Annotated[bool, typer.Option(help="For any size of every index set, not for given ones.")] = False,
    timeout_ms: Annotated[int, typer.Option(min=1, help="For each question to the solver.")] = 10_000,
    form: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.TEXT,
) -> None:
    """Prove by induction, with unbounded integers and without the configuration's limits, for its sizes.

    Exit code: 0 all that is declared inductive is proved, 12 some step breaks it, 3 the solver does not know.
    """
    declared, configurations = chosen(system)
    model = declared.model(semantics, bug or ())
    if parametric:
        if ":" in system or k_induction > 1:
            raise typer.BadParameter("a proof for any size takes no configuration and no --k-induction")
        _prove_for_any_size(model, timeout_ms, form)
    reports = [
        judge(Instance(model, one), timeout_ms=timeout_ms, k=k_induction, distinct=distinct) for one in configurations
    ]
    if form is Format.JSON:
        typer.echo(json.dumps([plain(report) for report in reports], indent=2))
    else:
        for report in reports:
            for line in told(report):
                typer.echo(line)
    raise typer.Exit(max(_EXIT_CODES[report.verdict] for report in reports))


def _prove_for_any_size(model: Model, timeout_ms: int, form: Format) -> NoReturn:
    report = prove_parametric(model, timeout_ms=timeout_ms)
    if form is Format.JSON:
        typer.echo(json.dumps(any_size.plain(report), indent=2))
    else:
        for line in any_size.told(report):
            typer.echo(line)
    raise typer.Exit(_EXIT_CODES[report.verdict])


def told(report: Report) -> Iterator[str]:
    """A report as a table of properties, and the step that breaks each one that is broken."""
    yield f"{report.system}:{report.configuration}, for {', '.join(report.sizes)}, integers unbounded, limits ignored"
    for proof in report.proofs:
        questions = [one for one in proof.obligations if one.choices > one.trivial]
        given = f"; given {', '.join(proof.given)}" if proof.given else ""
        counts = f"{len(proof.obligations)} obligations, {len(questions)} asked"
        by = f" by {proof.k}-induction" if proof.k > 1 else ""
        yield f"  {proof.verdict:<12} {proof.name}{by} ({counts}{given})"
        if proof.reason:
            yield f"      {proof.reason}"
        if proof.broken_by is not None:
            yield from (f"      {line}" for line in proof.broken_by.lines())
    for sentence in report.assumptions:
        yield f"  assumes that {sentence}"
    if report.others:
        names = (f"{proof.name} (k = {proof.k})" if proof.k > 1 else proof.name for proof in report.others)
        yield f"  also proved, though not declared inductive: {', '.join(names)}"
    yield f"  {report.verdict} in {report.milliseconds / 1000:.1f} s"


def plain(report: Report) -> dict[str, object]:
    """A report as JSON."""
    return {
        "system": report.system,
        "configuration": report.configuration,
        "sizes": list(report.sizes),
        "verdict": report.verdict.value,
        "assumptions": list(report.assumptions),
        "seconds": round(report.milliseconds / 1000, 3),
        "properties": [plain_proof(proof) for proof in report.proofs],
        "also_proved": [{"name": proof.name, "k": proof.k} for proof in report.others],
    }


def plain_proof(proof: Proof) -> dict[str, object]:
    """The proof of one property as JSON, an entry an obligation."""
    obligations = [
        {"action": one.action, "verdict": one.verdict.value, "milliseconds": round(one.milliseconds, 2)}
        for one in proof.obligations
    ]
    broken = proof.broken_by.lines() if proof.broken_by is not None else None
    return {
        "name": proof.name,
        "kind": proof.kind,
        "given": list(proof.given),
        "k": proof.k,
        "verdict": proof.verdict.value,
        "reason": proof.reason,
        "obligations": obligations,
        "broken_by": broken,
    }
