"""The jobs of a plan: which check runs in a process of its own, with what, and about how long it takes.

Not here: which jobs there are (`plan`), and what each does: a job names its function, and alone imports it.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from genstamp.lock import Lock, SearchEntry, SystemEntry
from genstamp.stateful import driving_of
from genstamp.systems import system_at
from genstamp.verify.job import Job
from genstamp.walk import configurations_of, kept
from genstamp_model.language import System

PEERS: Final = ("tlc", "spin")
"""Other checkers that are asked about every system."""
_PEER_LIMIT_S: Final = 420.0


_SOME_STATES: Final = 1_000_000


def of_claim(name: str, claim: str, does: str, seconds: float, /, **arguments: Any) -> Job:
    """A job with one claim, which its function is told beside its other arguments."""
    return Job(name=name, claims=(claim,), does=does, arguments={"claim": claim, **arguments}, seconds=seconds)


def check(place: str, name: str, configuration: str, states: int) -> Job:
    """The job that searches a configuration under the default semantics, of about this many states."""
    claim = f"check {name}:{configuration}"
    return of_claim(
        f"check_{name}_{configuration}",
        claim,
        "genstamp.verify.searching:check",
        search_seconds(states),
        system=place,
        configuration=configuration,
    )


def known(place: str, name: str, configuration: str, semantics: str, states: int) -> Job:
    """The job that looks for what a released version is known to break, in a configuration of this many states."""
    claim = f"known {name}:{configuration} {semantics}"
    # A transition property that breaks is left out, and the search begins anew: about one more in all.
    return of_claim(
        f"known_{name}_{configuration}_{semantics}",
        claim,
        "genstamp.verify.searching:known",
        2 * search_seconds(states),
        system=place,
        configuration=configuration,
        semantics=semantics,
    )


def variations(place: str, name: str, number: int, some: Sequence[tuple[str, str]], locked: SystemEntry) -> Job:
    """The job that searches for some faults and differences of a system.

    Args:
        place: where the system is declared.
        name: its name.
        number: of the job, among those of the system.
        some: the claim of each, and its name.
        locked: what the lock has of the system.
    """
    return Job(
        name=f"variations_{name}_{number}",
        claims=tuple(claim for claim, _ in some),
        does="genstamp.verify.searching:variations",
        arguments={"system": place, "names": dict(some)},
        seconds=sum(search_seconds(variation_states(locked, fault)) for _, fault in some),
    )


def proofs(place: str, name: str, configurations: Sequence[str]) -> Job:
    """The job that proves what a system declares to be inductive, in these configurations."""
    claim = f"prove {name}"
    return of_claim(
        f"prove_{name}", claim, "genstamp.verify.proving:proofs", 10, system=place, configurations=configurations
    )


def any_size(place: str, name: str) -> Job:
    """The job that proves the same for any number of members."""
    claim = f"prove {name} for any size"
    return of_claim(f"any_size_{name}", claim, "genstamp.verify.proving:any_size", 10, system=place)


def search_seconds(states: int) -> float:
    """About what a search of this many states takes, a process and the compiler included."""
    return 2 + states / 300_000


def states_of(locked: SystemEntry, semantics: str, configuration: str) -> int:
    """How many states there were when the lock was written; of what it does not know, some."""
    searches = locked.semantics[semantics].searches if semantics in locked.semantics else {}
    return searches[configuration].distinct if configuration in searches else _SOME_STATES


def variation_states(locked: SystemEntry, name: str) -> int:
    """How many states a fault had when the lock was written; one that it does not know, some."""
    return locked.variations[name].distinct if name in locked.variations else _SOME_STATES


def agreement(place: str, system: System, locked: Lock, *, may_be_recorded: bool = False) -> Job:
    """The job that asks other checkers about a system, in its smallest configuration.

    Args:
        place: where it is declared.
        system: it.
        locked: the lock.
        may_be_recorded: whether what the lock has recorded of the same text will do.
    """
    configuration = smallest(system, locked)
    entry = locked.get(system.name, SystemEntry()).semantics.get(system.default_semantics)
    recorded = entry.agreed.get(configuration) if entry is not None and may_be_recorded else None
    claims = {peer: f"agree {system.name}:{configuration} {peer}" for peer in PEERS}
    return Job(
        name=f"agree_{system.name}_{configuration}",
        claims=tuple(claims.values()),
        does="genstamp.verify.agreeing:agree",
        arguments={
            "claims": claims,
            "system": place,
            "configuration": configuration,
            "limit_s": _PEER_LIMIT_S,
            "recorded": None if recorded is None else msgspec.to_builtins(recorded),
        },
        seconds=40 if recorded is None else 5,
    )


def smallest(system: System, locked: Lock) -> str:
    """The configuration with the fewest states in a lock, of those that are checked every time; else the first one."""
    searches: Mapping[str, SearchEntry] = {}
    if system.name in locked and system.default_semantics in locked[system.name].semantics:
        searches = locked[system.name].semantics[system.default_semantics].searches
    known = [one.name for one in system.configurations if not one.on_demand and one.name in searches]
    return min(known, key=lambda name: searches[name].distinct, default=system.configuration().name)


def simulate(runs: int) -> Job:
    """The job that simulates HDFS."""
    claim = "simulate genstamp_dfs: promises about bytes, with faults"
    return of_claim("simulate", claim, "genstamp.verify.simulating:simulate", runs / 4, runs=runs)


def simulate_gfs(runs: int) -> Job:
    """The job that simulates GFS."""
    claim = "simulate genstamp_dfs.gfs: promises about bytes, with faults"
    return of_claim("simulate_gfs", claim, "genstamp.verify.simulating:simulate_gfs", 90, runs=runs)


def conform(place: str, name: str, examples: int, *, as_child: bool = False, semantics: str = "repaired") -> Job:
    """The job that drives the reference implementation in this many runs."""
    how = "as a child process" if as_child else "in process" if semantics == "repaired" else f"as {semantics}"
    claim = f"conform {name}: genstamp_dfs {how}"
    return of_claim(
        f"conform_{name}_{how.replace(' ', '_')}",
        claim,
        "genstamp.verify.conforming:conform",
        20,
        system=place,
        as_child=as_child,
        semantics=semantics,
        examples=examples,
    )


def walk(repository: Path, place: str, name: str) -> Job:
    """The job that walks through the first configuration that is walked, and compares with what is kept."""
    configuration = configurations_of(system_at(place), driving_of(name))[0].name
    found = kept.read(repository, name)
    claim = f"walk {name}:{configuration}"
    return of_claim(
        f"walk_{name}_{configuration}",
        claim,
        "genstamp.verify.conforming:walked",
        30,
        system=place,
        certain=found.walks[configuration].certain if found and configuration in found.walks else None,
    )


def lockstep(place: str, name: str, seeds: int) -> Job:
    """The job that checks simulated runs against a system."""
    claim = f"conform {name}: {seeds} simulated runs"
    return of_claim(f"lockstep_{name}", claim, "genstamp.verify.conforming:lockstep", 25, system=place, seeds=seeds)
