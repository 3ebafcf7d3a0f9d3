"""The command `list`: the systems, and what each declares."""

import json
import shutil
import textwrap
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Annotated, Any

import typer

from genstamp.cli.choosing import completed
from genstamp.systems import every_system, found
from genstamp_model.language import System


class ListFormat(StrEnum):
    """How the systems are printed."""

    TEXT = "text"
    JSON = "json"


def list_systems(
    systems: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SYSTEM]...",
            autocompletion=completed,
            help="Show all details of these; FILE.py:NAME is one of yours.",
        ),
    ] = None,
    details: Annotated[bool, typer.Option("--all", help="Show all details of every system.")] = False,
    form: Annotated[
        ListFormat, typer.Option("--format", help="What to print; json has all details.")
    ] = ListFormat.TEXT,
) -> None:
    """List the systems; with names, their configurations, properties, bugs, and what they do not cover."""
    chosen = [_named(name) for name in systems] if systems else every_system()
    if form is ListFormat.JSON:
        typer.echo(json.dumps([as_json(system) for system in chosen], indent=2))
    elif systems or details:
        typer.echo("\n".join(line for system in chosen for line in described(system)))
    else:
        typer.echo("\n".join(listed(chosen)))


def _named(name: str) -> System:
    """A system by its name, without a configuration."""
    system, configuration = found(name)
    if configuration:
        raise typer.BadParameter(f"'{configuration}' is a configuration; name a system, such as {system.name}")
    return system


def listed(systems: Sequence[System]) -> Iterator[str]:
    """A line for each system, at most as long as the terminal is wide."""
    width = max(len(system.name) for system in systems)
    room = max(20, shutil.get_terminal_size().columns - width - 2)
    for system in systems:
        yield f"{system.name:{width}}  {textwrap.shorten(system.doc, room, placeholder=' ...')}"
    yield ""
    yield "genstamp list SYSTEM shows its configurations, properties and bugs; --all, of all systems."


def described(system: System) -> Iterator[str]:
    """The description of a system in lines."""
    yield f"{system.name}: {system.doc}"
    semantics = [f"{name} (default)" if name == system.default_semantics else name for name in system.semantics]
    yield f"  semantics: {', '.join(semantics)}"
    for one in system.configurations:
        sizes = ", ".join(f"{name} {size}" for name, size in one.sizes.items())
        limits = ", ".join(f"{name} {bound}" for name, bound in one.limits.items())
        demand = "; on demand" if one.on_demand else ""
        yield f"  configuration {one.name}: {one.doc} (sizes: {sizes or 'none'}; limits: {limits or 'none'}{demand})"
    for claim in system.model().properties:
        yield f"  {claim.kind} {claim.name}: {claim.doc.splitlines()[0] if claim.doc else ''}"
    for variation in system.variations:
        yield f"  {variation.kind} {variation.name}: {variation.title}"
    if not system.variations:
        yield "  bugs, holes and differences: none"
    for sentence in system.omits:
        yield f"  omits {sentence}"


def as_json(system: System) -> dict[str, Any]:
    """A system with all that `described` says of it."""
    return {
        "name": system.name,
        "doc": system.doc,
        "semantics": list(system.semantics),
        "default_semantics": system.default_semantics,
        "configurations": [
            {"name": one.name, "doc": one.doc, "sizes": one.sizes, "limits": one.limits, "on_demand": one.on_demand}
            for one in system.configurations
        ],
        "properties": [{"kind": one.kind, "name": one.name, "doc": one.doc} for one in system.model().properties],
        "variations": [{"kind": one.kind, "name": one.name, "title": one.title} for one in system.variations],
        "omits": list(system.omits),
    }
