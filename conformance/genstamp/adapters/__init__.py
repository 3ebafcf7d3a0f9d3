"""Adapters: how an implementation is reached, in this process or as a child over JSON lines."""

from genstamp.adapters.adapter import VERSION, Adapter, Cluster, Done, NotPossible, Outcome, Started
from genstamp.adapters.child import ChildAdapter
from genstamp.adapters.reference import REFERENCE_SYSTEMS, ReferenceAdapter

__all__ = [
    "VERSION",
    "Adapter",
    "Cluster",
    "Started",
    "Outcome",
    "Done",
    "NotPossible",
    "ChildAdapter",
    "ReferenceAdapter",
    "REFERENCE_SYSTEMS",
]
