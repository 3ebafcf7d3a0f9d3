"""The job on Spark: the judgments of real runs, the tables, the command line. Few, as each needs the session."""

import gzip
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.dataset
import pytest
import typer
from benchmarks.logs.generator import write_logs
from tests.conformance.logs.storage_directories import blocks_of, data_directory, name_directory
from typer.testing import CliRunner

from genstamp.cli.logs.verb import logs_app
from genstamp.logs.alone import check_alone
from genstamp.logs.job import check_paths
from genstamp.logs.kept import read_kept
from genstamp.logs.local import check_locally
from genstamp.logs.run import Options, OutputError
from genstamp.logs.tables import EVENT_SCHEMA, TABLES
from genstamp_dfs.events import encode_lines
from genstamp_dfs.simulation.whole import run_whole

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

LINE = b"2018-11-14 12:25:35,275 INFO org.apache.hadoop.hdfs.StateChange: BLOCK* fsync: /f for DFSClient_1\n"


def _rows(out: Path, table: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pyarrow.dataset.dataset(out / table).to_table().to_pylist()
    return rows


def _added(steps: list[dict[str, Any]]) -> dict[tuple[str, ...], tuple[int, int]]:
    """Counts by edge."""
    counts: dict[tuple[str, ...], tuple[int, int]] = {}
    for row in steps:
        edge = row["kind"], row["event"], row["before"], row["after"]
        seen, perhaps = counts.get(edge, (0, 0))
        counts[edge] = seen + row["seen"], perhaps + row["perhaps"]
    return counts


def test_good_run_of_hdfs_12070_is_complete_and_bad_run_is_unfinished(spark: "SparkSession", shared_data: Path) -> None:
    """A whole lease recovery; and one whose primary gives up, so that the file is never closed (HDFS-12070)."""
    for name, completion in (("good", "complete"), ("bad", "unfinished")):
        report = check_paths(spark, [shared_data / "failure_logs" / "hdfs-12070" / f"{name}-run-log.txt.gz"])
        assert (report.safety, report.completion) == ("conformant", completion)
        assert report.exit_code() == 0
        assert report.exit_code(require_complete=True) == (0 if name == "good" else 13)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Path:
    """A directory of everything: edit logs, events, logs, one of them cut, storage directories, something else."""
    place = tmp_path_factory.mktemp("mixed")
    for name in ("editsStored", "editsStored.xml"):
        (place / name).write_bytes((repository / "tests" / "data" / "edits" / name).read_bytes())
    (place / "events.jsonl").write_bytes(encode_lines(run_whole(3).events))
    (place / "namenode.log").write_bytes(LINE.replace(b"/f", b"/g"))
    (place / "cut.log.gz").write_bytes(gzip.compress(LINE * 5000)[:-40])
    (place / "core").write_bytes(b"\x7fELF" + bytes(100))
    (place / "VERSION").write_text("layoutVersion=-64\n", encoding="utf-8")
    edits = repository / "tests" / "data" / "edits"
    name_directory(place / "cluster" / "name", edits)
    data_directory(place / "cluster" / "data", blocks_of(edits))
    return place


def test_job_finds_what_the_check_in_one_process_finds(spark: "SparkSession", mixed: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    report = check_paths(spark, [mixed], Options(out=out))
    alone = check_locally([mixed])
    asked = ["explain", "/hard-lease-recovery-test", "--from", str(out), "--namespace", str(mixed / "editsStored")]
    assert "reassign_lease" in CliRunner().invoke(logs_app, asked).output
    for table in TABLES:
        found, expected = _rows(out, table), getattr(alone, table).to_pylist()
        if table == "steps":
            assert _added(found) == _added(expected)
        else:
            assert sorted(found, key=repr) == sorted(expected, key=repr), table
    assert read_kept(out).terms == alone.terms
    assert report.events == alone.events.num_rows == sum(source.events for source in report.sources)
    assert {Path(source.file).name: source.lines for source in report.sources}["editsStored"] == 121
    assert report.safety == "undetermined" and report.exit_code() == 3
    assert {Path(source.file).name: source.rejects for source in report.sources} == {
        "core": 1,
        "cut.log.gz": 1,
        "data": 0,
        "edits_0000000000000000001-0000000000000000121": 0,
        "editsStored": 0,
        "editsStored.xml": 0,
        "events.jsonl": 0,
        "name": 0,
        "namenode.log": 0,
    }
    assert [Path(file).name for file, _ in report.notes] == ["VERSION"]


def test_job_finds_in_parts_what_one_process_finds(spark: "SparkSession", tmp_path: Path) -> None:
    """A log of a NameNode in two parts, and of datanodes, one of them compressed; a third of all is of one file."""
    place = tmp_path / "logs"
    write_logs(place, 40_000, seed=6, one_in=500, skew=0.34)
    namenode, datanode = place / "namenode.log", place / "datanode-10.0.0.11.log"
    lines = namenode.read_bytes().splitlines(keepends=True)
    (place / "namenode.log.1").write_bytes(b"".join(lines[: len(lines) // 2]))
    namenode.write_bytes(b"".join(lines[len(lines) // 2 :]))
    (place / "datanode-10.0.0.11.log.gz").write_bytes(gzip.compress(datanode.read_bytes(), 1))
    datanode.unlink()
    found = check_paths(spark, [place], Options(parts=3))
    alone = check_alone([place])
    assert any(key.safety == "violated" for key in found.keys)
    assert replace(found, seconds=0.0) == replace(alone, seconds=0.0)


@pytest.mark.parametrize("where", ["reading", "checking"])
def test_a_worker_that_is_killed_once_changes_nothing(tmp_path: Path, repository: Path, where: str) -> None:
    """In a process of its own, as Spark on one machine does not try a task again."""
    place = tmp_path / "logs"
    write_logs(place, 20_000, seed=6, one_in=500)
    alone = check_alone([place])
    command = [sys.executable, "-m", "tests.conformance.logs.killed_once", where, str(tmp_path / "killed"), str(place)]
    ran = subprocess.run(command, check=True, capture_output=True, text=True, cwd=repository)
    assert (tmp_path / "killed").exists()
    assert any(key.safety == "violated" for key in alone.keys)
    assert ran.stdout.splitlines()[-1] == repr(replace(alone, seconds=0.0))


def test_result_replaces_an_earlier_one_and_nothing_else(spark: "SparkSession", mixed: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    options = Options(out=out)
    check_paths(spark, [mixed], options)
    first = sorted(_rows(out, "verdicts"), key=repr)
    check_paths(spark, [mixed], options)
    assert sorted(_rows(out, "verdicts"), key=repr) == first
    assert sorted(path.name for path in out.iterdir()) == sorted([*TABLES, "_genstamp_logs"])
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(OutputError, match="is no result of this command"):
        check_paths(spark, [mixed], Options(out=mine))
    assert (mine / "thesis.txt").read_text(encoding="utf-8") == "years of work"


def test_paths_without_anything_to_read_give_empty_tables(spark: "SparkSession", tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    report = check_paths(spark, [tmp_path / "empty"], Options(out=tmp_path / "out"))
    assert report.safety == "undetermined" and report.keys == ()
    assert pyarrow.dataset.dataset(tmp_path / "out" / "events").schema.equals(EVENT_SCHEMA)


def test_events_of_a_simulated_run_conform_as_a_whole_log(spark: "SparkSession", mixed: Path) -> None:
    report = check_paths(spark, [mixed / "events.jsonl"], Options(complete=True))
    assert (report.safety, report.complete) == ("conformant", True)


@pytest.mark.usefixtures("spark")
def test_command_prints_the_table_and_exits_with_the_verdict(mixed: Path, tmp_path: Path) -> None:
    log = tmp_path / "nn.log"
    allocate = b"BLOCK* allocate blk_1_1001, replicas= for /f\n"
    log.write_bytes(LINE + LINE[: LINE.index(b"BLOCK*")] + allocate + LINE[: LINE.index(b"BLOCK*")] + allocate)
    result = CliRunner().invoke(logs_app, ["check", str(log), "--html", str(tmp_path / "page.html")])
    assert result.exit_code == 12
    shown = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert shown.count("REJECTED, before it: UNDER_CONSTRUCTION") == 1
    assert "because    add_block is no step of a block that is" in result.stdout
    assert result.stdout.splitlines()[-1].startswith("violated, unfinished; 3 events in 3 lines of 1 file,")
    result = CliRunner().invoke(logs_app, ["check", str(mixed / "editsStored"), "--complete", "--format", "json"])
    assert result.exit_code == 0 and json.loads(result.stdout)["complete_log_asserted"]
    result = CliRunner().invoke(logs_app, ["check", str(mixed / "core"), "--format", "junit"])
    assert result.exit_code == 3 and "binary, and not an edit log" in result.stdout


@pytest.mark.usefixtures("spark")
def test_command_shows_how_far_it_is_but_not_among_the_results_of_spark_submit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a program of `spark-submit` writes to standard error comes out on standard output."""
    (tmp_path / "nn.log").write_bytes(LINE)
    monkeypatch.setattr("genstamp.logs.alone.SMALL", 10)
    monkeypatch.setattr("genstamp.progress.each_minute", lambda: lambda line: typer.echo(line, err=True))
    assert "tasks are done" in CliRunner().invoke(logs_app, ["check", str(tmp_path / "nn.log")]).stderr
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    assert "tasks are done" not in CliRunner().invoke(logs_app, ["check", str(tmp_path / "nn.log")]).stderr


@pytest.mark.usefixtures("spark")
def test_command_tells_the_callers_mistake(tmp_path: Path) -> None:
    result = CliRunner().invoke(logs_app, ["check", str(tmp_path / "nowhere")])
    assert result.exit_code == 2
    assert f"no file or directory {tmp_path / 'nowhere'}" in result.stderr
