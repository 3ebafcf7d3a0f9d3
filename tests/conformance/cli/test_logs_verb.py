"""The verb logs, where it ends before Spark is started."""

import gzip
from pathlib import Path

import pytest
from typer.testing import CliRunner

import genstamp.logs.alone
import genstamp.logs.session
from genstamp.cli.verbs import app

LINE = "2018-11-14 12:25:35,275 INFO org.apache.hadoop.hdfs.StateChange: BLOCK* fsync: /f for DFSClient_1\n"


@pytest.fixture
def no_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(master: str | None = None) -> None:
        raise AssertionError(f"Spark was started on {master}")

    monkeypatch.setattr(genstamp.logs.session, "spark_session", start)


@pytest.mark.usefixtures("no_spark")
def test_path_that_is_not_there_is_refused_without_starting_spark() -> None:
    result = CliRunner().invoke(app, ["logs", "check", "nowhere.log"])
    assert result.exit_code == 2
    assert result.stderr == "genstamp: no file or directory nowhere.log\n"


@pytest.mark.slow
@pytest.mark.usefixtures("no_spark")
def test_small_log_is_checked_without_starting_spark(tmp_path: Path) -> None:
    log = tmp_path / "namenode.log"
    log.write_text(LINE, encoding="utf-8")
    result = CliRunner().invoke(app, ["logs", "check", str(log)])
    assert result.exit_code == 0, result.stderr
    assert "1 event" in result.stdout


@pytest.mark.parametrize("page", ["nowhere/page.html", "."])
def test_page_that_has_no_place_is_refused_before_anything_is_read(tmp_path: Path, page: str) -> None:
    (tmp_path / "namenode.log").write_text(LINE, encoding="utf-8")
    asked = ["logs", "check", str(tmp_path / "namenode.log"), "--out", str(tmp_path / "tables")]
    result = CliRunner().invoke(app, [*asked, "--html", str(tmp_path / page)])
    assert (result.exit_code, "expected a file in an existing directory" in result.stderr) == (2, True)
    assert not (tmp_path / "tables").exists()


@pytest.mark.usefixtures("no_spark")
def test_large_log_and_small_log_with_a_master_are_checked_on_spark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "namenode.log"
    log.write_text(LINE, encoding="utf-8")
    for arguments, small, master in (([], 10, "None"), (["--master", "local[1]"], 1000, "local[1]")):
        monkeypatch.setattr(genstamp.logs.alone, "SMALL", small)
        result = CliRunner().invoke(app, ["logs", "check", str(log), *arguments])
        assert str(result.exception) == f"Spark was started on {master}"


@pytest.mark.usefixtures("no_spark")
def test_standard_input_is_checked_among_files(tmp_path: Path) -> None:
    log = tmp_path / "namenode.log"
    log.write_text(LINE, encoding="utf-8")
    later = gzip.compress(LINE.replace("12:25:35", "12:25:36").encode())
    result = CliRunner().invoke(app, ["logs", "check", str(log), "-"], input=later)
    assert result.exit_code == 0, result.stderr
    assert "2 events in 2 lines of 2 files" in result.stdout
    again = CliRunner().invoke(app, ["logs", "check", "-", "-"], input=LINE)
    assert (again.exit_code, "named more than once" in again.stderr) == (2, True)
