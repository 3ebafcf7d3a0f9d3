"""What `genstamp dfs` says to somebody who has made a mistake, or whose namenode is not there."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from genstamp import exit_codes
from genstamp.cli.dfs import verb
from genstamp_dfs.hdfs.messages.client_protocol import (
    Delete,
    DirectoryListing,
    GetBlockLocations,
    GetFileInfo,
    GetListing,
    HdfsFileStatus,
    IsFileClosed,
    LocatedBlocks,
    Truncate,
)
from genstamp_dfs.hdfs.protocol import Block, LocatedBlock
from genstamp_dfs.world.request import Request


@pytest.fixture
def closed_port() -> Iterator[str]:
    """An address at which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{taken.getsockname()[1]}"


class OneFile:
    """A client of a namenode that has one file, whose last block is cut after some questions."""

    name = "client1"

    def __init__(self, questions: int) -> None:
        self.questions = questions
        self.asked: list[Request[object]] = []

    async def __aenter__(self) -> "OneFile":
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    def _status(self, path: str) -> HdfsFileStatus:
        return HdfsFileStatus(16386, path, False, 3, 3, 1024, permission=0o644)

    async def ask(self, request: Request[object]) -> object:
        self.asked.append(request)
        if isinstance(request, GetFileInfo):
            return self._status("")
        if isinstance(request, GetListing):
            return DirectoryListing((self._status("" if request.path.endswith("file") else "two\nlines"),), 0)
        if isinstance(request, Delete):
            return False
        return len(self.asked) > self.questions


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(verb.dfs_app, list(arguments))
    return result.exit_code, result.stdout, result.stderr


def test_a_namenode_that_is_not_there_is_waited_for_aloud_and_not_for_ever(closed_port: str) -> None:
    code, printed, said = run("ls", "--namenode", closed_port, "--timeout", "0.6")
    waiting, gave_up, why = said.splitlines()
    assert (code, printed) == (exit_codes.FAILURE, "")
    assert waiting.startswith(f"genstamp: waiting up to 0.6 s for the namenode at {closed_port}: ")
    assert gave_up == "genstamp: gave up after 0.6 s"
    assert why.startswith(f"genstamp: ConnectException: {closed_port} cannot be reached")


@pytest.mark.parametrize("length", ["-5", "1.5", "all", "٣", str(2**63), "9" * 5_000])
def test_a_length_that_is_none_is_refused_in_one_sentence(length: str) -> None:
    expected = f"genstamp: cannot truncate /file to {length!r}; expected a number of bytes, 0 to 9223372036854775807\n"
    assert run("truncate", "/file", length) == (exit_codes.USAGE, "", expected)


@pytest.mark.parametrize(
    ("questions", "wait", "code"),
    [(0, "0", 0), (1, "0", exit_codes.UNDETERMINED), (2, "5", 0)],
    ids=["at a block's end", "not yet", "waits"],
)
def test_truncate_says_whether_the_file_is_cut(
    monkeypatch: pytest.MonkeyPatch, questions: int, wait: str, code: int
) -> None:
    async def at_once(_: float) -> None:
        pass

    client = OneFile(questions)
    monkeypatch.setattr(verb, "_client", lambda *_: client)
    monkeypatch.setattr("asyncio.sleep", at_once)
    found, _, said = run("truncate", "/file", "5", "--wait", wait)
    assert found == code
    assert ("not yet: /file is closed with 5 bytes" in said) == (code != 0)
    assert [type(request) for request in client.asked] == [Truncate] + [IsFileClosed] * (len(client.asked) - 1)


def test_permissions_are_shown_as_they_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verb, "_client", lambda *_: OneFile(0))
    code, printed, _ = run("stat", "/file")
    shown = json.loads(printed)
    assert (code, shown["permission"], shown["path"]) == (0, "0644", "/file")


@pytest.mark.parametrize(
    "arguments",
    [
        ("namenode", "DIRECTORY", "--port", "65536"),
        ("datanode", "DIRECTORY", "--transfer-port", "-1"),
        ("datanode", "DIRECTORY", "--rpc-port", "99999"),
        ("up", "DIRECTORY", "--port", "99999"),
        ("up", "DIRECTORY", "--datanodes", "0"),
        ("put", "LOCAL", "/file", "--replication", "0"),
        ("put", "LOCAL", "/file", "--block-size", "0"),
        ("put", "LOCAL", "/file", "--block-size", str(2**63)),
        ("put", "LOCAL", "/file", "--replication", str(2**15)),
        ("put", "LOCAL", "/file", "--flush-every", "-4"),
        ("append", "LOCAL", "/file", "--flush-every", "-4"),
        ("recover-lease", "/file", "--wait", "-1"),
    ],
)
def test_numbers_out_of_range_are_refused_before_anything_is_made(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    directory = tmp_path / "directory"
    code, printed, refusal = run(*(str(directory) if one == "DIRECTORY" else one for one in arguments))
    assert (code, printed) == (exit_codes.USAGE, "") and f"Invalid value for '{arguments[-2]}'" in refusal
    assert not directory.exists()


def test_a_name_that_is_no_utf_8_is_refused_in_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        code, printed, said = run("stat", "/a\udcff", "--namenode", address)
    assert (code, printed) == (exit_codes.USAGE, "")
    assert said == "genstamp: '/a\\udcff' is not valid UTF-8; names in the cluster are UTF-8\n"


@pytest.mark.parametrize(("path", "name"), [("/a/file", "/a/file"), ("/a", "two\\nlines")], ids=["file", "directory"])
def test_a_listing_has_a_line_with_a_name_for_each_entry(monkeypatch: pytest.MonkeyPatch, path: str, name: str) -> None:
    monkeypatch.setattr(verb, "_client", lambda *_: OneFile(0))
    code, printed, _ = run("ls", path)
    assert (code, printed) == (0, f"-0644\t3\t3\t1970-01-01T00:00:00Z\t{name}\n")


@pytest.mark.parametrize(("path", "why"), [("/", "/ cannot be removed"), ("/a", "there is no /a")])
def test_what_was_not_removed_is_told(monkeypatch: pytest.MonkeyPatch, path: str, why: str) -> None:
    monkeypatch.setattr(verb, "_client", lambda *_: OneFile(0))
    assert run("rm", "-r", path) == (1, "", f"genstamp: {why}\n")


def test_a_place_that_no_file_can_have_is_refused_before_it_is_copied(tmp_path: Path, closed_port: str) -> None:
    there, beside = tmp_path / "there", tmp_path / "none" / "file"
    there.write_text("old")
    for local, why in (
        (tmp_path, f"{tmp_path} is a directory; expected the name of a file"),
        (there, f"{there} exists; --overwrite replaces it"),
        (beside, f"there is no directory {beside.parent}"),
    ):
        found = run("get", "/file", str(local), "--namenode", closed_port, "--timeout", "0")
        assert found == (exit_codes.USAGE, "", f"genstamp: {why}\n")
    assert there.read_text() == "old"


def test_fsck_looks_at_files_by_name_and_tells_the_length_of_an_open_one(monkeypatch: pytest.MonkeyPatch) -> None:
    class Open(OneFile):
        async def ask(self, request: Request[object]) -> object:
            if isinstance(request, GetFileInfo):
                return HdfsFileStatus(16385, "", True, 0, 0, 0)
            if isinstance(request, GetListing):
                return DirectoryListing((self._status("a"), self._status("b")), 0)
            assert isinstance(request, GetBlockLocations)
            last = LocatedBlock(Block(1, 1001, 3), ("datanode1",), 0, False)
            return LocatedBlocks(0, True, (last,), last, False)

    monkeypatch.setattr(verb, "_client", lambda *_: Open(0))
    code, printed, _ = run("fsck")
    told = "3 bytes, 1 blocks, 0 with too few replicas, 0 missing, open for writing"
    assert (code, printed) == (0, f"OK /a: {told}\nOK /b: {told}\n")
