"""Protocol events a second of processor time that `genstamp conform` holds against a system, on one core.

Run from the repository's root: `python -m benchmarks.conform [--runs N] [SYSTEM ...]`. Each test is made twice: first
with the reference implementation in this process, whose answers are recorded, then with an adapter that gives the
recorded answers and does nothing else. So the second figure is the judge's alone: choosing what to ask and holding what
comes against the model, with all that is made ready before the first event. The digest is of all requests: where it
stays the same, a seed asks for the same. A second line says what it takes to find all that a state answers, by the
functions that are written out and by `evaluate`, which they replace and are sampled against.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any
from zlib import crc32

from genstamp.adapters import REFERENCE_SYSTEMS, Adapter, Cluster, Outcome, ReferenceAdapter, Started
from genstamp.stateful import Report, conform, driving_of
from genstamp.stateful.conformance import CLIENTS, DATANODES, FILES
from genstamp.systems import system_named
from genstamp_model.language import Configuration, Instance
from genstamp_model.written_out import ENABLED, WrittenOutEvaluator

SEED = 1


class _Told:
    """An adapter whose every request is told, with a way to answer it."""

    def __init__(self, tell: Callable[[str, Callable[[Adapter], Any]], Any]) -> None:
        self._tell = tell

    def start(self, cluster: Cluster) -> Started:
        """Begin a run from nothing."""
        started: Started = self._tell(f"start {cluster}", lambda adapter: adapter.start(cluster))
        return started

    def call(self, event: str, arguments: Mapping[str, str]) -> Outcome:
        """Make one protocol step happen."""
        outcome: Outcome = self._tell(f"call {event} {arguments}", lambda adapter: adapter.call(event, arguments))
        return outcome

    def tick(self, ms: int) -> Outcome:
        """Let virtual time pass."""
        outcome: Outcome = self._tell(f"tick {ms}", lambda adapter: adapter.tick(ms))
        return outcome

    def fault(self, event: str, arguments: Mapping[str, str]) -> Outcome:
        """Make one fault happen."""
        outcome: Outcome = self._tell(f"fault {event} {arguments}", lambda adapter: adapter.fault(event, arguments))
        return outcome

    def events(self) -> Outcome:
        """The events that were not handed over yet."""
        outcome: Outcome = self._tell("events", lambda adapter: adapter.events())
        return outcome

    def set_times(self, times_ms: Mapping[str, int]) -> bool:
        """Times stay Hadoop's."""
        return not times_ms

    def stop(self) -> None:
        """Nothing is left to end."""


def recorder(reference: Adapter, said: list[tuple[str, Any]]) -> Adapter:
    """An adapter that asks another one, and keeps each request with its answer."""

    def tell(request: str, ask: Callable[[Adapter], Any]) -> Any:
        said.append((request, ask(reference)))
        return said[-1][1]

    return _Told(tell)


def replayer(said: Iterator[tuple[str, Any]]) -> Adapter:
    """An adapter that gives recorded answers, and insists on the recorded requests."""

    def tell(request: str, _: Callable[[Adapter], Any]) -> Any:
        recorded, answer = next(said)
        assert request == recorded, f"{request} was asked for, recorded is {recorded}"
        return answer

    return _Told(tell)


def timed(adapter: Adapter, system: str, runs: int) -> tuple[Report, float]:
    """A test of so many runs, and the processor time that it took."""
    declared = system_named(system)
    declared.model(declared.default_semantics)
    began = time.process_time()
    report = conform(adapter, declared, examples=runs, seed=SEED)
    return report, time.process_time() - began


def answering(system: str, states: int = 200) -> tuple[float, float]:
    """Milliseconds for all answers of a state: written out, and by `evaluate`; of states on one random walk."""
    declared, chance = system_named(system), Random(SEED)
    cluster = Cluster(FILES, CLIENTS, DATANODES, declared.default_semantics, system=system)
    sizes = {base: len(names) for base, names in driving_of(system).members(cluster).items()}
    model = declared.model()
    limits = dict.fromkeys(model.limit_names, 2**31 - 1)
    evaluator = WrittenOutEvaluator(Instance(model, Configuration("run", sizes, limits)), sampled_every=10**9)
    state, walked = evaluator.initial(), []
    while len(walked) < states:
        walked.append(state)
        enabled = [(a, args) for a in model.actions for args, check in evaluator.answers(a, state) if check == ENABLED]
        state = evaluator.apply(*chance.choice(enabled), state) if enabled else evaluator.initial()
    taken = []
    for answers in (evaluator.answers, evaluator.evaluated):
        began = time.process_time()
        for state in walked:
            for action in model.actions:
                answers(action, state)
        taken.append((time.process_time() - began) / states * 1_000)
    return taken[0], taken[1]


def main() -> None:
    """Prints two lines for each system."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("systems", nargs="*", default=list(REFERENCE_SYSTEMS))
    parser.add_argument("--runs", type=int, default=100)
    options = parser.parse_args()
    for system in options.systems:
        said: list[tuple[str, Any]] = []
        report, both = timed(recorder(ReferenceAdapter(), said), system, options.runs)
        _, alone = timed(replayer(iter(said)), system, options.runs)
        figures = report.figures
        digest = crc32("\n".join(request for request, _ in said).encode())
        print(
            f"{system}: {figures.examples} runs, {figures.steps:,} requests (digest {digest:08x}), "
            f"{figures.events:,} events; {report.verdict}, {report.transitions:,} abstract transitions; "
            f"with the reference implementation {both:.1f} s, {figures.events / both:,.0f} events a second; "
            f"the judge alone {alone:.1f} s, {figures.events / alone:,.0f} events a second"
        )
        written, evaluated = answering(system)
        print(f"  all answers of a state: {written:.2f} ms written out, {evaluated:.2f} ms by evaluate")


if __name__ == "__main__":
    main()
