"""A NameNode of HDFS that has started grants stamps again: a known hole, told apart from edits that contradict
themselves.
"""

from pathlib import Path

import pytest

from genstamp.logs.alone import check_alone
from genstamp.logs.run import Options

START = "OP_START_LOG_SEGMENT"
CREATE = "OP_ADD"
BLOCK = "OP_ADD_BLOCK"
USED = (START, CREATE, 1001, BLOCK)
"""Stamp 1001 is granted and becomes that of a block."""

NOT_ABOVE = "generation stamp {} is not above {}"
AGAIN = "the stamp was granted before the NameNode started: known hole stamp-granted-twice"
PATH = "<PATH>/f</PATH><INODEID>16386</INODEID><CLIENT_NAME>DFSClient_1</CLIENT_NAME>"


def _record(txid: int, operation: str | int) -> str:
    """A stamp is granted, or an operation of the one file."""
    data = {
        START: "",
        CREATE: PATH,
        BLOCK: f"{PATH}<BLOCK><BLOCK_ID>1</BLOCK_ID><NUM_BYTES>0</NUM_BYTES><GENSTAMP>1001</GENSTAMP></BLOCK>",
    }
    name, fields = (
        (operation, data[operation])
        if isinstance(operation, str)
        else ("OP_SET_GENSTAMP_V2", f"<GENSTAMPV2>{operation}</GENSTAMPV2>")
    )
    return f"<RECORD><OPCODE>{name}</OPCODE><DATA><TXID>{txid}</TXID>{fields}</DATA></RECORD>"


def _found(
    place: Path, *operations: str | int | None, layout: int = -66, first: int = 1, options: Options | None = None
) -> tuple[list[str], list[str]]:
    """Why the counter of stamps is violated, and what is noted, for operations of which None is missing."""
    records = [_record(txid, one) for txid, one in enumerate(operations, first) if one is not None]
    text = f"<EDITS><EDITS_VERSION>{layout}</EDITS_VERSION>{''.join(records)}</EDITS>"
    (place / "edits.xml").write_text(text, encoding="utf-8")
    report = check_alone([place / "edits.xml"], options or Options())
    assert not report.rejects
    violated = [each.failed for each in report.findings if each.kind == "node" and each.safety == "violated"]
    return violated, [note for _, note in report.notes]


def _note(txid: int, stamp: int, before: str) -> str:
    told = f"transaction {txid} grants generation stamp {stamp} again, which {before} granted"
    return f"known hole stamp-granted-twice: {told}"


@pytest.mark.parametrize("complete", [False, True])
def test_stamps_that_no_block_has_are_granted_again_after_a_start(tmp_path: Path, complete: bool) -> None:
    found = _found(tmp_path, *USED, 1002, 1003, START, 1002, 1003, 1004, options=Options(complete))
    assert found == ([], [_note(8, 1002, "transaction 5"), _note(9, 1003, "transaction 6")])


def test_repaired_namenode_grants_no_stamp_again(tmp_path: Path) -> None:
    found = _found(tmp_path, *USED, 1002, START, 1002, options=Options(semantics="repaired"))
    assert found == ([AGAIN], [_note(7, 1002, "transaction 5")])


@pytest.mark.parametrize("semantics", ["hadoop-3.4", "repaired"])
@pytest.mark.parametrize(
    ("operations", "failed"),
    [
        ((*USED, 1002, 1003, 1002), NOT_ABOVE.format(1002, 1003)),
        ((*USED, 1002, START, 1003, 1002), NOT_ABOVE.format(1002, 1003)),
        ((*USED, 1002, START, 1001), NOT_ABOVE.format(1001, 1002)),
    ],
    ids=["no start between them", "a start before both", "stamp of a block"],
)  # fmt: skip
def test_edits_that_contradict_themselves_are_violated(
    tmp_path: Path, operations: tuple[str | int, ...], failed: str, semantics: str
) -> None:
    options = Options(semantics="repaired" if semantics == "repaired" else "hadoop-3.4")
    assert _found(tmp_path, *operations, options=options) == ([failed], [])


def test_counter_rises_from_where_it_fell_to(tmp_path: Path) -> None:
    found = _found(tmp_path, *USED, 1002, 1003, START, 1002, 1002)
    assert found == ([NOT_ABOVE.format(1002, 1003)], [_note(8, 1002, "transaction 5")])


def test_start_may_be_among_transactions_that_are_missing(tmp_path: Path) -> None:
    assert _found(tmp_path, *USED, 1002, None, 1002) == ([], [_note(7, 1002, "transaction 5")])


def test_start_before_hdfs_14941_restores_the_counter(tmp_path: Path) -> None:
    assert _found(tmp_path, *USED, 1002, START, 1002, layout=-62) == ([NOT_ABOVE.format(1002, 1002)], [])


def test_transaction_that_granted_first_may_be_before_the_log(tmp_path: Path) -> None:
    found = _found(tmp_path, 1005, START, 1004, first=20)
    assert found == ([], [_note(22, 1004, "a transaction that is not in this log")])


def test_only_the_first_are_told_one_by_one(tmp_path: Path) -> None:
    _, notes = _found(tmp_path, *range(1001, 1031), START, *range(1001, 1031))
    assert len(notes) == 21
    assert notes[-1] == "known hole stamp-granted-twice: more stamps are granted again"


@pytest.mark.parametrize("layout", [-51, -55, -60, -63, -66])
@pytest.mark.parametrize(
    ("operations", "first", "failed"),
    [
        ((START, CREATE, 999, 1000, BLOCK), 1, ["generation stamp 1001 is above 1000"]),
        ((START, CREATE, 1000, None, BLOCK), 1, []),
        ((START, CREATE, BLOCK, 1002), 20, []),
        ((START, CREATE, BLOCK, 1002), 1, ["generation stamp 1001 is above 1000"]),
        ((START, CREATE, 1000, 1001, BLOCK), 1, []),
    ],
    ids=["not granted", "a transaction is missing", "counter not known", "from transaction 1", "granted"],
)
def test_block_has_no_stamp_that_was_not_granted(
    tmp_path: Path, operations: tuple[str | int | None, ...], first: int, failed: list[str], layout: int
) -> None:
    assert _found(tmp_path, *operations, layout=layout, first=first)[0] == failed
