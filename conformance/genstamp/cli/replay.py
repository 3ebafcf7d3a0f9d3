"""The verb `replay`: checks a trace against the specification, and shows it in another form."""

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from genstamp.cli.choosing import completed
from genstamp.errors import TraceFileError
from genstamp.report import Case, Format, Rule, document, verdict
from genstamp.report.of_model import beginning, group_of, stages
from genstamp.report.places import place
from genstamp.standard_input import standard_input
from genstamp.systems import UnknownSystemError, place_of, system_named
from genstamp.systems import found as system_found
from genstamp_model.errors import ConfigurationError
from genstamp_model.language import Instance
from genstamp_model.traces import Chart, Replay, Trace, chart, mermaid, pytest_file, read, swim_lanes
from genstamp_model.traces import replay as follow


class Shape(StrEnum):
    """The output format: a report, or the path itself in some form."""

    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"
    SARIF = "sarif"
    GITHUB = "github"
    ITF = "itf"
    SVG = "svg"
    MERMAID = "mermaid"
    PYTEST = "pytest"


def replay(
    trace: Annotated[Path, typer.Argument(help="A trace as ITF JSON; - reads standard input.")],
    system: Annotated[
        str | None,
        typer.Option(metavar="SYSTEM[:CONFIGURATION]", autocompletion=completed, help="By default as the trace says."),
    ] = None,
    semantics: Annotated[str | None, typer.Option(help="By default as the trace says.")] = None,
    bug: Annotated[list[str] | None, typer.Option(help="By default as the trace says; may be repeated.")] = None,
    form: Annotated[Shape, typer.Option("--format", help="What to print.")] = Shape.TEXT,
) -> None:
    """Follow a trace step by step, without the limits of the configuration.

    A trace has the names of its steps or only its states; variables may be missing. The formats `svg` and `mermaid`
    give a sequence diagram, `pytest` a test that replays the trace, `itf` the whole trace with all variables.

    Exit code: 0 the specification allows every step, 12 it does not, 75 the text is not a trace, 2 the file cannot be
    read.
    """
    found = read(_text(trace))
    instance = _instance(trace, found, system, semantics, tuple(bug or ()))
    followed = follow(instance, found)
    if followed.rejection is not None and form not in (*Format,):
        typer.echo("\n".join(told(followed)), err=True)
    typer.echo(_shown(followed, found, form), nl=False)
    raise typer.Exit(verdict([case(followed)]).exit_code)


def _text(path: Path) -> bytes:
    if str(path) == "-":
        return standard_input().read()
    try:
        return path.read_bytes()
    except OSError as problem:
        raise TraceFileError(path, problem.strerror or str(problem)) from problem


def _imported(place: str) -> str:
    """Where a test imports a system from: for one of a file, the module of that name, as the test lies beside it."""
    module, _, name = place.partition(":")
    return f"{Path(module).stem if module.endswith('.py') else module}:{name}"


def _instance(path: Path, trace: Trace, system: str | None, semantics: str | None, bugs: tuple[str, ...]) -> Instance:
    if system is not None:
        declared, configuration = system_found(system)
    elif "system" in trace.meta:
        # Only by name: a trace comes from anywhere, and must not have code loaded.
        try:
            declared, configuration = system_named(trace.meta["system"]), ""
        except UnknownSystemError as problem:
            own = f"{path}: the trace is of '{trace.meta['system']}', which is not a known system"
            raise ConfigurationError(f"{own}; give its place with --system") from problem
    else:
        raise TraceFileError(path, "the trace does not name its system; name it with --system")
    # What was searched with other limits is marked with a star.
    configuration = configuration or trace.meta.get("configuration", "").partition("*")[0]
    told = tuple(filter(None, trace.meta.get("bugs", "").split(",")))
    return declared.instance(configuration or None, semantics or trace.meta.get("semantics"), bugs or told)


def _drawn(followed: Replay, trace: Trace) -> Chart:
    """The path as a picture: the title names what it breaks, as found here or, of a lasso, as the trace says."""
    broken = [name for name, _ in followed.broken] or [trace.meta[name] for name in ("violated",) if name in trace.meta]
    shows = f"{', '.join(broken)} {'are' if len(broken) > 1 else 'is'} violated" if broken else ""
    if "shows" in trace.meta:
        shows = f"{trace.meta['shows']} is reached"
    return chart(followed.path, shows, followed.loop, broken=min((step for _, step in followed.broken), default=None))


def _shown(followed: Replay, trace: Trace, form: Shape) -> str:
    path = followed.path
    match form:
        case Shape.TEXT:
            return "\n".join(told(followed)) + "\n"
        case Shape.ITF:
            return document(Format.JSON, "genstamp replay", lambda: path.to_itf(followed.loop), ())
        case Shape.SVG:
            return swim_lanes(_drawn(followed, trace))
        case Shape.MERMAID:
            return mermaid(_drawn(followed, trace))
        case Shape.PYTEST:
            return pytest_file(path, _imported(place_of(path.instance.model.system)))
        case _:
            return document(Format(form), "genstamp replay", lambda: plain(followed), [case(followed)])


def told(followed: Replay) -> Iterator[str]:
    """The result of following the trace, in lines."""
    path, rejection = followed.path, followed.rejection
    model = path.instance.model
    bugs = f" with {', '.join(model.bugs)}" if model.bugs else ""
    verdict = "accepted" if rejection is None else f"rejected at state {rejection.number}"
    yield f"{model.system}:{path.instance.configuration.name} ({model.semantics}{bugs}): {verdict}"
    for name, number in followed.broken:
        yield f"  state {number} breaks {name}"
    for line in path.lines():
        yield f"  {line}"
    if followed.loop is not None and rejection is None:
        yield f"  and again from state {followed.loop}, for ever"
    if rejection is not None:
        yield f"  {rejection.number:>3}. {rejection.call or 'a step that the trace does not name'}"
        for reason in rejection.reasons:
            yield f"         {reason}"


def plain(followed: Replay) -> dict[str, Any]:
    """The result of following the trace, as JSON."""
    rejection, model = followed.rejection, followed.path.instance.model
    return {
        "system": model.system,
        "configuration": followed.path.instance.configuration.name,
        "semantics": model.semantics,
        "bugs": list(model.bugs),
        "verdict": "accepted" if rejection is None else "rejected",
        "exit_code": verdict([case(followed)]).exit_code,
        "steps": len(followed.path),
        "loop": followed.loop,
        "breaks": [{"property": name, "state": number} for name, number in followed.broken],
        "rejection": None
        if rejection is None
        else {"state": rejection.number, "step": rejection.call, "reasons": list(rejection.reasons)},
    }


def case(followed: Replay) -> Case:
    """The result of following the trace, as a test case."""
    rejection, model = followed.rejection, followed.path.instance.model
    group, name = group_of("replay", model), f"{followed.path.instance.configuration.name}, {len(followed.path)} steps"
    rule = Rule(f"{model.system}/replay", f"the trace is one of {model.system}", beginning(model))
    if rejection is None:
        return Case(group, name, 0.0, rule=rule)
    # Where the action is that the trace names, or else the last one that fits.
    named = rejection.call.partition("(")[0]
    sources = [action.source for action in model.actions if action.name == named]
    sources += [step.action.source for step in followed.path.steps[-1:]]
    return Case(
        group=group,
        name=name,
        seconds=0.0,
        outcome="failure",
        kind="rejected",
        message=f"state {rejection.number}: {rejection.reasons[0]}",
        text="\n".join(told(followed)),
        rule=rule,
        place=place(sources[0]) if sources else None,
        steps=stages(followed.path),
    )
