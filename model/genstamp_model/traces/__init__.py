"""Reads traces of other programs, and shows paths.

`read` reads a trace in the Informal Trace Format, `steps` makes one from calls, and `replay` follows a trace with
`evaluate`. `swim_lanes` draws a path as SVG, `mermaid` as a sequence diagram; both also draw a `Chart`, which `chart`
makes from a path with a title and a loop. `pytest_file` writes a test that replays a path.
"""

from genstamp_model.traces.itf import Trace, read, steps
from genstamp_model.traces.lanes import Chart, Message, Row, chart, places
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
    "places",
    "pytest_file",
    "read",
    "replay",
    "steps",
    "swim_lanes",
]
