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
import pytest
from benchmarks.logs.generator import VIOLATED, write_logs
from pyspark.errors import PySparkException
from pyspark.sql.streaming.datasource import ReadAllAvailable
from tests.interrupted import interruptible
from typer.testing import CliRunner

from genstamp import exit_codes
from genstamp.cli.logs.verb import logs_app
from genstamp.logs.check import Terms, verdicts
from genstamp.logs.exchange import exchanged
from genstamp.logs.flat import FLAT, KEY, SORTED, keys_of
from genstamp.logs.follow import positions
from genstamp.logs.follow.keeping import EVICTED, Forgotten, Part
from genstamp.logs.follow.options import FollowOptions, Limits
from genstamp.logs.follow.places import READ, Places, TwoRunsError
from genstamp.logs.follow.source import FollowedLogs
from genstamp.logs.follow.streaming import Told, follow
from genstamp.logs.local import check_locally
from genstamp.logs.run import OutputError
from genstamp.logs.streams import LINE_LENGTH_MAX
from genstamp.logs.tables import Key
from genstamp_dfs.events import encode_lines
from genstamp_dfs.simulation.whole import run_whole

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

AUDIT = (
    "2015-04-24 12:49:16,145 INFO FSNamesystem.audit: allowed=true\tugi=me (auth:SIMPLE)\tip=/1\tcmd=create\tsrc=/f"
    "\tdst=null\tperm=null\tproto=rpc\n"
)

UNNAMED = (
    "2018-11-14 12:25:35,275 INFO org.apache.hadoop.hdfs.server.datanode.DataNode: PacketResponder:"
    " BP-1-10.0.0.1-1542189060553:blk_7_1001, type=LAST_IN_PIPELINE terminating\n"
)
"""Of a datanode that no line names."""


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
    return encode_lines(run_whole(seed).events).splitlines(keepends=True)


def _verdicts(table: Any) -> Counter[str]:
    """Verdicts without what depends on the order of rows."""
    return Counter(str({**row, "place": None}) for row in table.to_pylist())


class _Followed:
    """Logs that are followed without Spark: what its source is asked for, and what it gives.

    Attributes:
        out: where the tables are.
        last: the partitions of the last batch.
    """

    def __init__(self, directory: Path, logs: Path) -> None:
        self.out, self._offset = directory / "out", {"positions": "{}"}
        self._options = {"paths": msgspec.json.encode([str(logs)]).decode(), "out": str(self.out), "parts": "4"}
        Places(self.out).make(Terms())
        self.start_again()

    def start_again(self) -> None:
        """Another process goes on; of the one before only the offset and what is on disk are left."""
        self._reader = FollowedLogs(self._options).streamReader(FLAT)

    def end_here(self) -> None:
        self._reader.prepareForTriggerAvailableNow()  # type: ignore[attr-defined]

    def batch(self) -> int | None:
        """How many events a batch has brought; None if nothing has come."""
        self.plan()
        return self.read() if self.last else None

    def plan(self) -> None:
        end = self._reader.latestOffset(self._offset, ReadAllAvailable())
        self.last = self._reader.partitions(self._offset, end)
        self._offset = end

    def read(self) -> int:
        before = self._count()
        self.told = [row for one in self.last for row in self._reader.read(one)]
        return self._count() - before

    def _count(self) -> int:
        return int(self.events().num_rows)

    def events(self) -> Any:
        return self.table("events")

    def table(self, name: str) -> Any:
        return pyarrow.dataset.dataset(self.out / name, format="parquet").to_table()

    def places(self) -> list[tuple[str, int]]:
        """File and line of all events, in that order."""
        places = self.events().column("place").to_pylist()
        return sorted((Path(place["file"]).name, place["line"]) for place in places)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """The file of events that is followed, not there yet."""
    (tmp_path / "logs").mkdir()
    return tmp_path / "logs" / "events.jsonl"


@pytest.fixture
def followed(tmp_path: Path, log: Path) -> _Followed:
    return _Followed(tmp_path, log.parent)


def _append(file: Path, *lines: bytes) -> None:
    with file.open("ab") as end:
        end.write(b"".join(lines))


def _places_of(name: str, first: int, last: int) -> list[tuple[str, int]]:
    return [(name, line) for line in range(first, last + 1)]


class TestSource:
    """What is appended to logs, read once."""

    @pytest.mark.slow
    def test_a_line_counts_when_its_end_has_come(self, log: Path, followed: _Followed) -> None:
        log.write_bytes(GOOD[:-9])
        assert followed.batch() == 1
        assert followed.batch() is None
        _append(log, GOOD[-9:])
        assert followed.batch() == 1
        _append(log, BAD[:-1])
        assert followed.batch() is None
        log.rename(log.with_suffix(".jsonl.1"))
        log.write_bytes(BAD)
        assert followed.batch() == 2, "what a newer part follows is whole"

    def test_too_long_a_line_is_rejected_once(self, log: Path, followed: _Followed) -> None:
        log.write_bytes(b"x" * (3 * LINE_LENGTH_MAX) + b"\n" + GOOD)
        log.write_bytes(GOOD + b"x" * (3 * LINE_LENGTH_MAX))
        assert followed.batch() == 2
        _append(log, b"\n", BAD)
        assert followed.batch() == 1
        assert [row["place"]["line"] for row in followed.table("rejects").to_pylist()] == [3]

    @pytest.mark.slow
    def test_what_waits_for_a_line_is_told_once_when_nothing_more_is_read(self, log: Path, followed: _Followed) -> None:
        log.with_suffix(".log").write_text(UNNAMED[:-1])
        followed.end_here()
        assert (followed.batch(), followed.batch()) == (0, None)
        _append(log.with_suffix(".log"), b"\n")
        followed.start_again()
        assert (followed.batch(), followed.batch()) == (0, None)
        followed.end_here()
        assert (followed.batch(), followed.batch()) == (1, None)

    @pytest.mark.slow
    @pytest.mark.parametrize("at_once", [1 << 9, 1 << 13])
    def test_no_more_is_read_at_once_than_is_asked_for(
        self, log: Path, followed: _Followed, at_once: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(positions, "BYTES_AT_ONCE", at_once)
        lines = _events(3)[:60]
        log.write_bytes(b"".join(lines))
        followed.end_here()
        _append(log, BAD)
        batches = 0
        while followed.batch() is not None:
            batches += 1
        assert batches >= log.stat().st_size // (at_once + 1000)
        assert followed.places() == _places_of(log.name, 1, len(lines))

    @pytest.mark.slow
    def test_pieces_a_rotation_and_a_new_start_give_what_the_whole_gives(
        self, tmp_path: Path, log: Path, followed: _Followed
    ) -> None:
        lines, whole = _events(3), tmp_path / "whole"
        whole.mkdir()
        (whole / log.name).write_bytes(b"".join(lines))
        third = len(lines) // 3
        _append(log, *lines[:third], lines[third][:20])
        assert followed.batch() is not None
        _append(log, lines[third][20:], *lines[third + 1 : 2 * third])
        assert followed.batch() is not None
        followed.start_again()
        log.rename(log.parent / "events.jsonl.1")
        log.write_bytes(b"".join(lines[2 * third :]))
        assert followed.batch() is not None
        assert followed.batch() is None
        alone = check_locally([whole])
        assert alone.events.num_rows == followed.events().num_rows
        found = verdicts(followed.table("concerns"), Terms())
        assert _verdicts(found) == _verdicts(_renamed(alone.verdicts, str(whole), str(log.parent)))

    @pytest.mark.slow
    @pytest.mark.parametrize("pieces", [2, 7])
    def test_text_log_in_pieces_is_read_as_the_whole(self, tmp_path: Path, pieces: int) -> None:
        """With a new process for each piece, which goes on where the one before has kept the reader."""
        write_logs(tmp_path / "whole", 6_000, 5, one_in=50)
        (tmp_path / "logs").mkdir()
        whole = {file.name: file.read_bytes() for file in sorted((tmp_path / "whole").glob("*.log"))}
        followed = _Followed(tmp_path, tmp_path / "logs")
        for number in range(pieces):
            for name, content in whole.items():
                begin, end = (len(content) * each // pieces for each in (number, number + 1))
                _append(tmp_path / "logs" / name, content[begin:end])
            followed.start_again()
            if number == pieces - 1:
                followed.end_here()
            assert followed.batch() is not None
        (tmp_path / "whole" / VIOLATED).unlink()
        alone = check_locally([tmp_path / "whole"])
        for name in ("events", "concerns"):
            there, here = getattr(alone, name).drop_columns("place"), followed.table(name).drop_columns("place")
            assert Counter(map(str, there.to_pylist())) == Counter(map(str, here.to_pylist()))
        counts = [Counter({(row["what"], row["name"]): 0 for row in alone.coverage.to_pylist()}) for _ in range(2)]
        for table, count in zip((alone.coverage, followed.table("coverage")), counts, strict=True):
            for row in table.to_pylist():
                count[row["what"], row["name"]] += row["count"]
        assert counts[0] == counts[1]

    @pytest.mark.slow
    def test_a_batch_that_is_run_again_reads_the_same(self, log: Path, followed: _Followed) -> None:
        """Also where its log was renamed, or compressed and another one begun, since it was planned."""
        lines = _events(3)
        _append(log, *lines[:40])
        assert followed.batch() == 40
        _append(log, *lines[40:80])
        assert followed.batch() == 40
        told, tables = followed.told, {name: followed.table(name) for name in READ}
        renamed = log.rename(log.parent / "events.jsonl.1")
        followed.start_again()
        assert followed.read() == 0
        (log.parent / "events.jsonl.1.gz").write_bytes(gzip.compress(renamed.read_bytes()))
        renamed.unlink()
        log.write_bytes(b"".join(lines[80:120]))
        assert followed.read() == 0
        assert followed.told == told
        assert {name: followed.table(name) for name in READ} == tables
        assert followed.batch() == 40

    def test_what_is_removed_before_it_is_read_is_told(self, log: Path, followed: _Followed) -> None:
        log.write_bytes(GOOD)
        followed.plan()
        log.unlink()
        assert followed.read() == 0
        (reject,) = followed.table("rejects").to_pylist()
        assert reject["reason"] == "cannot be read: it was removed before it was read"

    def test_a_copy_of_what_is_read_as_a_whole_is_not_read(self, tmp_path: Path, edits: Path) -> None:
        """As the edits of another JournalNode; one that differs is read."""
        content = (edits / "editsStored").read_bytes()
        for node, what in (("a", content), ("b", content + b"\xff" * 99), ("c", content[:-9] + b"\x01" + content[-8:])):
            (tmp_path / "logs" / node).mkdir(parents=True)
            (tmp_path / "logs" / node / "edits_1-200").write_bytes(what)
        followed = _Followed(tmp_path, tmp_path / "logs")
        followed.end_here()
        assert followed.batch() is not None
        assert followed.batch() is None
        read = {Path(row["file"]).parent.name for row in followed.table("coverage").to_pylist()}
        assert read in ({"a", "c"}, {"b", "c"})

    @pytest.mark.slow
    @pytest.mark.parametrize("new_start", ["never", "when it is copied", "when it is emptied"])
    def test_a_log_that_is_copied_and_emptied_is_read_once(
        self, log: Path, followed: _Followed, new_start: str
    ) -> None:
        """As `copytruncate` of logrotate does; some lines come before it, and are read from the copy."""
        lines = _events(3)
        third = len(lines) // 3
        log.write_bytes(b"".join(lines[:third]))
        assert followed.batch() is not None
        (log.parent / "events.jsonl.1").write_bytes(b"".join(lines[: third + 5]))
        for step, content in (("copied", b""), ("emptied", b"".join(lines[third + 5 : third + 9]))):
            if content:
                os.truncate(log, 0)
                _append(log, content)
            if new_start == f"when it is {step}":
                followed.start_again()
            assert (followed.batch() is None) is (step == "copied")
        for begin in range(third + 9, len(lines), third):
            _append(log, *lines[begin : begin + third])
            assert followed.batch() is not None
        copied = _places_of("events.jsonl.1", third + 1, third + 5)
        expected = _places_of("events.jsonl", 1, third) + _places_of("events.jsonl", 1, len(lines) - third - 5)
        assert followed.places() == sorted(expected) + copied

    @pytest.mark.slow
    def test_a_log_that_is_emptied_is_read_on_from_its_beginning(self, log: Path, followed: _Followed) -> None:
        lines = _events(3)
        log.write_bytes(b"".join(lines[:40]))
        assert followed.batch() == 40
        for begin in range(40, 120, 10):
            if begin % 30 == 10:
                os.truncate(log, 0)
            _append(log, *lines[begin : begin + 10])
            assert followed.batch() == 10

    def test_a_file_that_is_read_as_a_whole_is_read_when_it_rests(
        self, log: Path, followed: _Followed, edits: Path
    ) -> None:
        assert followed.batch() is None
        content = (edits / "editsStored").read_bytes()
        (log.parent / "edits_1-9").write_bytes(content[:1000])
        assert followed.batch() is None
        (log.parent / "edits_1-9").write_bytes(content)
        assert followed.batch() is None
        found = followed.batch()
        assert found is not None and found > 50
        assert followed.batch() is None

    def test_a_log_that_begins_as_one_that_is_gone_is_read(
        self, tmp_path: Path, log: Path, followed: _Followed
    ) -> None:
        lines = _events(1)
        _append(log, *lines[:40])
        assert followed.batch() == 40
        _append(tmp_path / "another", *lines[:10])
        (tmp_path / "another").replace(log)
        assert followed.batch() == 10

    @pytest.mark.parametrize("unread", [0, 9])
    def test_a_log_that_is_compressed_is_read_once_and_to_its_end(
        self, log: Path, followed: _Followed, unread: int
    ) -> None:
        lines = _events(1)
        log.write_bytes(b"".join(lines[: len(lines) - unread]))
        assert followed.batch() == len(lines) - unread
        (log.parent / "events.jsonl.1.gz").write_bytes(gzip.compress(b"".join(lines)))
        log.write_bytes(b"")
        assert [followed.batch() for _ in range(3)] == [unread or None, None, None]
        assert sorted(line for _, line in followed.places()) == list(range(1, len(lines) + 1))


def _renamed(verdicts: Any, old: str, new: str) -> Any:
    rows = [{**row, "namespace": row["namespace"].replace(old, new)} for row in verdicts.to_pylist()]
    return pa.Table.from_pylist(rows, verdicts.schema)


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The events of two runs, as they come by keys."""
    logs = tmp_path_factory.mktemp("logs")
    for seed in (1, 2):
        (logs / f"{seed}.jsonl").write_bytes(b"".join(_events(seed)))
    found = exchanged(check_locally([logs]).concerns)
    keys = keys_of({"number": found["number"].combine_chunks(), "name": found["name"].combine_chunks()})
    return found.append_column(SORTED.field(KEY), pa.array(keys))


def _batches(rows: Any, seed: int, number: int) -> list[Any]:
    """Rows in some batches, drawn by a seed; the known order of each unit is kept in `sequence`."""
    of = np.random.default_rng(seed).integers(0, number, rows.num_rows)
    return [rows.filter(pa.array(of == each)) for each in range(number)]


class _State(dict[tuple[int], tuple[bytes]]):
    """What Spark's state does for a part."""

    getValue, updateValue = dict.__getitem__, dict.__setitem__  # noqa: N815 - as Spark calls them


def _part(most_rows: int = 10**6) -> Part:
    return Part(_State(), {}, b"", most_rows)


def _newest(found: list[Any]) -> dict[Key, dict[str, Any]]:
    return {Key(*(row[name] for name in Key._fields)): row for table in found for row in table.to_pylist()}


class TestPart:
    """The events of keys that are kept."""

    @pytest.mark.slow
    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_the_last_verdict_of_each_key_is_that_of_all_its_events(self, rows: Any, seed: int) -> None:
        part = _part()
        found = [part.checked(each, number, Terms()) for number, each in enumerate(_batches(rows, seed, 5))]
        assert _newest(found) == _newest([_part().checked(rows, 0, Terms())])

    @pytest.mark.slow
    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_a_key_that_had_to_go_has_no_verdict_ever_after(self, rows: Any, seed: int) -> None:
        most = rows.num_rows // 4
        part = _part(most)
        gone: set[Key] = set()
        for number, each in enumerate(_batches(rows, seed, 8)):
            found = _newest([part.checked(each, number, Terms())])
            assert sum(part.counts.values()) <= most
            evicted = {key for key, row in found.items() if row["failed"] == EVICTED}
            assert all(found[key]["safety"] == "undetermined" for key in evicted)
            assert gone.isdisjoint(found.keys() - evicted), "a key that had to go was judged by a part of its events"
            gone |= evicted
        assert gone

    def test_no_key_that_was_forgotten_is_taken_for_a_new_one(self) -> None:
        memory = Forgotten()
        assert not memory.knows(np.arange(10)).any()
        memory.add(np.arange(100_000))
        again = Forgotten(memory.content())
        assert again.knows(np.arange(100_000)).all()
        assert again.knows(np.arange(100_000, 200_000)).mean() < 0.01


@pytest.mark.slow
class TestFollowing:
    """The query of Spark."""

    def test_what_is_followed_is_judged_as_what_is_at_rest(self, spark: "SparkSession", tmp_path: Path) -> None:
        logs, out = tmp_path / "logs", tmp_path / "out"
        logs.mkdir()
        log, lines = logs / "events.jsonl", _events(5)
        # Such a log has no line for the close of a file, so that it stays unknown.
        (logs / "audit.log").write_text(AUDIT, encoding="utf-8")
        options = FollowOptions(out, once=True, limits=Limits(parts=2))
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

    @pytest.mark.parametrize("dies", ["before its verdicts", "after its verdicts"])
    def test_a_batch_that_is_run_again_adds_nothing(
        self, spark: "SparkSession", log: Path, tmp_path: Path, dies: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The driver dies in the second batch, which Spark does not take for done."""
        out, lines = tmp_path / "out", _events(5)
        options = FollowOptions(out, once=True, limits=Limits(parts=2))
        log.write_bytes(b"".join(lines[:60]))
        follow(spark, [str(log)], options, lambda _: None)
        _append(log, *lines[60:])

        def die(*_: object) -> None:
            raise InterruptedError

        with monkeypatch.context() as patched, pytest.raises(PySparkException, match="InterruptedError"):
            if dies == "before its verdicts":
                patched.setattr(Places, "of_batch", die)
            follow(spark, [str(log)], options, die)
        told: list[Told] = []
        follow(spark, [str(log)], options, told.append)
        assert [each.batch for each in told] == [1]
        alone = check_locally([log])
        assert pyarrow.dataset.dataset(out / "events").count_rows() == alone.events.num_rows == len(lines)
        assert _verdicts(pyarrow.dataset.dataset(out / "verdicts").to_table()) == _verdicts(alone.verdicts)

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

        follow(spark, [str(log)], FollowOptions(tmp_path / "out", every_s=0.2, limits=Limits(parts=1)), tell, stop)
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
        with pytest.raises(TwoRunsError, match=r"BP-1 is the name of two runs.*one\.jsonl and .*two\.jsonl"):
            follow(spark, [str(logs)], FollowOptions(out, once=True, limits=Limits(parts=1)), print)

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
        assert "violated, unknown; 3 events in 3 lines of 1 file, 2 keys" in bad.stdout
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
            ([*checks, str(followed)], "belongs to a check with --follow, so it is not overwritten"),
            ([*follows, str(checked)], "belongs to a check without --follow, so it is not overwritten"),
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
        assert (refused.exit_code, "cannot follow standard input" in refused.stderr.replace("\n", " ")) == (2, True)


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_process_that_is_killed_loses_nothing(log: Path, tmp_path: Path) -> None:
    lines, out = _events(5), tmp_path / "out"
    log.write_bytes(GOOD + BAD + b"".join(lines[:90]))
    command = [sys.executable, "-m", "genstamp", "logs", "check", "--follow", "--out", str(out), "--master", "local[1]"]
    with interruptible([*command, "--every", "0.2", str(log)], stdout=subprocess.PIPE) as following:
        assert following.stdout is not None
        assert following.stdout.readline() == "violated: block 7 of BP-1\n"
        _append(log, *lines[90:])
        following.kill()
    done = subprocess.run([*command, "--once", str(log)], stdout=subprocess.PIPE, text=True, check=False)
    assert done.returncode == exit_codes.VIOLATED
    alone = check_locally([log])
    assert f"{alone.events.num_rows:,} events in {len(lines) + 3:,} lines of 1 file" in done.stdout
    assert pyarrow.dataset.dataset(out / "events").count_rows() == alone.events.num_rows
    assert _verdicts(pyarrow.dataset.dataset(out / "verdicts").to_table()) == _verdicts(alone.verdicts)
