"""The verb `check`: every reachable state of a system in its configurations, with a shortest counterexample.

Leaves out the lock and the other judges (`genstamp verify`).
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console
from rich.live import Live

from genstamp import leads_to
from genstamp.byte_sizes import bytes_of
from genstamp.cli.on_spark import search_on_spark
from genstamp.report import Case, Outcome, junit
from genstamp.systems import chosen, place_of
from genstamp.systems import found as named
from genstamp_model.explore import INTERRUPTED, Progress, Result, Verdict, Violation, explore
from genstamp_model.language import Configuration, Instance, System
from genstamp_model.liveness import Liveness

_EXIT_CODES: Final = {"deadlock": 11, "invariant": 12, "transition": 12, "error": 75}
_UNDETERMINED, _UNCOVERED, _STARVED = 3, 12, 13
_LINE_EVERY_S: Final = 60.0


class Engine(StrEnum):
    """Where a search keeps its states."""

    LOCAL = "local"
    SPARK = "spark"


class Format(StrEnum):
    """What standard output gets."""

    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"


def check(
    system: Annotated[
        str,
        typer.Argument(
            metavar="SYSTEM[:CONFIGURATION]", help="By default all configurations that are not only on demand."
        ),
    ],
    semantics: Annotated[str | None, typer.Option(help="Of the system; its default unless named.")] = None,
    bug: Annotated[list[str] | None, typer.Option(help="A bug or hole to put in; may be repeated.")] = None,
    max_states: Annotated[int | None, typer.Option(min=1, help="Give up with more states; by default, memory.")] = None,
    max_seconds: Annotated[float | None, typer.Option(min=0, help="Give up after so long.")] = None,
    set_limit: Annotated[
        list[str] | None, typer.Option("--limit", metavar="NAME=N", help="A limit other than the configuration's.")
    ] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, max=2, help="Of the search; by default 2, where there are two processors.")
    ] = None,
    renumber: Annotated[
        bool, typer.Option("--renumber", help="Keep of ordered numbers only their order: endless retries are cycles.")
    ] = False,
    symmetry: Annotated[
        bool, typer.Option("--symmetry", help="Keep one state of all that number alike members differently.")
    ] = False,
    fingerprint: Annotated[
        bool, typer.Option("--fingerprint", help="Keep a hash of each state: 10 bytes each, and a probability.")
    ] = False,
    memory: Annotated[
        int | None, typer.Option(parser=bytes_of, metavar="SIZE", help="Of states; by default 3/4 of what is free.")
    ] = None,
    spill: Annotated[
        Path | None, typer.Option(metavar="DIRECTORY", help="For what has no room in memory; by default temporary.")
    ] = None,
    engine: Annotated[
        Engine, typer.Option(help="Where states are kept: here, or by Spark's executors.")
    ] = Engine.LOCAL,
    master: Annotated[str | None, typer.Option(help="Spark's master, for --engine spark; by default local[*].")] = None,
    form: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.TEXT,
) -> None:
    """Search every reachable state, breadth first; a violation comes with a shortest counterexample.

    Where the search finds nothing wrong, leads-to properties are judged on all its states; one that is violated comes
    with a lasso; by symmetry and with fingerprints they are not judged, and so undetermined. With a bug, and no
    configuration named, the one in which the bug is known to show is searched. With fingerprints, what is violated is,
    and the rest holds with a probability.

    Exit code: 0 all holds within the limits, 11 deadlock, 12 a property is violated, or over all default configurations
    some action, refusal or witness is never reached; 13 a leads-to is violated, 75 a step goes wrong, 3 undetermined.
    """
    if engine is Engine.SPARK and (fingerprint or memory is not None or threads is not None):
        raise typer.BadParameter(
            "Spark's executors keep whole states in files; leave out --fingerprint, --memory and --threads",
            param_hint="--engine",
        )
    bugs = tuple(bug or ())
    declared, configurations = to_search(system, bugs)
    place = place_of(declared.name)
    model = declared.model(semantics, bugs)
    results, judged = list[Result](), list[tuple[Liveness, ...]]()
    for one in configurations:
        instance = Instance(model, limited(one, set_limit or ()))
        options = Options(
            max_states=max_states,
            max_seconds=max_seconds,
            renumber=renumber,
            symmetry=symmetry,
            fingerprints=fingerprint,
            memory_bytes=memory,
            directory=spill,
            threads=threads,
            place=place if engine is Engine.SPARK else None,
            master=master,
        )
        results.append(search(instance, options))
        keeps_states = not (fingerprint or symmetry or engine is Engine.SPARK)
        judged.append(leads_to.judged(results[-1], max_states, renumber) if keeps_states else ())
        if form is Format.TEXT:
            for line in told(results[-1], judged[-1]):
                typer.echo(line)
        if results[-1].undetermined == INTERRUPTED:
            break
    # Coverage is a claim about the default configurations together, and about the protocol as it should be.
    missing = uncovered(results) if len(results) > 1 and not bugs and semantics is None else []
    if form is Format.TEXT and len(results) > 1:
        typer.echo(coverage_line(results, missing))
    elif form is Format.JSON:
        typer.echo(json.dumps([plain(*both) for both in zip(results, judged, strict=True)], indent=2))
    elif form is Format.JUNIT:
        pairs = zip(results, judged, strict=True)
        typer.echo(junit("genstamp check", [one for both in pairs for one in cases(*both)]), nl=False)
    raise typer.Exit(exit_code(results, missing, [found for some in judged for found in some]))


def to_search(text: str, bugs: Sequence[str]) -> tuple[System, Sequence[Configuration]]:
    """The system, and the configurations to search: for a bug the one in which it shows, unless one is named."""
    system, configurations = chosen(text)
    shown = [system.bug(name).configuration for name in bugs]
    if named(text)[1] or not any(shown):
        return system, configurations
    return system, [system.configuration(name) for name in dict.fromkeys(shown) if name]


def limited(configuration: Configuration, limits: Sequence[str]) -> Configuration:
    """A configuration with some of its limits set anew, each written as NAME=N."""
    if not limits:
        return configuration
    changed: dict[str, int] = dict(configuration.limits)
    for text in limits:
        name, _, number = text.partition("=")
        if not number.isdecimal():
            raise typer.BadParameter(f"'{text}' is no limit; write NAME=N with a number from 0", param_hint="--limit")
        changed[name] = int(number)
    return replace(configuration, limits=changed, name=f"{configuration.name}*")


@dataclass(frozen=True, kw_only=True)
class Options:
    """How to search, as `explore` takes it.

    Attributes:
        directory: for what has no room in memory; with Spark for all states.
        place: where executors find the system; None searches on this machine.
        master: Spark's.
    """

    max_states: int | None = None
    max_seconds: float | None = None
    renumber: bool = False
    symmetry: bool = False
    fingerprints: bool = False
    memory_bytes: int | None = None
    directory: Path | None = None
    threads: int | None = None
    place: str | None = None
    master: str | None = None


def search(instance: Instance, options: Options) -> Result:
    """One search, with its progress on standard error: live on a terminal, a line a minute elsewhere."""

    def searched(progress: Callable[[Progress], None]) -> Result:
        if options.place is not None:
            return search_on_spark(
                options.place,
                instance.model.semantics,
                instance.model.bugs,
                instance.configuration,
                renumber=options.renumber,
                symmetry=options.symmetry,
                max_states=options.max_states,
                max_seconds=options.max_seconds,
                master=options.master,
                directory=options.directory,
                progress=progress,
            )
        return explore(
            instance,
            max_states=options.max_states,
            max_seconds=options.max_seconds,
            renumber=options.renumber,
            symmetry=options.symmetry,
            fingerprints=options.fingerprints,
            memory_bytes=options.memory_bytes,
            spill=options.directory,
            threads=options.threads,
            progress=progress,
        )

    console = Console(stderr=True)
    if console.is_terminal:
        with Live(console=console, transient=True, refresh_per_second=4) as live:
            return searched(lambda progress: live.update(progress_line(instance, progress)))
    return searched(_each_minute(instance))


def _each_minute(instance: Instance) -> Callable[[Progress], None]:
    last = time.monotonic()

    def show(progress: Progress) -> None:
        nonlocal last
        if time.monotonic() - last >= _LINE_EVERY_S:
            last = time.monotonic()
            typer.echo(progress_line(instance, progress), err=True)

    return show


def progress_line(instance: Instance, progress: Progress) -> str:
    """How far a search is."""
    speed = progress.states / progress.seconds / 1e6 if progress.seconds else 0.0
    return (
        f"{instance.configuration.name}: {progress.states:,} states, {progress.waiting:,} waiting, "
        f"{progress.generated:,} steps, level {progress.levels}, {speed:.1f} M states/s, {progress.seconds:.0f} s"
    )


def told(result: Result, judged: Sequence[Liveness] = ()) -> Iterator[str]:
    """What a search found, and what was judged after it, in lines."""
    model, configuration = result.instance.model, result.instance.configuration
    bugs = f" with {', '.join(model.bugs)}" if model.bugs else ""
    limits = ", ".join(f"{name} {bound}" for name, bound in sorted(configuration.limits.items()))
    holds = result.verdict is Verdict.HOLDS
    within = f" within these limits: {limits}" if holds and limits else ""
    probably = f" with probability at least 1 - {result.doubt:.1e}" if holds and result.doubt else ""
    yield f"{model.system}:{configuration.name} ({model.semantics}{bugs}): {result.verdict.value}{probably}{within}"
    yield (
        f"  {result.states:,} distinct states, {result.generated:,} generated, depth {result.depth}, "
        f"{result.words} words and {result.bytes_a_state:.0f} bytes a state"
        + (f", {result.disk_bytes:,} bytes on disk" if result.disk_bytes else "")
    )
    yield (
        f"  {result.seconds:.2f} s, {result.states_a_second / 1e6:.2f} M states/s, "
        f"compiled in {result.compile_seconds:.2f} s"
    )
    if result.reductions:
        yield f"  one state for many: {', '.join(result.reductions)}"
    cuts = ", ".join(f"{name} {steps:,}" for name, steps in sorted(result.cuts.items()))
    if cuts:
        yield f"  steps cut off by limits: {cuts}"
    if result.undetermined:
        yield f"  undetermined: {result.undetermined}"
    if left := leads_to.not_judged(result, judged):
        yield f"  not judged: {', '.join(left)}"
    if result.violation is not None:
        yield from told_violation(result.violation)
    else:
        taken, given, seen = coverage_counts(result)
        yield f"  covered here: {taken} actions, {given} refusals, {seen} witnesses"
    for found in judged:
        yield from leads_to.told(found)


def told_violation(violation: Violation, what_path: str = "a shortest counterexample") -> Iterator[str]:
    """What broke, and the way there."""
    what = f"{violation.kind} {violation.name}".rstrip()
    yield f"  violated: {what}{f': {violation.message}' if violation.message else ''}"
    yield f"  {what_path}, {len(violation.path)} steps:"
    for line in violation.path.lines():
        yield f"  {line}"


def coverage_counts(result: Result) -> tuple[str, str, str]:
    """How much of actions, refusals and witnesses one search has reached, each as "reached of all"."""
    asked = [refusal for refusal in result.refusals if not refusal.defensive]
    taken = sum(steps > 0 for steps in result.taken.values())
    seen = sum(length is not None for length in result.witnesses.values())
    given = sum(refusal.seen for refusal in asked)
    return f"{taken} of {len(result.taken)}", f"{given} of {len(asked)}", f"{seen} of {len(result.witnesses)}"


def uncovered(results: Sequence[Result]) -> list[str]:
    """What none of some searches has reached; defensive refusals are not asked for."""
    reached: dict[str, bool] = {}
    for result in results:
        parts = {f"action {name}": steps > 0 for name, steps in result.taken.items()}
        parts |= {f"witness {name}": length is not None for name, length in result.witnesses.items()}
        parts |= {f"refusal {r.action}: {r.label}": r.seen for r in result.refusals if not r.defensive}
        for name, is_reached in parts.items():
            reached[name] = reached.get(name, False) or is_reached
    return sorted(name for name, is_reached in reached.items() if not is_reached)


def coverage_line(results: Sequence[Result], missing: Sequence[str]) -> str:
    """Coverage over all searches together."""
    if not missing:
        return f"over all {len(results)} configurations every action, refusal and witness is reached"
    return f"over all {len(results)} configurations never reached: {'; '.join(missing)}"


def exit_code(results: Sequence[Result], missing: Sequence[str], judged: Sequence[Liveness] = ()) -> int:
    """The worst of some searches: violated before undetermined."""
    codes = [_EXIT_CODES[result.violation.kind] for result in results if result.violation is not None]
    if codes:
        return codes[0]
    verdicts = {found.verdict for found in judged}
    if Verdict.VIOLATED in verdicts:
        return _STARVED
    owed = sum(claim.kind == "leads_to" for result in results for claim in result.instance.model.properties)
    if len(judged) < owed or Verdict.UNDETERMINED in verdicts | {result.verdict for result in results}:
        return _UNDETERMINED
    return _UNCOVERED if missing else 0


def plain(result: Result, judged: Sequence[Liveness] = ()) -> dict[str, Any]:
    """A result as JSON; the counterexample in the Informal Trace Format."""
    model = result.instance.model
    violation = result.violation
    return {
        "system": model.system,
        "configuration": result.instance.configuration.name,
        "semantics": model.semantics,
        "bugs": list(model.bugs),
        "digest": model.digest,
        "verdict": result.verdict.value,
        "undetermined": result.undetermined,
        "probability_missed_at_most": result.doubt,
        "reductions": list(result.reductions),
        "not_judged": leads_to.not_judged(result, judged),
        "states": result.states,
        "generated": result.generated,
        "depth": result.depth,
        "words_a_state": result.words,
        "bytes_a_state": round(result.bytes_a_state, 1),
        "bytes_on_disk": result.disk_bytes,
        "seconds": round(result.seconds, 3),
        "compile_seconds": round(result.compile_seconds, 3),
        "cuts": dict(result.cuts),
        "taken": dict(result.taken),
        "refusals": [
            {"action": r.action, "check": r.label, "refuses": r.refuses, "defensive": r.defensive, "seen": r.seen}
            for r in result.refusals
        ],
        "witnesses": dict(result.witnesses),
        "leads_to": [leads_to.plain(found) for found in judged],
        "violation": None
        if violation is None
        else {
            "kind": violation.kind,
            "name": violation.name,
            "message": violation.message,
            "steps": len(violation.path),
            "trace": violation.path.to_itf(violated=violation.name or violation.kind),
        },
    }


def cases(result: Result, judged: Sequence[Liveness] = ()) -> list[Case]:
    """A result as a test case, and one for each leads-to property."""
    model = result.instance.model
    group = ".".join(["genstamp.check", model.system, model.semantics, *model.bugs])
    return [_case(result, group), *(leads_to.case(found, group) for found in judged)]


def _case(result: Result, group: str) -> Case:
    name = result.instance.configuration.name
    if result.verdict is Verdict.HOLDS:
        return Case(group, name, result.seconds)
    if result.violation is None:
        return Case(group, name, result.seconds, "error", result.verdict.value, result.undetermined)
    violation = result.violation
    message = f"{violation.kind} {violation.name} in {len(violation.path)} steps"
    outcome: Outcome = "error" if violation.kind == "error" else "failure"
    return Case(group, name, result.seconds, outcome, violation.kind, message, "\n".join(violation.path.lines()))
