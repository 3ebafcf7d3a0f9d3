"""Ctrl-C ends every verb within a second; it prints its findings so far and exits with the code of undetermined.

Where genstamp is started with interrupts ignored, as by `nohup` or in the background of a script, it ignores them too.
"""

from __future__ import annotations

import _thread
import atexit
import contextlib
import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from genstamp import exit_codes
from genstamp.cli import TOLD, end_at_once
from genstamp.cli.output import UnwrittenError
from genstamp_model.interrupt import ever_taken, has_left_work, put_off, take, taken

if TYPE_CHECKING:
    from genstamp.report import Case
    from genstamp_model.language import Instance

T = TypeVar("T")

# While an author's code runs, the name in `os` raises an exception.
_end_at_once: Final = os._exit
_PATIENCE_S: Final = 0.7
"""How long compiled code may keep the main thread from taking an interrupt."""
_TRIES: Final = 14
_SOME: Final = 64


def end_within_a_second() -> None:
    """Take interrupts; one that the main thread does not take in time, as it is within compiled code, ends the process.

    Only where Python's own handler is in place: another one was chosen on purpose.
    """
    if signal.getsignal(signal.SIGINT) not in (signal.default_int_handler, end_at_once):
        return
    signal.signal(signal.SIGINT, take)
    came, arrives = os.pipe()
    # The number of each signal is written there by C, whatever Python is doing.
    os.set_blocking(arrives, False)
    signal.set_wakeup_fd(arrives, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(came,), name="interrupts", daemon=True).start()


@contextlib.contextmanager
def ended_at_once() -> Iterator[None]:
    """While modules load, an interrupt ends the process at once, if it is one that `end_within_a_second` takes.

    Another thread than the main one cannot change what an interrupt does, and leaves it as it is.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not take:
        yield
        return
    signal.signal(signal.SIGINT, end_at_once)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, take)


def leave(code: object) -> None:
    """End: what an author's module prints later goes to standard error, behind a whole document on standard output.

    After an interrupt, end the child processes, and this one at once if a thread of it is still at work.
    """
    # The last one registered runs first.
    atexit.register(_close_output)
    if ever_taken.is_set():
        _end_children()
    if has_left_work():
        sys.stdout.flush()
        sys.stderr.flush()
        _end_at_once(code if isinstance(code, int) else exit_codes.FAILURE)


def _close_output() -> None:
    # It is None where the process was started without it.
    with contextlib.suppress(OSError, UnwrittenError):
        if sys.stdout is not None:
            sys.stdout.flush()
    sys.stdout = sys.stderr


def _watch(came: int) -> None:
    while True:
        if signal.SIGINT in os.read(came, _SOME) and not _is_taken():
            os.write(2, f"{TOLD}\n".encode())
            _end_children()
            _end_at_once(exit_codes.UNDETERMINED)
        # What was sent once more has been written there, too.
        while select.select([came], [], [], 0)[0]:
            os.read(came, _SOME)
        taken.clear()


def _end_children() -> None:
    """Ask all processes to end that this one has started, where the system names them."""
    for children in Path("/proc/self/task").glob("*/children"):
        for child in children.read_text().split():
            with contextlib.suppress(OSError):
                os.kill(int(child), signal.SIGTERM)


def _is_taken() -> bool:
    """Whether the main thread takes an interrupt in time; until then, Z3 is asked to give up, and it is sent again."""
    for _ in range(_TRIES):
        # Looked up, not imported: a solver that is not loaded, or still loads, is not running.
        main_context = getattr(sys.modules.get("z3"), "main_ctx", None)
        if main_context is not None:
            main_context().interrupt()
        if taken.wait(_PATIENCE_S / _TRIES):
            return True
        if put_off.is_set():
            put_off.clear()
            _thread.interrupt_main()
    return False


@dataclass(frozen=True)
class Left:
    """An instance that an interrupt left open.

    Attributes:
        verb: that was to judge it.
    """

    verb: str
    instance: Instance

    def told(self) -> str:
        """The instance in a line."""
        model = self.instance.model
        return f"{model.system}:{self.instance.configuration.name} ({model.semantics}): undetermined: interrupted"

    def plain(self) -> dict[str, Any]:
        """The instance as JSON: the keys that every verb's results have."""
        model = self.instance.model
        return {
            "system": model.system,
            "configuration": self.instance.configuration.name,
            "semantics": model.semantics,
            "bugs": list(model.bugs),
            "verdict": "undetermined",
            "exit_code": exit_codes.UNDETERMINED,
            "undetermined": "interrupted",
        }

    def case(self) -> Case:
        """The instance as a test case."""
        # Here, so that verbs that know no system need not wait for the modelling language.
        from genstamp.report import Case
        from genstamp.report.of_model import group_of, search_rule

        model, name = self.instance.model, self.instance.configuration.name
        rule = search_rule(model)
        return Case(group_of(self.verb, model), name, 0.0, "undetermined", "interrupted", "interrupted", rule=rule)


def each(
    verb: str, instances: Sequence[Instance], do: Callable[[Instance], T], is_interrupted: Callable[[T], bool]
) -> tuple[list[T], list[Left]]:
    """Run a verb on each instance in turn; gives the results, and the instances that an interrupt left open.

    Args:
        do: judges one, and says itself if it was interrupted, or raises `KeyboardInterrupt`.
    """
    found: list[T] = []
    for number, instance in enumerate(instances):
        try:
            found.append(do(instance))
        except KeyboardInterrupt:
            return found, [Left(verb, one) for one in instances[number:]]
        if is_interrupted(found[-1]):
            return found, [Left(verb, one) for one in instances[number + 1 :]]
    return found, []
