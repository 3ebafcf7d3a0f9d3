"""The checks that `genstamp verify` runs in a few minutes: something of everything that `--all` judges in full.

Of each system the smallest configuration, and of its bugs and of its holes the one with the fewest states; the two
invariants that stand for the others, proved; the reference implementation, simulated runs and real logs. The results of
Apache HDFS are recorded, and not run here. Rows of one kind that hold are shown as one.

Not here: how each is done: the functions are named, and imported by their jobs alone.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from genstamp.adapters import REFERENCE_SYSTEMS
from genstamp.lock import Lock, SystemEntry
from genstamp.lockstep import LOCKSTEPS
from genstamp.verify import summing
from genstamp.verify.job import Job
from genstamp.verify.jobs import conform, lockstep, of_claim, simulate, simulate_gfs, smallest, variation_states
from genstamp.verify.plan import LOG_CLAIMS, Plan, loaded, locked_in
from genstamp.verify.row import Row, Verdict
from genstamp.walk import kept
from genstamp_model.language import System

PROVED: Final = {
    "hdfs.lease": ("one_lease_per_open_file", "every open file belongs to one lease"),
    "hdfs.recovery": ("recovery_id_never_decreases", "recovery ids are monotonic"),
}
"""The invariants that are proved, by system."""

EXAMPLES: Final = 20
"""Runs of the reference implementation that are driven."""

SEEDS: Final = {"hdfs.pipeline": 25, "gfs.chunk_lease": 5}
"""Simulated runs that are checked against a system in lockstep."""

SIMULATED_RUNS: Final = 50
SIMULATED_RUNS_OF_GFS: Final = 10


def quick(repository: Path) -> Plan:
    """Something of everything."""
    lock = repository / summing.LOCK
    locked, plan = locked_in(lock), Plan()
    plan.jobs += [_sample(place, system, locked) for place, system in loaded(plan)]
    expected = [claim for job in plan.jobs for claim in job.claims]
    plan.jobs += [_proof(place, name) for place, name in plan.systems.items() if name in PROVED]
    for place, name in plan.systems.items():
        if name in REFERENCE_SYSTEMS:
            plan.jobs.append(conform(place, name, EXAMPLES))
        if name in LOCKSTEPS and name in SEEDS:
            plan.jobs.append(lockstep(place, name, SEEDS[name]))
    plan.jobs += [simulate(SIMULATED_RUNS), simulate_gfs(SIMULATED_RUNS_OF_GFS), _logs()]
    plan.sums.append(lambda rows: summing.locked(f"lock {lock.name}", rows, expected, lock, None))
    plan.recorded += [_recorded(repository, locked, *found) for found in kept.of_apache(repository).items()]
    plan.shown = together
    return plan


def _sample(place: str, system: System, locked: Lock) -> Job:
    """The smallest configuration of a system, and of each kind of its faults the one that is found soonest."""
    entry = locked.get(system.name, SystemEntry())
    configuration = smallest(system, locked)
    soonest = {
        one.kind: one.name for one in sorted(system.variations, key=lambda one: -variation_states(entry, one.name))
    }
    names = {f"{kind} {system.name} {name}": name for kind, name in soonest.items()}
    claim = f"check {system.name}:{configuration}"
    return Job(
        name=f"sample_{system.name}",
        claims=(claim, *names),
        does="genstamp.verify.searching:sample",
        arguments={"claim": claim, "system": place, "configuration": configuration, "names": names},
        seconds=5,
    )


def _proof(place: str, system: str) -> Job:
    name, words = PROVED[system]
    claim = f"prove {system}: {words}"
    return of_claim(f"prove_{system}", claim, "genstamp.verify.proving:proof", 10, system=place, name=name)


def _logs() -> Job:
    return Job(
        name="logs",
        claims=tuple(LOG_CLAIMS.values()),
        does="genstamp.verify.reading:logs_alone",
        arguments=LOG_CLAIMS,
        seconds=10,
    )


def _recorded(repository: Path, locked: Lock, release: str, systems: Sequence[str]) -> Row:
    """The recorded coverage of a release of Apache HDFS."""
    found = {system: one for system in systems if (one := kept.read(repository, system, release)) is not None}
    walks = found.values()
    days = sorted({walk.day for one in walks for walk in one.walks.values()})
    of, when = sum(one.transitions for one in walks), " to ".join(dict.fromkeys((days[0], days[-1])))
    changed = [system for system, one in found.items() if not _is_of_this_text(locked, system, one)]
    since = f"; the text of {', '.join(changed)} has changed since" if changed else ""
    led = f"it conformed, and was led to so many of {of:,} in {', '.join(systems)}{since}"
    return Row(
        claim=f"walk Apache HDFS {release}",
        verdict=Verdict.SKIPPED,
        count=sum(one.certain for one in walks),
        unit="transitions",
        note=f"not run here; recorded {when}: {led}",
    )


def _is_of_this_text(locked: Lock, system: str, walk: kept.Kept) -> bool:
    entry = locked.get(system, SystemEntry()).semantics.get(walk.semantics)
    return entry is not None and entry.digest == walk.digest


_PLURALS: Final = {
    "check": "check {0}, smallest configuration of {1} systems",
    "bug": "bugs {0}, {1}",
    "hole": "holes {0}, {1}",
    "difference": "differences {0}, {1}",
}


def together(rows: Sequence[Row]) -> list[Row]:
    """Rows of systems that hold as one row a kind, of HDFS and of GFS; the others as they are.

    >>> [row.claim for row in together([Row(claim=f"check hdfs.{name}", verdict=Verdict.HOLDS) for name in ("a", "b")])]
    ['check HDFS, smallest configuration of 2 systems']
    """
    groups: dict[str, list[Row]] = {}
    for row in rows:
        kind, _, subject = row.claim.partition(" ")
        whose = "GFS" if subject.startswith("gfs.") else "HDFS"
        is_one_of_many = kind in _PLURALS and row.verdict is Verdict.HOLDS
        groups.setdefault(f"{kind} {whose}" if is_one_of_many else row.claim, []).append(row)
    return [members[0] if group == members[0].claim else _one(group, members) for group, members in groups.items()]


def _one(group: str, members: Sequence[Row]) -> Row:
    kind, _, whose = group.partition(" ")
    return Row(
        claim=_PLURALS[kind].format(whose, len(members)),
        verdict=Verdict.HOLDS,
        count=sum(row.count or 0 for row in members),
        unit=members[0].unit,
        seconds=sum(row.seconds for row in members),
        files=tuple(file for row in members for file in row.files),
    )
