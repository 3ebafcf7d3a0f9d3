"""Third-party clients, against a cluster as `genstamp dfs up` starts it.

Each cell of the table of clients by operations (docs/clients.md) is one test here; `test_table` compares the table
with what they have come to. `GENSTAMP_WRITE_CLIENTS=1` writes it, `GENSTAMP_ON_DEMAND=1` adds what takes longer.
"""

from collections.abc import Callable, Iterator
from hashlib import md5
from pathlib import Path
from random import Random

import pytest
from google_crc32c import value as crc32c_of
from py4j import java_gateway, protocol
from tests.impl.clients.clients import Client, RefusedError
from tests.impl.clients.cluster import (
    SETTINGS,
    check_events,
    kill_datanode_of,
    names_of_events,
    replica_of,
    wait_for_safe_mode,
)
from tests.impl.clients.file_system import FileSystemClient
from tests.impl.clients.native import NativeClient
from tests.impl.clients.operations import ON_DEMAND, Operation
from tests.impl.clients.shell import ShellClient
from tests.impl.server.processes import Processes, until

pytestmark = pytest.mark.slow

MIB = 1 << 20
CLIENTS = (FileSystemClient, ShellClient, NativeClient)

DATA = Random(1).randbytes(3 * MIB + 700)
TAKEN = b"taken over"
FLUSHED = MIB + MIB // 2


@pytest.fixture(autouse=True)
def refusals_come_as_py4j_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A session of Spark in the same process makes exceptions of its own of those of any Java."""
    monkeypatch.setattr(java_gateway, "get_return_value", protocol.get_return_value)


@pytest.fixture(scope="module", params=CLIENTS, ids=lambda kind: kind.__name__)
def client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client, and a cluster with a datanode more than a pipeline needs."""
    directory = tmp_path_factory.mktemp("clients")
    processes = Processes(directory / "cluster", SETTINGS, datanodes=4)
    processes.start()
    try:
        wait_for_safe_mode(processes)
        client = request.param(processes, directory / "client")
        yield client
        client.close()
    finally:
        processes.stop()


def able(client: Client, operation: Operation) -> None:
    if operation in client.cannot:
        client.show_lack(operation)
        pytest.skip(client.cannot[operation])


def write_and_kill(client: Client, path: str) -> None:
    """Leave a file open that has bytes which were flushed, and others that were not."""
    writer = client.writer(path)
    writer.write(DATA[:FLUSHED])
    writer.flush()
    writer.write(DATA[FLUSHED : FLUSHED + 1000])
    until(lambda: replica_of(client.processes, path, 2))
    writer.kill()


def refused_append(client: Client, path: str) -> list[str]:
    """Append as another client; why that is refused, and nothing if it is not."""
    try:
        client.append(path, TAKEN)
    except RefusedError as refusal:
        return [str(refusal)]
    return []


@pytest.fixture(scope="module", autouse=True)
def refusals(client: Client) -> list[str]:
    """What another client is told that wants a file at once whose writer was killed: before all tests, so that the
    soft limit passes while they run."""
    write_and_kill(client, "/takeover")
    return refused_append(client, "/takeover")


def test_write(client: Client) -> None:
    client.write("/write/file", DATA)
    assert client.read("/write/file") == DATA


def test_checksum(client: Client) -> None:
    """MD5 of the blocks' MD5s of the CRC32Cs of their chunks."""
    able(client, Operation.CHECKSUM)
    client.write("/checksum", DATA)
    digests = b""
    for start in range(0, len(DATA), MIB):
        block = DATA[start : start + MIB]
        sums = [crc32c_of(block[chunk : chunk + 512]) for chunk in range(0, len(block), 512)]
        digests += md5(b"".join(one.to_bytes(4, "big") for one in sums), usedforsecurity=False).digest()
    assert client.checksum("/checksum") == md5(digests, usedforsecurity=False).hexdigest()


def test_hflush(client: Client) -> None:
    able(client, Operation.HFLUSH)
    writer = client.writer("/hflush")
    for length in (700, 1400, MIB + 5):
        writer.write(DATA[length - 700 : length] if length < MIB else DATA[1400:length])
        writer.flush()
        assert client.read("/hflush") == DATA[:length]
    writer.write(b"more")
    writer.close()
    assert client.read("/hflush") == DATA[: MIB + 5] + b"more"


def test_append(client: Client) -> None:
    able(client, Operation.APPEND)
    client.write("/append", DATA)
    client.append("/append", b"a" * 1000)
    client.append("/append", b"b" * MIB)
    assert client.read("/append") == DATA + b"a" * 1000 + b"b" * MIB


def test_truncate(client: Client) -> None:
    able(client, Operation.TRUNCATE)
    client.write("/truncate", DATA)
    client.truncate("/truncate", 2 * MIB + 1000)
    assert client.read("/truncate") == DATA[: 2 * MIB + 1000]
    client.truncate("/truncate", MIB)
    client.append("/truncate", b"end")
    assert client.read("/truncate") == DATA[:MIB] + b"end"


def test_rename(client: Client) -> None:
    client.write("/rename/a", b"bytes")
    client.rename("/rename/a", "/rename/b")
    assert client.names("/rename") == ["b"]
    assert client.read("/rename/b") == b"bytes"


def test_delete(client: Client) -> None:
    client.write("/delete/a", b"bytes")
    client.write("/delete/b", b"bytes")
    client.delete("/delete/a")
    assert client.names("/delete") == ["b"]
    client.delete("/delete")
    assert "delete" not in client.names("/")


def test_killed(client: Client) -> None:
    write_and_kill(client, "/killed")
    client.write("/killed", b"another's", overwrites=True)
    assert client.read("/killed") == b"another's"


def test_recover(client: Client) -> None:
    able(client, Operation.RECOVER)
    write_and_kill(client, "/recover")
    until(lambda: client.recover_lease("/recover"))
    found = client.read("/recover")
    assert len(found) >= FLUSHED
    assert found == DATA[: len(found)]


def test_unknown(client: Client) -> None:
    with pytest.raises(RefusedError, match="Unknown method"):
        client.unknown_call()
    assert "ready" in client.names("/")


def test_takeover(client: Client, refusals: list[str]) -> None:
    """The refusals come in this order, however long each lasts: the soft limit is longer than a client's start."""
    able(client, Operation.TAKEOVER)

    def is_taken() -> bool:
        refusal = refused_append(client, "/takeover")
        refusals.extend(refusal)
        return not refusal

    until(is_taken)
    owned, recovering = client.refusals
    assert owned in refusals[0]
    others = [refusal for refusal in refusals if owned not in refusal]
    assert others
    assert [refusal for refusal in others if recovering not in refusal] == []
    found = client.read("/takeover").removesuffix(TAKEN)
    assert found == DATA[: len(found)]
    assert client.read("/takeover") == found + TAKEN


def write_around(client: Client, path: str, mib: int, fault: Callable[[Path], None]) -> None:
    """Write, let something happen while the second half of a block is still to come, and write on."""
    data = Random(mib).randbytes(mib * MIB)
    writer = client.writer(path)
    parts = [data[start : start + MIB // 2] for start in range(0, len(data), MIB // 2)]
    for part in parts[: mib + 1]:
        writer.write(part)
    writer.flush()
    fault(until(lambda: replica_of(client.processes, path, mib // 2 + 1)))
    for part in parts[mib + 1 :]:
        writer.write(part)
    writer.close()
    assert client.read(path) == data


def lose_a_datanode(client: Client, mib: int) -> None:
    before = names_of_events(client.processes).count("update_pipeline")

    def kill_datanode(replica: Path) -> None:
        kill_datanode_of(client.processes, replica, waits=client.gives_up)

    write_around(client, f"/datanode{mib}", mib, kill_datanode)
    assert names_of_events(client.processes).count("update_pipeline") > before


def test_datanode(client: Client) -> None:
    lose_a_datanode(client, 16)


@ON_DEMAND
def test_datanode_100(client: Client) -> None:
    lose_a_datanode(client, 100)


def test_namenode(client: Client) -> None:
    def kill_namenode(replica: Path) -> None:
        client.processes.kill("namenode")
        if client.gives_up:
            wait_for_safe_mode(client.processes)

    write_around(client, "/namenode", 4, kill_namenode)


def test_events(client: Client) -> None:
    check_events(client.processes.directory)
