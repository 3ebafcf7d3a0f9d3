"""A program compiled to machine code in this process."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm

from genstamp_model.explore.emit import Program

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()


@dataclass(frozen=True)
class Native:
    """Addresses of a program's functions; they are valid as long as this object lives.

    Attributes:
        seconds: what compiling took.
    """

    expand: int
    judge: int
    may_stop: int
    cover: int
    seconds: float
    engine: Any


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
    )


def machine_code(text: str) -> Any:
    """An engine that holds the functions of some LLVM IR; they can be called as long as it lives."""
    module = llvm.parse_assembly(text)
    module.verify()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=1
    )
    # The whole pipeline takes four times as long, and what comes out is no faster: the text is simple already.
    passes = llvm.create_new_module_pass_manager()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=1)))
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine
