"""hdfs.expiry: what has to happen eventually to a file whose writer is silent, or that another client wants."""

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.expiry import EXPIRY_2_7, EXPIRY_BUGS
from genstamp_spec.hdfs.parts.earlier_blocks import EarlierBlocks, RepeatedAddBlock
from genstamp_spec.hdfs.parts.expiry_steps import ExpirySteps, Outlasted
from genstamp_spec.hdfs.parts.namenode_blocks import BlockSteps
from genstamp_spec.hdfs.parts.namenode_calls import AppendCall
from genstamp_spec.hdfs.parts.namenode_leases import Leases
from genstamp_spec.hdfs.parts.recovery_start import RecoveryStart
from genstamp_spec.hdfs.parts.some_data import SomeData, SomeStreams
from genstamp_spec.hdfs.parts.state import Client, Datanode, File, Holder, NamespaceState, StreamStage
from genstamp_spec.hdfs.state.outline import Outline
from genstamp_spec.hdfs.systems.lease_promises import LeasePromises
from genstamp_spec.hdfs.systems.shared_promises import CounterOnlyRises
from genstamp_spec.lifecycles import BlockLifecycle, LeaseLifecycle

TIME = ("soft_limit_passes", "recovery_gate_opens")
MONITOR = ("release_expired_lease_closes", "release_expired_lease_starts", "release_expired_lease_waits")
DATANODES = (
    "block_received_earlier",
    "commit_block_synchronization",
    "commit_block_synchronization_deletes",
    "commit_block_synchronization_too_early",
    "commit_block_synchronization_stale",
    "commit_block_synchronization_again",
    "commit_block_synchronization_unknown",
)
ASKING = ("recover_lease_closes", "recover_lease_starts", "recover_lease_waits")
APPENDING = (
    "append",
    "append_at_block_boundary",
    "append_starts_recovery",
    "append_waits",
    "append_closes_and_opens",
    "append_closes_and_goes_on",
)


class ExpiryProperties(Outline, NamespaceState, Outlasted):
    """What has to happen; numbers L and S are those of the facts. Time passes, and datanodes do their part."""

    last_stamp_never_decreases = CounterOnlyRises.last_stamp_never_decreases
    commit_fixes_content = LeasePromises.commit_fixes_content
    same_block = LeasePromises.same_block

    # What does not occur in this system, so that steps which could look at it need not.

    @invariant(inductive=True)
    def nothing_is_lost(s, client: Client, datanode: Datanode, file: File) -> Bool:
        """No inode is removed, no answer is lost, and no datanode is down."""
        writer = s.writer[client][file]
        return ~writer.gone & ~writer.unanswered & s.running.has(datanode)

    @invariant(inductive=True)
    def dead_clients_write_nothing(s, client: Client, file: File) -> Bool:
        """What a client has open ends with it."""
        return s.alive.has(client) | s.writer[client][file].stage.at(StreamStage.NONE)

    @invariant(inductive=True)
    def leases_cover_open_files(s, holder: Holder, file: File) -> Bool:
        """S17: a lease covers files that are open and its holder's; a file that no lease covers is HDFS-11817."""
        covered, open_ = s.lease_files[holder].has(file), s.under_construction(file)
        granted = s.lease[holder].at(LeaseLifecycle.released) == s.lease_files[holder].is_empty()
        owned = open_ == ~s.client_name[file].is_none()
        return granted & owned & (~covered | (open_ & (s.client_name[file] == holder)))

    @invariant(inductive=True)
    def files_have_two_blocks_at_most(s, file: File) -> Bool:
        """S15, S16: the one before the last is complete before the last is committed, and both in a closed file."""
        last, before = s.block[file], s.earlier[file].state
        absent, complete = BlockLifecycle.absent, BlockLifecycle.complete
        known = ~last.at(BlockLifecycle.removed) & before.at(absent, BlockLifecycle.committed, complete)
        alone = ~last.at(absent) | before.at(absent)
        followed = ~last.at(BlockLifecycle.committed, complete) | s.earlier_is_complete(file)
        closed = s.under_construction(file) | last.at(absent, complete)
        return known & alone & followed & closed & (s.older[file] == 0)

    @invariant(inductive=True)
    def stamps_come_from_the_counter(s, datanode: Datanode, file: File) -> Bool:
        """Stamps and recovery ids of a file were given out, also those that primaries know."""
        last = (s.block_stamp[file] <= s.last_stamp) & (s.recovery_id[file] <= s.last_stamp)
        return last & (s.earlier[file].stamp <= s.last_stamp) & (s.led[datanode][file] <= s.last_stamp)

    @invariant(inductive=True, given=("nothing_is_lost", "files_have_two_blocks_at_most"))
    def blocks_have_locations(s, file: File) -> Bool:
        """Each block has datanodes, and a complete one known replicas: row 8 of the release is not met."""
        last, before = s.block[file], s.earlier[file]
        located = last.at(BlockLifecycle.absent) | ~s.locations[file].is_empty()
        before_located = before.state.at(BlockLifecycle.absent) | ~before.locations.is_empty()
        stored = ~last.at(BlockLifecycle.complete) | ~s.stored[file].is_empty()
        everywhere = (s.running <= s.locations[file]) | ~(s.stored[file] & s.locations[file]).is_empty()
        written = ~last.at(BlockLifecycle.under_construction) | everywhere
        before_stored = ~before.state.at(BlockLifecycle.complete) | ~before.stored.is_empty()
        return located & before_located & stored & before_stored & written

    @invariant(inductive=True, given=("files_have_two_blocks_at_most", "blocks_have_locations"))
    def missing_blocks_have_no_data(s, file: File) -> Bool:
        """What is not there has neither stamp nor bytes nor replicas, and what is there has a stamp."""
        before, absent = s.earlier[file], BlockLifecycle.absent
        nothing = (s.block_stamp[file] == 0) & (s.block_bytes[file] == 0) & (s.written[file] == 0)
        nothing = nothing & s.stored[file].is_empty()
        nothing_before = (before.stamp == 0) & (before.num_bytes == 0) & before.stored.is_empty()
        last = when(s.block[file].at(absent), nothing, s.block_stamp[file] > 0)
        return last & when(before.state.at(absent), nothing_before, before.stamp > 0)

    @invariant(inductive=True, given=("missing_blocks_have_no_data",))
    def writers_have_stamps(s, client: Client, file: File) -> Bool:
        """Who writes a block was given its stamp."""
        writer = s.writer[client][file]
        return ~writer.stage.at(StreamStage.STREAMING, StreamStage.CLOSING) | (writer.stamp > 0)

    @invariant(inductive=True, given=("stamps_come_from_the_counter", "files_have_two_blocks_at_most"))
    def only_recoveries_wait_at_the_gate(s, file: File) -> Bool:
        """The block of a young attempt is under recovery, and a block under recovery will get a higher stamp."""
        recovering = s.block[file].at(BlockLifecycle.under_recovery)
        return (~s.attempt_is_young[file] | recovering) & (~recovering | (s.recovery_id[file] > s.block_stamp[file]))

    # What has to happen.

    def is_silent(s, file: File) -> Bool:
        """Nobody renews the lease of the file's owner: it is dead, writes nothing any more, or is the NameNode."""
        owner: Bool = s.client_name[file] == Holder.NAMENODE
        return owner | ~s.owner_writes(file)

    def owner_writes(s, file: File) -> Bool:
        """The owner is a client that has a file open."""
        return exists(Client, lambda client: (s.client_name[file] == client) & s.writes_something(client))

    @leads_to(fair=(*TIME, "hard_limit_passes", *MONITOR, *DATANODES))
    def silent_owner_loses_the_file(s, file: File) -> tuple[Bool, Bool]:
        """L1: a file whose owner is silent for the hard limit is closed, unless the owner begins to write again."""
        open_ = s.under_construction(file)
        return open_ & s.is_silent(file), ~open_ | s.owner_writes(file)

    @leads_to(fair=("recovery_gate_opens", *ASKING, *DATANODES))
    def recover_lease_returns_true(s, client: Client, file: File) -> tuple[Bool, Bool]:
        """L2: who calls recoverLease again and again, finds the file closed, as long as it lives."""
        open_ = s.under_construction(file)
        return open_ & s.alive.has(client), ~open_ | ~s.alive.has(client)

    @leads_to(fair=(*TIME, *APPENDING, *DATANODES))
    def append_succeeds_after_the_soft_limit(s, client: Client, file: File) -> tuple[Bool, Bool]:
        """L3: who appends again and again to a file whose writer is silent owns it, even if the monitor sleeps."""
        open_, lives = s.under_construction(file), s.alive.has(client)
        owned = s.owner_writes(file) | (s.client_name[file] == client)
        return open_ & lives & s.is_silent(file) & ~owned, owned | ~lives

    @leads_to(fair=("block_received", "block_received_earlier"))
    def committed_block_becomes_complete(s, file: File) -> tuple[Bool, Bool]:
        """L5: a committed block that has a finalized replica does not stay committed."""
        last, before = s.block[file].at(BlockLifecycle.committed), s.earlier[file].state.at(BlockLifecycle.committed)
        return (last & s.finalized[file]) | before, ~(last & s.finalized[file]) & ~before

    @witness
    def both_blocks_wait(s, file: File) -> Bool:
        """The last block is recovered while the one before waits for a replica."""
        before = s.earlier[file].state.at(BlockLifecycle.committed)
        return before & s.block[file].at(BlockLifecycle.under_recovery)


EXPIRY = System(
    "hdfs.expiry",
    parts=[
        RecoveryStart,
        Leases,
        BlockSteps,
        AppendCall,
        SomeData,
        SomeStreams,
        EarlierBlocks,
        RepeatedAddBlock,
        ExpirySteps,
        ExpiryProperties,
    ],
    doc="What has to happen eventually to a file whose writer is silent, or that another client wants.",
    semantics={"repaired": (), "hadoop-3.4": (), "hadoop-2.7": EXPIRY_2_7},
    rows="""
        *: Client=1 File=1 Datanode=1 stamps=4 bytes=1 older=0 crashes=0 removals=0 renames=0
        one_client: renumber; the writer and the NameNode
        two_primaries: Datanode=2 renumber; an older recovery ends after a younger one
        two_clients: Client=2 renumber; another client wants the file
    """,
    bugs=EXPIRY_BUGS,
    idle={
        **dict.fromkeys(("removals", "renames"), "no file is removed or renamed"),
        **dict.fromkeys(("running", "crashes"), "datanodes do not stop"),
    },
    omits=(
        "everything that hdfs.lease omits, and restarts, late calls, removed and renamed files, fsync, abandonBlock",
    ),
)
