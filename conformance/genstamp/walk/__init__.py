"""The walk: an implementation is led to each abstract transition of a small configuration, in lockstep with the model.

For any system with a `Driving`: what is explored, planned and held needs no word of the protocol.
"""

from genstamp.walk.conduct import Missing, Walk, configurations_of, graph_of, walk

__all__ = ["Missing", "Walk", "configurations_of", "graph_of", "walk"]
