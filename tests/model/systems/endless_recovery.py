"""HDFS-11576: a block recovery that takes longer than the time between two heartbeats is overtaken by the next one.

The namenode answers each heartbeat with the command to recover the block, under a new recovery id, and refuses the
report of any recovery but the last one. So a datanode that is slower than the heartbeats works for ever on recoveries
that are out of date, and the file never closes, although everyone does what they have to do. The repair: no recovery is
commanded while the last one may still come to its end.

The same twice: in `Numbered` recovery ids grow, as in the protocol; in `Relative` it is only kept whether a recovery is
the last one, so that there are finitely many states without any limit.
"""

import enum
from dataclasses import replace

from genstamp_model.language import *

OVERTAKEN_FOR_EVER = Bug(
    "HDFS-11576",
    "a recovery is commanded although the last one is under way",
    drops=(("command_recovery", "no recovery is under way"),),
    breaks=("closes",),
    configuration="two",
)


class Datanode(Index, symmetric=True):
    """A datanode with a replica of the block."""


class Numbered(Part):
    """The namenode, and datanodes that recover the block when they are told to."""

    closed = flag()
    recovery_id = ordered(limit="recoveries")
    commanded = per(Datanode, ordered(limit="recoveries"))  # the recovery that a datanode is to begin; 0 for none
    at_work = per(Datanode, ordered(limit="recoveries"))  # the one that it works on; 0 for none

    def _under_way(s) -> Bool:
        return exists(Datanode, lambda dn: (s.commanded[dn] == s.recovery_id) | (s.at_work[dn] == s.recovery_id)) & (
            s.recovery_id > 0
        )

    @action
    def command_recovery(s, dn: Datanode) -> None:
        """The namenode answers a heartbeat with the command to recover the block."""
        require(~s.closed, "the file is open")
        require(~s._under_way(), "no recovery is under way")
        s.recovery_id = s.recovery_id + 1
        s.commanded[dn] = s.recovery_id

    @action
    def begin_recovery(s, dn: Datanode) -> None:
        """A datanode begins the recovery that it was told to do last."""
        require(s.commanded[dn] > 0, "there is a command")
        require(s.at_work[dn] == 0, "the datanode is at no other recovery")
        s.at_work[dn] = s.commanded[dn]
        s.commanded[dn] = 0

    @action
    def commit_block_synchronization(s, dn: Datanode) -> None:
        """A datanode is done and reports; only the report of the last recovery closes the file."""
        require(s.at_work[dn] > 0, "the datanode is at a recovery")
        s.closed = s.closed | (s.at_work[dn] == s.recovery_id)
        s.at_work[dn] = 0

    @leads_to(fair=("command_recovery", "begin_recovery", "commit_block_synchronization"))
    def closes(s) -> tuple[Bool, Bool]:
        """A file whose recovery was commanded is closed in the end."""
        return s.recovery_id > 0, s.closed

    @invariant
    def nothing_from_the_future(s, dn: Datanode) -> Bool:
        """Datanodes know no recovery that was not commanded."""
        return (s.commanded[dn] <= s.recovery_id) & (s.at_work[dn] <= s.recovery_id)


class Open(Numbered):
    """As `Numbered`, but for the repair."""

    @action
    def command_recovery(s, dn: Datanode) -> None:
        """The namenode answers a heartbeat with the command to recover the block."""
        require(~s.closed, "the file is open")
        s.recovery_id = s.recovery_id + 1
        s.commanded[dn] = s.recovery_id


class Recovery(enum.Enum):
    """A recovery, as the namenode would see it."""

    NONE = enum.auto()
    LAST = enum.auto()
    OVERTAKEN = enum.auto()


class Relative(Part):
    """As `Numbered`, without the numbers."""

    closed = flag()
    begun = flag()
    commanded = per(Datanode, enumeration(Recovery))
    at_work = per(Datanode, enumeration(Recovery))

    @action
    def command_recovery(s, dn: Datanode) -> None:
        """The namenode answers a heartbeat with the command to recover the block."""
        require(~s.closed, "the file is open")
        require(
            ~exists(Datanode, lambda d: s.commanded[d].at(Recovery.LAST) | s.at_work[d].at(Recovery.LAST)),
            "no recovery is under way",
        )
        s.begun = True
        for work in (s.commanded, s.at_work):
            work.update(lambda d, work=work: when(work[d].at(Recovery.LAST), Recovery.OVERTAKEN, work[d]))  # type: ignore[misc]
        s.commanded[dn] = Recovery.LAST

    @action
    def begin_recovery(s, dn: Datanode) -> None:
        """A datanode begins the recovery that it was told to do last."""
        require(~s.commanded[dn].at(Recovery.NONE), "there is a command")
        require(s.at_work[dn].at(Recovery.NONE), "the datanode is at no other recovery")
        s.at_work[dn] = s.commanded[dn]
        s.commanded[dn] = Recovery.NONE

    @action
    def commit_block_synchronization(s, dn: Datanode) -> None:
        """A datanode is done and reports; only the report of the last recovery closes the file."""
        require(~s.at_work[dn].at(Recovery.NONE), "the datanode is at a recovery")
        s.closed = s.closed | s.at_work[dn].at(Recovery.LAST)
        s.at_work[dn] = Recovery.NONE

    @leads_to(fair=("command_recovery", "begin_recovery", "commit_block_synchronization"))
    def closes(s) -> tuple[Bool, Bool]:
        """A file whose recovery was commanded is closed in the end."""
        return s.begun, s.closed


NUMBERED = System(
    "endless_recovery",
    parts=[Numbered],
    configurations=[
        Configuration("one", sizes={"Datanode": 1}, limits={"recoveries": 4}),
        Configuration("two", sizes={"Datanode": 2}, limits={"recoveries": 5}),
    ],
    bugs=[OVERTAKEN_FOR_EVER],
)

RANKED = replace(
    NUMBERED,
    name="endless_recovery_ranked",
    configurations=[replace(one, renumber=True) for one in NUMBERED.configurations],
)

RELATIVE = System(
    "endless_recovery_relative",
    parts=[Relative],
    configurations=[
        Configuration("one", sizes={"Datanode": 1}),
        Configuration("two", sizes={"Datanode": 2}),
        Configuration("three", sizes={"Datanode": 3}),
    ],
    bugs=[OVERTAKEN_FOR_EVER],
)

OPEN = System("endless_recovery_open", parts=[Open], configurations=RANKED.configurations)

# There is room for one recovery at a time, and so nobody knows what comes of a second one.
CROWDED = System(
    "endless_recovery_crowded",
    parts=[Open],
    configurations=[Configuration("one", sizes={"Datanode": 1}, limits={"recoveries": 1}, renumber=True)],
)
