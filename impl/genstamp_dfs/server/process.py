"""What the processes of servers have in common: settings, a ready line, an orderly end, exit codes.

Not here: becoming a daemon; whoever starts a process keeps it.
"""

import argparse
import asyncio
import json
import logging
import os
import resource
import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, NoReturn, Protocol, TypeVar

from genstamp_dfs.errors import ConfigurationError, DiskError, DiskFullError, StorageError
from genstamp_dfs.server.connections import tell_of_loop_fault
from genstamp_dfs.server.disk import RealDisk
from genstamp_dfs.server.event_file import EventFile, NoEvents

Configuration = TypeVar("Configuration")

LOOPBACK: Final = "127.0.0.1"

FAILURE: Final = 75
"""Exit code: the disk failed, or is full where a node cannot go on without room."""

CONFIGURATION: Final = 151
"""Exit code: settings that make no server, a port that is taken, a storage directory that is refused."""

MAX_PORT: Final = 65_535

LOCK_WAIT_S: Final = 10.0
"""How long a directory may still be held by the process that had it before."""


class LogLevel(StrEnum):
    """The lowest level that a process logs."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


_LOG = logging.getLogger(__name__)


class Server(Protocol):
    """Something that listens until it is stopped.

    Attributes:
        failure: ends with an exception if the server cannot go on.
    """

    failure: asyncio.Future[NoReturn] | None

    async def start(self) -> dict[str, Any]:
        """Listen; gives what the ready line says."""

    async def stop(self) -> None:
        """Listen no more; may be called after a start that failed."""


# -- settings -------------------------------------------------------------------------------------------------------


def add_common_options(parser: argparse.ArgumentParser) -> None:
    """The options that every server has."""
    parser.add_argument("directory", type=Path, help="storage directory; an empty one is formatted")
    parser.add_argument("--host", default=LOOPBACK, help="where to listen; loopback by default")
    parser.add_argument("--events", type=Path, help="file for events, as JSON lines")
    parser.add_argument(
        "--events-limit",
        type=int,
        default=0,
        metavar="MIB",
        help="begin another file then; 0: never",
    )
    add_log_option(parser)
    parser.add_argument(
        "--set", dest="settings", action="append", default=[], metavar="NAME=VALUE", help="change a setting"
    )
    parser.add_argument("--ends-with-parent", action="store_true", help="stop when standard input ends")


def add_log_option(parser: argparse.ArgumentParser) -> None:
    """Add `--log-level`."""
    parser.add_argument(
        "--log-level",
        choices=list(LogLevel),
        default=LogLevel.INFO,
        help="lowest level logged to standard error",
    )


def log_to_stderr(level: str) -> None:
    """Log to standard error, a line a record, from a level on."""
    logging.basicConfig(
        level=level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s", stream=sys.stderr
    )


def tell_of_full_disk(what: str) -> Callable[[DiskFullError], None]:
    """Logs that something is put off until the disk has room again.

    Args:
        what: what was given up, as a clause.
    """

    def tell(problem: DiskFullError) -> None:
        _LOG.warning("%s, and tried again later: %s", what, problem)

    return tell


def event_sink(given: argparse.Namespace) -> EventFile | NoEvents:
    """Where a server tells of what it does, by its options.

    Raises:
        ConfigurationError: the limit is negative.
        OSError: the file cannot be opened.
    """
    if given.events_limit < 0:
        raise ConfigurationError(f"--events-limit is {given.events_limit}, accepted: 0 or more")
    return EventFile(given.events, given.events_limit << 20) if given.events else NoEvents()


def configured(configuration: Configuration, settings: list[str]) -> Configuration:
    """A configuration with settings of the form name=value changed; `limits.soft_limit_ms` names one of its limits.

    Raises:
        ConfigurationError: there is no such setting, or it does not take that value.
    """
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise ConfigurationError(f"setting {setting!r}; expected name=value")
        configuration = _changed(configuration, name, value)
    return configuration


def setting_names(configuration: Any) -> list[str]:
    """What can be set of a configuration, by name; those of its limits as `limits.soft_limit_ms`."""
    found = []
    for name in _names(configuration):
        value = getattr(configuration, name)
        found += [f"{name}.{inner}" for inner in setting_names(value)]
        found += [name] if isinstance(value, int | float | str) else []
    return found


def has_setting(configuration: Any, setting: str) -> bool:
    """Whether a setting of the form name=value is one of this configuration."""
    return setting.partition("=")[0] in setting_names(configuration)


def settings_of_nodes(nodes: Mapping[str, Any], settings: list[str]) -> tuple[list[str], ...]:
    """Which of the settings of a cluster go to which kind of node: to each that has a setting of that name.

    Args:
        nodes: kinds of nodes, with a configuration of each.
        settings: of the form name=value.

    Raises:
        ConfigurationError: no kind has such a setting, or it does not take that value.
    """
    for setting in settings:
        if not any(has_setting(configuration, setting) for configuration in nodes.values()):
            accepted = sorted({name for configuration in nodes.values() for name in setting_names(configuration)})
            raise ConfigurationError(
                f"neither {' nor '.join(nodes)} has the setting {setting.partition('=')[0]!r}, "
                f"accepted: {', '.join(accepted)}"
            )
    parts = tuple([one for one in settings if has_setting(configuration, one)] for configuration in nodes.values())
    for configuration, part in zip(nodes.values(), parts, strict=True):
        configured(configuration, part)
    return parts


def _changed(configuration: Any, name: str, value: str) -> Any:
    first, _, rest = name.partition(".")
    if first not in _names(configuration):
        known = ", ".join(_names(configuration))
        raise ConfigurationError(f"{type(configuration).__name__} has no setting {first!r}, accepted: {known}")
    former = getattr(configuration, first)
    new = _changed(former, rest, value) if rest else _read(first, former, value)
    return replace(configuration, **{first: new})


def _names(configuration: Any) -> list[str]:
    return [field.name for field in fields(configuration)] if is_dataclass(configuration) else []


def _read(name: str, former: Any, value: str) -> Any:
    """The text as a value of the same type."""
    try:
        match former:
            case bool():
                return {"true": True, "false": False}[value.lower()]
            case StrEnum() | int() | float() | str():
                return type(former)(value)
    except (ValueError, KeyError):
        accepted = ", ".join(type(former)) if isinstance(former, StrEnum) else f"a value like {former}"
        raise ConfigurationError(f"{name} is {value!r}, accepted: {accepted}") from None
    raise ConfigurationError(f"{name} cannot be set here")


def host_and_port(text: str) -> tuple[str, int]:
    """HOST:PORT as its two parts.

    Raises:
        ConfigurationError: it is something else.

    >>> host_and_port("localhost:8020")
    ('localhost', 8020)
    """
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdecimal() or not 0 < int(port) <= MAX_PORT:
        raise ConfigurationError(f"{text!r} is not an address; expected HOST:PORT")
    return host, int(port)


def port_to_listen(text: str) -> int:
    """A port, or 0 for one that the system chooses (a type of `argparse`).

    >>> port_to_listen("8020")
    8020
    """
    if not text.isdecimal() or int(text) > MAX_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port; expected 0 to {MAX_PORT}")
    return int(text)


async def lock_storage(directory: Path) -> RealDisk:
    """The storage directory, kept from others; waits a while for a process that is about to end.

    Raises:
        StorageError: another process has it, or it is no directory.
    """
    if directory.exists() and not directory.is_dir():
        raise StorageError(f"{directory} is no directory")
    disk = RealDisk(directory)
    for _ in range(int(LOCK_WAIT_S * 10)):
        try:
            disk.lock()
        except StorageError:
            await asyncio.sleep(0.1)
        else:
            return disk
    disk.lock()
    return disk


# -- running --------------------------------------------------------------------------------------------------------


async def run_server(name: str, server: Server, *, ends_with_parent: bool) -> int:
    """Run a server until SIGTERM, SIGINT, the end of its parent, or a failure; gives the exit code.

    When it listens, one line of JSON on standard output says where, and the process id.
    """
    asyncio.get_running_loop().set_exception_handler(tell_of_loop_fault)
    _allow_open_files()
    stopping = stopped_by_signals(ends_with_parent=ends_with_parent)
    starting = asyncio.create_task(_start(server))
    ending = asyncio.create_task(stopping.wait())
    try:
        await asyncio.wait({starting, ending}, return_when=asyncio.FIRST_COMPLETED)
        if not starting.done():
            starting.cancel()
            return 0
        print(json.dumps({**starting.result(), "pid": os.getpid()}), flush=True)
        assert server.failure is not None, "a server that has started can fail"
        ends: set[asyncio.Future[Any]] = {server.failure, ending}
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        if server.failure.done():
            server.failure.result()
        return 0
    except (StorageError, ConfigurationError, OSError) as problem:
        print(f"{name}: {problem}", file=sys.stderr)
        return CONFIGURATION
    except DiskFullError as problem:
        _LOG.error("%s stops, as its disk is full: %s", name, problem)
        return FAILURE
    except DiskError as problem:
        _LOG.error("%s stops, as its disk fails: %s", name, problem)
        return FAILURE
    finally:
        ending.cancel()
        await server.stop()


def _allow_open_files() -> None:
    """Have as many files and connections open as the system lets us."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


async def _start(server: Server) -> dict[str, Any]:
    return await server.start()


def stopped_by_signals(*, ends_with_parent: bool = False) -> asyncio.Event:
    """An event that SIGTERM and SIGINT set, and the end of standard input if a parent holds that."""
    loop = asyncio.get_running_loop()
    stopping = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)

    def read() -> None:
        if not os.read(sys.stdin.fileno(), 4096):
            loop.remove_reader(sys.stdin.fileno())
            stopping.set()

    if ends_with_parent:
        loop.add_reader(sys.stdin.fileno(), read)
    return stopping
