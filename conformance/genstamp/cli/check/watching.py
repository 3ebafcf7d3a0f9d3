"""`genstamp check FILE.py --watch`: checks again whenever the file, or a module beside it, changes.

Each check is a process of its own, which loads all modules anew; what was compiled before is taken from the disk.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import typer

from genstamp.report import Verdict
from genstamp_model.interrupt import interrupts

_CLEAR: Final = "\033[2J\033[H"
_EVERY_S: Final = 0.2


def watched(system: str) -> Path:
    """The file that a system is named by.

    Raises:
        BadParameter: it is not named by a file.
    """
    file = system.partition(":")[0]
    if not file.endswith(".py"):
        raise typer.BadParameter(
            f"it watches a file; write FILE.py or FILE.py:NAME, not '{system}'", param_hint="--watch"
        )
    return Path(file)


def watch(file: Path, check: Callable[[], int], wait: Callable[[Callable[[], bool]], None]) -> int:
    """Check until the keyboard interrupts; gives the exit code of the last check.

    Args:
        check: makes one check, and gives its exit code.
        wait: returns as soon as what it is given says that there is a change.
    """
    while True:
        # Before the check: a change while it runs is one, too.
        before = _times(file)
        if sys.stdout.isatty():
            typer.echo(_CLEAR, nl=False)
        # Ctrl-C goes to both processes; the check says what it has found so far.
        with interrupts() as interrupted:
            code = check()
        if interrupted:
            return code
        typer.echo(f"{_word(code)}; checks again when a module in {file.parent} changes, Ctrl-C ends it", err=True)
        try:
            wait(partial(_is_changed, file, before))
        except KeyboardInterrupt:
            return code


def check() -> int:
    """Run this command without `--watch`."""
    options = [one for one in sys.argv[1:] if one != "--watch"]
    # Without -P, a file beside the user's could take the place of one of Python's modules.
    return subprocess.call([sys.executable, "-P", "-m", "genstamp", *options])


def poll(is_changed: Callable[[], bool]) -> None:
    """Wait for a change."""
    while not is_changed():
        time.sleep(_EVERY_S)


def _word(code: int) -> str:
    return next((verdict.word for verdict in Verdict if verdict.exit_code == code), "not checked")


def _times(file: Path) -> Sequence[tuple[Path, int]]:
    """When each module in a file's directory was changed last."""
    found = []
    for module in sorted(file.parent.glob("*.py")):
        try:
            found.append((module, module.stat().st_mtime_ns))
        except FileNotFoundError:  # An editor is about to replace it.
            continue
    return found


def _is_changed(file: Path, before: Sequence[tuple[Path, int]]) -> bool:
    return _times(file) != before
