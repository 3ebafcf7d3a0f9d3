"""Judging mutants of a system: in which configurations, in which order, and in how many processes.

Leaves out what is judged and how (`genstamp_model.mutate`), and what is kept of it (`genstamp.mutation`).
"""

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from genstamp import lock
from genstamp.errors import LockError
from genstamp.progress import each_minute
from genstamp.systems import every_system
from genstamp.verify.summing import LOCK
from genstamp_model.language import Configuration
from genstamp_model.language.model import Model
from genstamp_model.mutate import Below, Mutant, Outcome, below, judged

T = TypeVar("T")

CHEAP: Final = 20_000
"""States up to which, by spec.lock, a configuration is searched before proofs are tried."""


def judged_in(
    repository: Path,
    model: Model,
    configurations: Sequence[Configuration],
    mutants: Sequence[Mutant],
    *,
    most_states: int | None = None,
    every: bool = False,
    proofs: bool = True,
    jobs: int = 1,
) -> tuple[list[Outcome], list[str]]:
    """What became of some mutants, and where they were judged.

    Args:
        repository: its spec.lock says how many states a configuration has.
        most_states: leave out configurations that have more, but for the one that has the fewest.
        every: ask every judge.
        proofs: try to prove that what nothing has noticed changes nothing.
        jobs: processes.

    Raises:
        ModelError: as `genstamp_model.mutate.judged`.
    """
    cheap, dear = in_order(repository, model, configurations, most_states)
    lower = _below(repository, model)
    share = partial(_shared, jobs)
    outcomes = judged(model, mutants, cheap, dear, below=lower, every=every, proofs=proofs, share=share)
    return outcomes, judged_where(repository, model, configurations, most_states)


def judged_where(
    repository: Path, model: Model, configurations: Sequence[Configuration], most_states: int | None
) -> list[str]:
    """The configurations in which `judged_in` would judge, in the order in which they are tried."""
    cheap, dear = in_order(repository, model, configurations, most_states)
    return [*(one.name for one in (*cheap, *dear)), *map(str, _below(repository, model))]


def in_order(
    repository: Path, model: Model, configurations: Sequence[Configuration], most: int | None
) -> tuple[list[Configuration], list[Configuration]]:
    """Those with few states and those with many, each from the cheapest on; what the lock does not know comes first."""
    try:
        entry = lock.read(repository / LOCK)[model.system].semantics[model.semantics]
    except (LockError, KeyError):
        return list(configurations), []
    states = {name: search.distinct for name, search in entry.searches.items()}
    ordered = sorted(configurations, key=lambda one: states.get(one.name, 0))
    # The cheapest one is always searched: otherwise nothing would be known of the system.
    ordered = [one for i, one in enumerate(ordered) if i == 0 or most is None or states.get(one.name, 0) <= most]
    few = sum(states.get(one.name, 0) <= CHEAP for one in ordered)
    return ordered[:few], ordered[few:]


def _below(repository: Path, model: Model) -> list[Below]:
    """The systems that refine this one, each in its cheapest configuration and others with few states, as locked."""
    try:
        locked = lock.read(repository / LOCK)
    except LockError:
        return []
    states: dict[str, int] = {}
    for system in every_system():
        if system.name in locked and any(one.upper.name == model.system for one in system.refines):
            found = locked[system.name].semantics[system.default_semantics].searches
            known = {one.name: found[one.name].distinct for one in system.configurations if one.name in found}
            few = max(CHEAP, min(known.values(), default=0))
            states |= {f"{system.name}:{name}": count for name, count in known.items() if count <= few}
    return below(model.system, every_system(), sorted(states, key=lambda name: states[name]))


# What the processes work on. They are forked and inherit it, since a model cannot be sent from one to another.
_task: Callable[[Mutant], Any] | None = None
_of: Sequence[Mutant] = ()
_so_far: str = "nothing is judged"


def so_far() -> str:
    """How far the work is, or was when an interrupt ended it."""
    return _so_far


def _shared(jobs: int, task: Callable[[Mutant], T], of: Sequence[Mutant], told: str) -> Iterator[T]:
    """The work on each mutant, by some processes at once."""
    global _task, _of, _so_far
    _task, _of = task, of
    if not of:
        return
    show = each_minute()
    _so_far = f"{told}: 0 of {len(of)} mutants"
    for i, found in enumerate(map(task, of) if jobs == 1 else _forked(min(jobs, len(of))), 1):
        yield found
        _so_far = f"{told}: {i} of {len(of)} mutants"
        show(_so_far)


def _forked(jobs: int) -> Iterator[Any]:
    """What processes make of the mutants, in order."""
    forked = multiprocessing.get_context("fork")
    # The keyboard interrupts all processes of the group; only this one handles it.
    with ProcessPoolExecutor(jobs, forked, _ignore_interrupts) as pool:
        try:
            yield from pool.map(_done, range(len(_of)))
        except BaseException:
            for process in multiprocessing.active_children():
                process.kill()
            raise


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _done(number: int) -> Any:
    assert _task is not None
    return _task(_of[number])
