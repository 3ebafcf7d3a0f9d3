"""Traces: paths that come from elsewhere, and ways to show a path.

`read` and `replay` take a trace in the Informal Trace Format and follow it with `evaluate`, `steps` makes one of calls
alone; `swim_lanes` draws a path as SVG, `mermaid` writes it as a sequence diagram, both also draw a `Chart`: of a path
that `chart` gives a title and a loop, or of what is no path; `pytest_file` writes a test that replays it.
"""

from genstamp_model.traces.itf import Trace, read, steps
from genstamp_model.traces.lanes import Chart, Message, Row, chart
from genstamp_model.traces.mermaid import mermaid
from genstamp_model.traces.regression import pytest_file
from genstamp_model.traces.replaying import Rejection, Replay, replay
from genstamp_model.traces.svg import swim_lanes

__all__ = [
    "Chart",
    "Message",
    "Rejection",
    "Replay",
    "Row",
    "Trace",
    "chart",
    "mermaid",
    "pytest_file",
    "read",
    "replay",
    "steps",
    "swim_lanes",
]
