"""Puts verbs into the command line so that a layer that is broken takes only its own verbs with it."""

import importlib
from typing import Any

import typer

_FAILURE = 75


def add_verb(app: typer.Typer, name: str, module: str, function: str) -> None:
    """Add a verb; where its module cannot be loaded, one that says why and exits with 75."""
    try:
        verb: Any = getattr(importlib.import_module(module), function)
    except Exception as problem:
        app.command(name, context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(
            _failing(name, f"{type(problem).__name__}: {problem}")
        )
    else:
        app.command(name)(verb)


def _failing(name: str, problem: str) -> Any:
    def failing(context: typer.Context) -> None:
        typer.echo(f"genstamp: the verb '{name}' cannot be loaded: {problem}", err=True)
        raise typer.Exit(_FAILURE)

    failing.__doc__ = f"Cannot be loaded: {problem}"
    return failing
