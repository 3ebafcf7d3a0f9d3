"""Reads from the command line what a verb checks: the system, its configurations, changed limits, idle options."""

from collections.abc import Sequence
from dataclasses import replace

import typer

from genstamp.systems import PLACES, chosen
from genstamp.systems import found as named
from genstamp_model.language import Configuration, System


def completed(incomplete: str) -> list[str]:
    """The names of systems that begin so, for the shell's completion."""
    return [name for name in PLACES if name.startswith(incomplete)]


def to_search(text: str, bugs: Sequence[str]) -> tuple[System, Sequence[Configuration]]:
    """The system, and the configurations to search: for a bug the one in which it shows, unless one is named."""
    system, configurations = chosen(text)
    shown = [system.bug(name).configuration for name in bugs]
    if named(text)[1] or not any(shown):
        return system, configurations
    return system, [system.configuration(name) for name in dict.fromkeys(shown) if name]


def limited(configuration: Configuration, limits: Sequence[str]) -> Configuration:
    """A configuration with some of its limits changed, each given as NAME=N."""
    if not limits:
        return configuration
    return replace(configuration, limits={**configuration.limits, **limits_of(limits)}, name=f"{configuration.name}*")


def limits_of(texts: Sequence[str]) -> dict[str, int]:
    """Limits by name, each given as NAME=N."""
    limits: dict[str, int] = {}
    for text in texts:
        name, _, number = text.partition("=")
        if not number.isdecimal():
            raise typer.BadParameter(
                f"'{text}' is not a limit; expected NAME=N with N at least 0", param_hint="--limit"
            )
        if name in limits:
            raise typer.BadParameter(f"'{name}' is given twice; give each limit once", param_hint="--limit")
        limits[name] = int(number)
    return limits


def refuse_idle(*options: tuple[str, bool, str]) -> None:
    """Refuse options that would do nothing beside the others: each with whether it would, and the reason."""
    for option, is_idle, why in options:
        if is_idle:
            raise typer.BadParameter(why, param_hint=option)
