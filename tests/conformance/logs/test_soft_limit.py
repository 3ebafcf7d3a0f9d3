"""What calls do to another's file past its soft limit, and what a NameNode loses with its last edits, in whole logs."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from genstamp.logs.local import check_locally
from genstamp_dfs.events import Event, encode_lines
from genstamp_dfs.simulation.whole import run_whole

FIRST = "12"
Step = dict[str, Any]


def step(event: str, *, client: str = "client1", refused: str | None = None, **told: str | int) -> Step:
    """A call about /file, whose inode is 16386; the names of columns are columns, all others are observed."""
    columns: Step = {name: told.pop(name) for name in ("generation_stamp", "recovery_id", "num_bytes") if name in told}
    arguments = {"client": client, "file": "/file", "inode": "16386"}
    arguments |= {name: str(told.pop(name)) for name in ("block", "transaction", "holder") if name in told}
    return {
        "event": event,
        "refused_with": refused,
        "arguments": arguments,
        "observed": {name: str(value) for name, value in told.items()},
        **columns,
    }


CREATE = step("create", transaction=1)
ADD = step("add_block", block=FIRST, generation_stamp=1001, block_state="UNDER_CONSTRUCTION", transaction=2)
FSYNC = step("fsync", block=FIRST, generation_stamp=1001, num_bytes=100, transaction=3)
CLOSED = step("complete", block=FIRST, generation_stamp=1001, closed="true", block_state="COMPLETE", transaction=4)
STARTED = "RecoveryInProgressException"
EXISTS = "FileAlreadyExistsException"


def taking(call: str, recovery_id: int = 1002, **told: str) -> Step:
    return step(call, client="client2", refused=STARTED, block=FIRST, recovery_id=recovery_id, **told)


def commands(recovery_id: int = 1002) -> Step:
    return {
        "node": "datanode1",
        "kind": "block",
        "entity": FIRST,
        "event": "receive_recovery_command",
        "arguments": {"primary": "datanode1"},
        "recovery_id": recovery_id,
        "generation_stamp": 1001,
    }


def restart(transaction: int | None) -> Step:
    told = {} if transaction is None else {"transaction": str(transaction)}
    return {"kind": "node", "entity": "namenode", "event": "namenode_restart", "arguments": told}


def violated(directory: Path, steps: Iterable[Step]) -> list[tuple[str, str]]:
    """Kind and key of what a whole log of these steps violates; nothing of it may be undetermined or left out."""
    counts: dict[str, int] = {}
    events: list[Event] = []
    for one in steps:
        told = {"node": "namenode", "kind": "file", "entity": "/file", **one}
        counts[told["node"]] = counts.get(told["node"], 0) + 1
        events.append(
            Event(
                source="genstamp-dfs", node_sequence=counts[told["node"]], time_us=len(events), namespace="BP", **told
            )
        )
    (directory / "events.jsonl").write_bytes(encode_lines(events))
    checked = check_locally([directory], complete=True)
    rows = checked.verdicts.to_pylist()
    assert checked.rejects.num_rows == 0
    assert {row["safety"] for row in rows} <= {"conformant", "violated"}, rows
    return sorted((row["kind"], row["entity"]) for row in rows if row["safety"] == "violated")


CONFORMANT: dict[str, list[Step]] = {
    **{
        f"{call} is refused and has started a recovery": [CREATE, ADD, FSYNC, taking(call), commands()]
        for call in ("create", "append", "truncate")
    },
    "the file goes to the NameNode, whose lease it leaves when it is deleted": [
        CREATE,
        ADD,
        FSYNC,
        taking("append", new_holder="namenode"),
        commands(),
        step("delete", client="client3", answer="true"),
    ],
    "append closes the file and opens it": [
        CREATE,
        step("append", client="client2", closed_before="true"),
        step("add_block", client="client2", block=FIRST, generation_stamp=1001),
    ],
    "append closes the file, and what it is refused for comes later": [
        CREATE,
        step("append", client="client2", refused="IOException", closed_before="true"),
        step("append", client="client3"),
    ],
    "truncate closes the file, which has that length": [
        CREATE,
        step("truncate", client="client2", closed_before="true", answer="true"),
        step("create", client="client3", refused=EXISTS),
    ],
    "a truncate that changes nothing gives the file no holder": [
        CREATE,
        step("complete", closed="true"),
        step("truncate", client="client2", answer="true"),
        step("create", client="client3", refused=EXISTS),
    ],
    "a truncate to the length to which the file is being cut changes nothing": [
        CREATE,
        ADD,
        FSYNC,
        CLOSED,
        step("truncate", client="client2", block=FIRST, generation_stamp=1001, recovery_id=1002, answer="false"),
        step("truncate", client="client3", answer="false"),
        commands(),
    ],
    "an inode id comes again when its creation was lost": [CREATE, restart(0), CREATE, ADD],
    "a file is there again when its deletion was lost": [
        CREATE,
        step("complete", closed="true", transaction=2),
        step("delete", answer="true", transaction=3),
        restart(2),
        step("append", transaction=4),
    ],
    "a block is gone when its allocation was lost, and its stamp comes again": [
        CREATE,
        ADD,
        restart(1),
        {**ADD, "arguments": {**ADD["arguments"], "block": "13"}},
    ],
}

VIOLATED: dict[str, tuple[list[Step], tuple[str, str]]] = {
    "append starts a recovery under the block's own stamp": ([CREATE, ADD, taking("append", 1001)], ("block", FIRST)),
    "a refusal that started nothing leads to a recovery": (
        [CREATE, ADD, step("append", client="client2", refused="AlreadyBeingCreatedException"), commands()],
        ("block", FIRST),
    ),
    "append opens a file that nobody has closed": ([CREATE, step("append", client="client2")], ("file", "16386")),
    "truncate cuts a file that nobody has closed": (
        [CREATE, step("truncate", client="client2", answer="true")],
        ("file", "16386"),
    ),
    "a second truncate starts once more": (
        [
            CREATE,
            step("complete", closed="true"),
            step("truncate", client="client2", recovery_id=1002, answer="false"),
            step("truncate", client="client3", recovery_id=1003, answer="false"),
        ],
        ("file", "16386"),
    ),
    "an inode id comes again although its creation was kept": ([CREATE, restart(1), CREATE], ("file", "16386")),
    "a start that does not say what it has": ([CREATE, restart(None), CREATE], ("file", "16386")),
}


@pytest.mark.parametrize("name", CONFORMANT)
def test_it_conforms(tmp_path: Path, name: str) -> None:
    assert violated(tmp_path, CONFORMANT[name]) == []


@pytest.mark.parametrize("name", VIOLATED)
def test_what_looks_like_it_does_not(tmp_path: Path, name: str) -> None:
    steps, key = VIOLATED[name]
    assert key in violated(tmp_path, steps)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [28, 56, 69, 85, 87, 103, 286, 598])
def test_runs_that_were_called_violated_conform(tmp_path: Path, seed: int) -> None:
    (tmp_path / "events.jsonl").write_bytes(encode_lines(run_whole(seed).events))
    rows = check_locally([tmp_path], complete=True).verdicts.to_pylist()
    assert {row["safety"] for row in rows} == {"conformant"}
