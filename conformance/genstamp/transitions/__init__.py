"""Abstract transitions: how much of what a system can do has been done."""

from genstamp.transitions.abstract import Abstraction, Transition
from genstamp.transitions.graph import Graph, explored
from genstamp.transitions.reached import Reached

__all__ = ["Abstraction", "Graph", "Reached", "Transition", "explored"]
