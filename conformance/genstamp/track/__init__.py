"""Tracking: checks events of a run against a model; keeps the set of model states that fit them."""

from genstamp.track.fit import Fit
from genstamp.track.known import Offer
from genstamp.track.names import Names
from genstamp.track.reason import Miss
from genstamp.track.tracker import Answer, Conforms, Rejected, Timer, Tracker, Undetermined, describe

__all__ = [
    "Tracker",
    "Timer",
    "Answer",
    "Conforms",
    "Rejected",
    "Undetermined",
    "Miss",
    "Fit",
    "Offer",
    "Names",
    "describe",
]
