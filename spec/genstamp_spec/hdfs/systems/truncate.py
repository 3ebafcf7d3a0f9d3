"""hdfs.truncate: a closed file is opened again at its end, or cut: in place, or by copy if its block must stay.

On top of the parts of hdfs.recovery, which recovers the block for it.
"""

from typing import Self

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.truncate import (
    ANSWERS_ARE_KEPT,
    COPIES_OF_EARLIER_ATTEMPTS,
    DELETION_SPARES_SNAPSHOTS,
    HDFS_822,
    HDFS_6325,
    HDFS_7263,
    HDFS_7843,
    HDFS_7903,
    HDFS_7926,
    HDFS_12638,
)
from genstamp_spec.hdfs.bugs.truncate_2_7 import TRUNCATE_2_7
from genstamp_spec.hdfs.parts.block_recovery import BlockRecovery
from genstamp_spec.hdfs.parts.client import Clients
from genstamp_spec.hdfs.parts.datanode_replicas import DatanodeAppend, DatanodeReplicas
from genstamp_spec.hdfs.parts.datanode_truncate import DatanodeTruncate
from genstamp_spec.hdfs.parts.namenode_blocks import BlockSteps, NamenodeAppend, PipelineCalls
from genstamp_spec.hdfs.parts.namenode_leases import Leases
from genstamp_spec.hdfs.parts.namenode_truncate import NamenodeTruncate
from genstamp_spec.hdfs.parts.recovery_start import RecoveryStart, Turns
from genstamp_spec.hdfs.parts.snapshots import Snapshots
from genstamp_spec.hdfs.parts.state import Client, Datanode, File
from genstamp_spec.hdfs.state.appends import Appends
from genstamp_spec.hdfs.systems.truncate_promises import SHARED, AppendSteps, FirstWrite, TruncatePromises
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle

OMITS = (
    "files of more than one block: truncate before the last block, append to a full block, and blocks longer than the "
    "file's preferred size (HDFS-7943)",
    "what goes wrong while a file is written for the first time, which is hdfs.recovery's matter: a limit keeps it out",
    "pipeline recovery once an append streams, and nodes that join a pipeline",
    "the NameNode's restart and failover, the edit log, quotas, storage policies",
    "a second copy of one file's block, a second snapshot of a file, and a snapshot of an open file",
    "the rollback of an upgrade, and the trash of datanodes",
    "messages that are delayed, reordered or duplicated, except the answer to a truncate, which can be lost",
    "checksums of a partial last chunk, hard links, and readers of the file itself",
)


class TruncateProperties(TruncatePromises, Appends):
    """What hdfs.truncate promises beyond that: of appends."""

    @transition
    def append_finds_the_bytes(s, t: Self, file: File) -> Bool:
        """S6: a file is opened for append only while a node that is up has its bytes, finalized."""
        opened = s.block[file].at(BlockLifecycle.complete) & t.block[file].at(BlockLifecycle.under_construction)
        return opened.implies(exists(Datanode, lambda d: s.running.has(d) & s.matches(d, file)))

    @transition
    def good_nodes_take_part(s, t: Self, client: Client, file: File, datanode: Datanode) -> Bool:
        """L3, L4: a client that appends goes on without a node only if it is down or its replica is another one."""
        stays = s.is_setting_up(client, file) & t.alive.has(client)
        left_out = s.stream[client][file].pipeline.has(datanode) & ~t.stream[client][file].pipeline.has(datanode)
        good = s.running.has(datanode) & s.takes(client, file, s.replica[datanode][file])
        return (stays & left_out).implies(~good)

    @witness
    def append_after_truncate_ends(s, file: File) -> Bool:
        """Bytes were appended after a truncate, and the file is closed."""
        longer = (s.truncate_to[file] > 0) & (s.block_bytes[file] > s.truncate_to[file])
        return s.file[file].at(FileLifecycle.closed) & longer


TRUNCATE = System(
    "hdfs.truncate",
    parts=[
        RecoveryStart,
        PipelineCalls,
        Turns,
        Leases,
        BlockSteps,
        NamenodeAppend,
        DatanodeReplicas,
        Clients,
        DatanodeAppend,
        AppendSteps,
        Snapshots,
        NamenodeTruncate,
        BlockRecovery,
        DatanodeTruncate,
        FirstWrite,
        *SHARED,
        TruncateProperties,
    ],
    doc="Append, truncate in place and by copy, snapshots as far as truncate needs them.",
    semantics={
        "repaired": (),
        "hadoop-3.4": (ANSWERS_ARE_KEPT, DELETION_SPARES_SNAPSHOTS, COPIES_OF_EARLIER_ATTEMPTS),
        "hadoop-2.7": (ANSWERS_ARE_KEPT, COPIES_OF_EARLIER_ATTEMPTS, *TRUNCATE_2_7),
    },
    rows="""
        *: Client=1 File=1 Datanode=1 crashes=0 truncates=0 copies=0 snapshots=0 upgrades=0 lost_answers=0
            troubles_of_first_write=0 expired_leases=0 bytes=2
        one_datanode: truncates=1 stamps=3 appends=1; a file is opened again, or cut, and recovered
        in_place: Datanode=2 crashes=1 truncates=1 appends=0 stamps=3;
            a block is cut, with a datanode that stops in between
        by_copy: Datanode=2 crashes=1 truncates=1 copies=1 snapshots=1 appends=0 stamps=3;
            the same with a snapshot, so that the block is copied
        pipelines: Datanode=2 crashes=1 bytes=1 stamps=3 appends=1; an append whose first pipeline loses a node
        snapshot: crashes=1 truncates=1 copies=1 snapshots=1 stamps=4 appends=1;
            a snapshot of a file that is appended to and cut
        two_clients: Client=2 truncates=1 copies=1 snapshots=1 upgrades=1 lost_answers=1 expired_leases=1 appends=0
            stamps=3; another client cuts, appends to, takes over or deletes the file; answers are lost
        retries: Client=2 truncates=2 lost_answers=1 stamps=4 appends=1;
            a call that is repeated after another client has appended
        two_appenders: Client=2 expired_leases=1 bytes=1 stamps=3 appends=2;
            a client that appends loses the file to another one that appends
        append_after_truncate: Datanode=2 crashes=1 truncates=1 stamps=3 appends=1 on_demand;
            bytes take the place of those that were cut off
    """,
    bugs=[HDFS_822, HDFS_6325, HDFS_7263, HDFS_7843, HDFS_7903, HDFS_7926, HDFS_12638],
    idle={
        "misled": "only HDFS-7926 misleads a client",
        "read_snapshot": "only a bug shows a reader more than the snapshot's length, which is kept as history",
    },
    omits=OMITS,
)
