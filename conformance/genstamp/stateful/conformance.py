"""The whole test of one implementation: runs the machine, and reports the result.

Not here: printing; that is the command line's.
"""

import gc
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Literal

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity
from hypothesis.stateful import run_state_machine_as_test

from genstamp.adapters import Adapter, ChildAdapter, Cluster
from genstamp.stateful.chooser import Chooser
from genstamp.stateful.driving import Driving
from genstamp.stateful.drivings import driving_of
from genstamp.stateful.figures import Figures, answer_text, answers_of
from genstamp.stateful.machine import REQUESTS_AT_ONCE, EndOfSearch, machine_class
from genstamp.stateful.request import Request
from genstamp.stateful.run import Bench, NonconformingError, Run
from genstamp.stateful.shorten import shorten
from genstamp.stateful.story import Failure
from genstamp.track.tracker import MAX_STATES
from genstamp.transitions import Reached
from genstamp_model.language.system import System

FILES: Final = ("/a", "/b", "/c")
CLIENTS: Final = ("client1", "client2")
DATANODES: Final = ("datanode1", "datanode2", "datanode3")

_COLLECTED_EVERY: Final = 100_000

Verdict = Literal["conforms", "rejected", "undetermined"]


@dataclass(frozen=True)
class Report:
    """The result of a test.

    Attributes:
        system: name of the system.
        semantics: the semantics that the implementation was checked against.
        seed: replays the test.
        figures: what was done.
        failure: the shortest run found that does not conform.
        answers: how many answers the model has: each event performed, and with each exception.
        never_seen: those that no run showed.
        transitions: how many abstract transitions runs have taken for certain.
        is_deterministic: False if a failing run did not fail again when it was repeated.
        seconds: wall time.
        interrupted: whether the keyboard has ended the test early.
        requires_seen: whether the test is undetermined if an answer was never seen.
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
    requires_seen: bool = False

    @property
    def verdict(self) -> Verdict:
        """Three-valued: a run that was given up is no pass."""
        if self.failure is not None:
            return "rejected"
        return "undetermined" if self.why_undetermined else "conforms"

    @property
    def why_undetermined(self) -> str:
        """Why a test without a failure does not say that the implementation conforms; empty if it does."""
        if self.interrupted:
            return "interrupted"
        if self.figures.unsettled:
            return self.figures.unsettled
        if self.requires_seen and self.never_seen:
            return f"{len(self.never_seen)} of the model's {self.answers} answers were never seen"
        return ""


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
    """Check an implementation against a system.

    Args:
        adapter: the implementation; it is stopped at the end.
        system: the system.
        semantics: the one to check it against; by default the system's default.
        examples: how many runs; at least 1.
        steps: how many requests a run has; at least 1.
        seed: replays an earlier test of the same version.
        max_states: more possible states than these leave a run undetermined.
        shrink_seconds: how long a failing run may be shortened.
        driving: how the system's events are brought about, if it is not one of `DRIVINGS`.
        progress: called before each run with the results so far.

    Returns:
        The report; interrupted from the keyboard, it is undetermined with the figures so far.

    Raises:
        AdapterError: the implementation cannot be driven; its `story` is the run that led there.
        DrivingError: nothing is known of how the system's events are brought about.
        ConfigurationError: the system has no such semantics.
    """
    seed = new_seed() if seed is None else seed
    bench = _bench(adapter, system, semantics, max_states, driving)
    cluster = Cluster(FILES, CLIENTS, DATANODES, semantics or system.default_semantics, system=system.name)

    def search(figures: Figures) -> Failure | None:
        return _search(bench, cluster, figures, examples, steps, seed, progress)

    return _report(bench, cluster, seed, search, shrink_seconds)


def again(
    adapter: Adapter,
    system: System,
    cluster: Cluster,
    requests: Sequence[Request],
    *,
    max_states: int = MAX_STATES,
    driving: Driving | None = None,
) -> Report:
    """Repeat one run unchanged, and check it against a system; the report's seed is the run's.

    Args:
        adapter: the implementation; it is stopped at the end.
        system: the system.
        cluster: the run's, with the semantics to check it against.
        requests: the run's.
        max_states: as `conform` has it.
        driving: as `conform` has it.

    Raises:
        AdapterError, DrivingError, ConfigurationError: as `conform` does.
    """
    bench = _bench(adapter, system, cluster.semantics, max_states, driving)

    def search(figures: Figures) -> Failure | None:
        run = Run(bench, cluster, figures)
        try:
            run.start()
            for request in requests:
                run.request(request)
        except NonconformingError as error:
            return error.failure
        return None

    return _report(bench, cluster, cluster.seed, search, None)


def new_seed() -> int:
    """A random seed."""
    return random.SystemRandom().randrange(2**32)


def _bench(adapter: Adapter, system: System, semantics: str | None, max_states: int, driving: Driving | None) -> Bench:
    driving = driving or driving_of(system.name)
    return Bench(adapter, system.model(semantics), driving, max_states, Reached(driving.forgotten))


def _report(
    bench: Bench, cluster: Cluster, seed: int, search: Callable[[Figures], Failure | None], shrink_seconds: float | None
) -> Report:
    """The result of a search, which counts its actions; a failure is shortened unless no time is given."""
    figures = Figures()
    began = time.monotonic()
    failure, is_deterministic, interrupted = None, True, False
    try:
        with _rarely_collected():
            failure = search(figures)
            if failure is not None and shrink_seconds is not None:
                failure, is_deterministic = shorten(bench, failure, shrink_seconds)
    except KeyboardInterrupt:
        # What has failed has failed, even if there is no time to make it shorter.
        interrupted = True
        if isinstance(bench.adapter, ChildAdapter):
            bench.adapter.kill()
    finally:
        bench.adapter.stop()
    answers = answers_of(bench.model)
    return Report(
        system=cluster.system,
        semantics=cluster.semantics,
        seed=seed,
        figures=figures,
        failure=failure,
        answers=len(answers),
        never_seen=tuple(answer_text(answer) for answer in answers if answer not in figures.seen),
        transitions=len(bench.reached.certain),
        is_deterministic=is_deterministic,
        seconds=time.monotonic() - began,
        interrupted=interrupted,
    )


@contextmanager
def _rarely_collected() -> Iterator[None]:
    """Look for garbage less often: the states that are remembered have no cycles, and to go through them takes long."""
    usual = gc.get_threshold()
    gc.set_threshold(_COLLECTED_EVERY, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def _search(
    bench: Bench,
    cluster: Cluster,
    figures: Figures,
    examples: int,
    steps: int,
    seed: int,
    progress: Callable[[Figures], None] | None,
) -> Failure | None:
    """Make runs; how the first fails that does."""
    answers = answers_of(bench.model)

    def begin(part: Cluster) -> Run:
        if progress is not None:
            progress(figures)
        run = Run(bench, part, figures)
        run.start()
        return run

    def choose(chance: random.Random) -> Chooser:
        return Chooser(chance, bench.driving, answers, figures.seen, bench.reached)

    settings = hypothesis.settings(
        max_examples=examples,
        stateful_step_count=1 + -(-steps // REQUESTS_AT_ONCE),
        database=None,
        deadline=None,
        derandomize=False,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        print_blob=False,
    )
    machine = hypothesis.seed(seed)(machine_class(begin, cluster, choose, steps, bench.driving.settings))
    try:
        run_state_machine_as_test(machine, settings=settings)
    except EndOfSearch as end:
        if isinstance(end.error, NonconformingError):
            return end.error.failure
        raise end.error from None
    return None
