"""Spin as a peer: it searches the Promela export exhaustively, depth first, on one core.

Exact: every state is kept whole (no bit-state hashing, no hash compaction), and nothing is reduced. Not here: leads-to
properties, which the export has not, and refinements of large systems, for which Spin's inlines have no room.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from genstamp.agree.peer import RANGES, STOPS, Found, Verdict
from genstamp_model.export.promela import left_out, promela_model
from genstamp_model.language.model import Instance

# Without -o2 Spin leaves variables that nothing reads out of its states.
SPIN_OPTIONS: Final = ("-o2",)
# Room on the search's stack: a first try, and then the most that is tried (46 bytes each).
_DEPTHS: Final = (1_000_000, 20_000_000)
_TOO_DEEP: Final = "max search depth too small"
# The verifier's largest state, in bytes; its own default is 1024.
_LARGEST_STATE: Final = 8192


@dataclass(frozen=True)
class Spin:
    """Spin, with the C compiler that its verifiers need.

    Attributes:
        memory_mb: what a search may take, in MiB; above it the search is given up.
        optimise: option of the C compiler. Most verifiers take longer to compile than to run.
    """

    memory_mb: int = 8000
    optimise: str = "-O0"

    @property
    def name(self) -> str:
        """As in `--peer NAME`."""
        return "spin"

    def version(self) -> str | None:
        """Name and version; None where spin or a C compiler is not on the PATH."""
        program = shutil.which("spin")
        if program is None or compiler() is None:
            return None
        told = subprocess.run([program, "-V"], capture_output=True, text=True, check=False).stdout
        found = re.search(r"Spin Version (\S+)", told)
        return f"Spin {found[1]}" if found else "Spin"

    def text(self, instance: Instance) -> str:
        """See `Peer`."""
        return promela_model(instance)

    def run(self, instance: Instance, directory: Path, limit_s: float) -> Found:
        """Search all that an instance can reach within its limits; see `Peer`."""
        (directory / "model.pml").write_text(self.text(instance))
        return self.run_text(instance, directory, limit_s)

    def run_text(self, instance: Instance, directory: Path, limit_s: float) -> Found:
        """Search `model.pml` in a directory, and read the answer as one about an instance."""
        started = time.monotonic()
        deadline = started + limit_s
        try:
            first = _search(self, directory, "TELL", ["-E"], deadline)
            stops = None
            if instance.model.may_stop is not None and not first.undetermined:
                stops = _search(self, directory, "DEADLOCK", [], deadline)
        except subprocess.TimeoutExpired:
            first, stops = _Output("", f"{limit_s:g} seconds were not enough"), None
        # The state in which an initial one is chosen is none of the model's.
        chooses = int(instance.model.chooses)
        return Found(
            distinct=None if first.undetermined else first.number(r"(\S+) states, stored") - chooses,
            depth=None,
            generated=None if first.undetermined else first.number(r"(\S+) transitions \(="),
            verdicts=_verdicts(instance, first, stops),
            seconds=time.monotonic() - started,
            undetermined=first.undetermined,
            notes=tuple(f"{action} takes a number out of its range" for action in sorted(first.told("error"))),
        )


@dataclass(frozen=True)
class _Output:
    """The output of a verifier, and the reason why its search did not finish."""

    text: str
    undetermined: str

    def told(self, what: str) -> set[str]:
        """Names in the verifier's output."""
        return set(re.findall(rf"^{what}: (.+)$", self.text, re.MULTILINE))

    def number(self, pattern: str) -> int:
        """A number that the verifier printed, be it as 1.5e+06."""
        found = re.search(pattern, self.text)
        assert found, f"spin printed nothing like {pattern!r}:\n{self.text}"
        return int(float(found[1]))


def compiler() -> str | None:
    """The C compiler on the PATH, if there is one."""
    return shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


def _search(spin: Spin, directory: Path, mode: str, options: list[str], deadline: float) -> _Output:
    """Make a verifier of the model in one of its modes, and run it, with a larger stack where that was too small.

    Raises:
        subprocess.TimeoutExpired: the deadline has passed.
    """

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        left = max(0.1, deadline - time.monotonic())
        return subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False, timeout=left)

    program, cc = shutil.which("spin"), compiler()
    assert program is not None and cc is not None, "spin is asked for a version first"
    made = run(program, f"-D{mode}", *SPIN_OPTIONS, "-a", "model.pml")
    if made.returncode or "Error:" in made.stdout:
        return _Output("", f"spin refuses the model: {_last(made.stdout + made.stderr)}")
    limits = [f"-DMEMLIM={spin.memory_mb}", f"-DVECTORSZ={_LARGEST_STATE}"]
    built = run(cc, spin.optimise, "-w", "-DSAFETY", "-DNOREDUCE", "-DPRINTF", *limits, "-o", "pan", "pan.c")
    if built.returncode:
        return _Output("", f"the C compiler refuses spin's verifier: {_last(built.stderr)}")
    told = run("./pan", f"-m{_DEPTHS[0]}", *options)
    if _TOO_DEEP in told.stdout:
        told = run("./pan", f"-m{_DEPTHS[1]}", *options)
    if _TOO_DEEP in told.stdout:
        return _Output(told.stdout, f"paths are longer than {_DEPTHS[1]} steps")
    return _Output(told.stdout, _unfinished(told, mode))


def _unfinished(told: subprocess.CompletedProcess[str], mode: str) -> str:
    """Why a search did not finish; empty where it did."""
    text = told.stdout + told.stderr
    if "MEMLIM" in text or "out of memory" in text:
        return "the memory that spin was given is used up"
    if mode == "DEADLOCK" and "invalid end state" in text.split("(Spin Version")[0]:
        return ""
    if told.returncode or "errors: 0" not in text or "Search not completed" in text:
        return f"spin's verifier ended early: {_last(text)}"
    return ""


def _last(text: str) -> str:
    """The line that says most about a failure: the last error, or else the last one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if "rror:" in line]
    return (errors or lines or ["it says nothing"])[-1]


def _verdicts(instance: Instance, first: _Output, stops: _Output | None) -> dict[str, Verdict]:
    """The result of each property; a result that was printed early is valid even if the search did not finish."""
    unknown = Verdict.UNDETERMINED if first.undetermined else None
    violated, seen = first.told("violated"), first.told("seen")
    found = {RANGES: Verdict.VIOLATED if first.told("error") else unknown or Verdict.HOLDS}
    if instance.model.may_stop is not None:
        if stops is None or stops.undetermined:
            found[STOPS] = Verdict.UNDETERMINED
        else:
            # The verifier names what it looks for as well, below its version: what it found stands above.
            dead = "invalid end state" in stops.text.split("(Spin Version")[0]
            found[STOPS] = Verdict.VIOLATED if dead else Verdict.HOLDS
    for claim in instance.model.properties:
        match claim.kind:
            case "witness":
                found[claim.name] = Verdict.SEEN if claim.name in seen else unknown or Verdict.NOT_SEEN
            case "invariant" | "transition" if claim.name not in left_out(instance.model):
                found[claim.name] = Verdict.VIOLATED if claim.name in violated else unknown or Verdict.HOLDS
    return found
