"""Old bugs of clients, put back; each as small as the fix that it undoes."""

from tests.conformance.patching import Patch
from tests.conformance.twins import scenarios
from tests.conformance.twins.judging import Judge, Twin
from tests.conformance.twins.namenode_twins import commit_with_any_stamp

from genstamp_dfs.hdfs.client.data_streamer import DataStreamer
from genstamp_dfs.hdfs.client.dfs_client import DFSClient
from genstamp_dfs.hdfs.client.lease_renewer import LeaseRenewer
from genstamp_dfs.hdfs.client.output_stream import DFSOutputStream
from genstamp_dfs.hdfs.messages.client_protocol import Complete, UpdatePipeline
from genstamp_dfs.hdfs.namenode import completion, pipeline_calls
from genstamp_dfs.hdfs.namenode.fs_namesystem import FSNamesystem
from genstamp_dfs.hdfs.protocol import Block
from genstamp_dfs.world.request import Caller

_end_file = DFSClient.end_file


async def no_heartbeat(self: DataStreamer) -> None:
    """An idle pipeline hears nothing."""
    await self.changed.wait()


async def never_renewed(self: LeaseRenewer) -> None:
    """The client is taken for one that needs no renewal."""


def failed_files_stay(self: DFSClient, stream: DFSOutputStream) -> None:
    """A file whose close has failed stays among those whose lease is renewed."""
    if stream.streamer.failure is None:
        _end_file(self, stream)


async def completes_with_an_old_length(self: DFSOutputStream) -> None:
    """The block's object has changed between the last acknowledgement and complete()."""
    block = self.streamer.pipeline.block
    short = None if block is None else Block(block.block_id, block.generation_stamp, max(0, block.num_bytes - 512))
    while not await self.client.runtime.call(
        self.client.namenode, Complete(self.path, self.client.name, short, self.file_id)
    ):
        await self.client.runtime.sleep_us(1_000_000)


async def completes_with_the_first_stamp(self: DFSOutputStream) -> None:
    """The stamp of the last pipeline recovery is not seen by complete()."""
    block = self.streamer.pipeline.block
    assert block is not None
    old = Block(block.block_id, min(block.generation_stamp, 1001), block.num_bytes)
    await self.client.runtime.call(self.client.namenode, Complete(self.path, self.client.name, old, self.file_id))


_update_pipeline = pipeline_calls.update_pipeline


def nodes_have_to_be_known(fsn: FSNamesystem, request: UpdatePipeline, caller: Caller) -> None:
    """Nobody asks whether the namenode knows the datanodes of the new pipeline."""
    nodes = tuple(fsn.datanode_manager.datanodes[node].name for node in request.new_nodes)
    _update_pipeline(fsn, UpdatePipeline(request.client_name, request.old_block, request.new_block, nodes), caller)


CLIENT_TWINS = (
    Twin(
        "HDFS-724",
        "an idle pipeline gets no heartbeats",
        (Patch(DataStreamer, "_wait_or_beat", no_heartbeat),),
        Judge.PROGRESS,
        scenarios.IDLE_WRITER,
        "create: done",
    ),
    Twin(
        "HDFS-2810",
        "a client's lease is not renewed, as if another of its name had done it",
        (Patch(LeaseRenewer, "_renew", never_renewed),),
        Judge.PROGRESS,
        scenarios.LONG_WRITE,
        "create: done",
    ),
    Twin(
        "HDFS-8498",
        "a block is completed with a length that is no longer its own",
        (Patch(DFSOutputStream, "_complete", completes_with_an_old_length),),
        Judge.LOCKSTEP,
        scenarios.QUIET,
        "complete",
    ),
    Twin(
        "HDFS-9289",
        "a block is committed with the stamp of an earlier pipeline",
        (
            Patch(DFSOutputStream, "_complete", completes_with_the_first_stamp),
            Patch(completion, "commit_block", commit_with_any_stamp),
        ),
        Judge.INVARIANT,
        scenarios.ONE_NODE_DIES,
        "S8",
    ),
    Twin(
        "HDFS-10549",
        "a file whose close has failed is renewed for ever",
        (Patch(DFSClient, "end_file", failed_files_stay),),
        Judge.PROGRESS,
        scenarios.FAILED_CLOSE,
        "append: done",
    ),
    Twin(
        "HDFS-12299",
        "a datanode of the new pipeline is taken for known to the namenode",
        (Patch(pipeline_calls, "update_pipeline", nodes_have_to_be_known),),
        Judge.ERROR,
        scenarios.NODES_COME_TOO_LATE,
        "KeyError",
    ),
)
