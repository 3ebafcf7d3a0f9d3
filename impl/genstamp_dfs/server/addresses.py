"""Where nodes can be reached: the cores know names, the wire knows hosts and ports.

Who opens a connection for a block says where the nodes are that it is to go on to. That is believed for this connection
alone, so that nobody can lead the blocks of others astray.

Not here: finding out. Whoever hears of an address notes it here.
"""

from contextvars import ContextVar
from dataclasses import dataclass

from genstamp_dfs.errors import ConnectException


@dataclass(frozen=True, slots=True)
class Address:
    """Where a datanode listens: for blocks, and for calls."""

    host: str
    transfer_port: int
    rpc_port: int

    @property
    def transfer(self) -> str:
        """Host and port for blocks, as messages name them."""
        return f"{self.host}:{self.transfer_port}"


_OF_CONNECTION: ContextVar[dict[str, Address] | None] = ContextVar("addresses of a connection", default=None)


def believe_for_this_task_only() -> None:
    """What is noted in this task from now on, holds in it and in those that it starts, in whatever book."""
    _OF_CONNECTION.set({})


class AddressBook:
    """The addresses of datanodes by their names, and the names by their addresses."""

    def __init__(self) -> None:
        self._addresses: dict[str, Address] = {}
        self._names: dict[str, str] = {}

    def note(self, name: str, address: Address) -> None:
        """A datanode is to be reached there from now on."""
        own = _OF_CONNECTION.get()
        if own is not None:
            own[name] = address
            return
        former = self._addresses.get(name)
        if former is not None and former != address and self._names.get(former.transfer) == name:
            del self._names[former.transfer]
        self._addresses[name] = address
        self._names[address.transfer] = name

    def address(self, name: str) -> Address:
        """Where a datanode is.

        Raises:
            ConnectException: nobody has said.
        """
        own = _OF_CONNECTION.get() or {}
        address = own.get(name) or self._addresses.get(name)
        if address is None:
            raise ConnectException(f"the address of {name} is not known")
        return address

    def name(self, transfer: str) -> str:
        """The datanode that listens for blocks there; the address itself if none is known to."""
        own = _OF_CONNECTION.get() or {}
        of_connection = (name for name, address in own.items() if address.transfer == transfer)
        return next(of_connection, None) or self._names.get(transfer, transfer)
