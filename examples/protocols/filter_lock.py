"""Peterson's lock for any number of processes: each climbs through levels, and each level keeps one of them back."""

import enum

from genstamp_model.language import *


class Process(Index):
    """Enters the critical section."""


class Level(Index, ordered=True):
    """A level to pass; a configuration has one less than there are processes."""


class At(enum.Enum):
    """What a process does next."""

    REST = enum.auto()
    GIVE_WAY = enum.auto()
    WAIT = enum.auto()


class FilterLock(Part):
    """How high each process has climbed, 0 for none; on each level, the process that came last."""

    climbed = per(Process, number(0, 9))
    at = per(Process, enumeration(At))
    victim = per(Level, reference(Process))

    def has_passed(s, process: Process) -> Bool:
        """A process that rests on the last level has the lock."""
        return (s.at[process] == At.REST) & (s.climbed[process] == Level.last().rank() + 1)

    @action
    def climb(s, process: Process) -> None:
        """A process enters the next level."""
        require((s.at[process] == At.REST) & ~s.has_passed(process), "it has a level to pass")
        s.climbed[process] = s.climbed[process] + 1
        s.at[process] = At.GIVE_WAY

    @action
    def give_way(s, process: Process) -> None:
        """It lets the others on this level go first."""
        require(s.at[process] == At.GIVE_WAY, "it has climbed")
        s.victim[s.climbed[process] - 1] = process
        s.at[process] = At.WAIT

    @action
    def pass_on(s, process: Process) -> None:
        """It passes if another one came later, or nobody else is as high."""
        level = s.climbed[process]
        require(s.at[process] == At.WAIT, "it waits")
        require(
            (s.victim[level - 1] != process)
            | forall(Process, lambda other: (other == process) | (s.climbed[other] < level)),
            "another one came later, or all others are lower",
        )
        s.at[process] = At.REST

    @action
    def leave(s, process: Process) -> None:
        """It leaves the critical section."""
        require(s.has_passed(process), "it has the lock")
        s.climbed[process] = 0

    @invariant
    def one_has_the_lock(s) -> Bool:
        """Mutual exclusion."""
        return count(Process, s.has_passed) <= 1

    @leads_to(fair=("give_way", "pass_on", "climb", "leave"))
    def gets_the_lock(s, process: Process) -> tuple[Bool, Bool]:
        """Nobody that climbs waits for ever."""
        return s.climbed[process] > 0, s.has_passed(process)


FILTER_LOCK = System(
    "filter_lock",
    parts=[FilterLock],
    configurations=[
        Configuration("two", sizes={"Process": 2, "Level": 1}),
        Configuration("three", sizes={"Process": 3, "Level": 2}),
    ],
)
