"""A client: its name is the holder of its leases, its open files live and die with it.

Not here: retrying what the namenode did not answer; whoever carries the calls does that. Renaming, listing and the
like go to the namenode as they are (`ask`).

Source: CL/DFSClient, CL/DistributedFileSystem, Hadoop 3.4.1.
"""

from typing import TypeVar

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.hdfs.client.configuration import ClientConfiguration
from genstamp_dfs.hdfs.client.events import ClientEvents
from genstamp_dfs.hdfs.client.input_stream import DFSInputStream
from genstamp_dfs.hdfs.client.lease_renewer import LeaseRenewer
from genstamp_dfs.hdfs.client.output_stream import DFSOutputStream
from genstamp_dfs.hdfs.messages.client_protocol import Append, Create, CreateFlag, RecoverLease
from genstamp_dfs.hdfs.protocol import NAMENODE
from genstamp_dfs.hdfs.runtime import Runtime
from genstamp_dfs.world.request import Request

Answer = TypeVar("Answer")


class DFSClient:
    """A client of one namenode.

    Args:
        runtime: the world as the client sees it.
        events: where its steps are recorded.
        configuration: its settings.
        name: holder of its leases; a random one in the manner of Hadoop's if none is given.
        namenode: name of the namenode.
    """

    stream_class: type[DFSOutputStream] = DFSOutputStream

    def __init__(
        self,
        runtime: Runtime,
        events: ClientEvents,
        configuration: ClientConfiguration | None = None,
        *,
        name: str | None = None,
        namenode: str = NAMENODE,
    ) -> None:
        self.runtime = runtime
        self.configuration = configuration or ClientConfiguration()
        self.name = name or f"DFSClient_NONMAPREDUCE_{runtime.random.getrandbits(31)}_1"
        self.namenode = namenode
        self.events = events
        self.open_files: dict[int, DFSOutputStream] = {}
        self._renewer = LeaseRenewer(self)

    async def create(
        self,
        path: str,
        *,
        overwrite: bool = False,
        replication: int | None = None,
        block_size: int | None = None,
        create_parent: bool = True,
    ) -> DFSOutputStream:
        """Create a file and open it for writing; sizes in bytes.

        Raises:
            HdfsIOException: the namenode refuses (facts E.1).
        """
        status = await self.ask(
            Create(
                path,
                self.name,
                CreateFlag.CREATE | CreateFlag.OVERWRITE if overwrite else CreateFlag.CREATE,
                create_parent,
                replication or self.configuration.replication,
                block_size or self.configuration.block_size,
            )
        )
        return self._opened(self.stream_class(self, path, status))

    async def append(self, path: str, *, new_block: bool = False) -> DFSOutputStream:
        """Open a file to write at its end, into its last block or (`new_block`) a new one.

        Raises:
            HdfsIOException: the namenode refuses (facts E.2).
        """
        flag = CreateFlag.APPEND | CreateFlag.NEW_BLOCK if new_block else CreateFlag.APPEND
        answer = await self.ask(Append(path, self.name, flag))
        stream = self.stream_class(self, path, answer.status, appended=answer.block, is_append=True)
        return self._opened(stream)

    async def open(self, path: str) -> DFSInputStream:
        """Open a file for reading.

        Raises:
            HdfsIOException: there is no such file, or its length cannot be known now.
        """
        return await DFSInputStream(self, path).open()

    async def recover_lease(self, path: str) -> bool:
        """Have a file taken from its writer; says whether it is closed now."""
        return await self.ask(RecoverLease(path, self.name))

    async def ask(self, request: Request[Answer]) -> Answer:
        """Any other call at the namenode."""
        return await self.runtime.call(self.namenode, request)

    def is_local(self, datanode: str) -> bool:
        """Whether a datanode runs on the client's machine."""
        return datanode == self.runtime.node

    def end_file(self, stream: DFSOutputStream) -> None:
        """A file is not written any more, whatever came of it."""
        self.open_files.pop(stream.file_id, None)

    def abort_files(self) -> None:
        """Give all open files up; they stay open at the namenode."""
        for stream in list(self.open_files.values()):
            stream.abort()

    async def close(self) -> None:
        """Close all open files.

        Raises:
            HdfsIOException: the first that could not be closed; the others are closed all the same.
        """
        failures = []
        for stream in list(self.open_files.values()):
            try:
                await stream.close()
            except HdfsIOException as problem:
                failures.append(problem)
        if failures:
            raise failures[0]

    def _opened(self, stream: DFSOutputStream) -> DFSOutputStream:
        self.open_files[stream.file_id] = stream
        self._renewer.file_opened()
        return stream
