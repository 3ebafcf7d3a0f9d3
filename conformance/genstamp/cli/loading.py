"""Adds verbs to the command line; a verb is loaded on use, so that it does not wait for other verbs' libraries.

A layer that is broken takes only its own verbs with it.
"""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import typer
from typer.core import TyperGroup

from genstamp.cli import TOLD
from genstamp.cli.interrupting import ended_at_once
from genstamp.exit_codes import FAILURE, UNDETERMINED


class Verbs(TyperGroup):
    """The command's verbs: their names, and of each the module and the function that it is."""

    verbs: ClassVar[dict[str, tuple[str, str]]] = {}

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        """Read the command line, or help; an interrupt ends it with exit code 3."""
        with _undetermined_if_interrupted():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: Any) -> Any:
        """Run a verb; an interrupt that the verb does not handle ends it with exit code 3."""
        with _undetermined_if_interrupted():
            return super().invoke(ctx)

    def list_commands(self, ctx: Any) -> list[str]:
        """All names, in the order of help."""
        return [*self.verbs, *(name for name in super().list_commands(ctx) if name not in self.verbs)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """One verb, loaded now; for a name that there is not all of them, so that a similar one can be suggested."""
        for name in [cmd_name] if cmd_name in self.list_commands(ctx) else self.verbs:
            if name in self.verbs and name not in self.commands:
                self.add_command(_command(name, *self.verbs[name]), name)
        return super().get_command(ctx, cmd_name)


@contextmanager
def _undetermined_if_interrupted() -> Iterator[None]:
    """Typer itself would end with 130."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(TOLD, err=True)
        raise typer.Exit(UNDETERMINED) from None


def _command(name: str, module: str, function: str) -> Any:
    alone = typer.Typer(add_completion=False)
    add_verb(alone, name, module, function)
    command: Any = typer.main.get_command(alone)
    # A verb with verbs of its own stays one of a group, a plain one is all that there is.
    return command.commands[name] if alone.registered_groups else command


def add_verb(app: typer.Typer, name: str, module: str, function: str) -> None:
    """Add a verb; if its module cannot be loaded, the added verb prints the reason and exits with 75."""
    try:
        with ended_at_once():
            verb: Any = getattr(importlib.import_module(module), function)
    except Exception as problem:
        app.command(name, context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(
            _failing(name, f"{type(problem).__name__}: {problem}")
        )
    else:
        if isinstance(verb, typer.Typer):
            app.add_typer(verb, name=name)
        else:
            app.command(name)(verb)


def _failing(name: str, problem: str) -> Any:
    def failing(context: typer.Context) -> None:
        typer.echo(f"genstamp: the verb '{name}' cannot be loaded: {problem}", err=True)
        raise typer.Exit(FAILURE)

    failing.__doc__ = f"Cannot be loaded: {problem}"
    return failing
