"""The author's code: which line of it is running, and what becomes of an exception in it.

Every exception in the code of a specification becomes one sentence with the line of that code.
"""

from __future__ import annotations

import contextlib
import difflib
import inspect
import io
import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from functools import cache
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Final, NoReturn, TextIO

from genstamp_model.errors import ModelError, Source, SpecError

_LANGUAGE: Final = __name__.rpartition(".")[0]
_LIBRARIES: Final = tuple(
    str(Path(path).resolve()) + "/"
    for path in {sysconfig.get_paths()[kind] for kind in ("stdlib", "purelib", "platlib")}
)
_TOOLS: Final = ("genstamp.", "genstamp_model.")
_SPECIFICATIONS: Final = "genstamp_spec."


def is_author(frame: FrameType) -> bool:
    """Whether a frame runs an author's code: neither that of our tools nor that of a library."""
    return is_authors(str(frame.f_globals.get("__name__", "")), frame.f_code.co_filename)


@cache
def is_authors(module: str, file: str) -> bool:
    """Whether code is an author's, by the name of its module and its file."""
    if module.startswith(_TOOLS) or not file or file.startswith("<frozen "):
        return False
    return module.startswith(_SPECIFICATIONS) or not file.startswith(_LIBRARIES)


def is_authors_class(class_: type) -> bool:
    """Whether a class is an author's; one of a module that is not known by its name is."""
    module = sys.modules.get(class_.__module__)
    file = "<unknown>" if module is None else getattr(module, "__file__", None) or ""
    return is_authors(class_.__module__, file)


def is_specification(code: object) -> bool:
    """Whether a function, or a frame of one, is of the specifications that come with the language."""
    names = code.f_globals if isinstance(code, FrameType) else getattr(code, "__globals__", {})
    return str(names.get("__name__", "")).startswith(_SPECIFICATIONS)


def caller() -> Source:
    """The innermost line of an author's; where there is none, the innermost outside the language."""
    frame = outside = sys._getframe(1)
    while frame.f_back is not None and not (is_author(frame) and has_file(frame)):
        frame = frame.f_back
    while outside.f_back is not None and str(outside.f_globals.get("__name__", "")).startswith(_LANGUAGE):
        outside = outside.f_back
    found = frame if is_author(frame) else outside
    return Source(found.f_code.co_filename, found.f_lineno)


def has_file(frame: FrameType) -> bool:
    """Whether a frame runs the code of a file, and not a text that is evaluated, as an annotation is."""
    return frame.f_code.co_filename != "<string>"


def is_called_by_author() -> bool:
    """Whether the function that asks was called by an author's code, or by a library on its behalf."""
    return not str(sys._getframe(2).f_globals.get("__name__", "")).startswith(_LANGUAGE)


@contextmanager
def authored(source: Source | None = None) -> Iterator[None]:
    """Run an author's code: an error in it is one sentence, and its output goes to standard error.

    It may go to another directory, and change where modules are looked for; afterwards that is as before, but that
    what it has added there stays, behind the rest.

    Args:
        source: the line to name where no line of the author's is at fault.

    Raises:
        SpecError: the code raised an exception, or tried to end the process.
    """
    aside = _Aside(sys.stderr)
    try:
        # Standard output is for the verdict, which a program may read.
        with redirect_stdout(aside), _output_aside(), _places_kept(), _exiting_by_exception():
            yield
    except ModelError as problem:
        aside.end_line()
        if isinstance(problem, SpecError) and problem.source is None:
            raise SpecError(str(problem), _innermost(problem.__traceback__)[1] or source) from problem
        raise
    except SyntaxError as problem:
        raise SpecError(_one_line(problem.msg), _place(problem) or source) from problem
    except KeyboardInterrupt:
        raise
    except BaseException as problem:
        aside.end_line()
        frame, place = _innermost(problem.__traceback__)
        raise SpecError(_sentence(problem, frame), place or source) from problem


@contextmanager
def _exiting_by_exception() -> Iterator[None]:
    """Let os._exit() raise what sys.exit() does: it would end the process with a code that is no verdict."""

    def leave(status: int) -> NoReturn:
        raise SystemExit(status)

    ending = os._exit
    os._exit = leave
    try:
        yield
    finally:
        os._exit = ending


@contextmanager
def _output_aside() -> Iterator[None]:
    """What is written past `sys.stdout`, as by a program that is started, goes to standard error too."""
    try:
        kept = os.dup(1)
    except OSError:
        yield
        return
    try:
        _end_output()
        os.dup2(2, 1)
        yield
    finally:
        _end_output()
        os.dup2(kept, 1)
        os.close(kept)


def _end_output() -> None:
    """Write what standard output has kept back."""
    with contextlib.suppress(OSError, ValueError):
        if sys.__stdout__ is not None:
            sys.__stdout__.flush()


@contextmanager
def _places_kept() -> Iterator[None]:
    """The current directory and the directories of modules are those from before."""
    here, directories = Path.cwd(), list(sys.path)
    try:
        yield
    finally:
        os.chdir(here)
        added: Any = sys.path
        sys.path = [*directories, *(one for one in added if one not in directories)]


class _Aside(io.TextIOBase):
    """Standard error in place of standard output; an error message begins on a line of its own."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_amid = False

    def write(self, text: str) -> int:
        """Write it there."""
        self._is_amid = not text.endswith("\n") if text else self._is_amid
        return self._stream.write(text)

    def flush(self) -> None:
        """Flush what was written."""
        self._stream.flush()

    def end_line(self) -> None:
        """End a line that was begun."""
        if self._is_amid:
            self.write("\n")


def _place(problem: SyntaxError) -> Source | None:
    return Source(problem.filename, problem.lineno or 1) if problem.filename else None


def _innermost(traceback: TracebackType | None) -> tuple[FrameType | None, Source | None]:
    """The author's frame in which an exception was raised, and the innermost line of a file of the author's."""
    frame: FrameType | None = None
    place: Source | None = None
    while traceback is not None:
        if is_author(traceback.tb_frame):
            frame = traceback.tb_frame
            place = Source(frame.f_code.co_filename, traceback.tb_lineno) if has_file(frame) else place
        traceback = traceback.tb_next
    return frame, place


def _sentence(problem: BaseException, frame: FrameType | None) -> str:
    try:
        text = _one_line(str(problem))
    except Exception:
        text = "its text cannot be made"
    match problem:
        case NameError(name=str(name)):
            return f"'{name}' is not defined{similar(name, _names(frame))}"
        case ModuleNotFoundError():
            return f"{text}; install it, or put it beside the specification"
        case AttributeError(name=str(name), obj=obj) if obj is not None:
            return f"{text}{similar(name, dir(type(obj)) if not isinstance(obj, type) else dir(obj))}"
        case SystemExit():
            return "the specification ends the process; leave out sys.exit(), exit() and os._exit()"
        case RecursionError():
            return "a function calls itself without an end; write forall, exists, count or .update(lambda i: ...)"
        case KeyError():
            return f"there is no key {text}"
        case TypeError():
            return f"{text}{_signature(text)}"
        case AssertionError():
            return f"an assertion fails{f': {text}' if text else ''}"
        case _:
            return f"{type(problem).__name__}{f': {text}' if text else ''}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _names(frame: FrameType | None) -> list[str]:
    return [] if frame is None else [*frame.f_locals, *frame.f_globals]


def similar(name: str, known: Iterable[str]) -> str:
    """A hint at the name that was probably meant, to follow a sentence; empty if none is similar."""
    close = difflib.get_close_matches(name, [one for one in known if not one.startswith("__")], n=1)
    return f"; did you mean '{close[0]}'?" if close else ""


def suggested(name: str, known: Iterable[str]) -> str:
    """The names that exist, for an error about one that does not, and the one that was probably meant."""
    names = list(known)
    return f"there are {', '.join(names) or 'none'}{similar(name, names)}"


def _signature(text: str) -> str:
    """How a form of the language is called, where a call of it went wrong."""
    whole, found, _ = text.partition("()")
    name, _, method = whole.removesuffix(".__init__").partition(".")
    words: Any = sys.modules.get(_LANGUAGE)
    form = getattr(words, name, None) if found and name in getattr(words, "__all__", ()) else None
    form = getattr(form, method, None) if method else form
    if form is None:
        return ""
    parameters = [one for one in inspect.signature(form).parameters.values() if one.name != "self"]
    return f"; write {f'.{method}' if method else name}({', '.join(map(_shown, parameters))})"


def _shown(parameter: inspect.Parameter) -> str:
    required = parameter.default is inspect.Parameter.empty
    return parameter.name if required else f"[{parameter.name}]"
