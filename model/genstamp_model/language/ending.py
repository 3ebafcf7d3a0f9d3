"""The values of `System.may_stop` besides a condition: a run may end in any state, or in none."""

from __future__ import annotations

from typing import Any


def ANYWHERE(state: Any) -> bool:
    """As `System.may_stop`: a run may end in any state, and no state is a deadlock."""
    return True


def NOWHERE(state: Any) -> bool:
    """As `System.may_stop`: no run ends, and a state without a step is a deadlock, as for TLC by default."""
    return False
