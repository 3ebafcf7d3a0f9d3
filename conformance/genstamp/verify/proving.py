"""The job that proves: everything that is declared inductive, for numbers without bounds."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from genstamp.exit_codes import worst
from genstamp.lock import SystemEntry
from genstamp.systems import system_at
from genstamp.verify.job import Context
from genstamp.verify.row import Row, Verdict
from genstamp_model.language import Instance
from genstamp_model.parametric import prove_parametric
from genstamp_model.prove import Report, prove, rooms
from genstamp_model.prove import Verdict as Found

_VERDICTS = {
    Found.PROVED: Verdict.HOLDS,
    Found.VIOLATED: Verdict.VIOLATED,
    Found.UNDETERMINED: Verdict.UNDETERMINED,
}


def proofs(context: Context, claim: str, system: str, configurations: list[str]) -> Iterator[Row]:
    """Every inductive property holds initially and is kept by every step, in the sizes of some configurations.

    And with the places that bags and sequences have there: a proof is about no more of them.
    """
    declared = system_at(system)
    reports: dict[tuple[str, ...], Report] = {}
    for configuration in configurations:
        instance = declared.instance(configuration)
        sizes = _sizes(instance)
        if sizes not in reports:
            reports[sizes] = prove(instance, others=False)
            print(f"{', '.join(sizes)}: {reports[sizes].verdict}", flush=True)
    text = [line for report in reports.values() for line in (*report.lines(), "")]
    (context.directory / "proofs.txt").write_text("\n".join(text), encoding="utf-8")
    yield Row(
        claim=claim,
        verdict=Verdict(worst({str(_VERDICTS[report.verdict]) for report in reports.values()})),
        count=sum(len(proof.obligations) for report in reports.values() for proof in report.proofs),
        unit="obligations",
        note=_note(reports),
        story=tuple(line for report in reports.values() for line in report.lines() if not _is_proved(report)),
        files=("proofs.txt",),
        data={"lock": msgspec.to_builtins({declared.name: SystemEntry(proved=_proved(list(reports.values())))})},
    )


def any_size(context: Context, claim: str, system: str) -> Iterator[Row]:
    """Every inductive property for any size of every index set; skipped where the model is beyond such a proof."""
    declared = system_at(system)
    report = prove_parametric(declared.model())
    verdict = _VERDICTS[report.verdict]
    note = f"{len(report.proofs)} properties, any number of {', '.join(report.open)}"
    if all(one.verdict is Found.UNDETERMINED for one in report.proofs):
        verdict, note = Verdict.SKIPPED, f"not for any size: {report.proofs[0].reason}"
    proved = {one.name: list(one.given) for one in report.proofs if one.verdict is Found.PROVED}
    yield Row(
        claim=claim,
        verdict=verdict,
        count=sum(len(one.obligations) for one in report.proofs),
        unit="obligations",
        note=note,
        story=() if report.verdict is Found.PROVED else tuple(report.lines()),
        data={"lock": msgspec.to_builtins({declared.name: SystemEntry(for_any_size=proved)})},
    )


def proof(context: Context, claim: str, system: str, name: str) -> Iterator[Row]:
    """One property, for any size of every index set, and all that its proof relies on."""
    report = prove_parametric(system_at(system).model())
    found = report.proof(name)
    given = f", given {', '.join(found.given)}" if found.given else ""
    yield Row(
        claim=claim,
        verdict=_VERDICTS[found.verdict],
        count=len(found.obligations),
        unit="obligations",
        note=f"{name}, for any number of {', '.join(report.open)}, numbers without bounds{given}",
        story=() if found.verdict is Found.PROVED else tuple(report.lines()),
    )


def _sizes(instance: Instance) -> tuple[str, ...]:
    """All numbers of a configuration that a proof depends on, as text."""
    members = sorted(f"{number} {name}" for name, number in instance.configuration.sizes.items())
    return (*members, *(f"room for {number} {name}" for name, number in rooms(instance).items()))


def _is_proved(report: Report) -> bool:
    return report.verdict is Found.PROVED


def _proved(reports: Sequence[Report]) -> dict[str, list[str]]:
    """The properties that are proved in all of some sizes, and what the proofs rely on."""
    failed = {proof.name for report in reports for proof in report.proofs if proof.verdict is not Found.PROVED}
    return {proof.name: list(proof.given) for proof in reports[0].proofs if proof.name not in failed}


def _note(reports: Mapping[tuple[str, ...], Report]) -> str:
    for sizes, report in reports.items():
        missing = [proof.name for proof in report.proofs if proof.verdict is not Found.PROVED]
        if missing:
            return f"not proved for {', '.join(sizes)}: {', '.join(missing)}"
    properties = max(len(report.proofs) for report in reports.values())
    return f"{properties} properties with numbers without bounds, each for {'; '.join(map(', '.join, reports))}"
