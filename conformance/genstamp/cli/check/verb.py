"""The verb `check`: searches every reachable state of a system's configurations for a shortest counterexample.

Not here: the search (`searches`), its report (`report`, `coverage`), the lock and other judges (`genstamp verify`).
"""

import json
import shlex
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from genstamp import forgotten
from genstamp.byte_sizes import bytes_of
from genstamp.cli.check import coverage, report, watching, witnesses
from genstamp.cli.check.dot import dot as state_graph_text
from genstamp.cli.check.report import Searched, searched
from genstamp.cli.check.searches import Options
from genstamp.cli.check.witnesses import Looked, look_for, look_for_run
from genstamp.cli.choosing import completed, limited, refuse_idle, to_search
from genstamp.cli.files import write_text
from genstamp.cli.interrupting import Left, each
from genstamp.errors import TraceFileError
from genstamp.report import Case, Format, document, verdict
from genstamp.systems import PLACES, place_of
from genstamp_model.language import Configuration, Instance, System, Variation


class Engine(StrEnum):
    """Where a search keeps its states."""

    LOCAL = "local"
    SPARK = "spark"


def check(
    system: Annotated[
        str,
        typer.Argument(
            metavar="SYSTEM[:CONFIGURATION]",
            autocompletion=completed,
            help="By default all configurations except those on demand.",
        ),
    ],
    semantics: Annotated[str | None, typer.Option(help="Semantics; by default the default of the system.")] = None,
    bug: Annotated[list[str] | None, typer.Option(help="A bug or hole to add; may be repeated.")] = None,
    max_states: Annotated[int | None, typer.Option(min=1, help="Give up above this number of states.")] = None,
    max_seconds: Annotated[float | None, typer.Option(min=0, help="Give up after this time.")] = None,
    set_limit: Annotated[
        list[str] | None, typer.Option("--limit", metavar="NAME=N", help="Change a limit of the configuration.")
    ] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, max=2, help="Threads of the search; by default 2 if there are two processors.")
    ] = None,
    deadlock: Annotated[
        bool, typer.Option("--deadlock", help="Report every state without a step, also where the system may stop.")
    ] = False,
    renumber: Annotated[
        bool, typer.Option("--renumber", help="Keep only the order of ordered numbers: endless retries become cycles.")
    ] = False,
    symmetry: Annotated[
        bool,
        typer.Option("--symmetry", help="Keep one of all states that differ in the numbering of symmetric members."),
    ] = False,
    fingerprint: Annotated[
        bool,
        typer.Option("--fingerprint", help="Keep a hash of each state: 10 bytes a state, results with a probability."),
    ] = False,
    memory: Annotated[
        int | None,
        typer.Option(parser=bytes_of, metavar="SIZE", help="Memory for states; by default 3/4 of the free memory."),
    ] = None,
    spill: Annotated[
        str | None,
        typer.Option(
            metavar="DIRECTORY",
            help="Where states spill beyond memory, by default temporary; with Spark a URI for all states.",
        ),
    ] = None,
    engine: Annotated[Engine, typer.Option(help="Keep the states here, or in Spark's executors.")] = Engine.LOCAL,
    master: Annotated[str | None, typer.Option(help="Spark's master, for --engine spark; by default local[*].")] = None,
    witness: Annotated[
        str | None, typer.Option(help="Only look for a state that reaches this witness, and show a path to it.")
    ] = None,
    scenario: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help='Only look for a shortest run with these steps in order: "create; not hflush; complete(file=file1)".',
        ),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Exit with 12 also if a property could not have failed, or a variable is never set or read.",
        ),
    ] = False,
    trace: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the path that is shown to FILE, for genstamp replay.")
    ] = None,
    actions: Annotated[
        bool, typer.Option("--actions", help="Also count each action's steps and new states, in a second, slower pass.")
    ] = False,
    dot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the state graph of a small configuration for Graphviz.")
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Check again whenever FILE.py or a module beside it changes.")
    ] = False,
    form: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.TEXT,
) -> None:
    """Search all reachable states, breadth first; show a shortest counterexample of a violation.

    If the search finds no violation, leads-to properties are checked on the states found; a violated one is shown with
    a lasso. With --symmetry or --fingerprint they are not checked, and are undetermined. With --bug and without a
    configuration, the configuration in which the bug is known to show is searched; a warning is printed if the bug
    breaks another property than it declares, or in another number of steps. With --fingerprint a violation is
    certain, and every other result holds with a probability.

    With all default configurations, coverage is checked too: every action is taken and changes something, every refusal
    is given, every witness is reached. A warning is printed for each property that could not have failed in any of them
    (its antecedent or another part never holds, its leads-to never has a pending obligation, or no values of its
    variables violate it), for each witness that holds in an initial state, for each variable that no action sets or
    nothing reads, and for what your own file declares and does not use.

    With --witness NAME only that witness is checked: the configurations are searched one by one until one reaches it.
    If NAME is another property, the search looks for a state in which that property could have failed.

    With --scenario TEXT, look only for a run that takes the named steps in order; other steps may come between them.
    A name is that of an action or an event, NAME(parameter=value) also fixes arguments, and `not NAME` forbids a step
    between its two neighbours. Refusals are not steps.

    With --dot FILE every state and step is drawn, also beyond a violation: initial states with a double border, what is
    violated in red. More than 300 states are refused (151).

    With --watch, SYSTEM must be your own file; Ctrl-C ends it with the exit code of the last check.

    Exit code: 0 all holds within the limits, 11 deadlock, 12 a property is violated, or in all default configurations
    some action, refusal or witness is never reached, or there is a warning with --strict, or the witness is not
    reached; 13 a leads-to is violated, 75 a step fails, 3 undetermined, or Ctrl-C before a violation.
    """
    looks_for_path = witness is not None or scenario is not None
    on_spark = engine is Engine.SPARK
    whole = on_spark and (fingerprint or memory is not None or threads is not None)
    here_only = "it cannot be combined with --engine spark, --witness or --scenario"
    refuse_idle(
        ("--engine", whole, "Spark's executors keep whole states; omit --fingerprint, --memory and --threads"),
        ("--engine", on_spark and looks_for_path, "a search for one run is made on this machine only"),
        ("--scenario", scenario is not None and witness is not None, "it cannot be combined with --witness"),
        ("--deadlock", deadlock and (on_spark or looks_for_path), here_only),
        ("--actions", actions and (on_spark or looks_for_path), here_only),
        ("--strict", strict and looks_for_path, "it cannot be combined with --witness or --scenario"),
    )
    if watch:
        raise typer.Exit(watching.watch(watching.watched(system), watching.check, watching.poll))
    for file in filter(None, (trace, dot)):
        _refuse_no_place(file)
    bugs = tuple(bug or ())
    declared, configurations = to_search(system, bugs)
    model = declared.model(semantics, bugs)
    model = model.stopping_nowhere() if deadlock else model
    instances = [Instance(model, limited(one, set_limit or ())) for one in configurations]
    if dot is not None:
        _refuse_to_draw(configurations, is_reduced=symmetry or renumber or looks_for_path)
    options = Options(
        max_states=max_states,
        max_seconds=max_seconds,
        renumber=renumber,
        symmetry=symmetry,
        fingerprints=fingerprint,
        memory_bytes=memory,
        directory=spill,
        threads=threads,
        new_states=actions,
        place=place_of(declared.name) if on_spark else None,
        master=master,
    )
    if looks_for_path:
        if scenario is None:
            looked = look_for(instances, witness or "", options)
        else:
            looked = look_for_run(instances, scenario, options)
        _show_path(looked, form, trace, system)
    is_claimed = coverage.is_claimed(declared, configurations, semantics, bugs, set_limit or ())
    if strict and not is_claimed:
        raise typer.BadParameter(
            "it checks all default configurations as declared; omit the configuration, --bug, --semantics and --limit",
            param_hint="--strict",
        )
    found, left = _searched(instances, options, form, _as_declared(declared, bugs, semantics, set_limit or ()))
    covered = None
    if is_claimed and not left:
        covered = coverage.over(found, strict=strict, forgotten=forgotten.of_system(declared))
    cases = _reported(found, left, covered, form)
    if trace is not None:
        _write(trace, report.trace(found), "nothing is violated", system)
    if dot is not None and found:
        write_text(dot, state_graph_text(found[0].result))
        typer.echo(f"{dot} is written; dot -Tsvg {shlex.quote(str(dot))} draws it", err=True)
    raise typer.Exit(verdict(cases).exit_code)


def _reported(
    found: Sequence[Searched], left: Sequence[Left], covered: coverage.Covered | None, form: Format
) -> list[Case]:
    """All test cases; prints the document, or what the text has not said yet."""
    together = [] if covered is None else list(coverage.cases(covered))
    cases = [*(case for one in found for case in one.cases), *(one.case() for one in left), *together]
    if form is not Format.TEXT:
        over_all = coverage.plain(covered)
        plain = [*({**report.plain(one), "together": over_all} for one in found), *(one.plain() for one in left)]
        typer.echo(document(form, "genstamp check", lambda: plain, cases), nl=False)
    elif covered is not None:
        for line in coverage.told(covered):
            typer.echo(line)
    return cases


def _show_path(found: Sequence[Looked], form: Format, trace: Path | None, system: str) -> NoReturn:
    """Print the path that searches have found, and exit."""
    if form is Format.TEXT:
        for line in witnesses.told(found):
            typer.echo(line)
    else:
        cases = witnesses.cases(found)
        typer.echo(document(form, "genstamp check", lambda: witnesses.plain(found), cases), nl=False)
    if trace is not None:
        path = found[-1].path
        sought = found[-1].witness
        _write(trace, None if path is None else witnesses.trace(path, sought), f"{sought} is not reached", system)
    raise typer.Exit(witnesses.verdict_of(found).exit_code)


def _refuse_no_place(file: Path) -> None:
    """Refuse a file that cannot be written where it is named, before a search that may take long.

    Raises:
        TraceFileError: it is a directory, or its directory is not there.
    """
    if file.is_dir():
        raise TraceFileError(file, "it is a directory")
    if not file.parent.is_dir():
        raise TraceFileError(file, f"there is no directory {file.parent}")


def _refuse_to_draw(configurations: Sequence[Configuration], *, is_reduced: bool) -> None:
    """Refuse to draw what is not the state graph of one configuration.

    Raises:
        BadParameter: it is not.
    """
    if is_reduced:
        message = "it draws every state as it is; omit --symmetry, --renumber, --witness and --scenario"
        raise typer.BadParameter(message, param_hint="--dot")
    if len(configurations) > 1:
        names = ", ".join(one.name for one in configurations)
        message = f"it draws one configuration; write SYSTEM:CONFIGURATION, with one of {names}"
        raise typer.BadParameter(message, param_hint="--dot")


def _write(file: Path, trace: dict[str, Any] | None, why_not: str, system: str) -> None:
    """Write a trace, if there is one, and say on standard error how to replay it.

    Raises:
        TraceFileError: the file cannot be written.
    """
    if trace is None:
        typer.echo(f"{file} is not written: {why_not}", err=True)
        return
    write_text(file, json.dumps(trace, indent=2) + "\n")
    # A trace names its system, and `replay` finds only those of the project by name.
    where = "" if system.partition(":")[0] in PLACES else f" --system {shlex.quote(system)}"
    typer.echo(f"{file} is written; genstamp replay{where} {shlex.quote(str(file))} follows and draws it", err=True)


def _as_declared(
    declared: System, bugs: Sequence[str], semantics: str | None, limits: Sequence[str]
) -> Variation | None:
    """The one fault that is searched, where it is searched as it is declared."""
    if len(bugs) != 1 or limits or semantics not in (None, declared.default_semantics):
        return None
    return declared.bug(bugs[0])


def _searched(
    instances: Sequence[Instance], options: Options, form: Format, fault: Variation | None
) -> tuple[list[Searched], list[Left]]:
    """Search each instance; text is printed at once. Also returns the instances that an interrupt left open."""

    def one(instance: Instance) -> Searched:
        is_there = fault is not None and fault.configuration == instance.configuration.name
        found = searched(instance, options, fault if is_there else None)
        if form is Format.TEXT:
            for line in report.told(found):
                typer.echo(line)
        return found

    found, left = each("check", instances, one, lambda one: one.is_interrupted)
    if form is Format.TEXT:
        for open_ in left:
            typer.echo(open_.told())
    return found, left
