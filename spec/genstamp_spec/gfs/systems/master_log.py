"""gfs.master_log: whatever a client has seen of the namespace survives any crash of the master."""

from typing import Self

from genstamp_model.language import *
from genstamp_spec.gfs.bugs.master_log import MASTER_LOG_BUGS
from genstamp_spec.gfs.parts.log_state import LogReplica
from genstamp_spec.gfs.parts.log_steps import RestartedMaster


class MasterLogProperties(RestartedMaster):
    """What the log promises."""

    @invariant(
        inductive=True, given=("seen_is_on_every_disk", "disk_has_what_was_flushed", "log_goes_on_from_checkpoints")
    )
    def what_was_seen_survives(s) -> Bool:
        """LogBeforeVisible: a master that runs has all that any client has ever seen."""
        return s.is_running().implies(s.seen <= s.applied)

    @invariant(inductive=True, given=("log_goes_on_from_checkpoints", "disk_has_what_was_flushed"))
    def seen_is_on_every_disk(s, replica: LogReplica) -> Bool:
        """LogBeforeVisible: what a client has seen is on the local disk and on every remote one."""
        return (s.seen <= s.on_disk) & (s.seen <= s.replicated[replica]) & (s.visible <= s.seen)

    @invariant(inductive=True, given=("disk_has_what_was_flushed",))
    def log_goes_on_from_checkpoints(s) -> Bool:
        """From each checkpoint on there is a log, so that any of the two will do."""
        order = (s.log_begins <= s.fall_back) & (s.fall_back <= s.checkpoint) & (s.checkpoint <= s.on_disk)
        built = (s.checkpoint <= s.switched_at) & (s.switched_at <= s.applied)
        return order & s.building.implies(built)

    @invariant(inductive=True)
    def disk_has_what_was_flushed(s) -> Bool:
        """What the master takes for flushed can be read from its disk, and nothing torn is in the way."""
        running = (s.flushed == s.on_disk) & (s.flushed <= s.applied) & ~s.torn
        down = (s.applied == 0) & (s.flushed == 0) & (s.visible == 0) & ~s.building
        return (s.is_running() & running) | (~s.is_running() & down)

    @invariant(inductive=True, given=("seen_is_on_every_disk",))
    def shadow_shows_what_was_seen(s) -> Bool:
        """LogBeforeVisible: a shadow lags behind what the master has shown."""
        return s.shadow <= s.seen

    @transition(inductive=True)
    def what_was_seen_stays(s, t: Self) -> Bool:
        """Neither what clients have seen nor what a shadow shows goes back."""
        return (s.seen <= t.seen) & (s.shadow <= t.shadow)

    @transition(inductive=True, given=("disk_has_what_was_flushed",))
    def torn_record_was_being_written(s, t: Self) -> Bool:
        """A crash tears none but a record that was not flushed, and leaves all that was."""
        crashes = s.is_running() & ~t.is_running()
        return crashes.implies((s.on_disk <= t.on_disk) & (~t.torn | (t.on_disk < s.applied)))

    @witness
    def more_survives_than_was_seen(s) -> Bool:
        """A master that started again has a record whose client was never answered."""
        return s.is_running() & (s.crashes > 0) & (s.visible > 0) & (s.seen < s.flushed)

    @witness
    def checkpoint_beside_new_records(s) -> Bool:
        """Records are shown while a checkpoint is built that does not contain them."""
        return s.building & (s.visible > s.switched_at)

    @witness
    def fall_back_with_all_records(s) -> Bool:
        """The newest checkpoint cannot be read, and a master has all that it contained."""
        return s.is_running() & s.damaged & (s.fall_back > 0) & (s.crashes > 0) & (s.applied >= s.checkpoint)

    @witness
    def remote_log_is_ahead(s, replica: LogReplica) -> Bool:
        """A remote log has a record that the local disk lost."""
        return ~s.is_running() & (s.replicated[replica] > s.on_disk)

    @witness
    def shadow_serves_without_a_master(s) -> Bool:
        """Nobody but the shadow serves, and it has all that was seen."""
        return ~s.is_running() & (s.shadow > 0) & (s.shadow == s.seen)

    @witness
    def nothing_is_shown_before_the_remote_logs_have_it(s) -> Bool:
        """A master that started again has more than the remote logs, and shows nothing."""
        return s.is_running() & (s.flushed > 0) & (s.visible == 0) & forall(LogReplica, lambda r: s.replicated[r] == 0)


MASTER_LOG = System(
    "gfs.master_log",
    parts=[MasterLogProperties],
    doc="The master's operation log, its checkpoints and remote replicas: what a client has seen survives any crash.",
    rows="""
        *: LogReplica=2 records=2 crashes=2 damages=1
        small: ; two records, two remote logs, two crashes
        three_records: records=3; three records, so that two checkpoints and a record after them
        three_replicas: LogReplica=3; three remote logs
    """,
    bugs=MASTER_LOG_BUGS,
    omits=(
        "what a record says, and names: a state of the namespace is the number of records that led to it",
        "leases after a restart: in gfs.chunk_lease",
        "the longer tail of a remote log, of which a client has seen nothing, when the master goes on with another log",
        "damage to a checkpoint that a running master does not know of: it is known before the next one is complete",
        "remote machines that fail: the master waits for each of them",
        "checkpoints on remote machines: a remote log is whole from its beginning",
        "locations of chunks, which are asked for and not logged",
    ),
)
