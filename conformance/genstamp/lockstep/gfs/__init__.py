"""Simulated runs of GFS as its systems see them."""

from genstamp.lockstep.gfs.simulated import LOCKSTEPS, PROJECTIONS, plan_options, simulated

__all__ = ["LOCKSTEPS", "PROJECTIONS", "plan_options", "simulated"]
