"""The verb `diagram`: keeps the pictures in step with the specification: of the lifecycles, and of the best stories.

Not here: how a lifecycle is drawn (see `genstamp.diagram`) and laid out (see `genstamp.layout`), and how a run is
drawn (see `genstamp_model.traces`).
"""

from pathlib import Path
from typing import Annotated

import typer
from statemachine import StateMachine

from genstamp import exit_codes
from genstamp.diagram import dot, mermaid
from genstamp.layout import render_svg
from genstamp.made import left_over, outdated
from genstamp.systems import system_named
from genstamp.tables.museum_page import BEST
from genstamp_model.explore import explore
from genstamp_model.language import System
from genstamp_model.traces import Chart, chart, swim_lanes
from genstamp_spec.gfs.lifecycles import ChunkLeaseLifecycle, ChunkReplicaLifecycle, MutationLifecycle
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle, LeaseLifecycle, ReplicaLifecycle

LIFECYCLES: dict[str, type[StateMachine]] = {
    "block": BlockLifecycle,
    "file": FileLifecycle,
    "lease": LeaseLifecycle,
    "replica": ReplicaLifecycle,
    "chunk_lease": ChunkLeaseLifecycle,
    "chunk_replica": ChunkReplicaLifecycle,
    "mutation": MutationLifecycle,
}

BUGS: tuple[str, ...] = tuple(fault for _, fault in BEST)


def diagram(
    directory: Annotated[Path, typer.Option(help="Where the diagrams are.")] = Path("diagrams"),
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit 12 if a text is not current or a picture missing.")
    ] = False,
) -> None:
    """Draw each lifecycle of HDFS and GFS as DOT, Mermaid and SVG, and shortest runs to some bugs as swim lanes.

    Runs of your own system are drawn by `genstamp replay --format svg`, and its state graph by `genstamp check --dot`.
    """
    if check:
        old = not_current(directory)
        for name in old:
            typer.echo(f"{directory / name} is not current; write it with: genstamp diagram, or remove it")
        if not old:
            typer.echo(f"all {len(_texts()) + len(LIFECYCLES) + len(BUGS)} diagrams in {directory} are current")
        raise typer.Exit(exit_codes.VIOLATED if old else exit_codes.HOLDS)
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in {**_texts(), **_pictures(), **_runs()}.items():
        (directory / name).write_text(text, encoding="utf-8")
        typer.echo(directory / name)


def not_current(directory: Path) -> list[str]:
    """Names of the files in a directory that `genstamp diagram` would change or add, and of those it made once, sorted.

    Pictures of lifecycles are only looked for: two versions of a layout engine draw one text a little differently.
    """
    pictures, texts = [f"{name}.svg" for name in LIFECYCLES], _texts() | _runs()
    missing = [name for name in pictures if not (directory / name).is_file()]
    return sorted(outdated(directory, texts) + missing + left_over(directory, {*pictures, *texts}))


def _texts() -> dict[str, str]:
    return {
        **{f"{name}.dot": dot(machine) for name, machine in LIFECYCLES.items()},
        **{f"{name}.mmd": mermaid(machine) for name, machine in LIFECYCLES.items()},
    }


def _pictures() -> dict[str, str]:
    # The engine of the wheel, so that everybody's pictures are the same. It measures text as Verdana; where that font
    # is missing the next ones are as wide or narrower, so that no word leaves its box.
    return {
        f"{name}.svg": render_svg(dot(machine), engine="wheel").replace(
            'font-family="Verdana"', 'font-family="Verdana,DejaVu Sans,sans-serif"'
        )
        for name, machine in LIFECYCLES.items()
    }


def _runs() -> dict[str, str]:
    return {f"{fault}.svg": swim_lanes(_shortest(system_named(name), fault)) for name, fault in BEST}


def _shortest(system: System, bug: str) -> Chart:
    """The shortest run that shows a bug."""
    violation = explore(system.instance(system.bug(bug).configuration, bugs=[bug])).violation
    assert violation is not None, f"{bug} does not show where {system.name} says that it does"
    return chart(violation.path, f"{violation.name or violation.kind} is violated", broken=len(violation.path))
