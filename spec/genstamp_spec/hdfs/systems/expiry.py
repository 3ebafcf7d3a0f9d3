"""hdfs.expiry: what has to happen in the end to a file whose writer is silent, or that another client wants."""

from genstamp_model.language import Bool, Configuration, System, exists, leads_to, witness
from genstamp_spec.hdfs.bugs.expiry import EXPIRY_2_7, EXPIRY_BUGS
from genstamp_spec.hdfs.parts.expiry_steps import ExpirySteps
from genstamp_spec.hdfs.parts.state import Client, File, Holder
from genstamp_spec.lifecycles.block import BlockLifecycle

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
    "append_waits_for_recovery",
    "append_closes_and_opens",
)


class ExpiryProperties(ExpirySteps):
    """What has to happen; numbers L are those of the facts. Time passes, and datanodes do their part."""

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


LIMITS = {"stamps": 4, "bytes": 1, "older": 0, "crashes": 0, "removals": 0, "renames": 0}

EXPIRY = System(
    "hdfs.expiry",
    parts=[ExpiryProperties],
    doc="What has to happen in the end to a file whose writer is silent, or that another client wants.",
    semantics={"repaired": (), "hadoop-3.4": (), "hadoop-2.7": EXPIRY_2_7},
    default_semantics="repaired",
    configurations=[
        Configuration(
            "one_client",
            sizes={"Client": 1, "File": 1, "Datanode": 1},
            limits=LIMITS,
            doc="the writer and the NameNode",
        ),
        Configuration(
            "two_primaries",
            sizes={"Client": 1, "File": 1, "Datanode": 2},
            limits=LIMITS,
            doc="an older recovery ends after a younger one",
        ),
        Configuration(
            "two_clients",
            sizes={"Client": 2, "File": 1, "Datanode": 1},
            limits=LIMITS,
            doc="another client wants the file",
        ),
    ],
    bugs=EXPIRY_BUGS,
    omits=(
        "everything that hdfs.lease omits, and restarts, late calls, removed and renamed files, fsync, abandonBlock",
    ),
)
