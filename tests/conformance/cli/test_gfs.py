"""What `genstamp gfs` says to somebody who has made a mistake, or whose master is not there."""

import asyncio
import signal
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from genstamp import exit_codes
from genstamp.cli.gfs.verb import GfsVerbs, gfs_app
from genstamp_dfs.gfs.server import wire
from genstamp_dfs.gfs.server.listener import Listener
from genstamp_dfs.gfs.server.master_server import MasterServer
from genstamp_dfs.server import local_runtime
from genstamp_dfs.server.event_file import NoEvents
from genstamp_model.interrupt import take

FILES = ["put", "append", "cat", "snapshot", "ls", "mkdir", "mv", "rm", "undelete"]


@pytest.fixture
def closed_port() -> Iterator[str]:
    """An address at which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{taken.getsockname()[1]}"


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(gfs_app, list(arguments))
    return result.exit_code, result.stdout, result.stderr


def arguments_of(verb: str, local: Path) -> list[str]:
    """The verb with as many arguments as it needs."""
    given = {"put": [str(local), "/a"], "append": [str(local), "/a"], "snapshot": ["/a", "/b"], "mv": ["/a", "/b"]}
    return [verb, *given.get(verb, ["/a"])]


@pytest.mark.slow
@pytest.mark.parametrize("verb", FILES)
def test_a_master_that_is_not_there_is_waited_for_aloud_and_not_for_ever(
    verb: str, closed_port: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # There is time for a second attempt, also where the first one takes long on a busy machine.
    monkeypatch.setattr(local_runtime, "RETRY_INTERVAL_US", 10_000)
    (tmp_path / "local").write_text("bytes")
    arguments = arguments_of(verb, tmp_path / "local")
    code, printed, said = run(*arguments, "--master", closed_port, "--timeout", "1.5")
    waiting, gave_up, why = said.splitlines()
    assert (code, printed) == (exit_codes.FAILURE, "")
    assert waiting.startswith(f"genstamp: waiting up to 1.5 s for the master at {closed_port}: ")
    assert gave_up == "genstamp: gave up after 1.5 s"
    assert why == f"genstamp: ConnectException: {closed_port} cannot be reached"


@pytest.mark.parametrize("verb", FILES)
def test_an_address_that_is_none_is_refused_in_a_line(verb: str, tmp_path: Path) -> None:
    (tmp_path / "local").write_text("bytes")
    code, printed, said = run(*arguments_of(verb, tmp_path / "local"), "--master", "nowhere")
    assert (code, printed, said) == (
        exit_codes.USAGE,
        "",
        "genstamp: 'nowhere' is not an address; expected HOST:PORT\n",
    )


@pytest.mark.parametrize("verb", ["put", "append"])
def test_a_file_here_that_is_not_there_is_told_first(verb: str, closed_port: str, tmp_path: Path) -> None:
    code, _, said = run(verb, str(tmp_path / "absent"), "/a", "--master", closed_port)
    assert (code, said) == (exit_codes.USAGE, f"genstamp: {tmp_path / 'absent'}: No such file or directory\n")


def test_every_verb_is_there_and_tells_what_it_does() -> None:
    code, printed, _ = run("--help")
    assert code == 0
    for verb in GfsVerbs.verbs:
        assert verb in printed
        code, told, _ = run(verb, "--help")
        assert code == 0, told
        assert "cannot be loaded" not in told


def answered_by(start: Callable[[], Any], *arguments: str) -> tuple[int, str, str]:
    """What a verb says while a server runs beside it."""

    async def beside() -> tuple[int, str, str]:
        server, address = await start()
        try:
            return await asyncio.to_thread(run, *arguments, "--master", address)
        finally:
            await server.stop()

    return asyncio.run(beside())


def test_a_verb_runs_in_any_thread() -> None:
    """Only the main thread may set what a signal does."""
    before = signal.signal(signal.SIGINT, take)
    try:
        with ThreadPoolExecutor(1) as threads:
            assert threads.submit(run, "ls", "--master", "nonsense").result()[0] == exit_codes.USAGE
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_node_that_is_no_master_is_told_from_one() -> None:
    async def start() -> tuple[Any, str]:
        described = wire.Description(wire.FORMAT, "chunkserver", "c", MasterServer(Path(), [], NoEvents()).limits)
        listener = Listener(wire.CHUNKSERVER_REQUESTS, 1000, lambda: described, lambda *_: asyncio.sleep(0))
        address = f"127.0.0.1:{listener.bind('127.0.0.1', 0)}"
        await listener.start()
        return listener, address

    code, _, said = answered_by(start, "ls")
    assert (code, said.endswith(" is a chunkserver, accepted: a master, or a shadow for reading\n")) == (
        exit_codes.USAGE,
        True,
    )


@pytest.mark.slow
def test_refusals_go_by_their_names(tmp_path: Path) -> None:
    async def start() -> tuple[Any, str]:
        server = MasterServer(tmp_path / "m", [], NoEvents())
        await server.start()
        return server, server.address

    (tmp_path / "local").write_text("bytes")
    assert answered_by(start, "mkdir", "/d") == (0, "", "")
    assert answered_by(start, "put", "/dev/null", "/d/file") == (0, "", "")
    for arguments, name in (
        (["cat", "/absent"], "PathNotFound"),
        (["cat", "/d"], "IsADirectory"),
        (["rm", "/absent"], "PathNotFound"),
        (["rm", "/d"], "DirectoryNotEmpty"),
        (["ls", "/absent"], "PathNotFound"),
        (["mkdir", "not/absolute"], "InvalidPath"),
        (["mkdir", "/d"], "PathExists"),
        (["mkdir", "/d/file/below"], "NotADirectory"),
        (["put", str(tmp_path / "local"), "/d/file"], "PathExists"),
        (["append", str(tmp_path / "local"), "/absent"], "PathNotFound"),
        (["undelete", "/absent"], "InvalidPath"),
        (["mv", "/absent", "/b"], "PathNotFound"),
        (["mv", "/d/file", "/d"], "PathExists"),
        (["snapshot", "/absent", "/b"], "PathNotFound"),
        (["snapshot", "/d/file", "/d"], "PathExists"),
    ):
        code, printed, said = answered_by(start, *arguments)
        assert (code, printed, said.split(":")[:2], said.count("\n")) == (1, "", ["genstamp", f" {name}"], 1), said
    assert answered_by(start, "ls", "/d") == (0, "f\t0\t-\t/d/file\n", "")
