"""Adds verbs to the command line; a verb is loaded on use, so that it does not wait for other verbs' libraries.

A layer that is broken takes only its own verbs with it.
"""

import ast
import importlib
import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import typer
from rich.markup import escape
from typer.core import TyperCommand, TyperGroup

from genstamp.cli import TOLD
from genstamp.cli.interrupting import ended_at_once
from genstamp.exit_codes import FAILURE, UNDETERMINED
from genstamp.extras import missing_extra


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
        """One verb for help and completion: not loaded, with the docstring of its source."""
        if cmd_name in self.verbs and cmd_name not in self.commands:
            return Outline(name=cmd_name, help=_docstring(*self.verbs[cmd_name]))
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The verb that a command line names, loaded now."""
        name = args[0]
        if name not in self.verbs:
            # A similar one of these is suggested.
            self.commands.update({verb: Outline(name=verb) for verb in self.verbs})
        elif name not in self.commands:
            self.add_command(_command(name, *self.verbs[name]), name)
        return super().resolve_command(ctx, args)


class Outline(TyperCommand):
    """A verb that is not loaded."""


def _docstring(module: str, function: str) -> str:
    """What a verb does, read from its source: to load the libraries of all verbs takes seconds."""
    spec = importlib.util.find_spec(module)
    assert spec is not None and spec.origin is not None, module
    tree = ast.parse(Path(spec.origin).read_bytes())
    # The verbs of a group are in an application, which has the docstring of its callback.
    name = function.removesuffix("_app")
    [verb] = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name)
    return ast.get_docstring(verb) or ""


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
    """Add a verb; if its module cannot be loaded, the added verb prints the reason and exits with 75.

    The reason may be an extra that is not installed.
    """
    try:
        with ended_at_once():
            verb: Any = getattr(importlib.import_module(module), function)
    except Exception as problem:
        missing = missing_extra(problem)
        reason = f"the verb '{name}' cannot be loaded: {type(problem).__name__}: {problem}"
        app.command(name, context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(
            _failing(str(missing or reason))
        )
    else:
        if isinstance(verb, typer.Typer):
            app.add_typer(verb, name=name)
        else:
            app.command(name)(verb)


def _failing(reason: str) -> Any:
    def failing() -> None:
        typer.echo(f"genstamp: {reason}", err=True)
        raise typer.Exit(FAILURE)

    failing.__doc__ = escape(f"{reason[0].upper()}{reason[1:]}")
    return failing
