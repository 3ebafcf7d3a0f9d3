"""The NameNode: a closed file is opened again at its end, and its last block gets a new stamp.

Coarser than HDFS: no block is ever full, so that an append always goes on in the last block, if there is one; a file
that was cut to nothing gets no block any more; whoever comes past the soft limit of a writer that left nothing to
recover finds the file closed by another step; quotas, storage policies and the choice of a new block instead of the
last one (NEW_BLOCK) are not here.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.namenode_leases import Leases
from genstamp_spec.hdfs.parts.state import Client, File, StreamStage
from genstamp_spec.hdfs.state.appends import Appends
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle


class NamenodeAppend(Leases, Appends, lane="namenode"):
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
