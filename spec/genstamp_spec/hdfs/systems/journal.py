"""hdfs.journal: the edit log, its sync and replay, active and standby, restart and failover, and the retry cache.

Which changes survive the NameNode, and that the next one goes on from just there.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.journal import (
    CLOSING_FAILS_HALF_WAY,
    HDFS_12369,
    JOURNAL_2_7,
    JOURNAL_BUGS,
    RECOVERY_ID_LEAVES_UNSYNCED,
)
from genstamp_spec.hdfs.parts.client_calls import ClientCalls
from genstamp_spec.hdfs.parts.earlier_blocks import EarlierBlocks, RepeatedAddBlock, TwoBlocks
from genstamp_spec.hdfs.parts.edit_log import EditLog
from genstamp_spec.hdfs.parts.edit_replay import EditReplay
from genstamp_spec.hdfs.parts.file_calls import LoggedAppends, LoggedRecovery, LoggedTree, LoggedWrites
from genstamp_spec.hdfs.parts.namenode_blocks import BlockSteps, PipelineCalls
from genstamp_spec.hdfs.parts.namenode_calls import AppendCall, FsyncCall, TreeCalls
from genstamp_spec.hdfs.parts.namenode_failover import NamenodeFailover
from genstamp_spec.hdfs.parts.namenode_leases import Leases
from genstamp_spec.hdfs.parts.recovery_start import RecoveryInOutline, RecoveryStart
from genstamp_spec.hdfs.systems.journal_promises import JournalProperties

OMITS = (
    "files of more than two blocks, and blocks that are full",
    "replicas: what a datanode does with a block; a recovery's primary finds what the NameNode knows",
    "overwriting, truncate and concat, abandonBlock, directories; of snapshots only that one may keep a deleted file",
    "checkpoints: the image is what the standby has replayed so far",
    "JournalNodes and their epochs: a NameNode that is not active any more can sync nothing",
    "queued reports, and the standby's own counter of stamps (see hdfs.reports)",
    "the time after which the retry cache forgets",
    "the client's crash, and the answers of recoverLease and renewLease",
)


JOURNAL = System(
    "hdfs.journal",
    parts=[
        RecoveryStart,
        Leases,
        BlockSteps,
        EarlierBlocks,
        RepeatedAddBlock,
        TreeCalls,
        FsyncCall,
        AppendCall,
        PipelineCalls,
        EditLog,
        ClientCalls,
        LoggedAppends,
        LoggedWrites,
        LoggedTree,
        RecoveryInOutline,
        LoggedRecovery,
        EditReplay,
        NamenodeFailover,
        TwoBlocks,
        JournalProperties,
    ],
    doc="The edit log, its sync and replay, active and standby, restart and failover, and the retry cache.",
    semantics={
        "repaired": (),
        "hadoop-3.4": (RECOVERY_ID_LEAVES_UNSYNCED, CLOSING_FAILS_HALF_WAY),
        "hadoop-2.7": (RECOVERY_ID_LEAVES_UNSYNCED, CLOSING_FAILS_HALF_WAY, HDFS_12369, *JOURNAL_2_7),
    },
    bugs=JOURNAL_BUGS,
    rows="""
        *: Client=1 File=1 Datanode=1 Path=1 stamps=0 bytes=0 crashes=0 edits=0 namenode_failures=0 lost_answers=0
            renames=0 deletions=0 quota_changes=0 older=0 second_blocks=0 queued_reports=0 left_open=0
        small: stamps=1 bytes=1 edits=2 namenode_failures=1; one client writes one file, and the NameNode stops once
        takeover: Client=2 stamps=2 bytes=1 edits=1; two clients and the NameNode compete for a file
        takeover_after_loss: Client=2 stamps=2 edits=1 lost_answers=1 deletions=1 on_demand;
            a client whose answer was lost calls for something else, and meets another writer
        recoveries: stamps=3 bytes=1 edits=1 namenode_failures=2; recoveries and pipelines over two failures
        appends: stamps=2 bytes=2 edits=2 namenode_failures=1 quota_changes=1; a file that is opened again
        lost_answers: stamps=2 bytes=1 edits=2 namenode_failures=1 lost_answers=2; calls that are made again
        deletions: stamps=2 bytes=1 edits=2 namenode_failures=1 deletions=1; an open file is deleted
        renames: Path=2 stamps=1 bytes=1 crashes=1 edits=2 namenode_failures=1 renames=1; an open file is renamed
        two_files: File=2 Path=2 stamps=2 bytes=1 edits=1 deletions=1; a path that is used again
        two_blocks: stamps=3 bytes=1 edits=2 namenode_failures=1 second_blocks=1; a file of two blocks
        reports: stamps=2 bytes=1 crashes=1 edits=1 namenode_failures=1 queued_reports=1 left_open=1;
            a standby that keeps reports, and a recovery that leaves the file open
    """,
    meets=(("update_pipeline", "the new stamp is above the block's"),),
    idle={"alive": "clients do not stop"},
    omits=OMITS,
)
