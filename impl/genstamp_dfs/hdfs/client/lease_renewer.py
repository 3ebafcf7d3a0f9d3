"""Tells the namenode that the client lives, as long as it has files open for writing.

It looks each second whether half the soft limit has passed since the last renewal that worked. A call that gets no
answer ends all files of the client: it cannot know whether they are still its own. So does the hard limit, when
renewing has failed in other ways for as long.

Not here: one renewer for several clients of a process, and its going on for a while when no file is open.

Source: CL/client/impl/LeaseRenewer; DFSClient#renewLease, Hadoop 3.4.1; facts D.6.
"""

from typing import TYPE_CHECKING, Final

from genstamp_dfs.errors import HdfsIOException, SocketTimeoutException
from genstamp_dfs.hdfs.messages.client_protocol import RenewLease

if TYPE_CHECKING:
    from genstamp_dfs.hdfs.client.dfs_client import DFSClient

_LOOK_US: Final = 1_000_000


class LeaseRenewer:
    """Renews the lease of one client."""

    def __init__(self, client: "DFSClient") -> None:
        self._client = client
        self._is_running = False
        self._last_renewal_us = 0

    def file_opened(self) -> None:
        """A file was opened for writing; the first one makes the renewer run."""
        if not self._is_running:
            self._is_running = True
            self._last_renewal_us = self._client.runtime.now_us()
            self._client.runtime.spawn(self._run(), "LeaseRenewer")

    async def _run(self) -> None:
        while self._client.open_files:
            await self._client.runtime.sleep_us(_LOOK_US)
            if self._client.open_files and self._is_due():
                await self._renew()
        self._is_running = False

    def _is_due(self) -> bool:
        soft_limit_us = self._client.configuration.soft_limit_ms * 1_000
        return self._client.runtime.now_us() - self._last_renewal_us >= soft_limit_us // 2

    async def _renew(self) -> None:
        runtime = self._client.runtime
        began_us = runtime.now_us()
        try:
            await runtime.call(self._client.namenode, RenewLease(self._client.name))
        except SocketTimeoutException:
            self._client.abort_files()
        except HdfsIOException:
            if runtime.now_us() - self._last_renewal_us > self._client.configuration.hard_limit_ms * 1_000:
                self._client.abort_files()
        else:
            self._last_renewal_us = began_us
