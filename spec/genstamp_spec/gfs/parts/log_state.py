"""What there is of the master's operation log, its checkpoints, its remote replicas and a shadow: the variables.

The log is a row of records, and a state of the namespace is the number of records that led to it. Which names a record
is about is not told: what was lost is told by how many records there are.
"""

import enum

from genstamp_model.language import *


class LogReplica(Index, symmetric=True):
    """A remote machine with a replica of the log."""


class MasterStage(enum.Enum):
    """Whether there is a master."""

    RUNNING = enum.auto()
    DOWN = enum.auto()


class MemoryState(Part):
    """What the master has in memory; lost when it dies."""

    stage = enumeration(MasterStage)
    applied = number(limit="records")  # records that are in its namespace, and in the log that it wants to write
    flushed = number(limit="records")  # so many of them it knows to be on its own disk
    visible = number(limit="records")  # so many of them clients may see
    building = flag()  # a checkpoint is being built


class DiskState(Part):
    """What is on disks. A length counts records that can be read one after the other."""

    on_disk = number(limit="records")  # of the local log
    torn = flag()  # a part of a record follows them
    replicated = per(LogReplica, number(limit="records"))  # of each remote log, as far as it agrees with the master's
    log_begins = number(limit="records")  # so many records at the local log's beginning are deleted
    switched_at = number(limit="records")  # records before the log file that was begun for the last checkpoint
    checkpoint = number(limit="records")  # records in the newest complete checkpoint
    fall_back = number(limit="records")  # records in the one before
    damaged = flag()  # the newest checkpoint cannot be read


class LogHistory(Part):
    """History variables, and what a configuration limits."""

    seen = number(limit="records")  # so many records some client has seen something of
    crashes = number(limit="crashes")
    damages = number(limit="damages")


class MasterLogState(MemoryState, DiskState, LogHistory):
    """All of this, with a shadow master."""

    shadow = number(limit="records")  # records in the namespace of the shadow, which serves reads

    def is_replicated(s, records: Number) -> Bool:
        """Every remote log has more records than this."""
        return forall(LogReplica, lambda replica: s.replicated[replica] > records)

    def is_running(s) -> Bool:
        """There is a master."""
        return s.stage.at(MasterStage.RUNNING)
