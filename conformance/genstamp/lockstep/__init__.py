"""Simulated runs of the reference implementation, held against the systems of the specification step by step."""

from genstamp.lockstep.hold import LOCKSTEPS, Held, Holder, Lockstep, Rejection, hold_seeds, simulated
from genstamp.lockstep.projection import Entity, LeftOut, Projection

__all__ = [
    "LOCKSTEPS",
    "Entity",
    "Held",
    "Holder",
    "LeftOut",
    "Lockstep",
    "Projection",
    "Rejection",
    "hold_seeds",
    "simulated",
]
