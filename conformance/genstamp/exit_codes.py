"""With which code a command ends: those of TLC where it has them.

What is undetermined is no pass, and what a configuration does not have is not searched.
"""

from typing import Final

HOLDS: Final = 0
USAGE: Final = 2
UNDETERMINED: Final = 3
DEADLOCK: Final = 11
VIOLATED: Final = 12
"""Safety is violated, something is rejected, missing, different or not current."""
UNFINISHED: Final = 13
"""Liveness is violated, or a run is left unfinished."""
FAILURE: Final = 75
"""A step went wrong while it was computed, or a judge could not do its work."""
SPECIFICATION: Final = 150
CONFIGURATION: Final = 151
