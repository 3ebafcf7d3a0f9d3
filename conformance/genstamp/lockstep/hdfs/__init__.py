"""Simulated runs of HDFS as its systems see them."""

from genstamp.lockstep.hdfs.simulated import LOCKSTEPS, PROJECTIONS, simulated

__all__ = ["LOCKSTEPS", "PROJECTIONS", "simulated"]
