"""A log is the same wherever it is: on this machine, in HDFS, in S3, named by a wildcard or not."""

import gzip
import json
import multiprocessing
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.logs.generator import write_logs
from tests.conformance.logs.remote_files import hdfs, put, s3
from typer.testing import CliRunner

from genstamp.cli.logs.verb import logs_app
from genstamp.logs.local import Checked, check_locally
from genstamp.logs.opening import NoSuchPathError, NotOpenedError, expanded, open_binary
from genstamp.logs.tables import TABLES

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Path:
    """Logs for compiled code and for the reader of all lines, one rotated and compressed, and an edit log."""
    place = tmp_path_factory.mktemp("logs")
    write_logs(place, 20_000, seed=6, one_in=500)
    (place / "violated.json").unlink(missing_ok=True)
    namenode = place / "namenode.log"
    lines = namenode.read_bytes().splitlines(keepends=True)
    (place / "namenode.log.1.gz").write_bytes(gzip.compress(b"".join(lines[: len(lines) // 2]), 1))
    namenode.write_bytes(b"".join(lines[len(lines) // 2 :]))
    (place / "editsStored.log").write_bytes((repository / "tests/data/edits/editsStored").read_bytes())
    return place


@pytest.fixture(scope="module")
def in_hdfs(tmp_path_factory: pytest.TempPathFactory, logs: Path) -> Iterator[str]:
    with hdfs(tmp_path_factory.mktemp("hdfs") / "cluster") as root:
        yield put(root, "/logs", logs)


@pytest.fixture(scope="module")
def in_s3(logs: Path) -> Iterator[str]:
    with s3("bucket", logs) as uri:
        yield uri


def _tables(checked: Checked, at: str) -> dict[str, Counter[str]]:
    """The rows of all tables, as if the files stood in one place."""
    return {
        table: Counter(json.dumps(row, default=str).replace(at, "LOGS") for row in getattr(checked, table).to_pylist())
        for table in TABLES
    }


def test_a_process_can_be_forked_beside_a_file_system_of_hdfs(in_hdfs: str) -> None:
    assert expanded([in_hdfs])
    child = multiprocessing.get_context("fork").Process(target=len, args=("",))
    child.start()
    child.join(30)
    is_stuck = child.is_alive()
    child.kill()
    assert not is_stuck and child.exitcode == 0


def test_a_path_and_uris_give_the_same_tables(logs: Path, in_hdfs: str, in_s3: str) -> None:
    expected = _tables(check_locally([logs]), str(logs))
    assert any('"violated"' in row for row in expected["verdicts"]) and not expected["rejects"]
    for uri, at in (
        (f"{logs.as_uri()}/*.log*", str(logs)),
        (in_hdfs, in_hdfs),
        (f"{in_hdfs}/*.log*", in_hdfs),
        (in_s3, in_s3),
        (f"{in_s3.replace('s3:', 's3a:')}/*.log*", in_s3.replace("s3:", "s3a:")),
    ):
        found = _tables(check_locally([uri]), at)
        for table in TABLES:
            assert found[table] == expected[table], (uri, table)


def test_a_wildcard_is_what_fits_it_in_order(logs: Path, in_hdfs: str) -> None:
    names = ["namenode.log", "namenode.log.1.gz"]
    assert expanded([f"{logs}/name*"]) == [f"{logs}/{name}" for name in names]
    assert expanded([f"{in_hdfs}/name*"]) == [f"{in_hdfs}/{name}" for name in names]


def test_a_file_that_is_named_like_a_wildcard_is_that_file(tmp_path: Path) -> None:
    for name in ("a[1].log", "a1.log"):
        (tmp_path / name).write_bytes(b"")
    assert expanded([f"{tmp_path}/a[1].log"]) == [f"{tmp_path}/a[1].log"]
    assert expanded([f"{tmp_path}/a1*"]) == [f"{tmp_path}/a1.log"]


def test_what_is_not_there_is_named_as_it_was_given(in_hdfs: str, tmp_path: Path) -> None:
    for path in (f"{in_hdfs}/nowhere", f"{in_hdfs}/x*", f"{tmp_path}/x*", f"{tmp_path.as_uri()}/nowhere"):
        with pytest.raises(NoSuchPathError) as told:
            expanded([path])
        assert told.value.path == path
    with pytest.raises(OSError, match="nowhere"):
        open_binary(f"{in_hdfs}/nowhere")


def test_a_file_system_that_is_unknown_is_the_callers_mistake() -> None:
    with pytest.raises(NotOpenedError):
        expanded(["ipfs2://x/y"])
    result = CliRunner().invoke(logs_app, ["check", "ipfs2://x/y"])
    assert result.exit_code == 2 and "ipfs2://x/y cannot be looked up: " in result.stderr


def test_logs_that_are_written_are_of_this_machine(in_hdfs: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(logs_app, ["check", "--follow", "--out", str(tmp_path / "out"), in_hdfs])
    assert result.exit_code == 2 and "--follow reads only files on this machine" in result.stderr
