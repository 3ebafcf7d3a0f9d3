"""A run that does not conform or that ends the implementation: saved, with the commands that repeat it."""

import shlex
from collections.abc import Sequence
from pathlib import Path

import typer

from genstamp.errors import AdapterError


def options(**given: object) -> list[str]:
    """The command-line options that were given."""
    return [word for name, value in given.items() if value is not None for word in (f"--{name}", str(value))]


def saved(lines: Sequence[str], path: Path | None, seed: int, same: Sequence[str]) -> str:
    """Save a run, and say how to repeat it."""
    path = path or Path(f"genstamp-run-{seed}.jsonl")
    try:
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    except OSError as problem:
        return f"genstamp: {path}: the run cannot be saved there: {problem.strerror or problem}"
    return f"this run again: {shlex.join([*same, '--story', str(path)])}"


def broken_off(problem: AdapterError, path: Path | None, seed: int, same: Sequence[str] | None) -> None:
    """Print why an implementation could not be driven on and the run that led there, and save the run.

    Args:
        problem: what happened.
        path: where the run is saved; None for the default.
        seed: the seed of the test.
        same: the command that repeats a saved run, without --story; None if the run is a saved one.
    """
    for line in problem.story:
        typer.echo(line, err=True)
    typer.echo(f"genstamp: {problem}", err=True)
    if problem.run and same is not None:
        typer.echo(saved(problem.run, path, seed, same), err=True)
