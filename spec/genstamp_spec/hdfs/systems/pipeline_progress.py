"""hdfs.pipeline_progress: a write goes on while a good node is left; the steps of hdfs.pipeline, with two faults.

Apart from `hdfs.pipeline`, since what always follows can only be judged where the protocol itself bounds the faults and
the bytes: here two datanodes fail, once each, and the application writes so many bytes and closes.
"""

from typing import Final

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.pipeline import HDFS_724
from genstamp_spec.hdfs.parts.pipeline_set_up import RECOVERY_STAGES
from genstamp_spec.hdfs.parts.pipeline_state import Stage
from genstamp_spec.hdfs.parts.state import Datanode
from genstamp_spec.hdfs.systems.pipeline import WRITING
from genstamp_spec.hdfs.systems.pipeline_promises import PipelinePromises
from genstamp_spec.lifecycles.block import BlockLifecycle

BYTES: Final = 1
"""What the application writes."""

FAULTS: Final = 2
"""How many datanodes fail."""

OMITS = (
    "further faults, faults of the client, somebody else's recovery, append: see hdfs.pipeline",
    "how long anything takes",
)

STEPS = (
    "set_up_create",
    "set_up_create_again",
    "start_streaming",
    "send_packet",
    "receive_packet",
    "receive_packet_without_news",
    "raise_bytes_acked",
    "finalize_replica",
    "send_ack",
    "receive_ack",
    "send_last_packet",
    "end_block",
    "complete",
    "block_received",
    "complete_closes",
    "mirror_fails",
    "error_ack_passes",
    "error_ack_comes",
    "connection_fails",
    "set_up_fails",
    "add_datanode",
    "transfer_fails",
    "no_datanode_to_add",
    "update_block_for_pipeline",
    "set_up_streaming_recovery",
    "set_up_close_recovery",
    "update_pipeline",
    "datanode_restart",
)
"""What client, datanodes and NameNode do, if they can; an application that writes and then closes."""


class PipelineProgress(PipelinePromises):
    """Two faults, so many bytes, and what follows."""

    def may_fail(s, datanode: Datanode) -> None:
        """Checks: it is the first fault of this node, and at most the second one."""
        require(~s.failed.has(datanode), "the datanode has not failed yet")
        require(s.failed.size() < FAULTS, "not too many datanodes have failed yet")

    def may_write(s) -> None:
        """Checks: the application has not written everything yet."""
        require(s.sent < BYTES, "the application has something to write")

    @invariant(
        inductive=True,
        given=("nothing_is_before_the_block", "given_up_nodes_stay_out", "acks_blame_nodes_of_the_pipeline"),
    )
    def each_recovery_costs_a_node(s) -> Bool:
        """L4: recoveries come to an end, since each of them gives up a node of the pipeline (facts C.5 step 3)."""
        return (s.recoveries <= s.excluded.size()) & (s.passed_over & s.excluded).is_empty()

    @invariant(inductive=True)
    def file_is_written_once(s) -> Bool:
        """What follows is of one write: nobody appends to the file."""
        return ~s.stage.at(Stage.SETUP_APPEND, Stage.SETUP_APPEND_RECOVERY) & (s.appends == 0)

    @invariant(inductive=True, given=("nothing_is_before_the_block", "only_open_blocks_are_written"))
    def failed_writer_has_no_stamp(s) -> Bool:
        """S9: without a takeover, no writer fails under a stamp that it could still bring to the NameNode."""
        fenced = s.block.at(BlockLifecycle.under_recovery)
        return ~fenced & s.stage.at(Stage.FAILED).implies(s.new_stamp == 0)

    @leads_to(fair=STEPS)
    def write_ends_well(s) -> tuple[Bool, Bool]:
        """L4, L8: a write is closed eventually, or fails since all its nodes have, or no other is to be had."""
        every = forall(Datanode, lambda d: ~s.pipeline.has(d) | s.failed.has(d))
        fails = s.stage.at(Stage.FAILED) & (every | s.wants_replacement())
        return s.stage.at(Stage.SETUP_CREATE), s.stage.at(Stage.CLOSED) | fails

    @leads_to(fair=STEPS)
    def pipeline_is_set_up_again(s) -> tuple[Bool, Bool]:
        """L4: a pipeline that is broken is working again, or the block is done, or the write has failed."""
        return s.stage.at(*RECOVERY_STAGES), s.stage.at(Stage.STREAMING, Stage.ENDED, Stage.FAILED)

    @leads_to(fair=("block_received", "datanode_restart"))
    def committed_block_becomes_complete(s) -> tuple[Bool, Bool]:
        """L5: a committed block becomes COMPLETE, since a datanode with a matching replica reports it."""
        return s.block.at(BlockLifecycle.committed), s.block.at(BlockLifecycle.complete)


PIPELINE_PROGRESS = System(
    "hdfs.pipeline_progress",
    parts=[*WRITING, PipelineProgress],
    doc="A write goes on while a good node is left: the steps of hdfs.pipeline with two faults.",
    rows="""
        *: Client=1 stamps=6 bytes=1 packets=2 replication=2 always=0 crashes=2 faults=2 hangs=2 restarts=2
            client_crashes=2 takeovers=2 registrations=2 late_calls=2 appends=2
        pair: Datanode=2; two datanodes
        spare: Datanode=3 always=1; and another one
        chain: Datanode=3 replication=3; three datanodes
        four: Datanode=4 replication=4; four datanodes
    """,
    bugs=[HDFS_724],
    idle={
        "ReplicaLifecycle.rur": "no replica is recovered",
        **dict.fromkeys(("restarts", "restarting"), "no restart of a datanode is planned"),
        **dict.fromkeys(("unknown", "registrations"), "no datanode registers anew"),
        **dict.fromkeys(("late_call", "late_calls"), "no call is late"),
        **dict.fromkeys(("writer_alive", "client_crashes", "takeovers"), "the writer lives and keeps the file"),
        "appends": "the file is written once",
        "shown": "nobody reads while the file is written",
        "steady": "history for promises of hdfs.pipeline",
    },
    omits=OMITS,
)
