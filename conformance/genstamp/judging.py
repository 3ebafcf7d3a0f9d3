"""Runs the judges on mutants of a system: chooses configurations, their order, and the number of processes.

Not here: the judges (`genstamp_model.mutate`) and the recorded results (`genstamp.mutation`).
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
from genstamp.progress import live
from genstamp.systems import every_system
from genstamp.verify.summing import LOCK
from genstamp_model.language import Configuration
from genstamp_model.language.model import Model
from genstamp_model.mutate import Below, Mutant, Outcome, below, judged

T = TypeVar("T")

CHEAP: Final = 200_000
"""Configurations with at most this many states in spec.lock are searched before proofs are tried. Their searches take
no longer than compiling.
"""

_FEW_BELOW: Final = 20_000
"""Configurations of a refining system with at most this many states in spec.lock judge mutants of the system above
it.
"""


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
    """Judge mutants of a model.

    Args:
        repository: the repository whose spec.lock has the number of states of each configuration.
        model: the model without a change.
        configurations: where to search.
        mutants: the mutants to judge.
        most_states: leave out configurations with more states, except the smallest one.
        every: run every judge, even after one has noticed the mutant.
        proofs: try to prove that unnoticed mutants change nothing.
        jobs: the number of processes.

    Returns:
        An outcome for each mutant, in their order, and the names of the places of `judged_where`.

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
    """The names of the configurations that `judged_in` uses, in order; those of refining systems come last."""
    cheap, dear = in_order(repository, model, configurations, most_states)
    return [*(one.name for one in (*cheap, *dear)), *map(str, _below(repository, model))]


def in_order(
    repository: Path, model: Model, configurations: Sequence[Configuration], most: int | None
) -> tuple[list[Configuration], list[Configuration]]:
    """Sort configurations by their number of states, and divide them at `CHEAP`.

    Args:
        repository: the repository whose spec.lock has the number of states of each configuration.
        model: the model that is searched.
        configurations: those to sort; one that the lock does not have counts as the smallest.
        most: leave out configurations with more states, except the smallest one.

    Returns:
        The cheap configurations and the others. All are cheap if the lock does not have the model.
    """
    try:
        entry = lock.read(repository / LOCK)[model.system].semantics[model.semantics]
    except (LockError, KeyError):
        return list(configurations), []
    states = {name: search.distinct for name, search in entry.searches.items()}
    ordered = sorted(configurations, key=lambda one: states.get(one.name, 0))
    # The smallest configuration is always searched, so that there is a result.
    ordered = [one for i, one in enumerate(ordered) if i == 0 or most is None or states.get(one.name, 0) <= most]
    few = sum(states.get(one.name, 0) <= CHEAP for one in ordered)
    return ordered[:few], ordered[few:]


def _below(repository: Path, model: Model) -> list[Below]:
    """The systems that refine this one, each in its smallest configuration and all others with few states."""
    try:
        locked = lock.read(repository / LOCK)
    except LockError:
        return []
    states: dict[str, int] = {}
    for system in every_system():
        if system.name in locked and any(one.upper.name == model.system for one in system.refines):
            found = locked[system.name].semantics[system.default_semantics].searches
            known = {one.name: found[one.name].distinct for one in system.configurations if one.name in found}
            few = max(_FEW_BELOW, min(known.values(), default=0))
            states |= {f"{system.name}:{name}": count for name, count in known.items() if count <= few}
    return below(model.system, every_system(), sorted(states, key=lambda name: states[name]))


# What the processes work on. They are forked and inherit it, since a model cannot be pickled.
_task: Callable[[Mutant], Any] | None = None
_of: Sequence[Mutant] = ()
_so_far: str = "nothing is judged"


def so_far() -> str:
    """The progress of the work, also after an interrupt has ended it."""
    return _so_far


def _shared(jobs: int, task: Callable[[Mutant], T], of: Sequence[Mutant], told: str) -> Iterator[T]:
    """Do a task with each mutant, in several processes; gives the results in the order of the mutants."""
    global _task, _of, _so_far
    _task, _of = task, of
    if not of:
        return
    _so_far = f"{told}: 0 of {len(of)} mutants"
    with live() as show:
        show(_so_far)
        for i, found in enumerate(map(task, of) if jobs == 1 else _forked(min(jobs, len(of))), 1):
            yield found
            _so_far = f"{told}: {i} of {len(of)} mutants"
            show(_so_far)


def _forked(jobs: int) -> Iterator[Any]:
    """The results of the task for all mutants, in order."""
    forked = multiprocessing.get_context("fork")
    # Ctrl-C interrupts all processes of the group; only this one handles it.
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
