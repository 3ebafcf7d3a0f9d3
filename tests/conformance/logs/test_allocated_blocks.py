"""Edit logs in which a block id is given out twice, a block is in two places, or it loses bytes, are violated."""

from pathlib import Path

import pytest
from tests.conformance.logs.test_edit_replay import block

from genstamp.logs.alone import check_alone
from genstamp.logs.readers.edit_ops import LoggedBlock
from genstamp.logs.run import Options

FIRST = 1073741825
NOT_NEW = ("node", "the block id is not above the last that was allocated")
NOT_GRANTED = ("node", "generation stamp 1001 is above 1000")
TWICE = ("file", "list_block_twice is no step of a file that is under construction")


def allocate(number: int) -> str:
    return f"OP_ALLOCATE_BLOCK_ID<BLOCK_ID>{number}</BLOCK_ID>"


def of_file(name: str, *blocks: LoggedBlock) -> str:
    """An operation of the one file, as the viewer of edits writes it."""
    told = "".join(
        f"<BLOCK><BLOCK_ID>{one.block_id}</BLOCK_ID><NUM_BYTES>{one.num_bytes}</NUM_BYTES>"
        f"<GENSTAMP>{one.generation_stamp}</GENSTAMP></BLOCK>"
        for one in blocks
    )
    return f"{name}<PATH>/f</PATH><INODEID>16386</INODEID><CLIENT_NAME>DFSClient_1</CLIENT_NAME>{told}"


def granted(stamp: int) -> str:
    return f"OP_SET_GENSTAMP_V2<GENSTAMPV2>{stamp}</GENSTAMPV2>"


def never(event: str, state: str = "under construction") -> list[tuple[str, str]]:
    return [("file", f"{event} is no step of a file that is {state}")]


OPENED = ("OP_START_LOG_SEGMENT", of_file("OP_ADD"))
ONE = (*OPENED, allocate(FIRST), granted(1001), of_file("OP_ADD_BLOCK", block(FIRST)))
CLOSED = of_file("OP_CLOSE", block(FIRST, 5))


@pytest.mark.parametrize(
    ("operations", "found"),
    [
        ((*ONE, CLOSED), []),
        ((*ONE, allocate(FIRST + 1), allocate(FIRST + 3), CLOSED), []),
        ((*ONE, allocate(FIRST), CLOSED), [NOT_NEW]),
        ((*ONE, allocate(FIRST - 1), CLOSED), [NOT_NEW]),
        ((*ONE, allocate(-32), allocate(-16), CLOSED), []),
        ((*ONE, allocate(-32), allocate(-32), CLOSED), [NOT_NEW]),
        ((*ONE, of_file("OP_CLOSE", block(FIRST, 5), block(FIRST, 5))), [TWICE]),
    ],
)
def test_block_id_is_given_out_once(tmp_path: Path, operations: tuple[str, ...], found: list[tuple[str, str]]) -> None:
    assert findings(tmp_path, operations) == found


SYNCED = of_file("OP_UPDATE_BLOCKS", block(FIRST, 5))


@pytest.mark.parametrize(
    ("operations", "found"),
    [
        ((*ONE, SYNCED, of_file("OP_CLOSE", block(FIRST, 5))), []),
        ((*ONE, SYNCED, of_file("OP_CLOSE", block(FIRST, 7))), []),
        ((*ONE, SYNCED, of_file("OP_CLOSE", block(FIRST, 3))), [("block", "num bytes 3 is not 5")]),
        ((*ONE, SYNCED, granted(1002), of_file("OP_CLOSE", block(FIRST, 3, 1002))), []),
    ],
)
def test_only_a_recovery_cuts_a_block(
    tmp_path: Path, operations: tuple[str, ...], found: list[tuple[str, str]]
) -> None:
    """A recovery gives the block a new stamp; its writer commits no less than it has synced."""
    assert findings(tmp_path, operations) == found


@pytest.mark.parametrize(
    ("closing", "found"),
    [(("OP_CLOSE",), []), ((), [("file", "concat is no step of a file that is under construction")])],
)
def test_what_is_concatenated_is_closed(tmp_path: Path, closing: tuple[str, ...], found: list[tuple[str, str]]) -> None:
    """FSDirConcatOp#verifySrcFiles refuses a source that is under construction."""
    source = "<PATH>/g</PATH><INODEID>16387</INODEID><CLIENT_NAME>DFSClient_1</CLIENT_NAME>"
    concat = "OP_CONCAT_DELETE<TRG>/f</TRG><SOURCES><SOURCE1>/g</SOURCE1></SOURCES>"
    operations = (*ONE, CLOSED, f"OP_ADD{source}", *(f"{name}{source}" for name in closing), concat)
    assert findings(tmp_path, operations) == found


def findings(directory: Path, operations: tuple[str, ...], layout: int = -66, first: int = 1) -> list[tuple[str, str]]:
    """Kind and reason of what an edit log of these operations violates."""
    records = []
    for txid, one in enumerate(operations, first):
        name, _, data = one.partition("<")
        data = f"<{data}" if data else ""
        records.append(f"<RECORD><OPCODE>{name}</OPCODE><DATA><TXID>{txid}</TXID>{data}</DATA></RECORD>")
    (directory / "edits.xml").write_text(f"<EDITS><EDITS_VERSION>{layout}</EDITS_VERSION>{''.join(records)}</EDITS>")
    report = check_alone([directory / "edits.xml"], Options())
    assert not report.rejects
    return [(one.kind, one.failed) for one in report.findings]


@pytest.mark.parametrize(
    ("operations", "found"),
    [
        (
            (
                *ONE,
                allocate(FIRST + 1),
                granted(1002),
                of_file("OP_ADD_BLOCK", block(FIRST, 5), block(FIRST + 1, 0, 1002)),
            ),
            [],
        ),
        # From the first transaction on every grant is in the log.
        ((*OPENED, of_file("OP_ADD_BLOCK", block(FIRST))), [*never("add_block_of_another_id"), NOT_GRANTED]),
        (
            (*OPENED, allocate(FIRST), of_file("OP_ADD_BLOCK", block(FIRST))),
            [*never("add_block_under_another_stamp"), NOT_GRANTED],
        ),
        ((*OPENED, granted(1001), of_file("OP_ADD_BLOCK", block(FIRST))), never("add_block_of_another_id")),
        (
            (*OPENED, allocate(FIRST), granted(1001), of_file("OP_ADD_BLOCK", block(FIRST, 0, 500))),
            never("add_block_under_another_stamp"),
        ),
        (
            (*ONE, allocate(FIRST + 1), granted(1002), of_file("OP_ADD_BLOCK", block(FIRST, 5), block(FIRST + 1))),
            never("add_block_under_another_stamp"),
        ),
        (
            (*ONE, granted(1002), of_file("OP_ADD_BLOCK", block(FIRST, 5), block(FIRST + 1, 0, 1002))),
            never("add_block_of_another_id"),
        ),
        (
            (*OPENED, of_file("OP_UPDATE_BLOCKS", block(FIRST, 5))),
            [*never("list_block_never_added"), NOT_GRANTED],
        ),
        ((*OPENED, CLOSED), [("block", "close is no step of a block that is absent"), NOT_GRANTED]),
    ],
)
def test_a_block_is_added_with_what_was_granted_for_it(
    tmp_path: Path, operations: tuple[str, ...], found: list[tuple[str, str]]
) -> None:
    """BlockManager#createNewBlock takes id and stamp under the lock that OP_ADD_BLOCK is written under."""
    assert findings(tmp_path, operations) == found


EMPTY = (*OPENED, of_file("OP_CLOSE"))
DELETED = (*EMPTY, "OP_DELETE<PATH>/f</PATH>")
OTHER = "OP_ADD<PATH>/f</PATH><INODEID>16387</INODEID><CLIENT_NAME>DFSClient_1</CLIENT_NAME>"
RENAME = "OP_RENAME_OLD<SRC>{}</SRC><DST>{}</DST>"


@pytest.mark.parametrize(
    ("operations", "found"),
    [
        (DELETED, []),
        ((*DELETED, OTHER, "OP_DELETE<PATH>/f</PATH>"), []),
        ((*DELETED, "OP_MKDIR<PATH>/f</PATH>", "OP_DELETE<PATH>/f</PATH>"), []),
        ((*DELETED, RENAME.format("/d", "/f"), "OP_DELETE<PATH>/f</PATH>"), []),
        ((*DELETED, "OP_DELETE<PATH>/f</PATH>"), never("delete", "deleted")),
        ((*DELETED, RENAME.format("/f", "/g")), never("rename", "deleted")),
        # HDFS-6825: a block that is removed late closes a file that has gone with its directory.
        (
            tuple(one.replace("/f<", "/d/f<") for one in (*OPENED, "OP_DELETE<PATH>/d</PATH>", of_file("OP_CLOSE"))),
            never("close", "deleted"),
        ),
        ((*DELETED, of_file("OP_APPEND")), never("append", "deleted")),
    ],
)
def test_nothing_happens_to_a_deleted_file(
    tmp_path: Path, operations: tuple[str, ...], found: list[tuple[str, str]]
) -> None:
    assert findings(tmp_path, operations) == found


@pytest.mark.parametrize(("first", "layout", "safety"), [(1, -47, "violated"), (7, -47, "conformant")])
def test_stamp_of_a_block_was_granted_where_the_log_begins_with_its_namespace(
    tmp_path: Path, first: int, layout: int, safety: str
) -> None:
    """Layouts before OP_ADD_BLOCK show a block in a list, and its grant as all others do."""
    operations = (*OPENED, of_file("OP_UPDATE_BLOCKS", block(FIRST)), CLOSED)
    assert {kind for kind, _ in findings(tmp_path, operations, layout=layout, first=first)} == (
        {"node"} if safety == "violated" else set()
    )
