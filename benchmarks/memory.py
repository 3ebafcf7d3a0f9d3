"""The most memory that this process has had, whatever the process had that started it.

What `getrusage` gives on Linux is no such figure: a process begins with the peak of the one that forked it.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path


def peak_bytes() -> int:
    """Most bytes of this process that have stood in memory at one time so far (`VmHWM` of proc(5) on Linux)."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = status.read_text(encoding="ascii", errors="replace").splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak
