"""The NameNode in a pipeline's recovery: a new stamp for the block, and the pipeline that took it.

Coarser than HDFS: one block a file, its last; datanodes are storages, and all of them are known. What the client passes
is read from its stream.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.block_record import BlockRecord, may_replace_generation, replace_generation
from genstamp_spec.hdfs.parts.recovery_start import RecoveryStart
from genstamp_spec.hdfs.parts.state import Client, File
from genstamp_spec.lifecycles.block import BlockLifecycle


class PipelineCalls(RecoveryStart, lane="namenode"):
    """updateBlockForPipeline and updatePipeline."""

    def check_block_under_construction(s, client: Client, file: File, refused: bool) -> None:
        """FSNamesystem#checkUCBlock, in its order (facts E.6); stamps are not compared."""
        error, expired = ("IOException", "LeaseExpiredException") if refused else (None, None)
        require(~s.block[file].at(BlockLifecycle.absent, BlockLifecycle.removed), "the block is known", error)
        require(s.block[file].at(BlockLifecycle.under_construction), "the block is under construction", error)
        require(s.under_construction(file), "the file is open for writing", error, defensive=refused)
        s.not_deleted(file, error)
        require(s.client_name[file] == client, "the caller owns the file", expired)

    @action
    def update_block_for_pipeline(s, client: Client, file: File) -> None:
        """A client whose pipeline has lost a node asks for a stamp; the block as it is stored keeps its own.

        Source  FSNamesystem#bumpBlockGenerationStamp, Hadoop 3.4.1; facts E.6, C.5, H.7.2.
        """
        s.may_call(client)
        s.asks_for_stamp(client, file)
        s.check_block_under_construction(client, file, True)
        s.last_stamp = s.last_stamp + 1
        s.takes_stamp(client, file)
        observe(generation_stamp=s.last_stamp)

    @action
    def update_pipeline(s, client: Client, file: File) -> None:
        """The pipeline is set up under the new stamp: the block takes it, the length and the nodes.

        Source  FSNamesystem#updatePipeline, #updatePipelineInternal, Hadoop 3.4.1; facts A5, E.7.
        """
        s.may_call(client)
        s.passes_pipeline(client, file)
        s.check_block_under_construction(client, file, True)
        stamp, length, nodes = s.new_pipeline(client, file)
        may_replace_generation(BlockRecord(s, file), stamp, length)
        replace_generation(BlockRecord(s, file), stamp, length, nodes)
        s.goes_on(client, file)
        observe(generation_stamp=stamp, num_bytes=length, locations=nodes)
