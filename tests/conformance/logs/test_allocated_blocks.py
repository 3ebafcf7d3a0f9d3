"""A block id is given out once, and a block is in one place of one file: edit logs that say otherwise are violated."""

from pathlib import Path

import pytest
from tests.conformance.logs.test_edit_replay import block

from genstamp.logs.alone import check_alone
from genstamp.logs.readers.edit_ops import LoggedBlock
from genstamp.logs.run import Options

FIRST = 1073741825
NOT_NEW = ("node", "the block id is not above the last that was allocated")
NOT_ALLOCATED = ("node", "the block id is above the last that was allocated")
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


ONE = ("OP_START_LOG_SEGMENT", of_file("OP_ADD"), allocate(FIRST), of_file("OP_ADD_BLOCK", block(FIRST)))
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
        ((*ONE, of_file("OP_ADD_BLOCK", block(FIRST, 5), block(FIRST + 1))), [NOT_ALLOCATED]),
        ((*ONE, of_file("OP_CLOSE", block(FIRST, 5), block(FIRST, 5))), [TWICE]),
    ],
)
def test_block_id_is_given_out_once(tmp_path: Path, operations: tuple[str, ...], found: list[tuple[str, str]]) -> None:
    records = []
    for txid, one in enumerate(operations, 1):
        name, _, data = one.partition("<")
        data = f"<{data}" if data else ""
        records.append(f"<RECORD><OPCODE>{name}</OPCODE><DATA><TXID>{txid}</TXID>{data}</DATA></RECORD>")
    (tmp_path / "edits.xml").write_text(f"<EDITS><EDITS_VERSION>-66</EDITS_VERSION>{''.join(records)}</EDITS>")
    report = check_alone([tmp_path / "edits.xml"], Options())
    assert not report.rejects
    assert [(one.kind, one.failed) for one in report.findings] == found


def test_operation_that_is_not_known_is_told(tmp_path: Path) -> None:
    text = "<RECORD><OPCODE>OP_NEW</OPCODE><DATA><TXID>1</TXID></DATA></RECORD>"
    (tmp_path / "edits.xml").write_text(f"<EDITS><EDITS_VERSION>-66</EDITS_VERSION>{text}</EDITS>")
    report = check_alone([tmp_path / "edits.xml"], Options())
    assert (report.safety, len(report.rejects)) == ("undetermined", 1)
    assert report.rejects[0].endswith("edits.xml:1: operation OP_NEW is not known")
