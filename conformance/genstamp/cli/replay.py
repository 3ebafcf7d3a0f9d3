"""The verb `replay`: a trace held against the specification, and shown in another form."""

import json
import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from genstamp.errors import GenstampError
from genstamp.report import Case, junit
from genstamp.systems import found as system_found
from genstamp.systems import place_of, system_named
from genstamp_model.language import Instance
from genstamp_model.traces import Replay, Trace, mermaid, pytest_file, read, swim_lanes
from genstamp_model.traces import replay as follow

_REJECTED: Final = 12


class Shape(StrEnum):
    """What standard output gets: a report, or the path in a form of its own."""

    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"
    ITF = "itf"
    SVG = "svg"
    MERMAID = "mermaid"
    PYTEST = "pytest"


class TraceFileError(GenstampError):
    """A trace cannot be read, or does not say whose it is.

    Attributes:
        path: of the file.
        reason: what is wrong with it.
    """

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


def replay(
    trace: Annotated[Path, typer.Argument(help="A trace as ITF JSON; - reads standard input.")],
    system: Annotated[
        str | None, typer.Option(metavar="SYSTEM[:CONFIGURATION]", help="By default what the trace says.")
    ] = None,
    semantics: Annotated[str | None, typer.Option(help="By default what the trace says.")] = None,
    bug: Annotated[list[str] | None, typer.Option(help="By default what the trace says; may be repeated.")] = None,
    form: Annotated[Shape, typer.Option("--format", help="What to print.")] = Shape.TEXT,
) -> None:
    """Follow a trace step by step; the configuration's limits do not count.

    A trace names its steps, or only shows the states; it may leave variables out. `svg` gives swim lanes, `mermaid` a
    sequence diagram, `pytest` a test that replays it, `itf` the whole trace with all variables.

    Exit code: 0 every step is one of the specification, 12 one is not, 75 the trace cannot be read.
    """
    found = read(_text(trace))
    instance = _instance(trace, found, system, semantics, tuple(bug or ()))
    followed = follow(instance, found)
    if followed.rejection is not None and form not in (Shape.JSON, Shape.JUNIT, Shape.TEXT):
        typer.echo("\n".join(told(followed)), err=True)
    typer.echo(_shown(followed, form), nl=False)
    raise typer.Exit(0 if followed.rejection is None else _REJECTED)


def _text(path: Path) -> bytes:
    if str(path) == "-":
        return sys.stdin.buffer.read()
    try:
        return path.read_bytes()
    except OSError as problem:
        raise TraceFileError(path, problem.strerror or str(problem)) from problem


def _instance(path: Path, trace: Trace, system: str | None, semantics: str | None, bugs: tuple[str, ...]) -> Instance:
    if system is not None:
        declared, configuration = system_found(system)
    elif "system" in trace.meta:
        # Only by name: a trace comes from anywhere, and must not have code loaded.
        declared, configuration = system_named(trace.meta["system"]), ""
    else:
        raise TraceFileError(path, "the trace does not say which system it is of; name it with --system")
    # What was searched with other limits is marked with a star.
    configuration = configuration or trace.meta.get("configuration", "").partition("*")[0]
    told = tuple(filter(None, trace.meta.get("bugs", "").split(",")))
    return declared.instance(configuration or None, semantics or trace.meta.get("semantics"), bugs or told)


def _shown(followed: Replay, form: Shape) -> str:
    path = followed.path
    match form:
        case Shape.TEXT:
            return "\n".join(told(followed)) + "\n"
        case Shape.JSON:
            return json.dumps(plain(followed), indent=2) + "\n"
        case Shape.JUNIT:
            return junit("genstamp replay", [case(followed)])
        case Shape.ITF:
            return json.dumps(path.to_itf(), indent=2) + "\n"
        case Shape.SVG:
            return swim_lanes(path)
        case Shape.MERMAID:
            return mermaid(path)
        case Shape.PYTEST:
            return pytest_file(path, place_of(path.instance.model.system))


def told(followed: Replay) -> Iterator[str]:
    """What following the trace gave, in lines."""
    path, rejection = followed.path, followed.rejection
    model = path.instance.model
    bugs = f" with {', '.join(model.bugs)}" if model.bugs else ""
    verdict = "accepted" if rejection is None else f"rejected at state {rejection.number}"
    yield f"{model.system}:{path.instance.configuration.name} ({model.semantics}{bugs}): {verdict}"
    for name, number in followed.broken:
        yield f"  state {number} breaks {name}"
    for line in path.lines():
        yield f"  {line}"
    if rejection is not None:
        yield f"  {rejection.number:>3}. {rejection.call or 'a step that the trace does not name'}"
        for reason in rejection.reasons:
            yield f"         {reason}"


def plain(followed: Replay) -> dict[str, Any]:
    """What following the trace gave, as JSON."""
    rejection, model = followed.rejection, followed.path.instance.model
    return {
        "system": model.system,
        "configuration": followed.path.instance.configuration.name,
        "semantics": model.semantics,
        "bugs": list(model.bugs),
        "verdict": "accepted" if rejection is None else "rejected",
        "steps": len(followed.path),
        "breaks": [{"property": name, "state": number} for name, number in followed.broken],
        "rejection": None
        if rejection is None
        else {"state": rejection.number, "step": rejection.call, "reasons": list(rejection.reasons)},
    }


def case(followed: Replay) -> Case:
    """What following the trace gave, as a test case."""
    rejection, model = followed.rejection, followed.path.instance.model
    group = ".".join(["genstamp.replay", model.system, model.semantics, *model.bugs])
    name = f"{followed.path.instance.configuration.name}, {len(followed.path)} steps"
    if rejection is None:
        return Case(group, name, 0.0)
    message = f"state {rejection.number}: {rejection.reasons[0]}"
    return Case(group, name, 0.0, "failure", "rejected", message, "\n".join(told(followed)))
