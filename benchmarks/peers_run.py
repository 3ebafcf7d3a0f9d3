"""Other checkers on the same subjects: each gives a line of the table, or says why there is none."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks.line import Line
from benchmarks.peers.two_phase_minicheck import two_phase

from genstamp.agree.spin import SPIN_OPTIONS, compiler
from genstamp.agree.tlc import Tlc, ran
from genstamp_model.export.promela import promela_model
from genstamp_model.export.tla import RANGES, tla, together
from genstamp_model.language import Instance

HERE = Path(__file__).parent
ANCHORS = HERE.parent / "tests" / "model" / "anchors"
_MEMORY_MB = 12_000


def spin(name: str, instance: Instance, states: int, limit_s: float) -> Line | str:
    """Spin's exhaustive search of the export, one core, with gcc's -O3; its hash table has room for the states."""
    text, bits = promela_model(instance), max(20, states.bit_length())
    return _spin(name, "Spin, exhaustive, 1 core", text, ["-DNOREDUCE"], bits, limit_s, comparable=True)


def spin_reduced(managers: int, limit_s: float) -> Line | str:
    """Spin with its partial-order reduction on two-phase commit written by hand: seconds to the verdict."""
    text = (HERE / "peers" / "two_phase.pml").read_text().replace("#define N 9", f"#define N {managers}")
    return _spin(
        f"two_phase by hand, {managers}", "Spin, partial-order reduction", text, [], 24, limit_s, comparable=False
    )


def _spin(
    name: str, who: str, text: str, options: list[str], table_bits: int, limit_s: float, comparable: bool
) -> Line | str:
    program, cc = shutil.which("spin"), compiler()
    if program is None or cc is None:
        return f"{name:<30}{who}: absent ({'no spin' if program is None else 'no C compiler'} on the PATH)"
    with tempfile.TemporaryDirectory() as scratch:
        Path(scratch, "model.pml").write_text(text)
        started = time.perf_counter()
        subprocess.run([program, *SPIN_OPTIONS, "-a", "model.pml"], cwd=scratch, check=True, capture_output=True)
        flags = ["-O3", "-w", "-DSAFETY", *options, f"-DMEMLIM={_MEMORY_MB}", "-DVECTORSZ=8192", "-o", "pan", "pan.c"]
        subprocess.run([cc, *flags], cwd=scratch, check=True, capture_output=True)
        prepared = time.perf_counter() - started
        started = time.perf_counter()
        try:
            output = subprocess.run(
                ["./pan", "-m10000000", f"-w{table_bits}", "-E"],
                cwd=scratch,
                check=True,
                capture_output=True,
                text=True,
                timeout=limit_s,
            ).stdout
        except subprocess.TimeoutExpired:
            return f"{name:<30}{who}: undetermined, {limit_s:g} seconds were not enough"
        seconds = time.perf_counter() - started
    if (
        "errors: 0" not in output
        or "max search depth too small" in output
        or "memory" in output.split("State-vector")[0]
    ):
        return f"{name:<30}{who}: undetermined, the search did not end: {output.splitlines()[0] if output else ''}"
    states, generated = _number(r"(\S+) states, stored", output), _number(r"(\S+) transitions", output)
    size = float(_found(r"([\d.]+)\s+total actual memory usage", output)) * 2**20 / states
    return Line(name, who, states, generated, seconds, size, prepared, comparable)


def tlc(name: str, instance: Instance, limit_s: float) -> Line | str:
    """TLC with two workers on the export, judging every invariant and transition property."""
    module = tla(instance)
    judged = [claim.name for claim in instance.model.properties if claim.kind in ("invariant", "transition")]
    config = module.config(together([module.claims[one] for one in (RANGES, *judged)]))
    return _tlc(name, "TLC, 2 workers, export", module.name, module.text, config, limit_s)


def tlc_by_hand(name: str, managers: int, limit_s: float) -> Line | str:
    """TLC with two workers on two-phase commit in its published form."""
    members = ", ".join(f"r{i}" for i in range(managers))
    config = f"CONSTANT RM = {{{members}}}\nINIT Init\nNEXT Next\nINVARIANT Consistent\n"
    text = (ANCHORS / "TwoPhase.tla").read_text()
    return _tlc(name, "TLC, 2 workers, published form", "TwoPhase", text, config, limit_s)


def _tlc(name: str, who: str, module: str, text: str, config: str, limit_s: float) -> Line | str:
    if Tlc().version() is None:
        return f"{name:<30}{who}: absent"
    with tempfile.TemporaryDirectory() as scratch:
        Path(scratch, f"{module}.tla").write_text(text)
        started = time.perf_counter()
        output = ran(module, config, Path(scratch), limit_s, heap="10g", workers=2)
        seconds = time.perf_counter() - started
    if output is None:
        return f"{name:<30}{who}: undetermined, {limit_s:g} seconds were not enough"
    if not output.is_done or output.distinct is None:
        return f"{name:<30}{who}: failed: {output.told[-300:]}"
    return Line(name, who, output.distinct, output.generated, seconds, None, None)


def minicheck(name: str, managers: int) -> Line | str:
    """minicheck, a checker in plain Python, on two-phase commit written by hand for it."""
    if importlib.util.find_spec("minicheck") is None:
        return f"{name:<30}minicheck: absent"
    from minicheck import Protocol, check_safety

    initial, successors, consistent = two_phase(managers)
    fields = ("managers", "decided", "told_prepared", "sent_prepared", "sent")
    steps = 0

    def counted(state: object) -> object:
        nonlocal steps
        found = successors(state)
        steps += len(found)
        return found

    model = Protocol(
        name="two_phase",
        candidate=False,
        fields=fields,
        initial=initial,
        transitions=counted,
        invariants={"consistent": consistent},
    )
    started = time.perf_counter()
    answer = check_safety(model, max_states=10_000_000)
    seconds = time.perf_counter() - started
    assert answer["properties"]["consistent"]["holds"] is True, answer
    return Line(name, "minicheck, plain Python", int(answer["reachable_states"]), steps + 1, seconds, None, None)


def _number(pattern: str, text: str) -> int:
    return int(float(_found(pattern, text)))


def _found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    assert match, f"spin printed nothing like {pattern!r}:\n{text}"
    return match[1]
