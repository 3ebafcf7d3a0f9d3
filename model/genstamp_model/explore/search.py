"""Every reachable state of an instance within its limits: the public face of the compiled search."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path as FilePath

import numpy as np
from numpy.typing import NDArray

from genstamp_model.errors import ConfigurationError
from genstamp_model.evaluate import Evaluator
from genstamp_model.explore import driver, memory
from genstamp_model.explore.board import AnyBoard, Board, processors
from genstamp_model.explore.canonical import Canonical
from genstamp_model.explore.emit import LIMITS, Program, program
from genstamp_model.explore.fingerprint import FingerprintBoard, Fingerprints
from genstamp_model.explore.native import Native, compile_program
from genstamp_model.explore.result import INTERRUPTED, Critical, Progress, Refusal, Result, Verdict
from genstamp_model.explore.spool import Disk
from genstamp_model.explore.symmetry import groups
from genstamp_model.explore.symmetry_check import refuse_differences
from genstamp_model.explore.symmetry_static import refuse_asymmetry
from genstamp_model.explore.violation import Violation, bad_step, broken_invariant, deadlock
from genstamp_model.interrupt import interrupts
from genstamp_model.language.model import Instance
from genstamp_model.path import Path
from genstamp_model.refinement import refuse_other_beginnings

# How long the driver runs before it comes back for progress, limits and interrupts.
_SECONDS_A_TURN = 0.1
_FIRST_QUOTA = 1 << 14

# More states than can be found.
_ANY_NUMBER = 1 << 40

# A search that may have missed a state with more than this probability says nothing.
MOST_DOUBT = 0.01


class Compiled:
    """An instance compiled for search: for those who search it more than once, or want its witnesses' paths.

    `symmetry` and `renumber` are those of `explore`, and raise what it says.
    """

    def __init__(self, instance: Instance, *, symmetry: bool = False, renumber: bool = False) -> None:
        started = time.perf_counter()
        refuse_other_beginnings(instance)
        if symmetry:
            refuse_asymmetry(instance, groups(instance))
        written = program(instance, symmetry=symmetry, renumber=renumber)
        native = compile_program(written)
        if symmetry:
            refuse_differences(written, native)
        self._keep(written, native, time.perf_counter() - started)

    @classmethod
    def of(cls, program: Program, native: Native) -> Compiled:
        """The functions that were already written and compiled."""
        self = cls.__new__(cls)
        self._keep(program, native, native.seconds)
        return self

    def _keep(self, program: Program, native: Native, seconds: float) -> None:
        self.instance = program.instance
        self.program = program
        self.native = native
        self.canonical = Canonical(program, native)
        self.seconds = seconds

    @property
    def reductions(self) -> tuple[str, ...]:
        """How one state stands for many, as text."""
        plan = self.program.symmetry
        names = " and ".join(group.name for group in (*plan.sorted, *plan.tried)) if plan else ""
        found = [f"up to the numbering of {names}"] if names else []
        return (*found, *(["ordered numbers by rank"] if self.program.renumbering else []))

    def first_rows(self) -> list[Sequence[int]]:
        """The rows of the initial states, each once."""
        return list(dict.fromkeys(map(self.canonical.row, Evaluator(self.instance).initials)))

    def path(self, rows: Sequence[Sequence[int]]) -> Path:
        """The path of real states that are stored as these rows, each a neighbour of the one before."""
        return self.canonical.replay([[int(word) for word in row] for row in rows])


def explore(
    instance: Instance,
    *,
    max_states: int | None = None,
    max_seconds: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    check_deadlock: bool = True,
    threads: int | None = None,
    symmetry: bool = False,
    renumber: bool = False,
    fingerprints: Fingerprints | bool = False,
    memory_bytes: int | None = None,
    spill: FilePath | None = None,
) -> Result:
    """Search every state that an instance can reach within its limits, breadth first, up to the first violation.

    Args:
        instance: what to search.
        max_states: give up with more distinct states than this; by default with as many as there is room for.
        max_seconds: give up after this many seconds of search.
        progress: called about ten times a second.
        check_deadlock: whether a state without any step is a violation where the system says that it may not stop; a
            step that a limit cuts off counts as a step.
        threads: 1 or 2; by default 2 where there are two processors. Nothing but the time depends on it, and small
            searches run on one.
        symmetry: let one state stand for all that differ from it only in the numbering of the members of index sets
            declared symmetric; paths show members as they are.
        renumber: replace ordered numbers by their ranks in each state. A limit then bounds how many of them there are
            at once, and endless retries become cycles; paths show the real numbers.
        fingerprints: keep only a hash of each state, 9 to 10 bytes altogether; the result then holds with a
            probability, which it tells. What is violated is: its path has been taken step by step.
        memory_bytes: how much memory states may take; by default three quarters of what is free. Then further states go
            to files, except for the hash table; when it is full, the search ends.
        spill: directory for these files; by default where temporary files are. They have no names.

    Returns:
        The result; interrupted from the keyboard, it is undetermined with the counts so far.

    Raises:
        ConfigurationError: the instance computes numbers that do not fit a machine word; there cannot be so many
            threads or so little memory; its ordered numbers cannot be renumbered, because more than their order matters
            or one is raised that is not the largest; or there is no symmetry to use, because no index set declares it,
            an action or property breaks it, or too many members stand in relations to one another.
        SpecError: a refinement takes the initial state elsewhere than where the upper system begins.
    """
    compiled = Compiled(instance, symmetry=symmetry, renumber=renumber)
    how = Fingerprints() if fingerprints is True else fingerprints or None
    search = Search(
        compiled, max_states, check_deadlock, threads, fingerprints=how, memory_bytes=memory_bytes, spill=spill
    )
    return search.run(max_seconds, progress)


class Search:
    """One search, from its initial states on."""

    def __init__(
        self,
        compiled: Compiled,
        max_states: int | None = None,
        check_deadlock: bool = True,
        threads: int | None = None,
        *,
        fingerprints: Fingerprints | None = None,
        memory_bytes: int | None = None,
        spill: FilePath | None = None,
        board: AnyBoard | None = None,
    ) -> None:
        self.instance = compiled.instance
        self._compiled = compiled
        self._program = compiled.program
        self._words = compiled.program.layout.words
        self._max_states = max_states
        self._threads = _threads(threads)
        self._seconds = 0.0
        self._board = board or self._own_board(check_deadlock, fingerprints, memory_bytes, spill)

    def _own_board(
        self, check_deadlock: bool, fingerprints: Fingerprints | None, memory_bytes: int | None, spill: FilePath | None
    ) -> AnyBoard:
        """The memory of a search on this machine."""
        compiled = self._compiled
        first = compiled.first_rows()
        may_stop = check_deadlock and self.instance.model.may_stop is not None
        room, disk = memory.granted(memory_bytes), Disk(spill)
        allowed = _ANY_NUMBER if self._max_states is None else self._max_states
        program, native = compiled.program, compiled.native
        if fingerprints is None:
            return Board(program, native, first, may_stop, allowed, room, disk)
        return FingerprintBoard(program, native, first, may_stop, allowed, room, disk, fingerprints)

    def run(self, max_seconds: float | None = None, progress: Callable[[Progress], None] | None = None) -> Result:
        """Search on until there is a verdict; see `explore`."""
        board, before, why = self._board, self._seconds, ""
        started = time.perf_counter()
        quota, threads = _FIRST_QUOTA, 1
        with interrupts() as interrupted:
            while not why:
                began = time.perf_counter()
                board.turn(quota, threads)
                now = time.perf_counter()
                self._seconds = before + now - started
                if board.outcome != driver.PAUSED:
                    break
                quota = max(1, int(quota * min(8.0, _SECONDS_A_TURN / (now - began))))
                threads = self._threads
                try:
                    if progress is not None:
                        progress(self._progress())
                except KeyboardInterrupt:
                    why = INTERRUPTED
                if interrupted:
                    why = INTERRUPTED
                elif max_seconds is not None and now - started >= max_seconds:
                    why = f"{max_seconds:g} seconds were not enough"
        if board.outcome == driver.FULL:
            most = self._max_states
            why = board.full or (f"there are more than {most} states" if most is not None else "the memory is used up")
        if board.outcome == driver.DONE and board.doubt > MOST_DOUBT:
            why = f"a state may have been missed with a probability of up to {board.doubt:.2g}"
        # Also in the turn that ends the search: whoever asked for it may have more to do, and is to leave it.
        return self._result(INTERRUPTED if interrupted else why)

    def states(self) -> NDArray[np.int64]:
        """All states found, one a row in the words of `Layout`, the initial one first.

        Their order depends on nothing but the instance, and where the search ended. This is a copy.
        """
        return self._exact().rows()

    def places(self) -> NDArray[np.int64]:
        """Of each row of `states` its place. States found later have higher places, more or less."""
        return self._exact().places()

    def way_to(self, place: int) -> list[list[int]]:
        """The rows of the states on a shortest path to the one at a place, the initial one first."""
        return self._board.way(place)

    def _exact(self) -> Board:
        assert isinstance(self._board, Board), "a search by fingerprints keeps no states"
        return self._board

    def _progress(self) -> Progress:
        board = self._board
        return Progress(
            states=board.states,
            waiting=board.states - board.expanded,
            generated=board.generated,
            levels=board.levels,
            seconds=self._seconds,
        )

    def _result(self, why: str) -> Result:
        program, board = self._program, self._board
        violation = self._violation()
        verdict = Verdict.VIOLATED if violation else Verdict.UNDETERMINED if why else Verdict.HOLDS
        counters = board.counters.tolist()
        taken: dict[str, int] = {action.name: 0 for action in self.instance.model.actions}
        for (action, _), steps in zip(program.steps, counters[program.first_step : program.first_refined], strict=True):
            taken[action.name] += steps
        return Result(
            instance=self.instance,
            verdict=verdict,
            undetermined=why,
            violation=violation,
            states=board.states,
            generated=board.generated,
            levels=board.levels,
            words=self._words,
            bytes_a_state=board.memory_bytes / board.states,
            seconds=self._seconds,
            compile_seconds=self._compiled.seconds,
            cuts=dict(zip(program.limits, counters[LIMITS:], strict=False)),
            taken=taken,
            idle=dict(zip(taken, counters[program.first_idle :], strict=True)),
            refusals=self._refusals(),
            witnesses=self._witnesses(),
            not_judged=tuple(c.name for c in self.instance.model.properties if c.kind == "leads_to"),
            refined=dict(zip(program.refined, counters[program.first_refined : program.first_critical], strict=True)),
            critical=self._critical(counters[program.first_critical : program.first_idle]),
            doubt=board.doubt,
            disk_bytes=board.disk_bytes,
            reductions=self._compiled.reductions,
        )

    def _refusals(self) -> tuple[Refusal, ...]:
        return tuple(
            Refusal(
                target.action.name,
                target.check.label,
                str(target.check.refuses),
                target.check.defensive,
                bool(self._board.seen(number)),
            )
            for number, target in enumerate(self._program.targets)
            if target.action is not None and target.check is not None
        )

    def _witnesses(self) -> dict[str, int | None]:
        return {
            target.witness.name: self._first_depth(number)
            for number, target in enumerate(self._program.targets)
            if target.witness is not None
        }

    def _critical(self, steps: Sequence[int]) -> tuple[Critical, ...]:
        """For each part of a property whether it could have failed somewhere, in the order of the properties."""
        program = self._program
        any_step = self._board.generated - self._board.begun
        found = {one: Critical(one, any_step, None) for one in program.interests if one.two_states}
        found |= {one: Critical(one, times, None) for one, times in zip(program.critical, steps, strict=True)}
        for number, target in enumerate(program.targets):
            if target.interest is not None:
                depth = self._first_depth(number)
                found[target.interest] = Critical(target.interest, depth is not None, depth)
        return tuple(found[one] for one in program.interests)

    def _first_depth(self, target: int) -> int | None:
        """Steps of a shortest path to what `cover` looks for."""
        return min((self._board.depth(place) for place in self._board.seen(target)), default=None)

    def _first_way(self, target: int) -> list[list[int]]:
        """Words of the states on a shortest path to what `cover` looks for; none where it has not been seen."""
        return min((self._board.way(place) for place in self._board.seen(target)), key=len, default=[])

    def witness(self, name: str) -> Path | None:
        """A shortest path to a state that shows a witness; None where none has been found."""
        for number, target in enumerate(self._program.targets):
            if target.witness is not None and target.witness.name == name:
                way = self._first_way(number)
                return self._compiled.path(way) if way else None
        return None

    def _violation(self) -> Violation | None:
        outcome = self._board.outcome
        if outcome not in (driver.INVARIANT, driver.ALARM, driver.DEADLOCK):
            return None
        path = self._compiled.path(self._board.way(self._board.at))
        evaluator = Evaluator(self.instance)
        match outcome:
            case driver.INVARIANT:
                return broken_invariant(evaluator, path)
            case driver.ALARM:
                return bad_step(evaluator, path, self._compiled.canonical)
            case _:
                return deadlock(evaluator, path)


def _threads(asked: int | None) -> int:
    """How many threads a search may use."""
    if asked is not None and not 1 <= asked <= driver.PARTITIONS:
        raise ConfigurationError(f"a search runs on 1 to {driver.PARTITIONS} threads, not on {asked}")
    return min(processors(), driver.PARTITIONS) if asked is None else asked
