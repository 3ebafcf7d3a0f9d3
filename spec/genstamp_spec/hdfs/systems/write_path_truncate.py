"""hdfs.write_path_truncate: the write path with truncate, between appends, further blocks and pipelines that fail.

Beside hdfs.write_path because a truncate opens a file for a recovery only: that a block under recovery stays below its
recovery's id, and what hdfs.lease says of who opens files and who starts recoveries, holds without truncate only. What
hdfs.recovery says of primaries is what hdfs.truncate says of them, on which this system is projected.
"""

from dataclasses import replace
from typing import Self

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.truncate import DELETION_SPARES_SNAPSHOTS
from genstamp_spec.hdfs.parts.block_recovery import BlockRecovery
from genstamp_spec.hdfs.parts.client import Clients
from genstamp_spec.hdfs.parts.datanode_replicas import DatanodeAppend, DatanodeReplicas
from genstamp_spec.hdfs.parts.datanode_truncate import DatanodeTruncate
from genstamp_spec.hdfs.parts.earlier_blocks import EarlierBlocks
from genstamp_spec.hdfs.parts.namenode_blocks import BlockSteps, KnownBytesAreNotDeleted, NamenodeAppend, PipelineCalls
from genstamp_spec.hdfs.parts.namenode_leases import Leases, WriterLosesTheFile
from genstamp_spec.hdfs.parts.namenode_truncate import NamenodeTruncate
from genstamp_spec.hdfs.parts.pipeline_recovery import PipelineRecovery
from genstamp_spec.hdfs.parts.recovery_start import RecoveryStart, Turns
from genstamp_spec.hdfs.parts.snapshots import Snapshots
from genstamp_spec.hdfs.parts.state import Client, Datanode, File
from genstamp_spec.hdfs.parts.streamed_blocks import FirstWrites, FurtherBlocks, StreamedTruncate
from genstamp_spec.hdfs.projections import AS_PIPELINE, AS_TRUNCATE
from genstamp_spec.hdfs.refinements import (
    durable_prefix,
    length_with_earlier,
    promised_with_earlier,
    single_writer,
)
from genstamp_spec.hdfs.state.resumptions import Resumptions
from genstamp_spec.hdfs.systems.abstract_truncate import DURABLE_PREFIX_TRUNCATE, SINGLE_WRITER_TRUNCATE
from genstamp_spec.hdfs.systems.recovery import COMMAND_BELONGS_TO_ITS_ATTEMPT, HFLUSH_SEES_THE_RECOVERY
from genstamp_spec.hdfs.systems.recovery_promises import RecoveryPromises
from genstamp_spec.hdfs.systems.shared_promises import NamenodeTakesOver
from genstamp_spec.hdfs.systems.truncate import TruncateProperties
from genstamp_spec.hdfs.systems.truncate_promises import SHARED, AppendSteps, FirstWrite
from genstamp_spec.hdfs.systems.write_path import KNOWN_BYTES_ARE_NOT_DELETED, WritePathProperties
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle

OMITS = (
    "truncate to a length before the last block, and to a block boundary but that block's beginning",
    "snapshots of a file that gets a further block, a second copy of one file's block, a second snapshot of a file",
    "what goes wrong while a file is written for the first time: it is in hdfs.write_path",
    "of what Hadoop 3.4.1 does otherwise what needs more failures than there are here: it is in hdfs.write_path and "
    "hdfs.truncate; and all of Hadoop 2.7.4",
    "what hdfs.write_path omits of pipelines, restarts and block recovery",
)

HOLES = (
    HFLUSH_SEES_THE_RECOVERY.at("two_blocks", "recovery_drops_only_empty_blocks"),
    replace(COMMAND_BELONGS_TO_ITS_ATTEMPT, parts=()).at("appended", "one_primary_per_recovery_id"),
    KNOWN_BYTES_ARE_NOT_DELETED.at("appended", "recovery_drops_only_empty_blocks"),
    DELETION_SPARES_SNAPSHOTS,
)
"""Those of hdfs.write_path and hdfs.truncate that show here."""


class TruncateOnWritePath(TruncateProperties, Resumptions, FurtherBlocks):
    """What hdfs.truncate promises, and of hdfs.write_path what a truncate leaves as it is."""

    stamps_are_given_out_once = RecoveryPromises.stamps_are_given_out_once
    one_primary_per_recovery_id = RecoveryPromises.one_primary_per_recovery_id
    leads = RecoveryPromises.leads
    pipeline_stamps_are_given_out_once = WritePathProperties.pipeline_stamps_are_given_out_once
    committed_length_is_on_every_replica = WritePathProperties.committed_length_is_on_every_replica
    earlier_block_is_committed = WritePathProperties.earlier_block_is_committed
    closed_files_have_complete_blocks = WritePathProperties.closed_files_have_complete_blocks
    next_block_leaves_what_was_promised = WritePathProperties.next_block_leaves_what_was_promised

    @invariant(inductive=True)
    def streams_have_given_stamps(s, client: Client, file: File) -> Bool:
        """A client's stamp was given out, and so was that under which it sets its pipeline up again."""
        new_stamp = s.resumption[client][file].new_stamp
        return (s.stream[client][file].stamp <= s.last_stamp) & (new_stamp <= s.last_stamp)

    @invariant(inductive=True)
    def open_files_lost_no_block(s, file: File) -> Bool:
        """Whatever drops the last block closes the file, or deletes it, and nobody opens it again."""
        return s.block[file].at(BlockLifecycle.removed).implies(~s.under_construction(file))

    @transition
    def recovery_drops_only_empty_blocks(s, t: Self, file: File) -> Bool:
        """S18: an open file loses its last block only if no datanode, up or down, has promised bytes of it."""
        lost = ~s.block[file].at(BlockLifecycle.removed) & t.block[file].at(BlockLifecycle.removed)
        dropped = s.under_construction(file) & ~t.file[file].at(FileLifecycle.absent) & lost
        return dropped.implies(~exists(Datanode, lambda d: s.holds_promised_bytes(d, file)))

    @witness
    def next_block_after_a_truncate(s, file: File) -> Bool:
        """A file that was cut has got a further block."""
        return (s.truncates > 0) & (s.further_blocks > 0) & (s.truncate_to[file] == 0) & s.under_construction(file)

    @witness
    def second_block_is_cut(s, file: File) -> Bool:
        """The last one of two blocks with bytes is cut, and the file is closed."""
        both: Bool = (s.earlier[file].num_bytes > 0) & s.bytes_of_cut(file)
        return s.file[file].at(FileLifecycle.closed) & both

    @witness
    def cut_file_loses_a_node(s, client: Client, file: File) -> Bool:
        """A file that was cut is appended to, and its pipeline loses a node."""
        return (s.truncate_to[file] > 0) & s.has_lost_a_node(client, file)


WRITE_PATH_TRUNCATE = System(
    "hdfs.write_path_truncate",
    parts=[
        RecoveryStart,
        PipelineCalls,
        Turns,
        Leases,
        NamenodeTakesOver,
        BlockSteps,
        KnownBytesAreNotDeleted,
        WriterLosesTheFile,
        NamenodeAppend,
        DatanodeReplicas,
        Clients,
        DatanodeAppend,
        AppendSteps,
        PipelineRecovery,
        Snapshots,
        NamenodeTruncate,
        BlockRecovery,
        EarlierBlocks,
        FirstWrites,
        DatanodeTruncate,
        FirstWrite,
        *SHARED,
        StreamedTruncate,
        TruncateOnWritePath,
    ],
    doc="The write path with truncate, in place and by copy.",
    semantics={"repaired": (), "hadoop-3.4": HOLES},
    rows="""
        *: Client=1 File=1 Datanode=1 crashes=0 truncates=0 copies=0 snapshots=0 upgrades=0 lost_answers=0
            troubles_of_first_write=0 expired_leases=0 bytes=2 appends=0 further_blocks=0 older=0
        two_blocks: truncates=1 expired_leases=1 appends=1 further_blocks=1 stamps=4;
            a file of two blocks whose last one is cut, before or after it is appended to
        two_clients: Client=2 truncates=1 lost_answers=1 expired_leases=1 appends=2 stamps=3;
            one client cuts the file, and another one appends to it, or takes it over
        appended: Datanode=2 crashes=1 bytes=1 appends=1 stamps=3 on_demand;
            a file is appended to of which the NameNode does not know every replica
        by_copy: crashes=1 truncates=1 copies=1 snapshots=1 upgrades=1 stamps=4;
            a block is copied because a snapshot or an upgrade has it
        lost_node: Datanode=2 crashes=1 truncates=1 appends=1 stamps=3;
            a file that was cut is appended to, through a pipeline that loses a node
    """,
    refines=[
        single_writer(
            {
                "forget": "the NameNode does not start again",
                "release_and_open": "nobody opens a file of somebody else",
                "overwrite": "files are created without overwrite",
                "move_here": "no file is renamed",
            },
            length_with_earlier,
            SINGLE_WRITER_TRUNCATE,
        ),
        durable_prefix(
            {"read": "nobody reads the file itself"},
            length_with_earlier,
            promised_with_earlier,
            DURABLE_PREFIX_TRUNCATE,
        ),
        AS_PIPELINE,
        AS_TRUNCATE,
    ],
    meets=(("recover_close", "the replica's stamp fits"),),
    idle={
        "misled": "only HDFS-7926 misleads a client",
        "read_snapshot": "only a bug shows a reader more than the snapshot's length, which is kept as history",
    },
    omits=OMITS,
)
