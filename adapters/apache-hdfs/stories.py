"""Runs that are given as requests of the adapter protocol, on Apache HDFS and held against the specification.

A story is `stories/NAME.jsonl`; `stories/expected.json` has what comes of it under each semantics: "conforms", or the
beginning of the sentence that rejects it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

from drivings import driving

from genstamp.adapters import NotPossible
from genstamp.adapters.child import ChildAdapter
from genstamp.stateful.figures import Figures
from genstamp.stateful.request import read_run
from genstamp.stateful.run import Bench, NonconformingError, Run
from genstamp.systems import system_named
from genstamp.track.tracker import MAX_STATES
from genstamp.transitions import Reached

HERE = Path(__file__).parent / "stories"


@dataclass(frozen=True)
class Told:
    """What came of a story.

    Attributes:
        verdict: "conforms", or why it was rejected, in a sentence; or that a step of the story was not possible.
        events: what happened, an event a line, with its refusal, stamp and length.
    """

    verdict: str
    events: tuple[str, ...]


def expected() -> dict[str, dict[str, str]]:
    """By story and semantics, what comes of it."""
    found: dict[str, dict[str, str]] = json.loads((HERE / "expected.json").read_text())
    return found


def system_of(name: str) -> str:
    """The system whose steps a story makes."""
    return read_run(HERE / f"{name}.jsonl")[0].system


def hold(name: str, semantics: str, adapter: ChildAdapter) -> Told:
    """Run a story on an adapter, and hold each event against the specification.

    Args:
        name: of the story.
        semantics: of its system.
        adapter: serves the system, with what is known to differ shown; it is left running.

    Raises:
        AdapterError: the adapter does not answer as the protocol asks.
    """
    told, requests = read_run(HERE / f"{name}.jsonl")
    cluster = replace(told, semantics=semantics)
    system = system_named(cluster.system)
    chosen = driving(system.name)
    bench = Bench(adapter, system.model(semantics), chosen, MAX_STATES, Reached(chosen.forgotten))
    run = Run(bench, cluster, Figures())
    events: list[str] = []
    try:
        run.start()
        for request in requests:
            run.request(request)
            if isinstance(run.outcome, NotPossible):
                return Told(f"{request.event} was not possible: {run.outcome.why}", tuple(events))
            events += _lines(run)
    except NonconformingError as wrong:
        return Told(" ".join(str(wrong).split()), tuple(events))
    return Told("conforms", tuple(events))


def _lines(run: Run) -> list[str]:
    lines = []
    for event in getattr(run.outcome, "events", ()):
        told = {"refused with": event.refused_with, "stamp": event.generation_stamp, "recovery id": event.recovery_id}
        told["bytes"] = event.num_bytes
        lines.append(" ".join([event.event, *(f"{key} {value}" for key, value in told.items() if value is not None)]))
    return lines
