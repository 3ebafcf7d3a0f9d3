"""Historic faults by which a file stays open for ever, each as one change to hdfs.expiry."""

from collections.abc import Callable

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.hadoop_2_7 import CommittedBlocksStay, CommittedEmptyBlocksStay, MonitorDropsLease, NoGate
from genstamp_spec.hdfs.bugs.history import historic
from genstamp_spec.hdfs.parts.expiry_steps import ExpirySteps
from genstamp_spec.hdfs.parts.state import Client, File
from genstamp_spec.lifecycles.block import BlockLifecycle


class NoBlockBefore(ExpirySteps, lane="namenode"):
    """A file of one block cannot be released."""

    def may_release(s, file: File) -> None:
        """Checks also: there is a block before."""
        super().may_release(file)
        one_block = s.earlier[file].state.at(BlockLifecycle.absent) & ~s.block[file].at(BlockLifecycle.absent)
        require(~one_block, "there is a block before the last", "NullPointerException")


HDFS_812 = historic("HDFS-812", NoBlockBefore, fixed="0.21.0").at("one_client", "silent_owner_loses_the_file")


class HolderMayNotAsk(ExpirySteps, lane="namenode"):
    """recoverLease cannot be repeated: its caller is the holder then, and is refused."""

    def may_force(s, client: Client, file: File) -> None:
        """Checks: the caller is not the holder."""
        require(~s.lease_files[client].has(file), "the caller is not the holder", "AlreadyBeingCreatedException")


HDFS_1554 = historic("HDFS-1554", HolderMayNotAsk, fixed="in the 0.20-append line").at(
    "one_client", "recover_lease_returns_true"
)


HDFS_14498 = historic(
    "HDFS-14498",
    CommittedEmptyBlocksStay,
    fixed="2.10.1, 3.2.2, 3.3.1",
    title="a file whose last block was committed empty is never released",
).at("one_client", "silent_owner_loses_the_file", "recover_lease_returns_true")


HDFS_15725 = historic(
    "HDFS-15725",
    CommittedBlocksStay,
    fixed="2.10.2, 3.2.3, 3.3.1",
    title="a file whose committed last block no datanode has finalized is never released",
).at("one_client", "silent_owner_loses_the_file", "recover_lease_returns_true")
HDFS_10549 = historic(
    "HDFS-10549",
    fixed="2.8.0",
    drops=(("renew_lease", "the client writes a file"),),
    title="a client whose close has failed goes on renewing the lease of the file",
).at("one_client", "silent_owner_loses_the_file")
HDFS_11576 = historic(
    "HDFS-11576",
    NoGate,
    fixed="2.9.1, 3.0.3",
    title="a new attempt may start while the last one is under way, and overtakes it each time",
).at("two_primaries", "recover_lease_returns_true")
HDFS_11817 = historic("HDFS-11817", MonitorDropsLease, fixed="2.8.2, 2.7.7").at(
    "one_client", "silent_owner_loses_the_file"
)


class AnyLeaseWillDo(ExpirySteps, lane="namenode"):
    """A client that has another file open is refused a file whose holder's soft limit has passed.

    Whoever has any file open is taken for the holder of the one that it asks for (facts F.1 row 2').

    Of the caller's other files only that there is one is told, which saves a second file here.
    """

    elsewhere = members(Client)  # who has another file open

    @action
    def open_another_file(s, client: Client) -> None:
        """A client opens a file that nobody else wants."""
        require(s.alive.has(client), "the client is running")
        require(~s.elsewhere.has(client), "the client has no other file open")
        s.elsewhere.add(client)

    def recover_lease_internal(s, client: Client, file: File, closed: Callable[[], None] | None) -> bool:
        """Checks first: the caller has no lease."""
        wants = s.under_construction(file) & s.elsewhere.has(client)
        require(~wants, "the caller has no lease", "AlreadyBeingCreatedException")
        return super().recover_lease_internal(client, file, closed)


HDFS_3848 = historic("HDFS-3848", AnyLeaseWillDo, fixed="2.5.0").at(
    "two_clients", "append_succeeds_after_the_soft_limit"
)


EXPIRY_2_7 = (HDFS_10549, HDFS_11576, HDFS_11817, HDFS_14498, HDFS_15725)
"""What Hadoop 2.7.4 does otherwise."""

EXPIRY_BUGS = (HDFS_812, HDFS_1554, HDFS_3848, HDFS_10549, HDFS_14498, HDFS_15725)
