"""TraceBench collections: the calls of clients and what servers made of them, with the edges between."""

import gzip
import os
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from genstamp.logs.local import Checked, check_locally
from genstamp.logs.readers import trace_records
from genstamp.logs.readers.causes import Moment, Order
from genstamp.logs.readers.trace_records import EDGES_HEAD, EVENTS_HEAD, TASKS_HEAD, Record

SUCCESS = "Success: return(OW[class=void,value=null])"
REFUSED = "Fail: java.io.IOException: File /a could only be replicated to 0 nodes, instead of 1"
NAMENODE, CLIENT = 900_000, 100
"""What the clocks of two hosts start with: they say nothing about one another."""


class Collection:
    """A collection that is written step by step: one task of one client."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.edges: list[str] = ["T,0000000000000000,0,C"]
        self._time = 0
        self._threads = 0

    def record(self, thread: str, operation: str, start: int, end: int, host: str, agent: str, told: str) -> None:
        self.events.append(f"T,{thread},{operation},{start},{end},10.0.0.1,{host},{agent},{told}")

    def served(self, operation: str, host: str, agent: str, told: str, father: int, clock: int) -> tuple[str, int]:
        """A record of a server that a record of the client began; gives its thread and start."""
        self._threads += 1
        thread = f"S{self._threads}"
        self.record(thread, operation, clock, clock + 5, host, agent, told)
        self.edges.append(f"T,C,{father},{thread}")
        return thread, clock

    def call(self, name: str, told: str = SUCCESS) -> None:
        """A call of the NameNode, as both saw it."""
        self._time += 10
        start = CLIENT + self._time
        self.record("C", f"RPC:{name}", start, start + 8, "client1", "RPC Client", told)
        self.served(name, "namenode", "Namenode", told, start, NAMENODE + self._time)

    def block(self, block_id: int, told: str = "Success: connected", sends: bool = True) -> None:
        """addBlock, the set-up of a pipeline of one datanode, and the block sent."""
        began = CLIENT + self._time + 1
        self.call("addBlock")
        self._time += 10
        start = CLIENT + self._time
        self.record("C", "createBlockOutputStream", start, start + 5, "client1", "DFSClient", told)
        clock = 5 + self._time
        self.served("writeBlock", "datanode1", "Datanode", "Success: ", start, clock)
        named = f"Success: create blockOutputStream for next block=blk_{block_id}_1001 of /a,b"
        self.record("C", "nextBlockOutputStream", began, start + 6, "client1", "DFSClient", named)
        if sends:
            self._time += 10
            start = CLIENT + self._time
            self.record(
                "C", "OP: send block", start, start + 5, "client1", "DFSClient", f"Success: sent blk_{block_id}_1001"
            )
            self.served("receiveBlock", "datanode1", "Datanode", "Success: received a block", start, clock + 6)

    def write(self, folder: Path, sizes: bool = True) -> Path:
        """The tables, the records in a given order."""
        folder.mkdir(exist_ok=True)
        head, edges, tasks = (each.decode() for each in (EVENTS_HEAD, EDGES_HEAD, TASKS_HEAD))
        (folder / "event.csv").write_text("\n".join([head, *self.events]) + "\n", encoding="utf-8")
        (folder / "edge.csv").write_text("\n".join([edges, *self.edges]) + "\n", encoding="utf-8")
        if sizes:
            row = f"T,fs -put a,b,{len(self.events)},{len(self.edges)},2013-10-28 15:16:09,2013-10-28 15:16:34,1,2"
            (folder / "trace.csv").write_text(f"{tasks}\n{row}\n", encoding="utf-8")
        return folder


def written() -> Collection:
    """A file of two blocks; the first try of the second is given up."""
    collection = Collection()
    collection.call("create")
    collection.block(7)
    collection.call("addBlock")
    collection.call("abandonBlock")
    collection.block(-8)
    collection.call("complete", "Success: return(OW[class=boolean,value=true])")
    return collection


Answer = dict[tuple[str, str], tuple[str, str, tuple[str, ...]]]


def answers(checked: Checked) -> Answer:
    """Safety, completion and states by kind and entity."""
    return {
        (row["kind"], row["entity"]): (row["safety"], row["completion"], tuple(row["states"]))
        for row in checked.verdicts.to_pylist()
    }


@pytest.mark.parametrize("complete", [False, True])
def test_file_that_was_written_is_closed_and_so_are_its_blocks(tmp_path: Path, complete: bool) -> None:
    checked = check_locally([written().write(tmp_path / "run")], complete=complete)
    assert checked.rejects.num_rows == 0
    found = answers(checked)
    abandoned = next(entity for kind, entity in found if entity.startswith("unnamed/"))
    held = ("released", "held")
    assert found == {
        ("file", "/a,b#T"): ("conformant", "complete", ("closed",)),
        ("block", "7"): ("conformant", "complete", ("COMPLETE",)),
        ("block", "-8"): ("conformant", "complete", ("COMPLETE",)),
        ("block", abandoned): ("conformant", "complete", ("removed",)),
        ("replica", "7@datanode1"): ("conformant", "complete", ("FINALIZED",)),
        ("replica", "-8@datanode1"): ("conformant", "complete", ("FINALIZED",)),
        ("lease", "T"): ("conformant", "unknown", held),
    }


def test_file_that_is_never_completed_is_unfinished_and_not_violated(tmp_path: Path) -> None:
    collection = Collection()
    collection.call("create")
    collection.block(7, sends=False)
    found = answers(check_locally([collection.write(tmp_path / "run")], complete=True))
    assert found["file", "/a,b#T"] == ("conformant", "unfinished", ("under construction",))
    assert found["block", "7"] == ("conformant", "unfinished", ("UNDER_CONSTRUCTION",))


def test_call_that_failed_is_an_event_with_the_innermost_exception(tmp_path: Path) -> None:
    collection = Collection()
    collection.call("create")
    collection.call("addBlock", REFUSED)
    checked = check_locally([collection.write(tmp_path / "run")], complete=True)
    refused = [row for row in checked.events.to_pylist() if row["refused_with"]]
    assert [(row["event"], row["refused_with"]) for row in refused] == [("add_block", "IOException")]
    assert {row[0] for row in answers(checked).values()} == {"conformant"}


def test_block_that_nobody_added_is_violated_only_in_a_whole_trace(tmp_path: Path) -> None:
    collection = written()
    collection.events = [line for line in collection.events if "addBlock" not in line]
    folder = collection.write(tmp_path / "run")
    assert answers(check_locally([folder]))["block", "7"][0] == "conformant"
    rows = check_locally([folder], complete=True).verdicts.to_pylist()
    (row,) = (row for row in rows if (row["kind"], row["entity"]) == ("block", "7"))
    assert (row["safety"], row["failed"]) == ("violated", "write_block is no step of a block that is absent")


def test_call_of_which_only_the_client_was_traced_counts_all_the_same(tmp_path: Path) -> None:
    collection = written()
    collection.events = [line for line in collection.events if ",Namenode," not in line]
    checked = check_locally([collection.write(tmp_path / "run")], complete=True)
    assert {row["node"] for row in checked.events.to_pylist()} == {"client1", "datanode1"}
    assert answers(checked)["file", "/a,b#T"] == ("conformant", "complete", ("closed",))


@pytest.mark.parametrize("seed", range(5))
def test_order_of_the_lines_does_not_count(tmp_path: Path, seed: int) -> None:
    collection = written()
    first = check_locally([collection.write(tmp_path / "run")], complete=True)
    random.Random(seed).shuffle(collection.events)
    random.Random(seed).shuffle(collection.edges)
    second = check_locally([collection.write(tmp_path / "run", sizes=seed % 2 == 0)], complete=True)
    assert answers(second) == answers(first)
    kept = ("event", "entity", "node", "node_sequence")
    assert [[row[name] for name in kept] for row in second.events.to_pylist()] == [
        [row[name] for name in kept] for row in first.events.to_pylist()
    ]


def test_missing_and_superfluous_records_are_told(tmp_path: Path) -> None:
    collection = written()
    folder = collection.write(tmp_path / "run")
    lines = (folder / "event.csv").read_text(encoding="utf-8").splitlines()
    (folder / "event.csv").write_text("\n".join(lines[:-1]), encoding="utf-8")
    (remark,) = (row for row in check_locally([folder]).coverage.to_pylist() if row["what"] == "remark")
    assert (remark["name"], remark["count"]) == ("missing records", 1)
    (folder / "event.csv").write_text("\n".join([*lines, lines[1]]), encoding="utf-8")
    (reject,) = check_locally([folder]).rejects.to_pylist()
    assert reject["reason"] == "a further record of task T, of which all were read already"
    assert reject["place"] == {"file": str(folder / "event.csv"), "line": len(lines) + 1}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("T,C,create,1,2,10.0.0.1,client1,RPC Client", "8 columns where 9 should stand"),
        ("T,C,create,9,2,10.0.0.1,client1,RPC Client,Success", "'9' to '2' is not a time in nanoseconds"),
        ("T,C,create,1,9999999999999999999,x,client1,RPC Client,Success", "'1' to '9999999999999999999' is not a time"),
        ("T,C,create,x,2,10.0.0.1,client1,RPC Client,Success", "'x' to '2' is not a time in nanoseconds"),
        (",C,create,1,2,10.0.0.1,client1,RPC Client,Success", "no id of a task: ''"),
    ],
)
def test_line_that_is_no_record_is_rejected_with_its_place(tmp_path: Path, line: str, reason: str) -> None:
    collection = written()
    collection.events.insert(0, line)
    (reject,) = check_locally([collection.write(tmp_path / "run", sizes=False)]).rejects.to_pylist()
    assert reject["reason"].startswith(reason) and reject["place"]["line"] == 2


def test_edges_that_contradict_the_clocks_are_rejected(tmp_path: Path) -> None:
    collection = Collection()
    collection.record("A", "RPC:create", 1, 2, "client1", "RPC Client", SUCCESS)
    collection.record("B", "create", 1, 2, "namenode", "Namenode", SUCCESS)
    collection.edges += ["T,A,1,B", "T,B,1,A"]
    checked = check_locally([collection.write(tmp_path / "run")])
    (reject,) = checked.rejects.to_pylist()
    assert reject["reason"] == "edges and clocks of task T contradict each other; none of its 2 records is judged"
    assert checked.events.num_rows == 0


def test_records_that_are_held_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_records, "RECORDS_HELD_MAX", 5)
    monkeypatch.setattr(trace_records, "EDGES_MAX", 3)
    checked = check_locally([written().write(tmp_path / "run")])
    reasons = Counter(row["reason"] for row in checked.rejects.to_pylist())
    assert reasons["more than 3 edges; the rest of the file was not read"] == 1
    assert reasons["a further record of task T, of which all were read already"] > 5


def test_clocks_order_one_host_and_edges_order_two() -> None:
    call = Record("f", 2, "C", "RPC:create", 50, 60, "client1", "RPC Client", SUCCESS)
    served = Record("f", 3, "S", "create", 5, 6, "namenode", "Namenode", SUCCESS)
    later = Record("f", 4, "C", "RPC:complete", 61, 70, "client1", "RPC Client", SUCCESS)
    order = Order([later, served, call], [None, 2, None])
    assert order.moments == [
        Moment(2, False), Moment(1, False), Moment(1, True), Moment(2, True), Moment(0, False), Moment(0, True),
    ]  # fmt: skip
    assert set(order.predecessors(Moment(2, True))) == {Moment(2, False), Moment(1, True)}


def test_of_two_records_that_begin_at_once_the_call_is_the_one_that_was_served(tmp_path: Path) -> None:
    collection = Collection()
    collection.call("create")
    collection.block(7)
    began = next(line.split(",")[3] for line in collection.events if ",nextBlockOutputStream," in line)
    start = next(line.split(",")[3] for line in collection.events if ",RPC:addBlock," in line)
    collection.events = [
        line.replace(began, start) if ",nextBlockOutputStream," in line else line for line in collection.events
    ]
    checked = check_locally([collection.write(tmp_path / "run")], complete=True)
    assert [row["node"] for row in checked.events.to_pylist() if row["event"] == "add_block"] == ["namenode"]
    assert answers(checked)["block", "7"][0] == "conformant"


# -- the collections themselves ------------------------------------------------------------------------------------

Collections = Callable[[str], Sequence[Path]]


@pytest.fixture
def collections(shared_data: Path) -> Iterator[Collections]:
    """The collections whose names begin so."""
    folder = shared_data / "tracebench"
    if not folder.is_dir():
        pytest.skip("the shared folder has no TraceBench")
    yield lambda prefix: [path for path in sorted(folder.iterdir()) if path.is_dir() and path.name.startswith(prefix)]


def _is_control(path: Path) -> bool:
    return "_00FDN" in path.name or "_w_00ms" in path.name


def _counted(paths: Sequence[Path], **terms: Any) -> Counter[tuple[str, str, str]]:
    counts: Counter[tuple[str, str, str]] = Counter()
    for path in paths:
        checked = check_locally([path], **terms)
        assert checked.rejects.num_rows == 0, checked.rejects.to_pylist()[:3]
        counts.update((row["kind"], row["safety"], row["completion"]) for row in checked.verdicts.to_pylist())
    return counts


@pytest.mark.slow
def test_every_file_of_the_controls_is_completed(collections: Collections) -> None:
    """481 created files, as the README of the data counts them without any lifecycle."""
    controls = [path for path in collections("") if _is_control(path)]
    counts = _counted([*controls, *collections("NM_")], complete=True)
    files = {key: number for key, number in counts.items() if key[0] == "file"}
    assert files == {("file", "conformant", "complete"): 481}
    assert not any(safety != "conformant" or completion == "unfinished" for _, safety, completion in counts)


@pytest.mark.slow
def test_records_agree_with_the_index_of_the_data(collections: Collections, shared_data: Path) -> None:
    """The calls that the index counts are events, and every other record is counted; of every eighth collection."""
    index = (shared_data / "tracebench" / "runs.csv").read_text(encoding="utf-8").splitlines()
    columns = index[0].split(",")
    named = {"create": "create", "addBlock": "add_block", "abandonBlock": "abandon_block", "complete": "complete"}
    for line in index[1::8]:
        row = dict(zip(columns, line.split(","), strict=True))
        (path,) = collections(row["run"])
        events: Counter[str] = Counter()
        records = 0
        for each in check_locally([path]).coverage.to_pylist():
            records += (
                each["count"] if os.fspath(each["file"]).endswith("event.csv.gz") and each["what"] != "remark" else 0
            )
            events.update({each["name"]: each["count"]} if each["what"] == "event" else {})
        found = {call: events[event] for call, event in named.items()}
        # One answer of the NameNode to complete is missing, and its client tells of it.
        found["complete"] -= row["run"].startswith("COM_Sin_Bug_rwrpc_3")
        assert found == {call: int(row[call]) for call in named}, row["run"]
        with gzip.open(path / "event.csv.gz") as lines:
            assert records == int(row["records"]) + 1 == sum(1 for _ in lines), row["run"]
