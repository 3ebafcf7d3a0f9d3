"""The compiled judge: breadth-first search over every reachable state of one instance.

`search.explore` is its face. An `Expansion` gives scalars (`scalar`), which are packed (`layout`), written as LLVM IR
(`text`, `emit`), compiled (`native`) and run under a driver that knows no model: `driver`, which keeps every state, or
`fingerprint_driver`, which keeps a hash of each. One state may stand for many: by `symmetry` of index sets, by
`renumber`ing ordered numbers. Not here: liveness (`liveness`).
"""

from genstamp_model.explore.fingerprint import Fingerprints
from genstamp_model.explore.result import INTERRUPTED, Critical, Progress, Refusal, Result, Verdict
from genstamp_model.explore.search import Compiled, Search, explore
from genstamp_model.explore.violation import Violation

__all__ = [
    "INTERRUPTED",
    "Compiled",
    "Critical",
    "Fingerprints",
    "Progress",
    "Refusal",
    "Result",
    "Search",
    "Verdict",
    "Violation",
    "explore",
]
