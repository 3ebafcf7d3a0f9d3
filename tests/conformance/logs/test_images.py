"""Images in protobuf and as XML hold the same items; and what is wrong with a damaged one."""

import filecmp
import random
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conformance.logs.storage_directories import ImageFile, image

import genstamp
from genstamp.logs.local import check_locally
from genstamp.logs.readers import edit_xml, image_binary, image_xml
from genstamp.logs.readers.edit_ops import LoggedBlock
from genstamp.logs.readers.image import ImageCounters, ImageItem
from genstamp.logs.readers.image_pb2 import Summary
from genstamp.logs.streams import DamagedSourceError, Stream

BLOCK = LoggedBlock(1073741825, 5, 1001)
FILES = [ImageFile(16390, "/a/open", [BLOCK], "client_1"), ImageFile(16391, "/a/closed")]

XML = """<?xml version="1.0"?>
<fsimage><version><layoutVersion>-66</layoutVersion></version>
<NameSection><namespaceId>7</namespaceId><genstampV1>1000</genstampV1><genstampV2>1001</genstampV2>
<genstampV1Limit>0</genstampV1Limit><lastAllocatedBlockId>1073741825</lastAllocatedBlockId><txid>7</txid></NameSection>
<INodeSection><lastInodeId>16391</lastInodeId><numInodes>4</numInodes>
<inode><id>16385</id><type>DIRECTORY</type><name></name></inode>
<inode><id>20001</id><type>DIRECTORY</type><name>a</name></inode>
<inode><id>16390</id><type>FILE</type><name>open</name><blocks>
<block><id>1073741825</id><genstamp>1001</genstamp><numBytes>5</numBytes></block>
</blocks><file-under-construction><clientName>client_1</clientName><clientMachine>h</clientMachine>
</file-under-construction></inode>
<inode><id>16391</id><type>FILE</type><name>closed</name><blocks></blocks></inode>
</INodeSection>
<INodeReferenceSection></INodeReferenceSection><SnapshotSection><snapshotCounter>0</snapshotCounter></SnapshotSection>
<INodeDirectorySection><directory><parent>16385</parent><child>20001</child></directory>
<directory><parent>20001</parent><child>16390</child><child>16391</child></directory></INodeDirectorySection>
<FileUnderConstructionSection><inode><id>16390</id><path>/a/open</path></inode></FileUnderConstructionSection>
</fsimage>
"""


def _items(path: Path) -> list[ImageItem]:
    reader = image_xml if path.suffix == ".xml" else image_binary
    with Stream(path) as stream:
        return list(reader.items(stream))


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = tmp_path / "fsimage_7"
    path.write_bytes(image(FILES, txid=7, generation_stamp=1001))
    return path


def test_binary_and_xml_hold_the_same_items(stored: Path, tmp_path: Path) -> None:
    (tmp_path / "image.xml").write_text(XML, encoding="utf-8")
    binary, xml = _items(stored), _items(tmp_path / "image.xml")
    counters = binary.pop(0), xml.pop(0)
    assert [isinstance(each, ImageCounters) and (each.txid, each.generation_stamp) for each in counters] == [
        (7, 1001)
    ] * 2
    assert binary == xml and len(binary) == 7


@pytest.mark.slow
def test_images_of_hadoop_hold_the_same_items(shared_data: Path) -> None:
    """One namespace at two moments: nothing but the last transaction differs."""
    images = shared_data / "namenode_images"
    printed = images / "dynamometer_fsimage_0000000000000061740.xml"
    xml = _items(printed)
    binary = _items(images / "dynamometer_fsimage_0000000000000061740_hadoop_3_1")
    assert xml[1:] == binary[1:] and len(xml) == 331
    verdicts = check_locally(
        [images / "dynamometer_fsimage_0000000000000061740.xml"], complete=True
    ).verdicts.to_pylist()
    assert {row["safety"] for row in verdicts} == {"conformant"}
    assert sum(row["kind"] == "block" for row in verdicts) == 100


def _compressed(stored: bytes, codec: str) -> bytes:
    """The image with each section compressed."""
    (length,) = struct.unpack(">i", stored[-4:])
    position = len(stored) - 4 - length
    summary = Summary.FromString(stored[position + (1 if length < 129 else 2) : -4])
    content = bytearray(image_binary.MAGIC)
    for section in summary.sections:
        packed = zlib.compress(stored[section.offset : section.offset + section.length])
        section.offset, section.length = len(content), len(packed)
        content += packed
    summary.codec = codec
    told = summary.SerializeToString()
    prefix = bytes([len(told)]) if len(told) < 128 else bytes([len(told) & 0x7F | 0x80, len(told) >> 7])
    return bytes(content) + prefix + told + struct.pack(">i", len(prefix) + len(told))


def test_compressed_image_is_read(stored: Path) -> None:
    plain = _items(stored)
    stored.write_bytes(_compressed(stored.read_bytes(), "org.apache.hadoop.io.compress.DefaultCodec"))
    assert _items(stored) == plain


def test_codec_that_is_not_known_is_told(stored: Path) -> None:
    stored.write_bytes(_compressed(stored.read_bytes(), "org.apache.hadoop.io.compress.SnappyCodec"))
    with pytest.raises(DamagedSourceError, match="SnappyCodec"):
        _items(stored)


def _damaged(stored: bytes, seed: int) -> Iterator[bytes]:
    """The image cut at several places, and with bytes changed."""
    chance = random.Random(seed)
    for part in range(1, 20):
        yield stored[: len(stored) * part // 20]
    for _ in range(300):
        changed = bytearray(stored)
        for _ in range(chance.randint(1, 4)):
            changed[chance.randrange(8, len(changed))] = chance.randrange(256)
        yield bytes(changed)


@pytest.mark.slow
def test_damaged_image_is_read_or_told(stored: Path) -> None:
    rejected = 0
    for content in _damaged(stored.read_bytes(), seed=7):
        stored.write_bytes(content)
        try:
            _items(stored)
        except DamagedSourceError:
            rejected += 1
    assert rejected > 50


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (XML[:900], "XML is not well-formed"),
        ("<?xml version='1.0'?><!DOCTYPE fsimage [<!ENTITY a 'b'>]><fsimage/>", "XML is refused"),
        (XML.replace("<genstamp>1001", "<genstamp>many"), "item 3 has 'many' instead of a number"),
        (XML.replace("<numBytes>5</numBytes>", ""), "item 3 has no <numBytes> in <block>"),
        (XML.replace("<txid>7</txid>", ""), "no <txid>"),
        ("<a><fsimage/></a>", "the root of the document is <a>"),
    ],
)
def test_xml_that_is_no_image_is_told(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "image.xml").write_text(text, encoding="utf-8")
    (reject,) = check_locally([tmp_path]).rejects.to_pylist()
    assert reason in reject["reason"]


def test_module_is_the_one_that_the_messages_make(tmp_path: Path) -> None:
    generator = pytest.importorskip("genstamp.logs.readers.__main__")
    assert generator.generate(tmp_path) == 0
    readers = Path("genstamp") / "logs" / "readers"
    there = Path(genstamp.__file__).parent.parent / readers
    names = ["image_pb2.py", "image_pb2.pyi"]
    assert filecmp.cmpfiles(there, tmp_path / readers, names, shallow=False)[0] == names


def test_counters_with_more_elements_than_there_can_be_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are kept until their section ends, unlike the items of others."""
    monkeypatch.setattr(edit_xml, "ELEMENTS_MAX", 1_000)
    (tmp_path / "image.xml").write_text(XML.replace("<genstampV1>", "<a/>" * 1_000 + "<genstampV1>"), encoding="utf-8")
    with pytest.raises(DamagedSourceError, match="more than 1000 elements"):
        _items(tmp_path / "image.xml")


@pytest.mark.parametrize(
    ("files", "event"),
    [
        ([ImageFile(16390, "/a/one", [BLOCK]), ImageFile(16391, "/a/two", [BLOCK])], "take_block_of_another_file"),
        ([ImageFile(16390, "/a/one", [BLOCK, BLOCK])], "list_block_twice"),
    ],
)
def test_block_that_is_listed_twice_is_a_violation(tmp_path: Path, files: list[ImageFile], event: str) -> None:
    (tmp_path / "fsimage_7").write_bytes(image(files, txid=7, generation_stamp=1001))
    rows = check_locally([tmp_path / "fsimage_7"]).verdicts.to_pylist()
    assert [row["rejected_event"] for row in rows if row["safety"] == "violated"] == [event]


@pytest.mark.parametrize(
    ("stored", "changed", "found"),
    [
        (
            "<genstampV2>1001<",
            "<genstampV2>1000<",
            ("node", "stamp_above_counter is no step of a node that is running"),
        ),
        ("<id>16391</id>", "<id>16390</id>", ("file", "list_inode_twice is no step of a file that is {}")),
    ],
    ids=["stamp above the counter", "inode listed twice"],
)
def test_image_that_contradicts_itself_is_violated(
    tmp_path: Path, stored: str, changed: str, found: tuple[str, str]
) -> None:
    assert stored in XML
    (tmp_path / "image.xml").write_text(XML.replace(stored, changed, 1), encoding="utf-8")
    verdicts = check_locally([tmp_path / "image.xml"]).verdicts.to_pylist()
    violated = [(row["kind"], row["failed"]) for row in verdicts if row["safety"] == "violated"]
    assert violated == [(found[0], found[1].format("under construction"))]
