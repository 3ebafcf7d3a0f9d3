"""The verb `conform`: checks a user's implementation, or the reference implementation, against a system.

Not here: the test itself (see `genstamp.stateful`) and the protocol (see docs/adapter-protocol.md).
"""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from genstamp import exit_codes, progress
from genstamp.adapters import Adapter, ChildAdapter, ReferenceAdapter
from genstamp.cli.conform import lockstep, walks
from genstamp.errors import AdapterError
from genstamp.report import Case, Format, Place, Rule, document, verdict
from genstamp.report.of_model import beginning
from genstamp.report.places import place
from genstamp.stateful import (
    Driving,
    Failure,
    Figures,
    Report,
    again,
    answer_text,
    driving_of,
    new_seed,
    read_run,
    run_lines,
)
from genstamp.stateful import conform as hold
from genstamp.systems import found as found_system
from genstamp.systems import own
from genstamp_model.language import Model


def conform(
    command: Annotated[
        str | None,
        typer.Option(help="Starts an adapter of your implementation; by default the reference implementation."),
    ] = None,
    system: Annotated[
        str | None,
        typer.Option(help="A system, or FILE.py:NAME; by default hdfs.recovery, or hdfs.lease with --simulate."),
    ] = None,
    driving: Annotated[
        str | None,
        typer.Option(help="How events are requested: a genstamp.stateful.Driving, as FILE.py:NAME."),
    ] = None,
    adapter_log: Annotated[
        Path | None, typer.Option(help="Keep what the command writes to standard error in this file.")
    ] = None,
    semantics: Annotated[str | None, typer.Option(help="Semantics; by default the default of the system.")] = None,
    examples: Annotated[int, typer.Option(min=1, help="Number of runs.")] = 100,
    steps: Annotated[int, typer.Option(min=1, help="Requests in a run.")] = 60,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed of the test; a seed repeats its test. Drawn by default.")
    ] = None,
    answer_seconds: Annotated[float, typer.Option(min=0.1, help="Timeout of one answer of the command.")] = 10.0,
    shrink_seconds: Annotated[float, typer.Option(min=0.0, help="Time limit for shortening a failing run.")] = 60.0,
    save: Annotated[
        Path | None,
        typer.Option(help="Where to save a run that does not conform; by default genstamp-run-SEED.jsonl."),
    ] = None,
    story: Annotated[Path | None, typer.Option(help="Repeat this saved run instead.")] = None,
    form: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.TEXT,
    simulate: Annotated[
        int | None,
        typer.Option(min=1, help="Check this number of simulated runs of the reference implementation instead."),
    ] = None,
    faults: Annotated[bool, typer.Option(help="With --simulate: nodes, disks and network fail.")] = True,
    coverage: Annotated[bool, typer.Option(help="With --simulate: count abstract transitions; slow.")] = False,
    missing: Annotated[
        bool, typer.Option(help="With --simulate or --walk: list abstract transitions that were not reached.")
    ] = False,
    walk: Annotated[
        bool,
        typer.Option("--walk", help="Drive the implementation to each abstract transition of small configurations."),
    ] = False,
    configuration: Annotated[
        list[str] | None, typer.Option(help="With --walk: only this configuration; may be repeated.")
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="With --walk: record in spec/walks which transitions were reached.")
    ] = False,
) -> None:
    """Drive an implementation with random requests, and check every event against the model.

    A run that does not conform, or that ends the implementation, is shortened, printed step by step and saved; --story
    repeats a saved run. With --simulate, simulated runs of the reference implementation are checked instead, with
    consecutive seeds from --seed or 0. With --walk nothing is random: all states of small configurations are searched,
    and the implementation is driven by a shortest path to each abstract transition; those not reached are listed with
    reasons.

    Exit code: 0 it conforms, 12 it does not, 3 undetermined (too many states were possible, or Ctrl-C), 75 it cannot be
    driven.
    """
    _refuse_idle(walk, simulate, configuration or (), coverage)
    if simulate is not None:
        held_against = system or "hdfs.lease"
        raise typer.Exit(
            lockstep.simulate(
                held_against,
                semantics,
                simulate,
                seed or 0,
                faults=faults,
                coverage=coverage,
                missing=missing,
                form=form,
            )
        )
    if story is not None and walk:
        raise typer.BadParameter("--walk plans its own runs; --story repeats a saved run")
    saved = None if story is None else read_run(story)
    declared, rest = found_system(system or (saved[0].system if saved else "hdfs.recovery"))
    if rest:
        raise typer.BadParameter(
            f"'{rest}' is a configuration; --system takes a system, and --configuration needs --walk"
        )
    if saved and saved[0].system != declared.name:
        raise typer.BadParameter(f"{story} is a run of {saved[0].system}, --system says {declared.name}")
    how = driving_of(declared.name) if driving is None else own(driving, Driving)
    same = ["genstamp", "conform", *_options(command=command, system=system or declared.name, driving=driving)]
    drawn = saved[0].seed if saved else new_seed() if seed is None else seed
    if not walk:
        # Before anything can go wrong; where standard output is a document, it has the seed.
        typer.echo(f"seed {drawn}", err=form is not Format.TEXT)
    try:
        with _reached(command, answer_seconds, adapter_log) as adapter:
            if walk:
                raise typer.Exit(
                    walks.walks(
                        adapter,
                        declared,
                        how,
                        semantics,
                        configuration or (),
                        shrink_seconds=shrink_seconds,
                        form=form,
                        missing=missing,
                        keeps=keep,
                    )
                )
            if saved is not None:
                cluster = replace(saved[0], semantics=semantics or saved[0].semantics)
                report = again(adapter, declared, cluster, saved[1], driving=how)
            else:
                with progress.live() as show:
                    report = hold(
                        adapter,
                        declared,
                        semantics,
                        examples=examples,
                        steps=steps,
                        seed=drawn,
                        shrink_seconds=shrink_seconds,
                        driving=how,
                        progress=lambda figures: show(_progress_line(figures, examples)),
                    )
    except AdapterError as problem:
        for line in problem.story:
            typer.echo(line, err=True)
        typer.echo(f"genstamp: {problem}", err=True)
        if problem.run and not saved:
            typer.echo(_saved(problem.run, save, drawn, same), err=True)
        raise typer.Exit(exit_codes.FAILURE) from None
    found = case(report, declared.model(semantics))
    if form is Format.TEXT:
        for line in told(report):
            typer.echo(line)
    else:
        plain_ = {**plain(report), "exit_code": verdict([found]).exit_code}
        typer.echo(document(form, "genstamp conform", lambda: plain_, [found]), nl=False)
    if not saved and report.verdict != "conforms":
        lengths = _options(examples=examples, steps=steps, seed=drawn)
        whole = shlex.join([*same, *_options(semantics=report.semantics), *lengths])
        typer.echo(f"the whole test again: {whole}", err=True)
        if report.failure is not None:
            lines = tuple(run_lines(report.failure.cluster, report.failure.requests, how))
            typer.echo(_saved(lines, save, drawn, same), err=True)
    raise typer.Exit(verdict([found]).exit_code)


def _refuse_idle(walk: bool, simulate: int | None, configuration: Sequence[str], coverage: bool) -> None:
    """Refuse options that would do nothing beside the others."""
    if walk and simulate is not None:
        raise typer.BadParameter("it cannot be combined with --simulate", param_hint="--walk")
    if configuration and not walk:
        raise typer.BadParameter("it needs --walk; random runs draw their own", param_hint="--configuration")
    if coverage and simulate is None:
        raise typer.BadParameter("it needs --simulate", param_hint="--coverage")


def _options(**given: object) -> list[str]:
    """The command-line options that were given."""
    return [word for name, value in given.items() if value is not None for word in (f"--{name}", str(value))]


def _saved(lines: Sequence[str], path: Path | None, seed: int, same: Sequence[str]) -> str:
    """Save a run, and say how to repeat it."""
    path = path or Path(f"genstamp-run-{seed}.jsonl")
    try:
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    except OSError as problem:
        return f"genstamp: {path}: the run cannot be saved there: {problem.strerror or problem}"
    return f"this run again: {shlex.join([*same, '--story', str(path)])}"


@contextmanager
def _reached(command: str | None, answer_seconds: float, log: Path | None) -> Iterator[Adapter]:
    """The implementation that a command starts, whose standard error goes to the log; or the reference one."""
    if command is None:
        if log is not None:
            raise typer.BadParameter("--adapter-log needs --command; the reference implementation runs in this process")
        yield ReferenceAdapter()
        return
    with ExitStack() as files:
        try:
            file = None if log is None else files.enter_context(log.open("wb"))
        except OSError as problem:
            raise typer.BadParameter(f"{log} cannot be written: {problem.strerror or problem}") from None
        yield ChildAdapter(command, answer_seconds, file)


def _progress_line(figures: Figures, examples: int) -> str:
    return (
        f"{figures.examples:,} of about {examples:,} runs, {figures.events:,} events, "
        f"at most {figures.largest_set:,} possible states"
    )


def told(report: Report) -> Iterator[str]:
    """The result of a test, in lines; the seed is printed before them."""
    figures = report.figures
    if report.failure is not None:
        yield from report.failure.lines
        if not report.is_deterministic:
            yield "  repeated, these requests did not fail: the answers depend on more than the seed"
    early = ", interrupted" if report.interrupted else ""
    yield f"{report.system} ({report.semantics}): {report.verdict}{early}"
    yield (
        f"  {figures.examples:,} runs, {figures.steps:,} requests ({figures.not_possible:,} not possible), "
        f"{figures.events:,} events, {figures.refusals:,} of them refusals, {report.seconds:.1f} s"
    )
    yield f"  at most {figures.largest_set:,} possible states at a time"
    if figures.undetermined:
        yield f"  {figures.undetermined:,} runs were given up, as too many states were possible"
    yield f"  seen: {report.answers - len(report.never_seen)} of the {report.answers} answers that the model has"
    yield f"  taken: {report.transitions:,} abstract transitions, for certain"
    if report.never_seen:
        yield f"  never seen: {', '.join(report.never_seen)}"


def plain(report: Report) -> dict[str, Any]:
    """A report as JSON."""
    figures, failure = report.figures, report.failure
    return {
        "system": report.system,
        "semantics": report.semantics,
        "seed": report.seed,
        "verdict": report.verdict,
        "seconds": round(report.seconds, 3),
        "runs": figures.examples,
        "requests": figures.steps,
        "not_possible": figures.not_possible,
        "events": figures.events,
        "refusals": figures.refusals,
        "largest_set": figures.largest_set,
        "undetermined": figures.undetermined,
        "interrupted": report.interrupted,
        "seen": {answer_text(answer): count for answer, count in sorted(figures.seen.items(), key=str)},
        "never_seen": list(report.never_seen),
        "abstract_transitions": report.transitions,
        "failure": None
        if failure is None
        else {
            "problem": failure.problem,
            "event": failure.event,
            "checks": list(failure.labels),
            "requests": len(failure.requests),
            "is_deterministic": report.is_deterministic,
            "story": list(failure.lines),
        },
    }


def case(report: Report, model: Model) -> Case:
    """A report as a test case, at the check that failed."""
    group, name = f"genstamp.conform.{report.system}", f"{report.semantics}, seed {report.seed}"
    rule = Rule(f"{report.system}/conforms", f"the implementation conforms to {report.system}", beginning(model))
    if report.failure is not None:
        problem, story, where = report.failure.problem, str(report.failure), _place(report.failure, model)
        return Case(group, name, report.seconds, "failure", "rejected", problem, story, rule=rule, place=where)
    if report.verdict == "undetermined":
        why = "interrupted" if report.interrupted else "too many states were possible"
        return Case(group, name, report.seconds, "undetermined", "undetermined", why, rule=rule)
    return Case(group, name, report.seconds, rule=rule)


def _place(failure: Failure, model: Model) -> Place | None:
    """The first check that failed among the actions that show the event; else the first of these actions."""
    actions = [action for action in model.actions if action.event == failure.event]
    checks = [check for action in actions for check in action.checks if check.label in failure.labels]
    sources = [check.source for check in checks] or [action.source for action in actions]
    return place(sources[0]) if sources else None
