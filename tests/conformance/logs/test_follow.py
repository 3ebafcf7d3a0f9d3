"""Logs that are followed: what is appended is read once, and judged as a log at rest is."""

import gzip
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.dataset
import pyarrow.feather
import pyarrow.parquet
import pytest
from tests.interrupted import interruptible
from typer.testing import CliRunner

from genstamp import exit_codes
from genstamp.cli.logs import logs_app
from genstamp.logs.check import Terms
from genstamp.logs.follow.options import FollowOptions
from genstamp.logs.follow.places import Places, TwoRunsError
from genstamp.logs.follow.spool import Spool
from genstamp.logs.follow.store import EVICTED, KEY, Forgotten, Limits, Share
from genstamp.logs.follow.streaming import Told, follow
from genstamp.logs.follow.tail import Tail
from genstamp.logs.local import check_locally
from genstamp.logs.run import OutputError
from genstamp.logs.streams import LINE_LENGTH_MAX
from genstamp.logs.tables import CONCERNS
from genstamp_dfs.events import encode_lines
from genstamp_dfs.hdfs.cluster.random_runs import simulate

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MIB = 1 << 20

AUDIT = (
    "2015-04-24 12:49:16,145 INFO FSNamesystem.audit: allowed=true\tugi=me (auth:SIMPLE)\tip=/1\tcmd=create\tsrc=/f"
    "\tdst=null\tperm=null\tproto=rpc\n"
)


class TestTail:
    """One file that grows."""

    def test_a_line_counts_when_its_end_has_come(self, tmp_path: Path) -> None:
        file = tmp_path / "log"
        file.write_bytes(b"one\r\ntw")
        tail = Tail(file)
        assert list(tail.lines(MIB)) == [b"one"]
        with file.open("ab") as more:
            more.write(b"o\nthree")
        assert list(tail.lines(MIB)) == [b"two"]
        assert list(tail.lines(MIB, is_over=True)) == [b"three"]
        assert tail.number == 3

    def test_a_file_is_read_to_its_end_under_another_name(self, tmp_path: Path) -> None:
        file = tmp_path / "log"
        file.write_bytes(b"one\n")
        tail = Tail(file)
        with file.open("ab") as more:
            file.rename(tmp_path / "log.1")
            more.write(b"two\n")
        assert list(tail.lines(MIB)) == [b"one", b"two"]

    def test_an_emptied_file_begins_anew(self, tmp_path: Path) -> None:
        file = tmp_path / "log"
        file.write_bytes(b"one\ntwo and a half")
        tail = Tail(file)
        assert list(tail.lines(MIB)) == [b"one"]
        file.write_bytes(b"new\n")
        assert list(tail.lines(MIB)) == [b"new"]
        assert tail.number == 1

    def test_too_long_a_line_is_none_and_costs_no_memory(self, tmp_path: Path) -> None:
        file = tmp_path / "log"
        file.write_bytes(b"x" * (3 * LINE_LENGTH_MAX) + b"\nnext\n")
        assert list(Tail(file).lines(8 * MIB)) == [None, b"next"]


def _of_block(number: int, event: str, stamp: int) -> bytes:
    return msgspec.json.encode(
        {
            "source": "genstamp-dfs", "node": "namenode", "node_sequence": number, "kind": "block", "namespace": "BP-1",
            "entity": "7", "event": event, "generation_stamp": stamp,
        }
    ) + b"\n"  # fmt: skip


GOOD = _of_block(1, "add_block", 1001) + _of_block(2, "update_pipeline", 1005)
BAD = _of_block(3, "fsync", 1004)
"""A stamp below the known one, whatever is missing."""


def _events(seed: int) -> list[bytes]:
    return encode_lines(simulate(seed).events).splitlines(keepends=True)


def _spooled(directory: Path) -> Any:
    return pa.concat_tables(
        [CONCERNS.empty_table(), *(pyarrow.parquet.read_table(each) for each in sorted(directory.glob("*.parquet")))]
    ).cast(CONCERNS)


def _verdicts(table: Any) -> Counter[str]:
    """Verdicts without what depends on the order of rows."""
    return Counter(str({**row, "place": None}) for row in table.to_pylist())


def _places(directory: Path) -> Places:
    places = Places(directory / "out")
    places.make(Terms())
    return places


class TestSpool:
    """What is appended to logs, read once."""

    def test_pieces_a_rotation_and_a_new_start_give_what_the_whole_gives(self, tmp_path: Path) -> None:
        logs, whole = tmp_path / "logs", tmp_path / "whole"
        logs.mkdir()
        whole.mkdir()
        log, lines = logs / "events.jsonl", _events(3)
        (whole / log.name).write_bytes(b"".join(lines))
        third = len(lines) // 3
        spool = Spool([str(logs)], _places(tmp_path))
        with log.open("ab") as end:
            end.write(b"".join(lines[:third]) + lines[third][:20])
        assert spool.round() is not None
        with log.open("ab") as end:
            end.write(lines[third][20:] + b"".join(lines[third + 1 : 2 * third]))
        assert spool.round() is not None
        spool.close()
        log.rename(logs / "events.jsonl.1")
        log.write_bytes(b"".join(lines[2 * third :]))
        again = Spool([str(logs)], _places(tmp_path))
        assert again.round() is not None
        assert again.round() is None
        again.close()
        alone = check_locally([whole])
        assert alone.events.num_rows == pyarrow.dataset.dataset(tmp_path / "out" / "events").count_rows()
        spooled = Share(str(tmp_path / "store"), 0, 10**6).checked(_spooled(tmp_path / "out" / "concerns"), 0, Terms())
        assert _verdicts(spooled) == _verdicts(_renamed(alone.verdicts, str(whole), str(logs)))

    def test_a_copy_of_what_is_read_as_a_whole_is_not_read(self, tmp_path: Path, edits: Path) -> None:
        """As the edits of another JournalNode; one that differs is read."""
        content = (edits / "editsStored").read_bytes()
        for node, what in (("a", content), ("b", content + b"\xff" * 99), ("c", content[:-9] + b"\x01" + content[-8:])):
            (tmp_path / "logs" / node).mkdir(parents=True)
            (tmp_path / "logs" / node / "edits_1-200").write_bytes(what)
        spool = Spool([str(tmp_path / "logs")], _places(tmp_path))
        assert spool.round(is_last=True) is not None
        assert spool.round(is_last=True) is None
        spool.close()
        read = {Path(unit.files[0]).parent.name for unit in spool.units()}
        assert read in ({"a", "c"}, {"b", "c"})

    @pytest.mark.parametrize("new_start", ["never", "when it is copied", "when it is emptied"])
    def test_a_log_that_is_copied_and_emptied_is_read_once(self, tmp_path: Path, new_start: str) -> None:
        """As `copytruncate` of logrotate does; some lines come before it, and are read from the copy."""
        log, lines = tmp_path / "logs" / "events.jsonl", _events(3)
        log.parent.mkdir()
        third = len(lines) // 3
        log.write_bytes(b"".join(lines[:third]))
        spool = Spool([str(log.parent)], _places(tmp_path))
        assert spool.round() is not None
        (log.parent / "events.jsonl.1").write_bytes(b"".join(lines[: third + 5]))
        for step, content in (("copied", b""), ("emptied", b"".join(lines[third + 5 : third + 9]))):
            if content:
                os.truncate(log, 0)
                with log.open("ab") as end:
                    end.write(content)
            if new_start == f"when it is {step}":
                spool.close()
                spool = Spool([str(log.parent)], _places(tmp_path))
            assert (spool.round() is None) is (step == "copied")
        for begin in range(third + 9, len(lines), third):
            with log.open("ab") as end:
                end.write(b"".join(lines[begin : begin + third]))
            assert spool.round() is not None
        spool.close()
        places = pyarrow.dataset.dataset(tmp_path / "out" / "events").to_table().column("place").to_pylist()
        later = [(Path(place["file"]).name, place["line"]) for place in places[third:]]
        assert later[:5] == [("events.jsonl.1", third + line) for line in range(1, 6)]
        assert later[5:] == [("events.jsonl", line) for line in range(1, len(lines) - third - 4)]

    def test_a_log_that_is_emptied_is_read_on_from_its_beginning(self, tmp_path: Path) -> None:
        log, lines = tmp_path / "logs" / "events.jsonl", _events(3)
        log.parent.mkdir()
        log.write_bytes(b"".join(lines[:40]))
        spool = Spool([str(log.parent)], _places(tmp_path))
        assert spool.round() is not None
        for begin in range(40, 120, 10):
            if begin % 30 == 10:
                os.truncate(log, 0)
            with log.open("ab") as end:
                end.write(b"".join(lines[begin : begin + 10]))
            found = spool.round()
            assert found is not None and found.events == 10
        spool.close()

    def test_a_file_that_is_read_as_a_whole_is_read_when_it_rests(self, tmp_path: Path, repository: Path) -> None:
        logs = tmp_path / "logs"
        logs.mkdir()
        spool = Spool([str(logs)], _places(tmp_path))
        assert spool.round() is None
        edits = (repository / "tests" / "data" / "edits" / "editsStored").read_bytes()
        (logs / "edits_1-9").write_bytes(edits[:1000])
        assert spool.round() is None
        (logs / "edits_1-9").write_bytes(edits)
        assert spool.round() is None
        found = spool.round()
        assert found is not None and found.events > 50
        assert spool.round() is None
        spool.close()

    def test_a_log_that_is_compressed_later_is_not_read_twice(self, tmp_path: Path) -> None:
        log = tmp_path / "logs" / "events.jsonl"
        log.parent.mkdir()
        log.write_bytes(b"".join(_events(1)))
        spool = Spool([str(log.parent)], _places(tmp_path))
        assert spool.round() is not None
        (log.parent / "events.jsonl.1.gz").write_bytes(gzip.compress(log.read_bytes()))
        log.write_bytes(b"")
        assert [spool.round() for _ in range(3)] == [None] * 3
        spool.close()


def _renamed(verdicts: Any, old: str, new: str) -> Any:
    rows = [{**row, "namespace": row["namespace"].replace(old, new)} for row in verdicts.to_pylist()]
    return pa.Table.from_pylist(rows, verdicts.schema)


@pytest.fixture(scope="module")
def concerns(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The events of two runs, as they come by keys."""
    logs = tmp_path_factory.mktemp("logs")
    for seed in (1, 2):
        (logs / f"{seed}.jsonl").write_bytes(b"".join(_events(seed)))
    return check_locally([logs]).concerns


def _batches(concerns: Any, seed: int, number: int) -> list[Any]:
    """Rows in some batches, drawn by a seed; the known order of each unit is kept in `sequence`."""
    of = np.random.default_rng(seed).integers(0, number, concerns.num_rows)
    return [concerns.filter(pa.array(of == each)) for each in range(number)]


def _newest(found: list[Any]) -> dict[tuple[str, ...], dict[str, Any]]:
    return {tuple(row[name] for name in KEY): row for table in found for row in table.to_pylist()}


class TestStore:
    """The events of keys that are kept."""

    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_the_last_verdict_of_each_key_is_that_of_all_its_events(
        self, concerns: Any, tmp_path: Path, seed: int
    ) -> None:
        share = Share(str(tmp_path), 0, 10**6)
        found = [share.checked(rows, number, Terms()) for number, rows in enumerate(_batches(concerns, seed, 5))]
        whole = Share(str(tmp_path / "whole"), 0, 10**6).checked(concerns, 0, Terms())
        assert _newest(found) == _newest([whole])

    def test_a_batch_that_is_run_again_finds_the_same(self, concerns: Any, tmp_path: Path) -> None:
        share = Share(str(tmp_path), 0, concerns.num_rows // 3)
        for number, rows in enumerate(_batches(concerns, 4, 4)):
            once, twice = (share.checked(rows, number, Terms()) for _ in range(2))
            assert _newest([once]) == _newest([twice])

    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_a_key_that_had_to_go_has_no_verdict_ever_after(self, concerns: Any, tmp_path: Path, seed: int) -> None:
        most = concerns.num_rows // 4
        share = Share(str(tmp_path), 0, most)
        gone: set[tuple[str, ...]] = set()
        for number, rows in enumerate(_batches(concerns, seed, 8)):
            found = _newest([share.checked(rows, number, Terms())])
            (kept,) = (pa.feather.read_table(each) for each in sorted(tmp_path.glob("share-000/*.arrow"))[-1:])
            assert kept.num_rows <= most
            evicted = {key for key, row in found.items() if row["failed"] == EVICTED}
            assert all(found[key]["safety"] == "undetermined" for key in evicted)
            assert gone.isdisjoint(found.keys() - evicted), "a key that had to go was judged by a part of its events"
            assert gone.isdisjoint(zip(*(kept.column(name).to_pylist() for name in KEY), strict=True))
            gone |= evicted
        assert gone

    def test_no_key_that_was_forgotten_is_taken_for_a_new_one(self) -> None:
        def keys(numbers: range) -> Any:
            many = len(numbers)
            return pa.table({"namespace": ["n"] * many, "kind": ["block"] * many, "entity": [str(n) for n in numbers]})

        memory = Forgotten()
        assert not memory.knows(keys(range(10))).any()
        memory.add(keys(range(100_000)))
        again = Forgotten(memory.content())
        assert again.knows(keys(range(100_000))).all()
        assert again.knows(keys(range(100_000, 200_000))).mean() < 0.01


@pytest.mark.slow
class TestFollowing:
    """The query of Spark."""

    def test_what_is_followed_is_judged_as_what_is_at_rest(self, spark: "SparkSession", tmp_path: Path) -> None:
        logs, out = tmp_path / "logs", tmp_path / "out"
        logs.mkdir()
        log, lines = logs / "events.jsonl", _events(5)
        # Such a log has no line for the close of a file, so that it stays unknown.
        (logs / "audit.log").write_text(AUDIT, encoding="utf-8")
        options = FollowOptions(out, once=True, limits=Limits(shares=2))
        told: list[Told] = []
        log.write_bytes(b"".join(lines[: len(lines) // 2]))
        follow(spark, [str(logs)], options, told.append)
        with log.open("ab") as end:
            end.write(b"".join(lines[len(lines) // 2 :]))
        follow(spark, [str(logs)], options, told.append)
        assert len(told) == 2
        found = pyarrow.dataset.dataset(out / "verdicts").to_table()
        audited = pa.compute.ends_with(found.column("namespace"), " in its audit log")
        assert found.filter(audited).column("completion").to_pylist() == ["unknown"]
        assert _verdicts(found.filter(pa.compute.invert(audited))) == _verdicts(check_locally([log]).verdicts)

    def test_a_violation_is_told_while_the_log_is_written(self, spark: "SparkSession", tmp_path: Path) -> None:
        log = tmp_path / "events.jsonl"
        log.write_bytes(GOOD)
        stop, told = threading.Event(), list[Told]()

        def tell(batch: Told) -> None:
            told.append(batch)
            if batch.violated:
                stop.set()
            else:
                with log.open("ab") as end:
                    end.write(BAD)

        follow(spark, [str(log)], FollowOptions(tmp_path / "out", every_s=0.2, limits=Limits(shares=1)), tell, stop)
        assert not told[0].violated
        assert [row["failed"] for row in told[-1].violated] == ["generation stamp 1004 is not 1005"]

    def test_what_is_no_result_is_left_alone(self, spark: "SparkSession", tmp_path: Path) -> None:
        (tmp_path / "mine").write_text("x", encoding="utf-8")
        with pytest.raises(OutputError):
            follow(spark, [str(tmp_path)], FollowOptions(tmp_path, once=True), print)
        assert [path.name for path in tmp_path.iterdir()] == ["mine"]

    def test_two_runs_of_one_name_are_not_taken_for_one(self, spark: "SparkSession", tmp_path: Path) -> None:
        logs, out = tmp_path / "logs", tmp_path / "out"
        logs.mkdir()
        for name in ("one.jsonl", "two.jsonl"):
            (logs / name).write_bytes(GOOD)
        with pytest.raises(TwoRunsError, match=r"BP-1 is the name of two runs.*one\.jsonl and in .*two\.jsonl"):
            follow(spark, [str(logs)], FollowOptions(out, once=True, limits=Limits(shares=1)), print)

    @pytest.mark.usefixtures("spark")
    def test_the_command_tells_what_it_finds_and_goes_on_where_it_stopped(self, tmp_path: Path) -> None:
        log, out = tmp_path / "events.jsonl", tmp_path / "out"
        command = ["check", "--follow", "--once", "--out", str(out), str(log)]
        nothing = CliRunner().invoke(logs_app, command)
        assert (nothing.exit_code, "is not there yet" in nothing.stderr) == (exit_codes.UNDETERMINED, True)
        log.write_bytes(GOOD)
        good = CliRunner().invoke(logs_app, command)
        assert (good.exit_code, "violated:" in good.stdout) == (exit_codes.HOLDS, False)
        log.write_bytes(GOOD + BAD)
        bad = CliRunner().invoke(logs_app, command)
        assert bad.exit_code == exit_codes.VIOLATED
        assert bad.stdout.startswith("violated: block 7 of BP-1\n  rejected   fsync at ")
        assert "violated, unknown; 3 events in 3 lines of 1 file, 1 key" in bad.stdout
        told = CliRunner().invoke(logs_app, ["explain", "blk_7", "--from", str(out)])
        assert (told.exit_code, "generation stamp 1004 is not 1005" in told.stdout) == (exit_codes.VIOLATED, True)

    @pytest.mark.usefixtures("spark")
    def test_what_is_followed_is_not_replaced_nor_another_result_followed(self, tmp_path: Path) -> None:
        log, followed, checked = (tmp_path / name for name in ("events.jsonl", "followed", "checked"))
        log.write_bytes(GOOD)
        follows, checks = ["check", "--follow", "--once", "--out"], ["check", "--out"]
        for command in ([*follows, str(followed)], [*checks, str(checked)]):
            assert CliRunner().invoke(logs_app, [*command, str(log)]).exit_code == exit_codes.HOLDS
        before = sorted(tmp_path.rglob("*"))
        for command, said in (
            ([*checks, str(followed)], "is that of a check with --follow, so it is left alone"),
            ([*follows, str(checked)], "is that of a check without --follow, so it is left alone"),
        ):
            refused = CliRunner().invoke(logs_app, [*command, str(log)])
            assert (refused.exit_code, said in refused.stderr) == (exit_codes.USAGE, True)
        assert sorted(tmp_path.rglob("*")) == before

    @pytest.mark.parametrize(
        "wrong",
        [["--follow"], ["--once"], ["--every", "5"], ["--most-events", "5"], ["--follow", "--out", "x", "--complete"]],
    )
    def test_what_does_not_go_together_is_refused(self, wrong: list[str], tmp_path: Path) -> None:
        refused = CliRunner().invoke(logs_app, ["check", *wrong, str(tmp_path)])
        assert (refused.exit_code, "--follow needs --out" in refused.stderr.replace("\n", " ")) == (2, True)

    def test_standard_input_is_refused(self, tmp_path: Path) -> None:
        refused = CliRunner().invoke(logs_app, ["check", "--follow", "--out", str(tmp_path / "out"), "-"])
        assert (refused.exit_code, "takes no -" in refused.stderr.replace("\n", " ")) == (2, True)


def test_following_ends_when_it_is_asked_to(tmp_path: Path) -> None:
    log, out = tmp_path / "events.jsonl", tmp_path / "out"
    log.write_bytes(GOOD + BAD)
    command = [
        sys.executable,
        "-m",
        "genstamp",
        "logs",
        "check",
        "--follow",
        "--every",
        "0.2",
        "--out",
        str(out),
        str(log),
    ]
    with interruptible([*command, "--master", "local[1]"], stdout=subprocess.PIPE) as following:
        assert following.stdout is not None
        assert following.stdout.readline() == "violated: block 7 of BP-1\n"
        following.send_signal(signal.SIGINT)
        assert "violated, unknown; 3 events" in following.stdout.read()
    assert following.returncode == exit_codes.VIOLATED
