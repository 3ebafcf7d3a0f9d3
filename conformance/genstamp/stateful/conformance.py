"""The whole test of one implementation: runs the machine, and says what came of it.

Leaves out printing; that is the command line's.
"""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity
from hypothesis.stateful import run_state_machine_as_test

from genstamp.adapters import Adapter, ChildAdapter, Cluster
from genstamp.stateful.chooser import Chooser
from genstamp.stateful.driving import Driving, driving_of
from genstamp.stateful.figures import Figures, answer_text, answers_of
from genstamp.stateful.machine import EndOfSearch, machine_class
from genstamp.stateful.run import Bench, NonconformingError, Run
from genstamp.stateful.shorten import shorten
from genstamp.stateful.story import Failure
from genstamp.track.tracker import MAX_STATES
from genstamp.transitions import Reached
from genstamp_model.language.system import System

FILES: Final = ("/a", "/b", "/c")
CLIENTS: Final = ("client1", "client2")
DATANODES: Final = ("datanode1", "datanode2", "datanode3")

Verdict = Literal["conforms", "rejected", "undetermined"]


@dataclass(frozen=True)
class Report:
    """What came of a test.

    Attributes:
        system: name of the system.
        semantics: the semantics that the implementation was held against.
        seed: replays the test.
        figures: what was done.
        failure: the shortest run found that does not conform.
        answers: how many answers the model has: each event performed, and with each exception.
        never_seen: those that no run showed.
        transitions: how many abstract transitions runs have taken for certain.
        is_deterministic: False if a failing run did not fail again when it was repeated.
        seconds: wall time.
        interrupted: whether the keyboard has ended the test early.
    """

    system: str
    semantics: str
    seed: int
    figures: Figures
    failure: Failure | None
    answers: int
    never_seen: tuple[str, ...]
    transitions: int
    is_deterministic: bool
    seconds: float
    interrupted: bool = False

    @property
    def verdict(self) -> Verdict:
        """Three-valued: a run that was given up is no pass."""
        if self.failure is not None:
            return "rejected"
        return "undetermined" if self.figures.undetermined or self.interrupted else "conforms"


def conform(
    adapter: Adapter,
    system: System,
    semantics: str | None = None,
    *,
    examples: int = 100,
    steps: int = 60,
    seed: int | None = None,
    max_states: int = MAX_STATES,
    shrink_seconds: float = 60.0,
    driving: Driving | None = None,
    progress: Callable[[Figures], None] | None = None,
) -> Report:
    """Hold an implementation against a system.

    Args:
        adapter: the implementation; it is stopped at the end.
        system: the system.
        semantics: the one to hold it against; the system's default unless told otherwise.
        examples: how many runs; at least 1.
        steps: how many requests a run has; at least 1.
        seed: replays an earlier test of the same version.
        max_states: more possible states than these leave a run undetermined.
        shrink_seconds: how long a failing run may be shortened.
        driving: how the system's events are brought about, if it is not one of `DRIVINGS`.
        progress: told before each run what was done so far.

    Returns:
        The report; interrupted from the keyboard, it is undetermined with the figures so far.

    Raises:
        AdapterError: the implementation cannot be driven; its `story` is the run that led there.
        DrivingError: nothing is known of how the system's events are brought about.
        ConfigurationError: the system has no such semantics.
    """
    chosen = semantics or system.default_semantics
    driving = driving or driving_of(system.name)
    reached = Reached(driving.forgotten)
    bench = Bench(adapter, system.model(chosen), driving, max_states, reached)
    seed = random.SystemRandom().randrange(2**32) if seed is None else seed
    figures = Figures()
    began = time.monotonic()
    failure, is_deterministic, interrupted = None, True, False
    try:
        failed = _search(
            bench,
            reached,
            Cluster(FILES, CLIENTS, DATANODES, chosen, system=system.name),
            figures,
            examples,
            steps,
            seed,
            progress,
        )
        if failed is not None:
            failure, run = failed
            failure, is_deterministic = shorten(bench, failure, run.requests, run.cluster, shrink_seconds)
    except KeyboardInterrupt:
        # What has failed has failed, even if there is no time to make it shorter.
        interrupted = True
        if isinstance(adapter, ChildAdapter):
            adapter.kill()
    finally:
        adapter.stop()
    answers = answers_of(bench.model)
    return Report(
        system=system.name,
        semantics=chosen,
        seed=seed,
        figures=figures,
        failure=failure,
        answers=len(answers),
        never_seen=tuple(answer_text(answer) for answer in answers if answer not in figures.seen),
        transitions=len(reached.certain),
        is_deterministic=is_deterministic,
        seconds=time.monotonic() - began,
        interrupted=interrupted,
    )


def _search(
    bench: Bench,
    reached: Reached,
    cluster: Cluster,
    figures: Figures,
    examples: int,
    steps: int,
    seed: int,
    progress: Callable[[Figures], None] | None,
) -> tuple[Failure, Run] | None:
    """Make runs; the first that fails."""
    runs: list[Run] = []

    def begin(part: Cluster) -> Run:
        if progress is not None:
            progress(figures)
        run = Run(bench, part, figures)
        runs.append(run)
        run.start()
        return run

    def choose(chance: random.Random) -> Chooser:
        return Chooser(chance, bench.driving, answers_of(bench.model), figures.seen, reached)

    settings = hypothesis.settings(
        max_examples=examples,
        stateful_step_count=steps,
        database=None,
        deadline=None,
        derandomize=False,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        print_blob=False,
    )
    machine = hypothesis.seed(seed)(machine_class(begin, cluster, choose, bench.driving.settings))
    try:
        run_state_machine_as_test(machine, settings=settings)
    except EndOfSearch as end:
        if isinstance(end.error, NonconformingError):
            return end.error.failure, runs[-1]
        raise end.error from None
    return None
