"""What goes wrong where one thing is left out that keeps the master's log whole, each as a change to gfs.master_log.

None of them is known of GFS: they are what an implementer may get wrong.
"""

from genstamp_model.language import *
from genstamp_spec.gfs.parts.log_state import LogReplica
from genstamp_spec.gfs.parts.log_steps import RestartedMaster

BROKEN = (
    "what_was_seen_survives",
    "seen_is_on_every_disk",
    "log_goes_on_from_checkpoints",
    "disk_has_what_was_flushed",
)
"""The promise, and what it rests on, which may break some steps earlier."""

SHOWN_BEFORE_FLUSHED_REMOTELY = Bug(
    "shown-before-flushed-remotely",
    "clients see a record that is on the master's own disk alone",
    drops=(("show_record", "the record is on every remote disk"),),
    source="section 2.6.3: flushed both locally and remotely",
).at("small", *BROKEN)
SHOWN_BEFORE_FLUSHED_LOCALLY = Bug(
    "shown-before-flushed-locally",
    "clients see a record that is on remote disks alone, and the master starts again from its own",
    drops=(("show_record", "the record is on the local disk"),),
    source="section 2.6.3: flushed both locally and remotely",
).at("small", *BROKEN)


class ShownAfterRestart(RestartedMaster, lane="master"):
    """A master that starts again shows what it finds on its disk, although the crash came before it was sent."""

    @action
    def recover(s) -> None:
        """The remote logs may be shorter."""
        s.recovers()
        s.show(s.applied)


SHOWN_AFTER_RESTART = Bug(
    "shown-at-once-after-a-restart",
    parts=(ShownAfterRestart,),
    source="section 2.6.3 does not say when a recovered master may answer",
).at("small", *BROKEN)


class MissesRecordsMeanwhile(RestartedMaster, lane="master"):
    """The old log is deleted when a checkpoint is complete, with the records that came while it was built."""

    @action
    def complete_checkpoint(s) -> None:
        """All of the log is deleted, with what was written while the checkpoint was built."""
        s.completes()
        s.log_begins = s.flushed


MISSES_RECORDS_MEANWHILE = Bug(
    "checkpoint-misses-records-written-meanwhile",
    parts=(MissesRecordsMeanwhile,),
    source="section 2.6.3: the master switches to a new log file first",
).at("small", *BROKEN)


class DeletedAtSwitch(RestartedMaster, lane="master"):
    """The old log is deleted at the switch, and a crash leaves a checkpoint that is not complete."""

    @action
    def switch_log(s) -> None:
        """A crash now finds neither."""
        s.switches()
        s.log_begins = s.switched_at


DELETED_AT_SWITCH = Bug(
    "log-deleted-before-the-checkpoint-is-complete",
    parts=(DeletedAtSwitch,),
    source="section 2.6.3: incomplete checkpoints are detected and skipped",
).at("small", *BROKEN)


class NoFallBack(RestartedMaster, lane="master"):
    """The log before the newest checkpoint is deleted, and the checkpoint cannot be read."""

    def deletable(s) -> Number:
        """Nobody falls back any further."""
        return s.checkpoint


NO_FALL_BACK = Bug(
    "no-log-for-the-fall-back",
    parts=(NoFallBack,),
    source="section 2.6.3: a few older checkpoints and log files are kept",
).at("small", *BROKEN)


class TornRecordStays(RestartedMaster, lane="master"):
    """A log is written on behind a record that is there in part, and cannot be read past it."""

    def cut_torn_record(s) -> None:
        """The next master reads up to the torn record, and not what follows."""


TORN_RECORD_STAYS = Bug(
    "torn-record-stays",
    parts=(TornRecordStays,),
    source="section 2.6.3 does not speak of records that are there in part",
).at("small", *BROKEN)


class ShadowReadsAhead(RestartedMaster, lane="master"):
    """A shadow shows a record of its replica of the log that is on no other disk."""

    @action
    def shadow_replays(s) -> None:
        """The record may be on this disk alone."""
        require(exists(LogReplica, lambda replica: s.replicated[replica] > s.shadow), "a replica has the record")
        s.shadow = s.shadow + 1
        s.seen = largest(s.seen, s.shadow)


SHADOW_READS_AHEAD = Bug(
    "shadow-reads-ahead",
    parts=(ShadowReadsAhead,),
    source="section 5.1.3: a shadow lags slightly; it does not say behind what",
).at("small", *BROKEN, "shadow_shows_what_was_seen")
MASTER_LOG_BUGS = (
    SHOWN_BEFORE_FLUSHED_REMOTELY,
    SHOWN_BEFORE_FLUSHED_LOCALLY,
    SHOWN_AFTER_RESTART,
    MISSES_RECORDS_MEANWHILE,
    DELETED_AT_SWITCH,
    NO_FALL_BACK,
    TORN_RECORD_STAYS,
    SHADOW_READS_AHEAD,
)
"""Each breaks a promise of gfs.master_log."""
