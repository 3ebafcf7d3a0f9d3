"""A log that is read in ranges tells what it tells when it is read from its beginning, wherever it is divided."""

import gzip
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from benchmarks.logs.generator import write_logs
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.conformance.logs.test_compiled_lines import BELOW, LINES, POOL, PREFIX, changed_lines

from genstamp.logs.check import Terms, verdicts
from genstamp.logs.exchange import EXCHANGED, concerns_of, exchanged, moved
from genstamp.logs.parts import pieces
from genstamp.logs.readers.log_fast import log_batches
from genstamp.logs.readers.log_ordered import ContextChangedError, OrderedReading
from genstamp.logs.readers.log_ranges import Aside, Range, RangeReading
from genstamp.logs.readers.sighting import Counts, Unit
from genstamp.logs.run import TABLES, Reading, read_range_into, read_rest_into
from genstamp.logs.streams import LINE_LENGTH_MAX, head
from genstamp.logs.units import HEAD, LOG, find_units

Tables = dict[str, list[Any]]


def _whole(unit: Unit) -> Tables:
    tables: Tables = {}
    for table, rows in log_batches(unit, Counts(), head(Path(unit.files[0]), HEAD), keeps_events=False):
        tables.setdefault(table, []).append(rows)
    return tables


def in_ranges(unit: Unit, cuts: Sequence[tuple[int, int]]) -> tuple[Tables, int]:
    """The tables of a unit that is divided at some bytes of its files, and how many ranges held."""
    ranges = _ranges(unit, cuts)
    beginning = head(Path(unit.files[0]), HEAD)
    of_range: dict[int, tuple[list[Any], Aside]] = {}
    for each in ranges:
        reading = RangeReading(unit, beginning, ranges[0].begins)
        rows = [rows for _, rows in reading.range(each)]
        of_range[each.number] = rows, reading.aside
    ordered = OrderedReading(unit, beginning, ranges, lambda each: of_range[each.number][1])
    tables: Tables = {}
    try:
        for table, rows in ordered.batches():
            tables.setdefault(table, []).append(rows)
    except ContextChangedError:
        return _whole(unit), 0
    for shift in ordered.shifts:
        for rows in of_range[shift.range][0]:
            tables.setdefault("concerns", []).append(moved(rows, shift.line, shift.sequence))
    return tables, len(ordered.shifts)


def _ranges(unit: Unit, cuts: Sequence[tuple[int, int]]) -> list[Range]:
    ranges: list[Range] = []
    for file, path in enumerate(unit.files):
        size = Path(path).stat().st_size
        places = sorted({at % (size + 1) for which, at in cuts if which % len(unit.files) == file} | {0})
        if file == 0 and len(places) > 1:
            places = places[1:]
        for begins, ends in zip(places, [*places[1:], None], strict=True):
            ranges.append(Range(len(ranges), file, begins, ends))
    return ranges


def _rows(tables: Tables) -> dict[str, list[str]]:
    found = {}
    for table, parts in tables.items():
        rows = pa.concat_tables(concerns_of(each) if each.schema.equals(EXCHANGED) else each for each in parts)
        if table == "spans":  # The numbers of a node's events are told of events that are kept, and these are not.
            rows = rows.drop_columns(["first", "last"])
        if rows.num_rows:
            found[table] = sorted(map(repr, rows.to_pylist()))
    return found


def _verdicts(tables: Tables) -> list[str]:
    parts = [each if each.schema.equals(EXCHANGED) else exchanged(each) for each in tables.get("concerns", [])]
    if not parts:
        return []
    rows = concerns_of(pa.concat_tables(parts).unify_dictionaries().combine_chunks())
    sources = {name: frozenset[str]() for name in rows.column("namespace").unique().to_pylist()}
    return sorted(map(repr, verdicts(rows, Terms(False, sources), []).to_pylist()))


def _agree(paths: Sequence[Path], cuts: Sequence[tuple[int, int]]) -> int:
    """How many ranges held, of logs that tell the same in ranges as whole."""
    held = 0
    for unit in find_units([str(path) for path in paths]).units:
        if unit.reader == LOG:
            whole, (parted, holding) = _whole(unit), in_ranges(unit, cuts)
            assert _rows(parted) == _rows(whole)
            assert _verdicts(parted) == _verdicts(whole)
            held += holding
    return held


_CUTS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1 << 20)), min_size=1, max_size=6)


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    place = tmp_path_factory.mktemp("generated")
    write_logs(place, 1500, seed=5, one_in=20)
    return sorted(place.glob("*.log"))


def test_generated_logs_are_read_alike_wherever_they_are_divided(generated: list[Path]) -> None:
    held = 0

    @settings(max_examples=25)
    @given(_CUTS)
    @example([(0, 3000), (0, 60_000), (0, 60_001)])
    def read_alike(cuts: list[tuple[int, int]]) -> None:
        nonlocal held
        held += _agree(generated, cuts)

    read_alike()
    assert held > 100


def test_changed_lines_are_read_alike_wherever_they_are_divided(tmp_path: Path) -> None:
    log = tmp_path / "hadoop.log"

    @settings(max_examples=150)
    @given(st.lists(changed_lines(), min_size=1, max_size=25), st.sampled_from(["\n", "\r\n"]), st.booleans(), _CUTS)
    @example([PREFIX + line for line in LINES * 3], "\n", True, [(0, 150), (0, 1500), (0, 5000)])
    def read_alike(given: list[str], end: str, ends: bool, cuts: list[tuple[int, int]]) -> None:
        first = f"{PREFIX}Setting up storage: nsid=7;bpid={POOL};lv=-56{end}"
        log.write_bytes((first + end.join(given) + (end if ends else "")).encode())
        _agree([log], cuts)

    read_alike()


def test_logs_of_the_samples_are_read_alike_wherever_they_are_divided(shared_data: Path, tmp_path: Path) -> None:
    places = ("failure_logs/hdfs-12070", "hadoop_2_6_5_logs", "incident_excerpts")
    choices, held = random.Random(7), 0
    for number, sample in enumerate(file for place in places for file in sorted((shared_data / place).rglob("*"))):
        if sample.is_file():
            content = sample.read_bytes()
            log = tmp_path / f"{number}.log"
            log.write_bytes(gzip.decompress(content) if sample.suffix == ".gz" else content)
            for _ in range(2):
                held += _agree([log], [(0, choices.randrange(1 << 24)) for _ in range(4)])
    assert held > 10


@pytest.mark.parametrize("size", [LINE_LENGTH_MAX, LINE_LENGTH_MAX + 1, 6 * LINE_LENGTH_MAX])
def test_long_lines_are_read_alike_wherever_they_are_divided(tmp_path: Path, size: int) -> None:
    log = tmp_path / "long.log"
    long = (PREFIX + "Number " + "x" * size)[:size]
    log.write_text("\n".join([PREFIX + LINES[0], long, PREFIX + LINES[0], long, BELOW[0]]), encoding="ascii")
    for at in (1, 200, size // 2, size, size + 300):
        assert _agree([log], [(0, 150), (0, at), (0, at + 100)])


def test_replicas_that_a_block_waits_for_are_counted_from_range_to_range(tmp_path: Path) -> None:
    """Farther back than a range looks."""
    filler = [f"{PREFIX}Number of transactions: {number} {'x' * 400}" for number in range(3000)]
    stored = f"{PREFIX}BLOCK* addStoredBlock: 10.0.0.2:50010 is added to blk_7_1001 (size=7)"
    waits = f"{PREFIX}BLOCK* blk_7_1001 is COMMITTED but not COMPLETE(numNodes= 0 <  minimum = 1) in file /a"
    log = tmp_path / "namenode.log"
    log.write_text("\n".join([waits, *filler, stored, *filler[:3], stored]), encoding="ascii")
    size = log.stat().st_size
    _agree([log], [(0, 100), (0, size - 3000)])
    unit = find_units([str(log)]).units[0]
    _, held = in_ranges(unit, [(0, 100), (0, size - 3000)])
    assert held == 1  # The last of the two is read again.


def test_log_whose_context_changes_in_the_midst_is_read_as_a_whole(tmp_path: Path) -> None:
    first, second = (f"{PREFIX}Setting up storage: nsid=7;bpid=BP-{n}-10.0.0.1-1500000000;lv=-56" for n in (1, 2))
    stored = f"{PREFIX}BLOCK* addStoredBlock: 10.0.0.2:50010 is added to blk_7_1001 (size=7)"
    filler = [f"{PREFIX}Number of transactions: {number} {'x' * 400}" for number in range(3000)]
    new = f"{PREFIX}Allocated new BlockPoolId: BP-2-10.0.0.1-1500000000"
    log = tmp_path / "namenode.log"
    log.write_text("\n".join([first, stored, *filler, stored, second, new, stored]), encoding="ascii")
    assert _agree([log], [(0, 1000), (0, 500_000)]) == 0


def test_restart_of_a_datanode_concerns_the_replicas_of_all_ranges_before_it(
    generated: list[Path], tmp_path: Path
) -> None:
    log = tmp_path / "datanode.log"
    content = generated[0].read_bytes()
    log.write_bytes(content * 3)
    size = len(content)
    for at in (size // 2, size - 300, size, size + 300, size + size // 2):
        assert _agree([log], [(0, 2000), (0, at), (0, 2 * size + 1000)]) == 3


def test_first_line_of_a_stack_trace_belongs_to_the_line_before_it_in_whatever_range(tmp_path: Path) -> None:
    """Which NameNode tells of the refusal, the thread of that line says: here that it has none."""
    called = [
        f"2022-05-10 16:25:37,178 - INFO  [IPC Server handler 5 on {port}:C@1] - BLOCK* fsync: /a for DFSClient_1"
        for port in (9000, 9001)
    ]
    refused = "java.io.IOException: The recovery id 5 does not match current recovery id 6 for block blk_7_1001"
    lines = [PREFIX + LINES[9], *called, PREFIX + LINES[9], refused, PREFIX + LINES[9], *called, PREFIX + LINES[9]]
    log = tmp_path / "namenode.log"
    log.write_text("\n".join([*lines, refused, "\tat a.b.C.d(C.java:7)"]), encoding="ascii")
    places = [place for place, byte in enumerate(log.read_bytes()) if byte == 10]
    for at, first in enumerate(places):
        for second in places[at::3]:
            _agree([log], [(0, first), (0, second)])


def test_what_is_read_twice_counts_once(generated: list[Path], tmp_path: Path) -> None:
    """As when a task is run again."""
    for table in TABLES:
        (tmp_path / table).mkdir()
    (unit,) = find_units([str(generated[-1])]).units
    ranges, how = _ranges(unit, [(0, 4000), (0, 50_000), (0, 90_000)]), Reading(3, keeps_events=False)
    for each in (*ranges, *ranges):
        read_range_into(tmp_path, unit, ranges, each.number, how)
    spans = [read_rest_into(tmp_path, unit, ranges, how) for _ in range(2)]
    rows = [concerns_of(each.rows()) for part in range(3) for each in pieces(tmp_path, part)]
    whole = _rows(_whole(unit))
    assert sorted(map(repr, pa.concat_tables(rows).to_pylist())) == whole["concerns"]
    assert [_rows({"spans": [each]}) for each in spans] == [{"spans": whole["spans"]}] * 2
    assert not [path for path in tmp_path.rglob(".*") if path.is_file()]
