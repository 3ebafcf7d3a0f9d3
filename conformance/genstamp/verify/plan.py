"""The checks of `genstamp verify --all`, in the order of the table.

For each system: every configuration under the default semantics, what is known to break under the others where that
shows, every bug and hole, the proofs. Coverage is asked of the configurations under the default semantics together:
each action is taken, each refusal given unless it is declared defensive, each witness seen, in at least one of them;
and vacuity: each property could have failed in at least one of them. The results of other checkers for the smallest
configuration of every system are computed again or taken from the lock; `genstamp agree` checks other configurations by
name. Then the lock, the diagrams, the pages, the reference implementation, the logs, and the table that the README
shows.

Not here: how each is done, and the jobs that do it (`jobs`).
"""

import traceback
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from genstamp import lock
from genstamp.adapters import REFERENCE_SYSTEMS
from genstamp.errors import LockError
from genstamp.lock import Lock, SystemEntry
from genstamp.lockstep import LOCKSTEPS
from genstamp.systems import PLACES, system_at, systems_in
from genstamp.verify import jobs, readme, summing
from genstamp.verify.job import Job
from genstamp.verify.row import Row, Verdict
from genstamp_model.language import System

ASKED_EVERY_TIME: Final = frozenset({"hdfs.single_writer", "hdfs.monitor", "hdfs.renewal", "hdfs.pipeline"})
"""Systems that other checkers search every time, even if the lock has recorded agreement."""

_LARGE: Final = 6_000_000
"""States that a search of a released version may have to be made every time."""

_VARIATIONS_A_JOB: Final = 6
"""Most of them take less time than it takes to start a process."""

EXAMPLES_IN_PROCESS: Final = 100
EXAMPLES_AS_CHILD: Final = 30
"""How many runs of the reference implementation are driven, under each semantics that it has."""

SIMULATED_RUNS: Final = 250
SIMULATED_RUNS_OF_GFS: Final = 60
"""How many runs of it are simulated, with faults; one of GFS takes five times as long."""

SIMULATED_SEEDS: Final = 200
"""How many simulated runs are checked against a system in lockstep."""

_FEWER_SEEDS: Final = {
    "hdfs.pipeline": 150,
    "gfs.chunk_lease": 25,
    "gfs.master_log": 25,
    "gfs.mutation_order": 25,
    "gfs.record_append": 25,
    "gfs.snapshot": 25,
}
"""Where a run has more checked steps."""

LOG_CLAIMS: Final = {
    "binary": "logs edit log, binary: complete",
    "xml": "logs edit log, XML: complete",
    "simulated": "logs genstamp_dfs, simulated run: whole logs",
    "good": "logs hdfs-12070, good run: complete",
    "bad": "logs hdfs-12070, bad run: unfinished",
}

Sum = Callable[[Sequence[Row]], Row]


@dataclass
class Plan:
    """What to do.

    Attributes:
        jobs: each gives rows, in the order of the table.
        sums: rows made of the rows of all jobs, after these.
        last: a row made of all the others.
        failed: rows for what could not even be planned.
        recorded: rows of what others have found and is not examined here; the last of the table.
        shown: the rows of the table, made of these.
        systems: names of the systems that could be loaded, by place.
    """

    jobs: list[Job] = field(default_factory=list)
    sums: list[Sum] = field(default_factory=list)
    last: Sum | None = None
    failed: list[Row] = field(default_factory=list)
    recorded: list[Row] = field(default_factory=list)
    shown: Callable[[Sequence[Row]], list[Row]] = list
    systems: dict[str, str] = field(default_factory=dict)

    def rows(self, done: Sequence[Row], *, is_whole: bool = True) -> list[Row]:
        """The rows of the table: what could not be planned, what the jobs gave, the sums.

        Args:
            done: what the jobs gave.
            is_whole: whether they came to their end; otherwise there is no last row, which is about all others.
        """
        rows = self.shown([*self.failed, *done, *(one(done) for one in self.sums), *self.recorded])
        return rows if self.last is None or not is_whole else [*rows, self.last(rows)]


def whole(repository: Path, *, on_demand: bool = False, systems: Collection[str] = tuple(PLACES.values())) -> Plan:
    """Everything; configurations that are to be checked on demand only where it is asked for."""
    path = repository / summing.LOCK
    plan, locked = searches(path, on_demand=on_demand, systems=systems), locked_in(path)
    for place, name in plan.systems.items():
        is_asked = on_demand or name in ASKED_EVERY_TIME
        plan.jobs.append(jobs.agreement(place, system_at(place), locked, may_be_recorded=not is_asked))
    drawing, tabling = "genstamp.verify.drawing:diagrams", "genstamp.verify.tabling:pages"
    plan.jobs.append(jobs.of_claim("diagrams", "diagrams lifecycles, bugs", drawing, 10))
    # It tells the story of every hole, and of some historic faults: each is searched for.
    plan.jobs.append(jobs.of_claim("tables", "tables systems, coverage, museum, holes", tabling, 45))
    for place, name in plan.systems.items():
        if name in REFERENCE_SYSTEMS:
            plan.jobs += [
                jobs.conform(place, name, EXAMPLES_IN_PROCESS),
                jobs.conform(place, name, EXAMPLES_IN_PROCESS, semantics="hadoop-3.4"),
                jobs.conform(place, name, EXAMPLES_AS_CHILD, as_child=True),
                jobs.walk(repository, place, name),
            ]
        if name in LOCKSTEPS:
            plan.jobs.append(jobs.lockstep(place, name, _FEWER_SEEDS.get(name, SIMULATED_SEEDS)))
    plan.jobs += [jobs.simulate(SIMULATED_RUNS), jobs.simulate_gfs(SIMULATED_RUNS_OF_GFS)]
    plan.jobs.append(
        Job(
            name="logs",
            claims=tuple(LOG_CLAIMS.values()),
            does="genstamp.verify.reading:logs",
            arguments=LOG_CLAIMS,
            seconds=45,
        )
    )
    if not on_demand:
        # Last, as it speaks of all the others.
        page, first = repository / readme.PAGE, repository / readme.README
        plan.last = lambda rows: readme.shown("readme README.md, docs/verify.md", rows, page, first)
    return plan


def locked_in(path: Path) -> Lock:
    """The lock, as far as it helps to plan; where it cannot be read, its own row says so."""
    try:
        return lock.read(path)
    except LockError:
        return {}


def of_file(file: Path, *, on_demand: bool = False) -> Plan:
    """Everything about the systems of a user's file, which has its lock beside it.

    Args:
        file: it.
        on_demand: whether configurations on demand are searched too.

    Raises:
        OwnSystemError: the file cannot be read, or has no system.
        SpecError: the file raises an exception, or misuses the language.
    """
    systems = systems_in(file)
    path = file.with_suffix(".lock")
    plan = searches(path, on_demand=on_demand, systems=[f"{file}:{name}" for name in systems])
    if not path.exists():
        note = f"{path} does not exist; genstamp lock {file} --write writes these results to it"
        plan.sums[-1] = lambda rows: Row(claim=f"lock {path.name}", verdict=Verdict.SKIPPED, note=note)
    plan.sums.append(lambda rows: summing.used(f"use {file}", next(iter(systems.values()))))
    return plan


def searches(path: Path, *, on_demand: bool = False, systems: Collection[str] = tuple(PLACES.values())) -> Plan:
    """Everything that a lock mentions.

    Args:
        path: the lock.
        on_demand: whether configurations on demand are searched too.
        systems: the places of the systems.
    """
    plan, locked = Plan(), locked_in(path)
    left_out: dict[str, set[tuple[str, str]]] = {}
    for place, system in loaded(plan, systems):
        entry = locked.get(system.name, SystemEntry())
        left_out[system.name] = set() if on_demand else searched_on_demand(system, entry)
        _add_system(plan, place, system, left_out[system.name], entry)
        if on_demand or entry.for_any_size:
            plan.jobs.append(jobs.any_size(place, system.name))
    expected = [claim for job in plan.jobs for claim in job.claims]
    plan.sums.append(lambda rows: summing.locked(f"lock {path.name}", rows, expected, path, left_out))
    return plan


def loaded(plan: Plan, systems: Collection[str] = tuple(PLACES.values())) -> Iterator[tuple[str, System]]:
    """Systems by place; one that cannot be loaded is a row of the plan."""
    for place in systems:
        try:
            system = system_at(place)
        except Exception as problem:
            note = f"{type(problem).__name__}: {problem}"
            data = {"traceback": traceback.format_exc()}
            plan.failed.append(Row(claim=f"load {place}", verdict=Verdict.FAILURE, note=note, data=data))
            continue
        plan.systems[place] = system.name
        yield place, system


def searched_on_demand(system: System, locked: SystemEntry) -> set[tuple[str, str]]:
    """Pairs of a semantics and a configuration that are too large to be searched every time.

    Those of a configuration that says so, and what a released version has more states in than `_LARGE`.
    """
    return {
        (semantics, one.name)
        for semantics in system.semantics
        for one in system.configurations
        if one.on_demand
        or (semantics != system.default_semantics and jobs.states_of(locked, semantics, one.name) > _LARGE)
    }


def _add_system(
    plan: Plan, place: str, system: System, left_out: Collection[tuple[str, str]], locked: SystemEntry
) -> None:
    name, covering = system.name, []
    default = system.default_semantics
    configurations = [one.name for one in system.configurations if (default, one.name) not in left_out]
    for configuration in configurations:
        claim = f"check {name}:{configuration}"
        covering.append(claim)
        plan.jobs.append(jobs.check(place, name, configuration, jobs.states_of(locked, default, configuration)))
        for semantics in system.semantics:
            is_shown = semantics != default and configuration in shown_in(system, semantics)
            if is_shown and (semantics, configuration) not in left_out:
                states = jobs.states_of(locked, semantics, configuration)
                plan.jobs.append(jobs.known(place, name, configuration, semantics, states))
    claims = {f"{one.kind} {name} {one.name}": one.name for one in system.variations}
    for number, some in enumerate(_batches(list(claims.items()), _VARIATIONS_A_JOB), 1):
        plan.jobs.append(jobs.variations(place, name, number, some, locked))
    # A proof for any size is one for these sizes too; one of them is proved beside it, by other means.
    implied = bool(locked.proved) and set(locked.proved) <= set(locked.for_any_size)
    plan.jobs.append(jobs.proofs(place, name, configurations[:1] if implied else configurations))
    plan.sums.append(lambda rows: summing.coverage(f"coverage {name}", rows, covering))
    plan.sums.append(lambda rows: summing.vacuity(f"vacuity {name}", rows, covering))


def shown_in(system: System, semantics: str) -> set[str]:
    """Where a released version is searched: in the first configuration, and where what it does otherwise shows.

    What it has in common with one that is declared before it is looked for there. In other configurations nothing is
    judged of the release: the page of systems says which these are.
    """
    names = list(system.semantics)
    earlier = {one.name for name in names[: names.index(semantics)] for one in system.semantics[name]}
    own = (one.configuration for one in system.semantics[semantics] if one.name not in earlier)
    return {system.configuration().name, *own}


def _batches(items: Sequence[tuple[str, str]], size: int) -> list[Sequence[tuple[str, str]]]:
    """This many at a time, in order."""
    return [items[i : i + size] for i in range(0, len(items), size)]
