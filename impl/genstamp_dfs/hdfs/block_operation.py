"""The beginning of each operation on a block: a connection, what is asked for, and the first answer.

Source: CL/DataStreamer#createBlockOutputStream, CL/BlockReaderRemote#newBlockReader, DN/DataXceiver#writeBlock,
    Hadoop 3.4.1; facts W.3.
"""

from genstamp_dfs.errors import EOFException, HdfsIOException
from genstamp_dfs.hdfs.messages.data_transfer import BlockOpResponse, Operation
from genstamp_dfs.hdfs.runtime import Connection, Runtime


async def begin_operation(
    runtime: Runtime, datanode: str, operation: Operation, timeout_us: int
) -> tuple[Connection, BlockOpResponse]:
    """Ask a datanode for an operation; gives the connection, which the caller closes, and what was answered.

    Args:
        runtime: the world as the asking node sees it.
        datanode: who is asked.
        operation: what for.
        timeout_us: how long to wait for the connection, and again for the answer, in microseconds.

    Raises:
        HdfsIOException: it cannot be reached, does not answer in time, or answers something else; nothing is open.
    """
    connection = await runtime.connect(datanode, operation, timeout_us=timeout_us)
    try:
        answer = await connection.receive(timeout_us)
        if not isinstance(answer, BlockOpResponse):
            raise EOFException(f"{type(answer).__name__} came from {datanode}, accepted: BlockOpResponse")
    except HdfsIOException:
        connection.close()
        raise
    return connection, answer
