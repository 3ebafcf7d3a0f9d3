"""Edit logs, binary and XML: the same operations, the same events; and what is wrong with a damaged one."""

import csv
import shutil
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from genstamp.logs.local import Checked, check_locally
from genstamp.logs.readers import edit_binary, edit_xml
from genstamp.logs.readers.edit_codec import Cursor
from genstamp.logs.readers.edit_ops import EditOp
from genstamp.logs.streams import DamagedSourceError, Stream


def _operations(path: Path) -> list[EditOp]:
    reader = edit_xml if path.suffix == ".xml" else edit_binary
    with Stream(path) as stream:
        return list(reader.operations(stream))


def _events(checked: Checked) -> list[dict[str, Any]]:
    """Without where they were read."""
    rows: list[dict[str, Any]] = checked.events.drop_columns(["place", "namespace"]).to_pylist()
    return rows


def _reasons(checked: Checked) -> list[str]:
    return [row["reason"] for row in checked.rejects.to_pylist()]


def _pairs(data: Path) -> Iterator[tuple[str, Path, Path]]:
    with (data / "edits_stored" / "index.csv").open(encoding="utf-8") as index:
        for row in csv.DictReader(index):
            folder = data / "edits_stored" / row["name"]
            yield row["pair"], next(p for p in folder.iterdir() if p.suffix != ".xml"), folder / "editsStored.xml"


def test_binary_and_xml_hold_the_same_events(edits: Path) -> None:
    binary, xml = check_locally([edits / "editsStored"]), check_locally([edits / "editsStored.xml"])
    assert _events(binary) == _events(xml)
    assert binary.rejects.num_rows == xml.rejects.num_rows == 0


def test_every_operation_is_an_event_or_counted(edits: Path) -> None:
    checked = check_locally([edits / "editsStored"])
    told = {int(dict(event["arguments"])["txid"]) for event in checked.events.to_pylist()}
    counted = sum(row["count"] for row in checked.coverage.to_pylist() if row["what"] == "line")
    assert len(told) + counted == len(_operations(edits / "editsStored")) == 121


def test_edit_log_that_is_whole_conforms_and_is_complete(edits: Path) -> None:
    verdicts = check_locally([edits / "editsStored"], complete=True).verdicts.to_pylist()
    assert {row["safety"] for row in verdicts} == {"conformant"}
    assert {row["completion"] for row in verdicts if row["kind"] in ("file", "block")} == {"complete"}


@pytest.mark.slow
def test_every_pair_of_hadoops_history_is_read(shared_data: Path) -> None:
    """Of those whose binary and XML belong together, all events are the same; none is violated, none rejected."""
    for pair, binary, xml in _pairs(shared_data):
        from_binary = check_locally([binary], complete=True)
        assert from_binary.rejects.num_rows == 0, binary
        assert {row["safety"] for row in from_binary.verdicts.to_pylist()} == {"conformant"}, binary
        if pair != "mismatch":
            assert _events(from_binary) == _events(check_locally([xml])), binary


def test_pair_that_does_not_belong_together_differs(shared_data: Path) -> None:
    mismatches = [(binary, xml) for pair, binary, xml in _pairs(shared_data) if pair == "mismatch"]
    assert len(mismatches) == 3
    for binary, xml in mismatches:
        assert _events(check_locally([binary])) != _events(check_locally([xml]))


def test_transaction_that_comes_twice_is_rejected(shared_data: Path) -> None:
    """One of the XML files was merged by hand, and holds transaction 6 twice."""
    merged = next(xml for pair, _, xml in _pairs(shared_data) if pair == "mismatch" and "lv51" in str(xml))
    assert _reasons(check_locally([merged])) == ["transaction 6 follows 6, expected was 7"]


@pytest.mark.parametrize("position", [50, 720, 5000])
def test_wrong_byte_is_found_by_its_checksum(edits: Path, tmp_path: Path, position: int) -> None:
    content = bytearray((edits / "editsStored").read_bytes())
    content[position] ^= 0x20
    (tmp_path / "edits").write_bytes(content)
    checked = check_locally([tmp_path / "edits"])
    (reason,) = _reasons(checked)
    assert "the checksum of OP_" in reason and "nothing after it was read" in reason
    whole = _events(check_locally([edits / "editsStored"]))
    assert _events(checked) == whole[: checked.events.num_rows] != whole


def test_edit_log_that_ends_inside_a_record_is_told(edits: Path, tmp_path: Path) -> None:
    (tmp_path / "edits").write_bytes((edits / "editsStored").read_bytes()[:4000])
    (reason,) = _reasons(check_locally([tmp_path / "edits"]))
    assert "the file ends inside a record" in reason


@pytest.mark.parametrize("version", [-7, -23, -68, -99])
def test_layout_version_that_is_not_known_is_told(edits: Path, tmp_path: Path, version: int) -> None:
    (tmp_path / "edits").write_bytes(struct.pack(">i", version) + (edits / "editsStored").read_bytes()[4:])
    assert _reasons(check_locally([tmp_path / "edits"])) == [
        f"layout version {version} is not supported; supported are -24 to -67"
    ]


@pytest.mark.parametrize("version", [-31, -32, -33, -41])
def test_versions_of_branches_have_records_of_the_version_that_they_left(tmp_path: Path, version: int) -> None:
    """Hadoop 1 wrote -32 and has no checksums, which trunk had since -28."""
    record = b"\x0a" + struct.pack(">q", 1001)
    (tmp_path / "edits").write_bytes(struct.pack(">i", version) + record + b"\xff" + bytes(100))
    (operation,) = _operations(tmp_path / "edits")
    assert (operation.name, operation.number, operation.txid) == ("OP_SET_GENSTAMP_V1", 1001, None)


@pytest.mark.parametrize("version", [-24, -27, -31, -33, -41])
def test_message_has_the_layout_version_that_the_file_has(tmp_path: Path, version: int) -> None:
    (tmp_path / "edits").write_bytes(struct.pack(">i", version) + bytes([77]) + bytes(20))
    (reason,) = _reasons(check_locally([tmp_path / "edits"]))
    assert f"opcode 77 of layout version {version} is not known" in reason


def test_xml_of_a_branch_is_of_the_version_that_it_left(edits: Path, tmp_path: Path) -> None:
    text = (edits / "editsStored.xml").read_text(encoding="utf-8")
    (tmp_path / "edits.xml").write_text(text.replace(">-64<", ">-41<"), encoding="utf-8")
    assert {operation.layout_version for operation in _operations(tmp_path / "edits.xml")} == {-24}


def test_length_that_cannot_be_is_told_before_it_is_read(edits: Path, tmp_path: Path) -> None:
    content = bytearray((edits / "editsStored").read_bytes())
    content[9:13] = struct.pack(">i", 2**31 - 1)
    (tmp_path / "edits").write_bytes(content)
    (reason,) = _reasons(check_locally([tmp_path / "edits"]))
    assert "has a length of 2147483647 bytes" in reason


def test_bytes_after_the_end_that_are_no_padding_are_told(edits: Path, tmp_path: Path) -> None:
    content = (edits / "editsStored").read_bytes().rstrip(b"\xff")
    (tmp_path / "padded").write_bytes(content + b"\xff" * 100_000 + bytes(100))
    assert _reasons(check_locally([tmp_path / "padded"])) == []
    (tmp_path / "edits").write_bytes(content + b"\xff" * 100_000 + b"junk")
    (reason,) = _reasons(check_locally([tmp_path / "edits"]))
    assert "bytes other than padding follow the end of the log" in reason


def test_gap_in_the_transactions_contradicts_a_whole_log(edits: Path, tmp_path: Path) -> None:
    text = (edits / "editsStored.xml").read_text(encoding="utf-8")
    record = text[text.index("<RECORD>", 20_000) :]
    (tmp_path / "edits.xml").write_text(text.replace(record[: record.index("</RECORD>") + 9], ""), encoding="utf-8")
    assert _reasons(check_locally([tmp_path / "edits.xml"])) == []
    (reason,) = _reasons(check_locally([tmp_path / "edits.xml"], complete=True))
    assert "so 1 are missing from a log said to be complete" in reason


ENTITIES = """<?xml version="1.0"?>
<!DOCTYPE EDITS [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<EDITS><EDITS_VERSION>-64</EDITS_VERSION><RECORD><OPCODE>&b;</OPCODE><DATA/></RECORD></EDITS>"""

EXTERNAL = """<?xml version="1.0"?>
<!DOCTYPE EDITS [<!ENTITY x SYSTEM "file:///etc/hostname">]>
<EDITS><EDITS_VERSION>-64</EDITS_VERSION><RECORD><OPCODE>&x;</OPCODE><DATA/></RECORD></EDITS>"""


TYPED = """<?xml version="1.0"?>
<!DOCTYPE EDITS SYSTEM "edits.dtd">
<EDITS><EDITS_VERSION>-64</EDITS_VERSION></EDITS>"""


@pytest.mark.parametrize(
    "text", [ENTITIES, EXTERNAL, TYPED], ids=["billion laughs", "external entity", "document type"]
)
def test_xml_with_entities_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "edits.xml").write_text(text, encoding="utf-8")
    checked = check_locally([tmp_path / "edits.xml"])
    (reason,) = _reasons(checked)
    assert "XML is refused because it declares" in reason
    assert checked.events.num_rows == 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<EDITS><EDITS_VERSION>-64</EDITS_VERSION><RECORD>", "XML is not well-formed"),
        ("<?xml version='1.0'?><html><body/></html>", "the root of the document is <html>"),
        ("<?xml version='1.0'?>", "XML is not well-formed"),
        ("<EDITS><RECORD><OPCODE>OP_ADD</OPCODE><DATA/></RECORD></EDITS>", "<EDITS_VERSION> is missing"),
        ("<EDITS><EDITS_VERSION>-64</EDITS_VERSION><RECORD/></EDITS>", "needs <OPCODE> and <DATA>"),
        ("<EDITS>" + "<a>" * 100_000, "more than 20 deep"),
        ("<EDITS><EDITS_VERSION>-70</EDITS_VERSION></EDITS>", "layout version '-70' is not supported"),
        (
            "<EDITS><EDITS_VERSION>-64</EDITS_VERSION><RECORD><OPCODE>OP_SET_GENSTAMP_V2</OPCODE>"
            "<DATA><TXID>9999999999999999999999</TXID></DATA></RECORD></EDITS>",
            "instead of a number",
        ),
        (
            "<EDITS><EDITS_VERSION>-64</EDITS_VERSION><RECORD><OPCODE>OP_CLOSE</OPCODE>"
            "<DATA><PATH>/f</PATH><BLOCK><BLOCK_ID>1</BLOCK_ID></BLOCK></DATA></RECORD></EDITS>",
            "a <BLOCK> without id, length or stamp",
        ),
    ],
)
def test_xml_that_is_no_edit_log_is_told(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "edits.xml").write_text(text, encoding="utf-8")
    (found,) = _reasons(check_locally([tmp_path / "edits.xml"]))
    assert reason in found


def test_characters_that_xml_cannot_hold_come_back(tmp_path: Path) -> None:
    """The viewer writes them as a backslash, four hexadecimal digits and a semicolon."""
    (tmp_path / "edits.xml").write_text(
        "<EDITS><EDITS_VERSION>-64</EDITS_VERSION><RECORD><OPCODE>OP_DELETE</OPCODE><DATA><TXID>1</TXID>"
        "<PATH>/a\\0001;b\\005c;c\\d800;</PATH></DATA></RECORD></EDITS>",
        encoding="utf-8",
    )
    assert [op.path for op in _operations(tmp_path / "edits.xml")] == ["/a\x01b\\c\\x00\\xd8"]


def test_segments_of_one_log_are_read_in_the_order_of_their_transactions(edits: Path, tmp_path: Path) -> None:
    """A file keeps its key from one segment to the next; the name of a segment says nothing about the order."""
    text = (edits / "editsStored.xml").read_text(encoding="utf-8")
    begin, version = text[: text.index("  <RECORD>")], text.count("<RECORD>")
    assert version == 121
    middle = text.index("  <RECORD>", text.index("<TXID>60</TXID>"))
    (tmp_path / "edits_2").write_text(text[:middle] + "</EDITS>", encoding="utf-8")
    (tmp_path / "edits_1").write_text(begin + text[middle:], encoding="utf-8")
    assert _events(check_locally([tmp_path])) == _events(check_locally([edits / "editsStored.xml"]))


def _log(version: int, *records: bytes) -> bytes:
    """A log of a layout with checksums and without lengths."""
    content = struct.pack(">i", version)
    for number, record in enumerate(records, 1):
        txid = struct.pack(">q", number) if version <= -37 else b""
        framed = record[:1] + txid + record[1:]
        content += framed + struct.pack(">I", zlib.crc32(framed))
    return content + b"\xff" * 16


def test_record_that_is_not_decoded_is_skipped_by_its_checksum(tmp_path: Path) -> None:
    """Layouts -28 to -55 have no lengths; an operation that tells of nothing here may hold anything."""
    strange = bytes([43]) + bytes(range(200))
    stamp = bytes([31]) + struct.pack(">q", 1005)
    (tmp_path / "edits").write_bytes(_log(-51, strange, stamp)[:4] + bytes(4) + _log(-51, strange, stamp)[4:])
    assert [(op.txid, op.name, op.number) for op in _operations(tmp_path / "edits")] == [
        (1, "OP_SET_XATTR", 0),
        (2, "OP_SET_GENSTAMP_V2", 1005),
    ]


def test_record_without_an_end_is_told(tmp_path: Path) -> None:
    content = bytearray(_log(-49, bytes([43]) + bytes(200)))
    content[-20] ^= 1
    (tmp_path / "edits").write_bytes(content)
    with pytest.raises(DamagedSourceError, match="no checksum was found for OP_SET_XATTR"):
        _operations(tmp_path / "edits")


@pytest.mark.parametrize("number", [0, 1, -1, 127, -112, -113, 128, 255, -129, 2**31, -(2**31), 2**63 - 1, -(2**63)])
def test_number_of_variable_length_is_read(number: int) -> None:
    """WritableUtils#writeVLong: small numbers in one byte, else the number of bytes first."""
    if -112 <= number <= 127:
        data = struct.pack(">b", number)
    else:
        magnitude = ~number if number < 0 else number
        length = (magnitude.bit_length() + 7) // 8
        data = struct.pack(">b", (-120 if number < 0 else -112) - length) + magnitude.to_bytes(length, "big")
    assert Cursor(data, 0, len(data), -64).vlong() == number


def test_pair_in_the_repository_is_hadoops(edits: Path, shared_data: Path) -> None:
    stored = next(binary for _, binary, _ in _pairs(shared_data) if "67662e2ac9" in str(binary))
    for name in ("editsStored", "editsStored.xml"):
        assert (edits / name).read_bytes() == (stored.parent / name).read_bytes()


def test_compressed_edit_log_is_read(edits: Path, tmp_path: Path) -> None:
    import gzip

    with (edits / "editsStored").open("rb") as plain, gzip.open(tmp_path / "edits", "wb") as packed:
        shutil.copyfileobj(plain, packed)
    assert _events(check_locally([tmp_path / "edits"])) == _events(check_locally([edits / "editsStored"]))


def test_record_with_more_elements_than_a_record_has_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edit_xml, "ELEMENTS_MAX", 1_000)
    record = "<RECORD><OPCODE>OP_MKDIR</OPCODE><DATA><TXID>{}</TXID>{}</DATA></RECORD>"
    content = "".join(record.format(txid, "<A/>" * (900 if txid < 4 else 1_000)) for txid in range(1, 5))
    (tmp_path / "edits.xml").write_text(f"<EDITS><EDITS_VERSION>-64</EDITS_VERSION>{content}</EDITS>", encoding="utf-8")
    checked = check_locally([tmp_path / "edits.xml"])
    assert _reasons(checked) == ["a record has more than 1000 elements"]
    assert sum(row["count"] for row in checked.coverage.to_pylist()) == 3


@pytest.mark.parametrize("encoding", ["x-none", "UTF-32"])
def test_xml_of_an_encoding_that_is_not_read_is_told(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "edits.xml").write_text(f'<?xml version="1.0" encoding="{encoding}"?><EDITS></EDITS>', encoding="utf-8")
    (reason,) = _reasons(check_locally([tmp_path / "edits.xml"]))
    assert "XML has an unsupported encoding" in reason or "not well-formed" in reason
