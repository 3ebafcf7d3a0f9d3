"""The NameNode: a closed file is opened again at its end, and its last block gets a new stamp.

Coarser than HDFS: no block is ever full, so that an append always goes on in the last block, if there is one; a file
that was cut to nothing gets no block any more; whoever comes past the soft limit of a writer that left nothing to
recover finds the file closed by another step; quotas, storage policies and the choice of a new block instead of the
last one (NEW_BLOCK) are not here.
"""

from genstamp_model.language import Bool, Members, Number, Ordered, Part, action, none, number, observe, require
from genstamp_spec.hdfs.parts.namenode_blocks import NamenodeBlocks
from genstamp_spec.hdfs.parts.namenode_pipeline import PipelineCalls
from genstamp_spec.hdfs.parts.promised_bytes import PromisedBytes
from genstamp_spec.hdfs.parts.state import Client, Datanode, File, StreamStage
from genstamp_spec.lifecycles.block import BlockLifecycle
from genstamp_spec.lifecycles.file import FileLifecycle


class AppendState(Part):
    """History only."""

    appends = number(limit="appends")  # only limited, never read


class NamenodeAppend(NamenodeBlocks, PipelineCalls, AppendState, PromisedBytes, lane="namenode"):
    """append, and what its client passes to updateBlockForPipeline and updatePipeline.

    A client that appends is `OPEN` until its pipeline is set up; its stamp is 0 while it has none from the NameNode.
    """

    @action
    def append(s, client: Client, file: File) -> None:
        """A client opens a closed file at its end; it is given the last block with its old stamp.

        Source  FSDirAppendOp#appendFile, #prepareFileForAppend, BlockManager#convertLastBlockToUnderConstruction,
                Hadoop 3.4.1; facts E.2, E.3, A2, A.4.
        """
        s.may_call(client)
        require(~s.file[file].at(FileLifecycle.absent), "the file exists", "FileNotFoundException")
        if s.recover_lease_internal(client, file, None):
            return
        no_block = s.block[file].at(BlockLifecycle.absent)
        replicated = ~(s.stored[file] & s.running).is_empty()
        require(~s.block[file].at(BlockLifecycle.removed), "the file was not cut to nothing")
        require(no_block | replicated, "the last block is sufficiently replicated", "IOException")
        require(s.stream[client][file].stage.at(StreamStage.NONE), "the client has no stream of the file")
        s.appends = s.appends + 1
        s.file[file].fire(FileLifecycle.append)
        s.client_name[file] = client
        s.grant(client, file)
        s.block[file].fire(BlockLifecycle.append, where=~no_block)
        s.locations[file] = s.stored[file]
        s.tried_as_primary[file].clear()
        s.primary[file] = none
        s.visible_bytes_are_promised(file)
        s.open_stream(client, file)
        stream = s.stream[client][file]
        stream.acked = s.block_bytes[file]
        stream.pipeline = s.stored[file]
        observe(generation_stamp=s.block_stamp[file], num_bytes=s.block_bytes[file], locations=s.stored[file])

    # The client's first pipeline (facts C.5): a stamp, the datanodes, and the NameNode learns of both.

    def is_setting_up(s, client: Client, file: File) -> Bool:
        """The client has a block to append to, and no pipeline yet."""
        stream = s.stream[client][file]
        return stream.stage.at(StreamStage.OPEN) & ~stream.pipeline.is_empty()

    def needs_first_stamp(s, client: Client, file: File) -> Bool:
        """The client goes to set up its first pipeline, or to try it again without a node that has failed."""
        return s.is_setting_up(client, file) & (s.stream[client][file].stamp == 0)

    def has_first_stamp(s, client: Client, file: File) -> Bool:
        """The client has a stamp for its first pipeline."""
        return s.is_setting_up(client, file) & (s.stream[client][file].stamp > 0)

    def passes_no_block(s, client: Client, file: File) -> Bool:
        """As before; but a client that appends was given one."""
        return super().passes_no_block(client, file) & ~s.is_setting_up(client, file)

    def asks_for_stamp(s, client: Client, file: File) -> None:
        """Checks: a pipeline is to be set up, for the first time or without a node that has failed."""
        require(s.needs_first_stamp(client, file), "the client is to set up a pipeline")

    def takes_stamp(s, client: Client, file: File) -> None:
        """The client goes to the nodes with it."""
        s.stream[client][file].stamp = s.last_stamp

    def passes_pipeline(s, client: Client, file: File) -> None:
        """Checks: every node of the pipeline has taken the block."""
        stream = s.stream[client][file]
        require(s.has_first_stamp(client, file), "the client sets up a pipeline")
        require(stream.pipeline <= stream.set_up, "every node of the pipeline is set up")

    def new_pipeline(s, client: Client, file: File) -> tuple[Ordered, Number, Members[Datanode]]:
        """The length is still that of the block."""
        stream = s.stream[client][file]
        return stream.stamp, stream.acked, stream.pipeline

    def goes_on(s, client: Client, file: File) -> None:
        """Packets follow."""
        s.stream[client][file].stage = StreamStage.STREAMING
