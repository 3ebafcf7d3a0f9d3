"""The stateful test: an implementation is driven at random, by the model, and every event is checked against the
model.
"""

from genstamp.stateful.conformance import Report, again, conform, new_seed
from genstamp.stateful.driving import Driving
from genstamp.stateful.drivings import DRIVINGS, driving_of
from genstamp.stateful.figures import Answer, Figures, answer_text
from genstamp.stateful.request import Request, read_run, run_lines
from genstamp.stateful.story import Failure

__all__ = [
    "conform",
    "again",
    "new_seed",
    "Report",
    "Failure",
    "Figures",
    "Answer",
    "answer_text",
    "Driving",
    "DRIVINGS",
    "driving_of",
    "Request",
    "read_run",
    "run_lines",
]
