"""What the master does with its operation log and its checkpoints, how it starts again, and what a shadow shows."""

from genstamp_model.language import *
from genstamp_spec.gfs.parts.log_state import LogReplica, MasterLogState, MasterStage

LONGEST = 7
"""Records of one write, or of one file of the log: more than any configuration has."""


class RunningMaster(MasterLogState, lane="master"):
    """A master that runs (section 2.6.3)."""

    @action
    def append_record(s) -> None:
        """A client changes the namespace: the record waits in memory for the next batch."""
        s.runs()
        s.applied = s.applied + 1
        observe(records=s.applied)

    def runs(s) -> None:
        """Checks: there is a master."""
        require(s.is_running(), "the master is running")

    @action
    def flush_log(s) -> None:
        """A batch of records is on the local disk; what is logged while it is written waits for the next one."""
        records = pick("records", 1, LONGEST)
        s.runs()
        require(s.flushed + records <= s.applied, "the records wait to be flushed")
        s.flushed = s.flushed + records
        # What stands behind a torn record is on the disk, and nobody will read it: a master has to cut it off before.
        s.on_disk = when(s.torn, s.on_disk, s.flushed)
        observe(records=s.flushed)

    @action
    def flush_to_replica(s, replica: LogReplica) -> None:
        """A batch of records is on the disk of a remote machine, before or after the local one."""
        records = pick("records", 1, LONGEST)
        s.runs()
        require(s.replicated[replica] + records <= s.applied, "the records wait to be sent to it")
        s.replicated[replica] = s.replicated[replica] + records
        observe(records=s.replicated[replica])

    @action
    def show_record(s) -> None:
        """A record is flushed locally and remotely: its client is answered, and whoever reads sees what it did."""
        s.runs()
        require(s.visible < s.flushed, "the record is on the local disk")
        require(s.is_replicated(s.visible), "the record is on every remote disk")
        s.show(s.visible + 1)

    def show(s, records: Number) -> None:
        """Clients see so many records."""
        s.visible = records
        s.seen = largest(s.seen, records)
        observe(records=s.visible)

    # Checkpoints are built beside the running master.

    @action
    def switch_log(s) -> None:
        """The master begins a new log file, and a thread builds a checkpoint of what was before."""
        s.switches()

    def switches(s) -> None:
        """All that was logged before the switch will be in it, flushed or not."""
        s.runs()
        require(~s.building, "no checkpoint is being built")
        require(s.applied > s.whole_checkpoint(), "there is something new for a checkpoint")
        s.building = True
        s.switched_at = s.applied
        observe(records=s.switched_at)

    def whole_checkpoint(s) -> Number:
        """Records in the newest checkpoint that can be read."""
        return when(s.damaged, s.fall_back, s.checkpoint)

    @action
    def complete_checkpoint(s) -> None:
        """The checkpoint is on the disk, with all records before the switch."""
        s.completes()

    def completes(s) -> None:
        """The one before stays as a fall-back, unless it cannot be read."""
        s.runs()
        require(s.building, "a checkpoint is being built")
        require(s.switched_at <= s.flushed, "the records in it are on the local disk")
        s.building = False
        s.fall_back = when(s.damaged, s.fall_back, s.checkpoint)
        s.checkpoint = s.switched_at
        s.damaged = False
        observe(records=s.checkpoint, fall_back=s.fall_back)

    @action(hidden=True)
    def delete_old_log(s) -> None:
        """What the fall-back contains needs no log any more; a file with a record that it does not contain stays."""
        records = pick("records", 1, LONGEST)
        s.runs()
        require(s.log_begins + records <= s.deletable(), "older checkpoints contain them")
        s.log_begins = s.log_begins + records
        observe(records=s.log_begins)

    def deletable(s) -> Number:
        """Records that need no log: older checkpoints and logs are kept as a fall-back."""
        return s.fall_back

    @action(hidden=True)
    def damage_checkpoint(s) -> None:
        """The newest checkpoint is lost to its disk."""
        require(s.checkpoint > 0, "there is a checkpoint")
        require(~s.damaged, "it can be read")
        s.damages = s.damages + 1
        s.damaged = True

    # A shadow serves reads.

    @action
    def shadow_replays(s) -> None:
        """A shadow applies the next record of a replica of the log, once it was told that every disk has it.

        Section 5.1.3 only says that a shadow lags slightly. Here it lags behind what the master may show: a record that
        it reads from one replica may be on no other disk yet. It may be told so by a master that is dead by then.
        """
        require(s.shadow < s.on_disk, "the record is on the local disk")
        require(s.is_replicated(s.shadow), "the record is on every remote disk")
        s.shadow = s.shadow + 1
        s.seen = largest(s.seen, s.shadow)
        observe(records=s.shadow)


class RestartedMaster(RunningMaster, lane="master"):
    """A master that dies, and the next one (sections 2.6.3 and 5.1.1)."""

    @action
    def crash(s) -> None:
        """The master dies at any point: a record that was being written may be on its disk in part.

        Whole records of its batch that are there, too, are as a batch of their own that was flushed just before.
        """
        torn = pick("torn", 0, 1) == 1
        s.runs()
        require(~torn | (s.on_disk < s.applied), "what is written in part was being written")
        s.crashes = s.crashes + 1
        s.stage = MasterStage.DOWN
        s.torn = s.torn | torn
        s.building = False
        s.applied = 0
        s.flushed = 0
        s.visible = 0

    @action
    def recover(s) -> None:
        """It starts again where it was: from the newest checkpoint that is whole, and the log after it.

        Clients are shown nothing until the remote logs have all of that, too: some of it may be on this disk alone.
        """
        s.recovers()

    def recovers(s) -> None:
        """The master has what can be read."""
        require(~s.is_running(), "there is no master")
        s.start_with(s.readable())
        s.cut_torn_record()
        observe(records=s.applied, checkpoint=s.whole_checkpoint(), log_begins=s.log_begins)

    def readable(s) -> Number:
        """Records that can be had: those of the checkpoint, and of the log if it goes on from there."""
        start = s.whole_checkpoint()
        return when(s.log_begins <= start, largest(s.on_disk, start), start)

    def cut_torn_record(s) -> None:
        """What was written in part is cut off, so that the log can be read on behind it."""
        s.torn = False

    def start_with(s, records: Number) -> None:
        """The namespace has so many records; a remote log that has more is cut when it is written to."""
        s.stage = MasterStage.RUNNING
        s.applied = records
        s.flushed = records
        s.on_disk = records
        s.replicated.update(lambda replica: smallest(s.replicated[replica], records))

    @action
    def start_elsewhere(s, replica: LogReplica) -> None:
        """The master's machine is lost, and a new one starts with a remote log.

        Coarser  a remote log is whole from its beginning, and no checkpoint is needed; another log replica takes the
                 place of the machine, and has as much.
        """
        require(~s.is_running(), "there is no master")
        s.checkpoint = 0
        s.fall_back = 0
        s.switched_at = 0
        s.log_begins = 0
        s.damaged = False
        s.torn = False
        s.start_with(s.replicated[replica])
