"""The verb `conform`: checks a user's implementation, or the reference implementation, against a system.

Not here: the test itself (see `genstamp.stateful`) and the protocol (see docs/adapter-protocol.md).
"""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from genstamp import exit_codes, progress
from genstamp.cli.choosing import refuse_idle
from genstamp.cli.conform import lockstep, walks
from genstamp.cli.conform.adapter import adapters
from genstamp.cli.conform.report import case, plain, progress_line, told
from genstamp.cli.conform.saving import broken_off, options
from genstamp.cli.conform.saving import saved as saved_run
from genstamp.errors import AdapterError
from genstamp.report import Format, document, verdict
from genstamp.stateful import (
    Driving,
    again,
    driving_of,
    new_seed,
    read_run,
    run_lines,
)
from genstamp.stateful import conform as hold
from genstamp.systems import found as found_system
from genstamp.systems import own


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
    require_coverage: Annotated[
        float | None,
        typer.Option(min=0, max=100, help="With --walk: undetermined where less % of the transitions is reached."),
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="With --walk: record in spec/walks which transitions were reached.")
    ] = False,
    require_seen: Annotated[
        bool, typer.Option("--require-seen", help="Undetermined where an answer of the model was never seen.")
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
    simulates = simulate is not None
    ours = "--simulate checks the reference implementation, with seeds of its own runs"
    refuse_idle(
        ("--walk", walk and simulates, "it cannot be combined with --simulate"),
        ("--command", command is not None and simulates, ours),
        ("--driving", driving is not None and simulates, ours),
        ("--story", story is not None and simulates, ours),
        ("--story", story is not None and walk, "--walk plans its own runs; --story repeats a saved run"),
        ("--configuration", bool(configuration) and not walk, "it needs --walk; random runs draw their own"),
        ("--require-coverage", require_coverage is not None and not walk, "it needs --walk, to know all transitions"),
        ("--keep", keep and not walk, "it needs --walk; what random runs reach is not recorded"),
        ("--require-seen", require_seen and (walk or simulates), "it needs random runs; --walk has --require-coverage"),
        ("--coverage", coverage and not simulates, "it needs --simulate"),
        ("--missing", missing and not (walk or simulates), "it needs --simulate or --walk"),
    )
    if simulate is not None:
        raise typer.Exit(
            lockstep.simulate(
                system or "hdfs.lease",
                semantics,
                simulate,
                seed or 0,
                faults=faults,
                coverage=coverage,
                missing=missing,
                form=form,
            )
        )
    saved = None if story is None else read_run(story)
    declared, rest = found_system(system or (saved[0].system if saved else "hdfs.recovery"))
    if rest:
        raise typer.BadParameter(
            f"'{rest}' is a configuration; --system takes a system, and --configuration needs --walk"
        )
    if saved and saved[0].system != declared.name:
        raise typer.BadParameter(f"{story} is a run of {saved[0].system}, --system says {declared.name}")
    how = driving_of(declared.name) if driving is None else own(driving, Driving)
    same = ["genstamp", "conform", *options(command=command, system=system or declared.name, driving=driving)]
    drawn = saved[0].seed if saved else new_seed() if seed is None else seed
    if not walk:
        # Before anything can go wrong; where standard output is a document, it has the seed.
        typer.echo(f"seed {drawn}", err=form is not Format.TEXT)
    try:
        with adapters(command, answer_seconds, adapter_log) as made:
            adapter = made()
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
                        required=(require_coverage or 0) / 100,
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
                        progress=lambda figures: show(progress_line(figures, examples)),
                    )
    except AdapterError as problem:
        broken_off(problem, save, drawn, None if saved else same)
        raise typer.Exit(exit_codes.FAILURE) from None
    report = replace(report, requires_seen=require_seen)
    found = case(report, declared.model(semantics))
    if form is Format.TEXT:
        for line in told(report):
            typer.echo(line)
    else:
        plain_ = {**plain(report), "exit_code": verdict([found]).exit_code}
        typer.echo(document(form, "genstamp conform", lambda: plain_, [found]), nl=False)
    if not saved and report.verdict != "conforms":
        lengths = options(examples=examples, steps=steps, seed=drawn)
        whole = shlex.join([*same, *options(semantics=report.semantics), *lengths])
        typer.echo(f"the whole test again: {whole}", err=True)
        if report.failure is not None:
            lines = tuple(run_lines(report.failure.cluster, report.failure.requests, how))
            typer.echo(saved_run(lines, save, drawn, same), err=True)
    raise typer.Exit(verdict([found]).exit_code)
