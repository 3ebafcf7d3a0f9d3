"""Checks simulated runs of the reference implementation against the systems of the specification, step by step."""

from genstamp.lockstep.hold import Held, Holder, Rejection
from genstamp.lockstep.projection import Entity, LeftOut, Projection
from genstamp.lockstep.runs import Lockstep, Runs
from genstamp.lockstep.table import LOCKSTEPS, hold_seeds

__all__ = [
    "LOCKSTEPS",
    "Entity",
    "Held",
    "Holder",
    "LeftOut",
    "Lockstep",
    "Projection",
    "Rejection",
    "Runs",
    "hold_seeds",
]
