"""The job that proves: everything that is declared inductive, for numbers without bounds."""

from collections.abc import Iterator

import msgspec

from genstamp.lock import SystemEntry
from genstamp.verify.job import Context
from genstamp.verify.row import Row, Verdict
from genstamp.verify.searching import system_at
from genstamp_model.prove import Report, prove
from genstamp_model.prove import Verdict as Found

_VERDICTS = {
    Found.PROVED: Verdict.HOLDS,
    Found.VIOLATED: Verdict.VIOLATED,
    Found.UNDETERMINED: Verdict.UNDETERMINED,
}


def proofs(context: Context, claim: str, system: str) -> Iterator[Row]:
    """Every inductive property holds initially and is kept by every step, in the sizes of the default configuration."""
    declared = system_at(system)
    report = prove(declared.instance())
    story = tuple(report.lines())
    (context.directory / "proofs.txt").write_text("".join(f"{line}\n" for line in story), encoding="utf-8")
    yield Row(
        claim=claim,
        verdict=_VERDICTS[report.verdict],
        count=sum(len(proof.obligations) for proof in report.proofs),
        unit="obligations",
        note=_note(report),
        story=story if report.verdict is Found.VIOLATED else (),
        files=("proofs.txt",),
        data={"lock": msgspec.to_builtins({declared.name: SystemEntry(proved=_proved(report))})},
    )


def _proved(report: Report) -> dict[str, list[str]]:
    return {proof.name: list(proof.given) for proof in report.proofs if proof.verdict is Found.PROVED}


def _note(report: Report) -> str:
    missing = [proof.name for proof in report.proofs if proof.verdict is not Found.PROVED]
    sizes = ", ".join(report.sizes)
    if missing:
        return f"not proved for {sizes}: {', '.join(missing)}"
    return f"{len(report.proofs)} properties for {sizes}, numbers without bounds"
