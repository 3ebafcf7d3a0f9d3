"""Machine functions: a small part of Python over 64-bit words and memory, compiled to machine code by LLVM.

Code that must run at the machine's speed and does not depend on a model is written as Python functions with
`@function`; they never run as Python. `build` translates them (`translate`) and compiles them, where `object_cache`
does not have their code. The compiled code runs without the interpreter's lock.

The part of Python: parameters are a `Word` (an integer of 64 bits that wraps around), `Words` or `Halves` (memory, as
words or as unsigned numbers of 32 bits). There are assignments to names and elements, `if`, `while`, `for` over
`range`, `break`, `continue`, `return`; `+ - * & | ^ << >> ~`, comparisons, `and`, `or`, `not`, a choice by `if else`;
and calls of other machine functions. `>>` fills up with zeros; comparisons are signed; `memory + n` is the memory from
element n on. Integers of the module are constants, and a build may replace them, so that code knows a state's width.
Instructions that Python lacks are written in LLVM's own text with `@assembly`.
"""

from __future__ import annotations

import ctypes
import inspect
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Any, Generic, ParamSpec, TypeVar

import llvmlite
import llvmlite.binding as llvm
from numpy.typing import NDArray

from genstamp_model.explore import translate
from genstamp_model.explore.object_cache import cached

P = ParamSpec("P")
R = TypeVar("R")

Word = int

# LLVM's own selection takes ten times as long, and what comes out is no faster. A model's text is simple already:
# combining its instructions takes as long as all the rest, and saves a twentieth of them at most.
_FEW_PASSES = ("simplify_cfg",)
_PASSES = (
    "always_inliner",
    "sroa",
    "instruction_combine",
    "simplify_cfg",
    "loop_rotate",
    "loop_unroll",
    "sroa",
    "instruction_combine",
    "simplify_cfg",
)


class Words:
    """Memory as words of 64 bits."""

    def __getitem__(self, position: int) -> int:
        raise NotImplementedError

    def __setitem__(self, position: int, value: int) -> None:
        raise NotImplementedError

    def __add__(self, elements: int) -> Words:
        raise NotImplementedError


class Halves:
    """Memory as unsigned numbers of 32 bits."""

    def __getitem__(self, position: int) -> int:
        raise NotImplementedError

    def __setitem__(self, position: int, value: int) -> None:
        raise NotImplementedError

    def __add__(self, elements: int) -> Halves:
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Function(Generic[P, R]):
    """A machine function; other machine functions call it; Python calls the result of `build`.

    Attributes:
        body: in LLVM's text, for a function that is not written in Python.
        declares: what the body needs declared.
        inlined: whether it becomes part of those that call it.
    """

    python: Callable[P, R]
    body: str = ""
    declares: str = ""
    inlined: bool = False

    @property
    def name(self) -> str:
        """Its name, here and in the compiled module."""
        return self.python.__name__

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        raise AssertionError(f"{self.name} is a machine function, which runs once it is built: {args}, {kwargs}")


def function(python: Callable[P, R]) -> Function[P, R]:
    """Make a machine function of a Python function."""
    return Function(python)


def inlined(python: Callable[P, R]) -> Function[P, R]:
    """Make a machine function that becomes part of those that call it."""
    return Function(python, inlined=True)


def assembly(body: str, declares: str = "") -> Callable[[Callable[P, R]], Function[P, R]]:
    """Make a machine function of LLVM's text, in which the parameters stand as `%name`."""

    def decorate(python: Callable[P, R]) -> Function[P, R]:
        return Function(python, body, declares, inlined=True)

    return decorate


def call(address: Word, *arguments: Word | Words | Halves) -> Word:
    """Within a machine function: what the function at an address gives."""
    raise AssertionError("only a machine function calls an address")


@dataclass(frozen=True)
class Library:
    """Machine functions ready to run; they can be called as long as this lives.

    Attributes:
        text: LLVM IR that they were compiled from.
        seconds: what translating and compiling took.
    """

    text: str
    seconds: float
    _engine: Any
    _calls: dict[str, Any] = field(default_factory=dict)

    def address(self, called: Function[..., Any]) -> int:
        """Where a function stands, for those who call it from machine code."""
        found: int = self._engine.get_function_address(called.name)
        assert found, f"{called.name} is not part of this build"
        return found

    def run(self, called: Function[..., Any], *arguments: int | NDArray[Any]) -> int:
        """Call a function: arrays are its memory. Other threads run meanwhile."""
        made = self._calls.get(called.name)
        if made is None:
            kinds = [ctypes.c_int64] * len(inspect.signature(called.python).parameters)
            made = self._calls[called.name] = ctypes.CFUNCTYPE(ctypes.c_int64, *kinds)(self.address(called))
        result: int = made(*(one if isinstance(one, int) else one.ctypes.data for one in arguments))
        return result

    def side_by_side(self, threads: int, called: Function[..., Any], *arguments: int | NDArray[Any]) -> int:
        """Call a function once on each of some threads, which it is told: their own number, and how many there are.

        They may wait for each other, so either all of them begin or none does; and the memory that they work on must
        not go before they have finished, so an exception that meets the caller meanwhile waits for them.

        Returns:
            The result of the function on thread 0.

        Raises:
            RuntimeError: the system gives no thread.
        """
        if threads == 1:
            return self.run(called, *arguments, 0, 1)
        given: dict[int, int] = {}
        begin, are_complete = Event(), list[bool]()

        def work(number: int) -> None:
            begin.wait()
            if are_complete:
                given[number] = self.run(called, *arguments, number, threads)

        workers = [Thread(target=work, args=(number,)) for number in range(threads)]
        try:
            for worker in workers:
                worker.start()
            are_complete.append(True)
        finally:
            begin.set()
        try:
            for worker in workers:
                worker.join()
        except BaseException:
            for worker in workers:
                worker.join()
            raise
        return given[0]


def build(*functions: Function[..., Any], constants: Mapping[str, int] | None = None) -> Library:
    """Translate and compile functions, with all that they call.

    Args:
        functions: those that are to be called from outside.
        constants: values of module integers other than those that the modules give.
    """
    started = time.perf_counter()
    text = translate.module(functions, dict(constants or {}))
    engine = compiled(text, speed=2)
    return Library(text, time.perf_counter() - started, engine)


def compiled(text: str, speed: int, *, keep: bool = True) -> Any:
    """LLVM's engine with a module of LLVM IR, compiled for the machine that this runs on.

    Args:
        speed: 2 for what functions of Python become; 1 where the text is simple already.
        keep: whether the text may be compiled again: then its code is kept in a file.
    """
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    processor, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    target = llvm.Target.from_default_triple().create_target_machine(cpu=processor, features=features, opt=speed)

    def code() -> bytes:
        return _object_code(text, speed, target)

    compiler = f"{llvmlite.__version__} {llvm.llvm_version_info} {target.triple} {processor} {features} {speed}"
    passes = " ".join(_passes(speed))
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target)
    engine.add_object_file(llvm.ObjectFileRef.from_data(cached(code, text, compiler, passes) if keep else code()))
    engine.finalize_object()
    return engine


def _passes(speed: int) -> tuple[str, ...]:
    return _PASSES if speed > 1 else _FEW_PASSES


def _object_code(text: str, speed: int, target: Any) -> bytes:
    module = llvm.parse_assembly(text)
    module.verify()
    passes = llvm.create_new_module_pass_manager()
    for name in _passes(speed):
        getattr(passes, f"add_{name}_pass")()
    passes.run(module, llvm.create_pass_builder(target, llvm.create_pipeline_tuning_options(speed_level=speed)))
    code: bytes = target.emit_object(module)
    return code
