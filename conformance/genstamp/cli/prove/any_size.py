"""Reports of `prove --parametric`: a proof for any number of members, as lines, as JSON, and as test cases."""

from collections.abc import Iterator

from genstamp.cli.prove.not_asked import hollow_case, judged, not_asked
from genstamp.report import Case, Stage
from genstamp.report.of_model import rule_named, unkept
from genstamp.report.places import place
from genstamp_model.language import Model
from genstamp_model.parametric import Proof, Report
from genstamp_model.prove import Verdict


def told(report: Report, model: Model) -> Iterator[str]:
    """A report as a table of properties; an obligation has a row of its own where there is something to say of it."""
    members = f" for any number of {', '.join(report.open)}," if report.open else ""
    yield f"{report.system},{members} integers unbounded, limits ignored"
    for proof in report.proofs:
        yield from _told_proof(proof)
    rows = [row for proof in report.proofs for row in proof.obligations]
    outside = sum(bool(row.circle) for row in rows)
    fragment = f"{outside} outside the decidable fragment" if outside else "all in the decidable fragment"
    left = not_asked(model, _proved(report))
    if left:
        yield f"  not asked, as not declared inductive: {', '.join(left)}"
    verdict = judged(report.verdict, model, _proved(report))
    yield f"  {verdict} in {report.milliseconds / 1000:.1f} s, {len(rows)} obligations, {fragment}"


def _told_proof(proof: Proof) -> Iterator[str]:
    asked = sum(not row.trivial for row in proof.obligations)
    given = f"; given {', '.join(proof.given)}" if proof.given else ""
    yield f"  {proof.verdict:<12} {proof.name} ({len(proof.obligations)} obligations, {asked} asked{given})"
    if proof.reason:
        yield f"      {proof.reason}"
    for row in proof.obligations:
        if row.circle or row.verdict is not Verdict.PROVED:
            yield f"      {row}"
    if proof.broken_by is not None:
        yield from (f"      {line}" for line in proof.broken_by.lines)


def plain(report: Report, model: Model) -> dict[str, object]:
    """A report as JSON."""
    return {
        "system": report.system,
        "any_number_of": list(report.open),
        "verdict": judged(report.verdict, model, _proved(report)).value,
        "seconds": round(report.milliseconds / 1000, 3),
        "properties": [_plain_proof(proof) for proof in report.proofs],
        "not_asked": not_asked(model, _proved(report)),
    }


def _proved(report: Report) -> set[str]:
    return {proof.name for proof in report.proofs}


def _plain_proof(proof: Proof) -> dict[str, object]:
    obligations = [
        {
            "action": row.action,
            "verdict": row.verdict.value,
            "milliseconds": round(row.milliseconds, 2),
            "decidable": not row.circle,
            "reason": row.reason,
        }
        for row in proof.obligations
    ]
    broken = proof.broken_by
    return {
        "name": proof.name,
        "kind": proof.kind,
        "given": list(proof.given),
        "verdict": proof.verdict.value,
        "reason": proof.reason,
        "obligations": obligations,
        "broken_by": None if broken is None else {"sizes": list(broken.sizes), "lines": list(broken.lines)},
    }


def cases(report: Report, model: Model) -> Iterator[Case]:
    """Each property as a test case; and that none was asked about, where that is so."""
    hollow = hollow_case(f"genstamp.prove.{report.system}", model, _proved(report))
    if hollow is not None:
        yield hollow
    for proof in report.proofs:
        name, rule = f"{proof.name} for any size", rule_named(model, proof.name)
        seconds, broken = sum(row.milliseconds for row in proof.obligations) / 1000, proof.broken_by
        group = f"genstamp.prove.{report.system}"
        if proof.verdict is Verdict.PROVED:
            yield Case(group, name, seconds, rule=rule)
        elif broken is None:
            why = proof.reason or "; ".join(filter(None, (row.reason for row in proof.obligations)))
            yield Case(group, name, seconds, "undetermined", proof.verdict.value, why, rule=rule)
        else:
            said = f"not kept with {', '.join(broken.sizes)}"
            story = "\n".join(broken.lines)
            step = () if broken.action is None else (Stage(broken.action.name, place(broken.action.source)),)
            yield Case(group, name, seconds, *unkept(proof.kind), said, story, rule=rule, steps=step)
