"""The verb `prove`: proves properties that are declared inductive; shows the step that breaks one that is not."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Final, NoReturn

import typer

from genstamp.cli.choosing import completed
from genstamp.cli.interrupting import each
from genstamp.cli.prove import any_size, supporting
from genstamp.cli.prove.not_asked import hollow_case, judged, not_asked
from genstamp.report import Case, Format, Outcome, Stage, document, verdict
from genstamp.report.of_model import rule_named, unkept
from genstamp.report.places import place
from genstamp.systems import chosen
from genstamp.systems import found as named
from genstamp_model.explore import INTERRUPTED
from genstamp_model.language import Instance, Model
from genstamp_model.parametric import prove_parametric
from genstamp_model.prove import Break, Proof, Report, Strengthening, Verdict, strengthen
from genstamp_model.prove import prove as judge

_OUTCOMES: Final[dict[Verdict, Outcome]] = {Verdict.PROVED: "passed", Verdict.UNDETERMINED: "undetermined"}


def prove(
    system: Annotated[
        str,
        typer.Argument(
            metavar="SYSTEM[:CONFIGURATION]",
            autocompletion=completed,
            help="The system, and the configuration that gives its sizes.",
        ),
    ],
    semantics: Annotated[str | None, typer.Option(help="Semantics; by default the default of the system.")] = None,
    bug: Annotated[list[str] | None, typer.Option(help="A bug or hole to add; may be repeated.")] = None,
    k_induction: Annotated[int, typer.Option(min=1, metavar="K", help="Look back at most this number of steps.")] = 1,
    distinct: Annotated[bool, typer.Option(help="With --k-induction: only paths without a repeated state.")] = False,
    table: Annotated[bool, typer.Option(help="Show each obligation: the start and each action by property.")] = False,
    search: Annotated[
        bool, typer.Option(help="Look for supporting invariants of properties that are not proved.")
    ] = False,
    goal: Annotated[
        list[str] | None, typer.Option(help="With --search: the property to support; may be repeated. By default all.")
    ] = None,
    parametric: Annotated[bool, typer.Option(help="For any size of every index set.")] = False,
    timeout_ms: Annotated[int, typer.Option(min=1, help="Limit for each question to the solver.")] = 10_000,
    form: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.TEXT,
) -> None:
    """Prove by induction, for integers of any size and without limits, for the sizes of a configuration.

    Exit code: 0 every property that is declared inductive is proved, 12 some step breaks one, 75 some step takes a
    number out of its range, 3 the solver does not know, no property is declared inductive, or Ctrl-C.
    """
    declared, configurations = chosen(system)
    model = declared.model(semantics, bug or ())
    if goal and not search:
        raise typer.BadParameter("--goal needs --search", param_hint="--goal")
    if search and (parametric or k_induction > 1):
        raise typer.BadParameter(
            "--search cannot be combined with --parametric or --k-induction", param_hint="--search"
        )
    if parametric:
        if named(system)[1] or k_induction > 1:
            raise typer.BadParameter("--parametric takes no configuration and cannot be combined with --k-induction")
        _prove_for_any_size(model, timeout_ms, form)
    instances = [Instance(model, one) for one in configurations]
    if search:
        _search(instances, goal, timeout_ms, form)

    def one(instance: Instance) -> Report:
        report = judge(instance, timeout_ms=timeout_ms, k=k_induction, distinct=distinct)
        if form is Format.TEXT:
            for line in (*told(report, model), *(report.table() if table else ())):
                typer.echo(line)
        return report

    reports, left = each("prove", instances, one, lambda report: report.interrupted)
    all_ = [*(case for report in reports for case in cases(report, model)), *(one.case() for one in left)]
    if form is Format.TEXT:
        for open_ in left:
            typer.echo(open_.told())
    else:
        plain_ = [{**plain(one, model), "exit_code": verdict(cases(one, model)).exit_code} for one in reports]
        plain_ += [one.plain() for one in left]
        typer.echo(document(form, "genstamp prove", lambda: plain_, all_), nl=False)
    raise typer.Exit(verdict(all_).exit_code)


def _search(instances: Sequence[Instance], goals: Sequence[str] | None, timeout_ms: int, form: Format) -> NoReturn:
    def one(instance: Instance) -> Strengthening:
        found = strengthen(instance, goals, timeout_ms=timeout_ms)
        if form is Format.TEXT:
            for line in supporting.told(found):
                typer.echo(line)
        return found

    results, left = each("prove", instances, one, lambda found: found.undetermined == INTERRUPTED)
    all_ = [*(case for found in results for case in supporting.cases(found)), *(one.case() for one in left)]
    if form is Format.TEXT:
        for open_ in left:
            typer.echo(open_.told())
    else:
        plain_ = [
            {**supporting.plain(found), "exit_code": verdict(supporting.cases(found)).exit_code} for found in results
        ]
        plain_ += [one.plain() for one in left]
        typer.echo(document(form, "genstamp prove", lambda: plain_, all_), nl=False)
    raise typer.Exit(verdict(all_).exit_code)


def _prove_for_any_size(model: Model, timeout_ms: int, form: Format) -> NoReturn:
    report = prove_parametric(model, timeout_ms=timeout_ms)
    cases_ = list(any_size.cases(report, model))
    if form is Format.TEXT:
        for line in any_size.told(report, model):
            typer.echo(line)
    else:
        plain_ = {**any_size.plain(report, model), "exit_code": verdict(cases_).exit_code}
        typer.echo(document(form, "genstamp prove", lambda: plain_, cases_), nl=False)
    raise typer.Exit(verdict(cases_).exit_code)


def _proved(report: Report) -> set[str]:
    """The names of the properties that were checked, and of those that were found to be inductive."""
    return {proof.name for proof in (*report.proofs, *report.others)}


def _verdict(report: Report, model: Model) -> Verdict:
    return judged(report.verdict, model, _proved(report))


def told(report: Report, model: Model) -> Iterator[str]:
    """A report as a table of properties, and the breaking step of each violated one."""
    sizes = f"for {', '.join(report.sizes)}, " if report.sizes else ""
    yield f"{report.system}:{report.configuration}, {sizes}integers unbounded, limits ignored"
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
    left = not_asked(model, _proved(report))
    if left:
        yield f"  not checked, because not declared inductive: {', '.join(left)}"
    yield f"  {_verdict(report, model)} in {report.milliseconds / 1000:.1f} s"


def plain(report: Report, model: Model) -> dict[str, object]:
    """A report as JSON."""
    return {
        "system": report.system,
        "configuration": report.configuration,
        "sizes": list(report.sizes),
        "verdict": _verdict(report, model).value,
        "assumptions": list(report.assumptions),
        "seconds": round(report.milliseconds / 1000, 3),
        "properties": [plain_proof(proof) for proof in report.proofs],
        "also_proved": [{"name": proof.name, "k": proof.k} for proof in report.others],
        "not_asked": not_asked(model, _proved(report)),
    }


def cases(report: Report, model: Model) -> Iterator[Case]:
    """Each property as a test case; and that none was asked about, where that is so."""
    group = f"genstamp.prove.{report.system}.{report.configuration}"
    hollow = hollow_case(group, model, _proved(report))
    if hollow is not None:
        yield hollow
    for proof in report.proofs:
        seconds = sum(row.milliseconds for row in proof.obligations) / 1000
        broken = proof.broken_by
        reason = proof.reason if broken is None else f"not kept: {broken.fails}"
        is_broken = proof.verdict is Verdict.VIOLATED
        outcome, word = unkept(proof.kind) if is_broken else (_OUTCOMES[proof.verdict], proof.verdict.value)
        yield Case(
            group=group,
            name=proof.name,
            seconds=seconds,
            outcome=outcome,
            kind=word,
            message=reason,
            text="" if broken is None else "\n".join(broken.lines()),
            rule=rule_named(model, proof.name),
            steps=() if broken is None else _steps(broken),
        )


def _steps(broken: Break) -> tuple[Stage, ...]:
    """The step that breaks a property; steps before it, from k-induction, are given as text only."""
    if broken.action is None:
        return ()
    earlier = [Stage(call) for call, _ in broken.earlier]
    told_step = ": ".join(filter(None, [broken.call, "; ".join(broken.changes)]))
    return (*earlier, Stage(told_step, place(broken.action.source)))


def plain_proof(proof: Proof) -> dict[str, object]:
    """The proof of one property as JSON, with an entry for each obligation."""
    obligations = [
        {
            "action": one.action,
            "verdict": one.verdict.value,
            "milliseconds": round(one.milliseconds, 2),
            "choices": one.choices,
            "trivial": one.trivial,
        }
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
