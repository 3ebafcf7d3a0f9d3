"""A whole walk through one configuration of a system, and its result."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from genstamp.adapters import Adapter, ChildAdapter, Cluster
from genstamp.errors import DrivingError
from genstamp.stateful.conformance import Verdict
from genstamp.stateful.driving import Driving
from genstamp.stateful.drivings import DRIVINGS, driving_of
from genstamp.stateful.figures import Figures
from genstamp.stateful.run import Bench, NonconformingError
from genstamp.stateful.shorten import shorten
from genstamp.stateful.story import Failure
from genstamp.track.tracker import MAX_STATES
from genstamp.transitions import Graph, Reached, Transition
from genstamp.walk.walker import Obstacle, Walker
from genstamp_model.errors import ConfigurationError
from genstamp_model.language import Configuration, Instance
from genstamp_model.language.system import System

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Missing:
    """An abstract transition that was not reached for certain.

    Attributes:
        transition: the transition.
        path: the calls of a shortest way to it in the model, itself the last.
        call: the call at which the implementation did not follow; empty if no way was tried.
        why: the reason.
        is_possible: whether a step may have been it.
    """

    transition: Transition
    path: tuple[str, ...]
    call: str
    why: str
    is_possible: bool


@dataclass(frozen=True)
class Walk:
    """The result of a walk.

    Attributes:
        system, semantics, configuration: what was walked through.
        digest: of the model's steps.
        states: how many states the configuration has.
        transitions: its abstract transitions.
        certain: those that were reached for certain.
        possible: those that a step may have been; these among them.
        missing: those that were not reached for certain, sorted; those of a walk that was not ended are not all known.
        figures: what was done.
        failure: the shortest run found that does not conform.
        is_deterministic: False if it did not fail again when it was repeated.
        seconds: wall time, exploration included.
        required: the share of the transitions, of 1, below which the walk is undetermined.
    """

    system: str
    semantics: str
    configuration: Configuration
    digest: str
    states: int
    transitions: frozenset[Transition]
    certain: frozenset[Transition]
    possible: frozenset[Transition]
    missing: tuple[Missing, ...]
    figures: Figures
    failure: Failure | None
    is_deterministic: bool
    seconds: float
    required: float = 0.0

    @property
    def verdict(self) -> Verdict:
        """Three-valued: a run that was given up is no pass, and neither is a walk that reached too little."""
        if self.failure is not None:
            return "rejected"
        return "undetermined" if self.why_undetermined else "conforms"

    @property
    def why_undetermined(self) -> str:
        """Why a walk without a failure does not say that the implementation conforms; empty if it does."""
        if self.figures.unsettled:
            return self.figures.unsettled
        if self.share < self.required:
            return f"{self.share:.1%} of the transitions were reached for certain, {self.required:.1%} are required"
        return ""

    @property
    def share(self) -> float:
        """How many of the abstract transitions were reached for certain, of 1."""
        return len(self.certain) / len(self.transitions) if self.transitions else 1.0


def walk(
    adapter: Adapter,
    system: System,
    configuration: Configuration | str,
    semantics: str | None = None,
    *,
    driving: Driving | None = None,
    max_states: int = MAX_STATES,
    shrink_seconds: float = 60.0,
    progress: Callable[[str], None] | None = None,
    graph: Graph | None = None,
) -> Walk:
    """Walk an implementation through the abstract transitions of a configuration.

    Args:
        adapter: the implementation; it is stopped at the end.
        system: the system.
        configuration: small, as all its states are kept; one of the system by name, or another.
        semantics: the one to check the implementation against; by default the system's default.
        driving: how the system's events are brought about, if it is not one of `DRIVINGS`.
        max_states: more possible states than these leave a run undetermined.
        shrink_seconds: how long a failing run may be shortened.
        progress: called with the progress.
        graph: of the configuration, if it was explored before, as by `graph_of`.

    Raises:
        AdapterError: the implementation cannot be driven; its `story` is the run that led there.
        DrivingError: nothing is known of how the system's events are brought about.
        ConfigurationError: the system has no such semantics, or the configuration does not fit it.
    """
    chosen = semantics or system.default_semantics
    driving = driving or driving_of(system.name)
    model = system.model(chosen)
    if isinstance(configuration, str):
        configuration = system.configuration(configuration)
    tell = progress or (lambda line: None)
    began = time.monotonic()
    graph = graph or graph_of(
        system, configuration, chosen, driving=driving, progress=lambda states: tell(f"{states:,} states explored")
    )
    abstract = frozenset(graph.abstract)
    reached, figures = Reached(driving.forgotten), Figures()
    bench = Bench(adapter, model, driving, max_states, reached)
    cluster = cluster_of(driving, configuration.sizes, chosen, system.name)

    def tell_runs() -> None:
        so_far = len(reached.certain & abstract)
        tell(f"{so_far:,} of {len(abstract):,} abstract transitions, {figures.examples:,} runs")

    failure: Failure | None = None
    is_deterministic = True
    obstacles: dict[Transition, Obstacle] = {}
    walker = Walker(bench, graph, cluster, reached, figures, tell_runs)
    try:
        try:
            walker.walk()
            obstacles = walker.obstacles_of(abstract - reached.certain)
            for times in driving.other_times:
                if adapter.set_times(times.times_ms):
                    ticks_ms = times.ticks_ms or driving.ticks_ms
                    bench = replace(bench, driving=replace(driving, clock=times.clock, ticks_ms=ticks_ms))
                    walker = Walker(bench, graph, cluster, reached, figures, tell_runs)
                    walker.walk()
        except NonconformingError as error:
            failure = error.failure
            failure, is_deterministic = shorten(bench, failure, shrink_seconds)
    except KeyboardInterrupt:
        if isinstance(adapter, ChildAdapter):
            adapter.kill()
        # What has failed has failed, even if there is no time to make it shorter.
        if failure is None:
            raise
    finally:
        adapter.set_times({})
        adapter.stop()
    return Walk(
        system=system.name,
        semantics=chosen,
        configuration=configuration,
        digest=model.digest_of_steps,
        states=len(graph),
        transitions=abstract,
        certain=abstract & reached.certain,
        possible=abstract & reached.possible,
        missing=tuple(
            Missing(one, walker.way_to(one), *obstacles[one], one in reached.possible)
            for one in sorted(abstract - reached.certain)
            if one in obstacles
        ),
        figures=figures,
        failure=failure,
        is_deterministic=is_deterministic,
        seconds=time.monotonic() - began,
    )


def graph_of(
    system: System,
    configuration: Configuration,
    semantics: str | None = None,
    *,
    driving: Driving | None = None,
    progress: Callable[[int], None] | None = None,
) -> Graph:
    """All that a configuration can do; several walks can go by one graph.

    Args:
        system: the system.
        configuration: small, as all its states are kept.
        semantics: by default the system's default.
        driving: as `walk` has it.
        progress: called from time to time with the number of states found.

    Raises:
        DrivingError: nothing is known of how the system's events are brought about.
        ConfigurationError: the system has no such semantics, or several initial states, or the configuration does not
            fit it.
    """
    driving = driving or driving_of(system.name)
    model = system.model(semantics)
    chosen = next((variable for variable in model.variables if variable.choice is not None), None)
    if chosen is not None:
        raise ConfigurationError(
            f"'{chosen.name}' of {model.system} begins with any of several values, and a walk cannot tell the "
            "implementation which; let it begin with one value, and choose in a first action",
            chosen.source,
        )
    return Graph(Instance(model, configuration), driving.forgotten, progress)


def configurations_of(system: System, driving: Driving) -> list[Configuration]:
    """The configurations of a system that are walked; all that are checked every time if its driving names none.

    Raises:
        ConfigurationError: the system has no configuration of a name.
    """
    named = driving.walked or tuple(one for one in system.configurations if not one.on_demand)
    return [_whole(system, one) for one in named]


def _whole(system: System, one: str | Configuration) -> Configuration:
    """A configuration by name, or one of the driving with the system's limits but for its own."""
    if isinstance(one, str):
        return system.configuration(one)
    return replace(one, limits={**system.limits, **one.limits})


def cluster_of(driving: Driving, sizes: Mapping[str, int], semantics: str, system: str) -> Cluster:
    """A cluster with as many members as a configuration has.

    Raises:
        DrivingError: there is none; the members of the driving have other numbers.
    """
    cluster = Cluster(
        tuple(f"/{letter}" for letter in _LETTERS[: sizes.get("File", 1)]),
        tuple(f"client{number + 1}" for number in range(sizes.get("Client", 1))),
        tuple(f"datanode{number + 1}" for number in range(sizes.get("Datanode", 1))),
        semantics,
        system=system,
    )
    if {base: len(names) for base, names in driving.members(cluster).items()} != dict(sizes):
        raise DrivingError(system, sorted(DRIVINGS))
    return cluster
