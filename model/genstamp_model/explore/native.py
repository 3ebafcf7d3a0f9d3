"""A program compiled to machine code in this process."""

from __future__ import annotations

import ctypes
import time
from dataclasses import dataclass
from typing import Any

from genstamp_model.explore.emit import Program
from genstamp_model.explore.machine import compiled
from genstamp_model.interrupt import beside

_POINTER = ctypes.c_void_p

# How Python calls the functions of a program, for those who ask about single states.
EXPAND = ctypes.CFUNCTYPE(ctypes.c_int64, _POINTER, _POINTER, _POINTER)
ON_STATE = ctypes.CFUNCTYPE(ctypes.c_int64, _POINTER)
COVER = ctypes.CFUNCTYPE(ctypes.c_int64, _POINTER, ctypes.c_int64, _POINTER)


@dataclass(frozen=True)
class Native:
    """Addresses of a program's functions; they are valid as long as this object lives.

    Attributes:
        seconds: what compiling took.
        canonical: 0 where states do not stand for others by symmetry.
    """

    expand: int
    judge: int
    may_stop: int
    cover: int
    seconds: float
    engine: Any
    canonical: int = 0


def compile_program(program: Program) -> Native:
    """Compile for the machine that this runs on."""
    started = time.perf_counter()
    engine = machine_code(program.text)
    address = engine.get_function_address
    return Native(
        expand=address("expand"),
        judge=address("judge"),
        may_stop=address("may_stop"),
        cover=address("cover"),
        seconds=time.perf_counter() - started,
        engine=engine,
        canonical=address("canonical") if program.symmetry else 0,
    )


def machine_code(text: str, *, keep: bool = True) -> Any:
    """An engine that holds the functions of some LLVM IR; they can be called as long as it lives.

    Args:
        keep: as of `machine.compiled`.
    """
    return beside(lambda: compiled(text, speed=1, keep=keep))
