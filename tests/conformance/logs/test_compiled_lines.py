"""What compiled code reads of a log is what the reader of all lines reads: the same rows, whatever the lines."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from benchmarks.logs.generator import write_logs
from hypothesis import example, given, settings
from hypothesis import strategies as st

from genstamp.logs.exchange import EXCHANGED, concerns_of
from genstamp.logs.readers import log_fast, log_pieces, mapped
from genstamp.logs.readers.log_text import LogReader
from genstamp.logs.readers.sighting import Counts, Reject, Sighting, Unit
from genstamp.logs.rows import batches
from genstamp.logs.streams import LINE_LENGTH_MAX, Stream, head, lines
from genstamp.logs.units import HEAD, LOG, find_units

Tables = dict[str, list[str]]

POOL = "BP-1-10.0.0.1-15"
PREFIX = "2018-11-14 12:25:35,191 INFO a.b.C: "
LINES = (
    f"Receiving {POOL}:blk_7_1001 src: /1.1.1.1:44370 dest: /10.0.0.2:50010",
    "Receiving block blk_-7_1001 src: /1.1.1.1:44370 dest: /10.0.0.2:50010",
    f"src: /1.1.1.1:4, dest: /10.0.0.2:50010, bytes: 3040, op: HDFS_WRITE, cliID: DFSClient_1, offset: 0, srvID: 58,"
    f" blockid: {POOL}:blk_7_1001, duration: 42953468",
    f"src: /1.1.1.1:4, dest: /10.0.0.2:50010, bytes: 3040, op: HDFS_READ, cliID: DFSClient_1, offset: 0, srvID: 58,"
    f" blockid: {POOL}:blk_7_1001, duration: 42953468",
    f"PacketResponder: {POOL}:blk_7_1001, type=LAST_IN_PIPELINE, downstreams=0:[] terminating",
    "Scheduling blk_7_1001 file /data/current/finalized/blk_7 for deletion",
    f"Deleted {POOL} blk_7_1001 file /data/current/{POOL}/current/finalized/blk_7",
    "BLOCK* addStoredBlock: blockMap updated: 10.0.0.2:50010 is added to blk_7_1001{UCState=COMMITTED, replicas=[]}"
    " size 7",
    "BLOCK* addStoredBlock: blockMap updated: 10.0.0.2:50010 is added to blk_7_1001 size 7",
    "BLOCK* addStoredBlock: 10.0.0.2:50010 is added to blk_7_1001 (size=7)",
    "BLOCK* allocate blk_7_1001, replicas=10.0.0.2:50010, 10.0.0.3:50010 for /a b for /c",
    "BLOCK* allocate blk_8_1002{UCState=UNDER_CONSTRUCTION, replicas=[]} for /a b for /c",
    "BLOCK* blk_7_1001 is COMMITTED but not COMPLETE(numNodes= 0 <  minimum = 1) in file /a b for /c",
    "DIR* completeFile: /a b for /c is closed by DFSClient_1",
    "BLOCK* allocate blk_7_1004, replicas=10.0.0.2:50010 for /e",
    "BLOCK* allocate blk_9_1005, replicas=10.0.0.2:50010 for /e/f",
    "BLOCK* allocate blk_10_1006, replicas=10.0.0.2:50010 for /e",
    "DIR* completeFile: /e/f is closed by DFSClient_2",
    "BLOCK* fsync: /e for DFSClient_1",
    "BLOCK* fsync: /e for DFSClient_2",
    "BLOCK* fsync: /a b for /c for DFSClient_1",
    "BLOCK* allocate blk_11_1007, replicas=10.0.0.2:50010 for /e",
    "BLOCK* checkFileProgress: blk_9_1005 has not reached minimal replication",
    "DIR* NameSystem.completeFile: file /a b for /c is closed by DFSClient_1",
    f"updatePipeline({POOL}:blk_7_1001) successfully to {POOL}:blk_7_1003",
    "DatanodeRegistration(10.0.0.3:50010, datanodeUuid=1, ipcPort=50020, storageInfo=lv=-56;nsid=7;c=0)",
    f"Block pool {POOL} (Datanode Uuid 1) service to nn:9000 beginning handshake with NN",
    "Allocated new BlockPoolId: BP-2-10.0.0.1-16",
    "STARTUP_MSG: ",
    "Number of transactions: 7",
    "Starting services required for active state",
    "nn1: BLOCK* allocate blk_12_1008, replicas=10.0.0.2:50010 for /g",
    "[ctx=7] updatePipeline(blk_7_1001 => blk_7_1003) success",
    "Slow: (Receiving a fragment)",
)
BELOW = (
    "java.io.IOException: broken",
    "\tat a.b.C.d(C.java:7)",
    "",
    "24/03/01 10:00:00 INFO hdfs.StateChange: BLOCK* allocate blk_13_1009, replicas=10.0.0.2:50010 for /h",
)
ONE_FILE_SYNCED_FIRST = [
    PREFIX + "BLOCK* fsync: /b for DFSClient_1",
    PREFIX + "BLOCK* allocate blk_7_1001, replicas=10.0.0.2:50010 for /a",
    PREFIX + "BLOCK* allocate blk_8_1002, replicas=10.0.0.2:50010 for /b",
    PREFIX + "Starting services required for active state",
]
"""The first line tells of the file whose block is the last."""


def by_the_reader_of_all_lines(unit: Unit, keeps_events: bool) -> Tables:
    counts = Counts()

    def found() -> Iterator[Sighting | Reject]:
        reader = LogReader(unit, counts, head(Path(unit.files[0]), HEAD))
        for file in unit.files:
            with Stream(Path(file)) as stream:
                yield from reader.sightings(file, lines(stream))
        yield from reader.rest()

    return _rows(batches(unit, unit.reader, found(), counts, keeps_events))


def _rows(given: Iterator[tuple[str, Any]]) -> Tables:
    tables: Tables = {}
    for table, rows in list(given):  # All are kept for a while, as checks in memory do.
        if rows.schema.equals(EXCHANGED):
            rows = concerns_of(rows)
        tables.setdefault(table, []).extend(map(repr, rows.to_pylist()))
    return {table: sorted(rows) for table, rows in tables.items()}


def _agree(paths: Sequence[Path]) -> int:
    """How many events there are, of which all readings tell the same."""
    events = 0
    for unit in find_units([str(path) for path in paths]).units:
        if unit.reader == LOG:
            rows: Tables = {}
            for keeps_events in (True, False):
                rows = _rows(log_fast.log_batches(unit, Counts(), head(Path(unit.files[0]), HEAD), keeps_events))
                assert rows == by_the_reader_of_all_lines(unit, keeps_events)
            events += len(rows.get("concerns", []))
    return events


@pytest.mark.slow
def test_generated_logs_are_read_alike(tmp_path: Path) -> None:
    write_logs(tmp_path, 3000, seed=3, one_in=50)
    assert _agree(sorted(tmp_path.glob("*.log"))) > 2000


@pytest.mark.slow
def test_logs_with_one_file_that_is_synced_again_and_again_are_read_alike(tmp_path: Path) -> None:
    write_logs(tmp_path, 3000, seed=5, skew=0.6)
    lines = [path.read_text(encoding="ascii").count("BLOCK* fsync: ") for path in tmp_path.glob("*.log")]
    assert sum(lines) > 1000
    assert _agree(sorted(tmp_path.glob("*.log"))) > 2000


@pytest.mark.slow
def test_logs_of_the_samples_are_read_alike(shared_data: Path) -> None:
    places = ("failure_logs/hdfs-12070", "hadoop_2_6_5_logs", "incident_excerpts", "audit_logs")
    assert _agree([shared_data / place for place in places]) > 500


_CHANGES = st.lists(
    st.tuples(
        st.integers(0, 160), st.sampled_from(["", " ", "0", "-", ",", "_", ":", "\r", "é", "BP-", "/", "9" * 19])
    ),
    max_size=2,
)


@st.composite
def changed_lines(draw: st.DrawFn) -> str:
    line = draw(st.sampled_from([*(PREFIX + line for line in LINES), *BELOW]))
    for at, text in draw(_CHANGES):
        line = line[:at] + text + line[at + draw(st.integers(0, 2)) :]
    return line


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lines") / "hadoop.log"


@pytest.mark.slow
def test_changed_lines_are_read_alike(place: Path) -> None:
    @settings(max_examples=150)
    @given(st.lists(changed_lines(), min_size=1, max_size=25), st.sampled_from(["\n", "\r\n"]), st.booleans())
    @example([PREFIX + line for line in LINES * 2], "\n", True)
    @example([PREFIX + line.replace("-15:blk", "-15:blk_-1:blk") for line in LINES], "\n", False)
    @example(ONE_FILE_SYNCED_FIRST, "\n", True)
    @example(
        ["24/03/01 10:00:00 INFO hdfs.StateChange: BLOCK* allocate blk_13_1009, replicas=10.0.0.2:50010 for /h\r\r"],
        "\n",
        False,
    )
    def read_alike(given: list[str], end: str, ends: bool) -> None:
        first = f"{PREFIX}Setting up storage: nsid=7;bpid={POOL};lv=-56{end}"
        place.write_bytes((first + end.join(given) + (end if ends else "")).encode())
        _agree([place])

    read_alike()


@pytest.mark.slow
@pytest.mark.parametrize("size", [LINE_LENGTH_MAX, LINE_LENGTH_MAX + 1, 6 * LINE_LENGTH_MAX])
def test_long_lines_are_read_alike(tmp_path: Path, size: int) -> None:
    log = tmp_path / "long.log"
    long = (PREFIX + "Number " + "x" * size)[:size]
    log.write_text("\n".join([PREFIX + LINES[0], long, PREFIX + LINES[0], long]), encoding="ascii")
    _agree([log])


@pytest.mark.slow
def test_pieces_end_where_lines_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces, and rooms for what is found, of a size that no line fits twice; arrays in files."""
    write_logs(tmp_path, 600, seed=4, one_in=20)
    logs = sorted(tmp_path.glob("*.log"))
    for name, size in (
        ("EVENTS_AT_ONCE", 7),
        ("FILE_LINES_AT_ONCE", 3),
        ("FILES_REMEMBERED", 2),
    ):
        monkeypatch.setattr(log_fast, name, size)
    monkeypatch.setattr(log_pieces, "PIECE_BYTES", 4000)
    monkeypatch.setattr(mapped, "MAPPED_FROM", 1)
    for log in logs:  # So that it is read in more than one chunk.
        log.write_bytes(log.read_bytes() * 5)
    assert _agree(logs) > 500
