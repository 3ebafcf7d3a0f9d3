"""Faults that each leave out one thing that keeps GFS safe."""
