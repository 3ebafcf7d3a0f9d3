"""A run that does not conform, saved, and the commands that repeat it."""

import shlex
from collections.abc import Sequence
from pathlib import Path


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
