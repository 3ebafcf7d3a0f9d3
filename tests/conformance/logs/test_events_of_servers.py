"""Every event that the reference implementation can leave behind has a rule, and what real nodes tell is judged.

Simulated nodes and real processes are the same cores, so a simulated run stands for both. The names are looked for in
the source text, so that a new event without a rule is found before a run happens upon it.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import genstamp_dfs
from genstamp.events import Kind
from genstamp.logs.local import Checked, check_locally
from genstamp.logs.rules import BOOKS
from genstamp_dfs.events import Event, encode_lines
from genstamp_dfs.hdfs.messages.datanode_protocol import ReceivedStatus
from genstamp_dfs.hdfs.namenode.calls import CALLS
from genstamp_dfs.hdfs.protocol import NAMENODE
from genstamp_dfs.simulation.plan import PlanOptions
from genstamp_dfs.simulation.run import run_seed

CORES = Path(genstamp_dfs.__file__).parent / "hdfs"
RECORDERS = {"perform": "replica", "done": "replica", "refused": "replica", "_of_block": "block", "_of_file": "file"}
"""Methods that record an event, whose name is their first argument, and the kind of entity it is about."""

SOME_MINUTES = PlanOptions(safety_s=120, mean_disk_fault_s=40)


def strings(node: ast.AST) -> Iterator[str]:
    """The strings in an expression that can be names of events."""
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and each.value.replace("_", "").isalpha():
            yield each.value


def recorded(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Kind and name of the events that a module of the cores records by itself."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            kind = RECORDERS.get(node.func.attr)
            if kind is not None:
                yield from ((kind, name) for name in strings(node.args[0]))
            if node.func.attr == "_record":
                yield from (("block", name) for name in strings(node.args[0]))
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            target, value = node.targets[0].elts[0], node.value
            if isinstance(target, ast.Name) and target.id == "name" and isinstance(value, ast.Tuple):
                yield from (("replica", name) for name in strings(value.elts[0]))


def all_events() -> set[tuple[str, str]]:
    """Kind and name of every event of namenode, datanodes and clients."""
    found = {(call.kind, call.name) for call in CALLS.values()}
    found |= {("replica", f"block_{status.value}") for status in ReceivedStatus}
    found |= {("node", "namenode_restart"), ("file", "release_expired_lease")}
    found |= {(call.kind, "retry_cache_answers") for call in CALLS.values() if call.at_most_once}
    for path in [*(CORES / "datanode").glob("*.py"), *(CORES / "client").glob("*.py")]:
        found |= set(recorded(ast.parse(path.read_text())))
    return found


def has_rule(kind: str, event: str) -> bool:
    """Whether a rule says what the event means for the entity that it names, or for others that it concerns."""
    kinds: list[Kind] = ["file", "block", "replica", "lease", "node"]
    own = [each for each in kinds if each == kind]
    return any(rule.event == event for each in own for rule in BOOKS[each].rules)


def check(directory: Path, events: list[Event]) -> Checked:
    """What the judge of logs says of a run whose nodes have a file each."""
    for node in {event.node for event in events}:
        lines = encode_lines(event for event in events if event.node == node)
        (directory / f"{node}.jsonl").write_bytes(lines)
    return check_locally(sorted(directory.iterdir()))


@pytest.mark.slow
def test_every_event_has_a_rule() -> None:
    assert [event for event in sorted(all_events()) if not has_rule(*event)] == []


@pytest.mark.slow
def test_no_event_of_a_run_was_overlooked_in_the_source_text() -> None:
    """Else the test above would prove nothing."""
    seen = {(event.kind, event.event) for seed in range(8) for event in run_seed(seed, options=SOME_MINUTES).events}
    assert seen <= all_events()
    assert len(seen) > 30


@pytest.mark.parametrize("seed", range(3))
def test_a_run_of_whole_nodes_is_conformant(tmp_path: Path, seed: int) -> None:
    checked = check(tmp_path, list(run_seed(seed, options=SOME_MINUTES).events))
    verdicts = checked.verdicts.to_pylist()
    assert checked.rejects.num_rows == 0
    assert {row["kind"] for row in verdicts} == {"file", "block", "replica", "lease", "node"}
    assert [row for row in verdicts if row["safety"] != "conformant"] == []


def test_a_pipeline_under_an_old_stamp_is_noticed(tmp_path: Path) -> None:
    events = [event for event in run_seed(2).events if event.node == NAMENODE]
    index, event = next((index, event) for index, event in enumerate(events) if event.event == "update_pipeline")
    events[index] = msgspec.structs.replace(event, generation_stamp=1000)
    rows = check(tmp_path, events).verdicts.to_pylist()
    (violated,) = [row for row in rows if row["safety"] == "violated" and row["kind"] == "block"]
    assert (violated["entity"], violated["rejected_event"]) == (event.entity, "update_pipeline")
    assert violated["failed"].startswith("generation stamp 1000 is not above")
