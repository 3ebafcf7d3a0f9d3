"""Reads edit logs as the offline edits viewer prints them (`hdfs oev -p xml`), of all layout versions.

Not here: what operations mean (`genstamp.logs.readers.edit_replay`). XML is parsed by defusedxml only; a document
that declares a type or an entity is refused.
"""

import re
from collections.abc import Callable, Iterator
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException, DTDForbidden, EntitiesForbidden
from defusedxml.ElementTree import iterparse

from genstamp.logs.readers.edit_binary import BRANCHED, NEWEST, OLDEST, OP_LENGTH_MAX
from genstamp.logs.readers.edit_ops import OPCODES, EditOp, LoggedBlock
from genstamp.logs.readers.sighting import whole_number
from genstamp.logs.streams import Content, DamagedSourceError

DEPTH_MAX = 20
"""The greatest nesting depth of elements; the viewer's own do five deep."""

ELEMENTS_MAX = 2_000_000
"""Elements of one record, or of one item of an image; a directory has 1,048,576 children at most by HDFS' default."""

# Names differ between the viewer of 0.21 and the later ones.
_STAMPS = ("GENSTAMP", "GENERATION_STAMP", "BLOCK_GENERATION_STAMP", "GENSTAMPV2", "GENSTAMPV1")
_MANGLED = re.compile(r"\\([0-9a-f]{4});")
_LENGTHS = ("NUM_BYTES", "BLOCK_NUM_BYTES")
_REFUSED = "XML is refused because"


def is_edit_xml(head: bytes) -> bool:
    """Whether a file that begins so is XML."""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"<?xml", b"<EDITS", b"<!"))


def operations(stream: Content) -> Iterator[EditOp]:
    """The operations of a printed edit log in their order.

    Raises:
        DamagedSourceError: the document is not well-formed, not an edit log, or declares an entity or a type; or a
            record is not as it should be.
    """
    record, version = 0, 0

    def where() -> str:
        return f"after record {record}: "

    for path, element in elements(stream, "EDITS", 1, where):
        if not path:
            return
        if element.tag == "EDITS_VERSION":
            version = _version(element)
        elif element.tag == "RECORD":
            record += 1
            operation = _operation(record, version, element)
            if operation is not None:
                yield operation


def elements(
    stream: Content, root: str, depth: int, where: Callable[[], str], kept: str = ""
) -> Iterator[tuple[list[str], Element]]:
    """The elements of a document as they end, each with the names of those around it, up to a depth.

    Args:
        stream: the document.
        root: the name that its root has to have.
        depth: how many elements are around those that are forgotten after they were given.
        where: begins the text of an error.
        kept: the name of an element whose content is kept until it ends.

    Raises:
        DamagedSourceError: it is not well-formed, has another root, or declares an entity or a type.
    """
    path: list[str] = []
    around: list[Element] = []
    try:
        source = BoundedXml(stream)
        for event, element in iterparse(source, events=("start", "end"), forbid_dtd=True):
            if event == "start":
                path.append(element.tag)
                around.append(element)
                source.begin_element()
                if len(path) > DEPTH_MAX:
                    raise DamagedSourceError(f"{where()}elements are nested more than {DEPTH_MAX} deep")
                if path[0] != root:
                    raise DamagedSourceError(f"the root of the document is <{path[0][:80]}>, expected is <{root}>")
                continue
            path.pop()
            around.pop()
            if len(path) <= depth:
                yield path, element
            if len(path) == depth and kept not in path:
                around[-1].clear()
                source.begin_record()
    except EntitiesForbidden as error:
        raise DamagedSourceError(f"{where()}{_REFUSED} it declares the entity {error.name!r}") from None
    except DTDForbidden:
        raise DamagedSourceError(f"{where()}{_REFUSED} it declares a document type") from None
    except DefusedXmlException as error:
        raise DamagedSourceError(f"{where()}{_REFUSED} {error}") from None
    except ParseError as error:
        raise DamagedSourceError(f"{where()}XML is not well-formed: {error}") from None
    except (LookupError, ValueError) as error:
        raise DamagedSourceError(f"{where()}XML has an unsupported encoding: {error}") from None


class BoundedXml:
    """The stream that an XML parser reads from; bounds its memory."""

    def __init__(self, stream: Content) -> None:
        self._chunks = stream.chunks()
        self._chunk = memoryview(b"")
        self._since_record = 0
        self._elements = 0

    def begin_record(self) -> None:
        """A record has ended."""
        self._since_record = self._elements = 0

    def begin_element(self) -> None:
        """An element has begun."""
        self._elements += 1
        if self._elements > ELEMENTS_MAX:
            raise DamagedSourceError(f"a record has more than {ELEMENTS_MAX} elements")

    def read(self, size: int = 1 << 16) -> bytes:
        """The next piece, no longer than asked for: all elements of a piece are kept before the first is given."""
        if not self._chunk:
            self._chunk = memoryview(next(self._chunks, b""))
        piece, self._chunk = bytes(self._chunk[:size]), self._chunk[size:]
        self._since_record += len(piece)
        if self._since_record > OP_LENGTH_MAX + len(piece):
            raise DamagedSourceError(f"no record ends within {OP_LENGTH_MAX} bytes")
        return piece


def _version(element: Element) -> int:
    text = (element.text or "").strip()
    version = whole_number(text)
    if version is None or not NEWEST <= version <= OLDEST:
        raise DamagedSourceError(f"layout version {text[:40]!r} is not supported; supported are {OLDEST} to {NEWEST}")
    return BRANCHED.get(version, version)


def _operation(record: int, version: int, element: Element) -> EditOp | None:
    """The operation of a record; none where the viewer printed the end of the log."""
    if not version:
        raise DamagedSourceError("<EDITS_VERSION> is missing before the first <RECORD>")
    code = text_in(element, "OPCODE")
    data = element.find("DATA")
    if code is None or data is None:
        raise DamagedSourceError(f"record {record}: a <RECORD> needs <OPCODE> and <DATA>")
    name = _name(code)
    if name is None:
        return None
    try:
        return _telling(record, version, name, data)
    except ValueError as error:
        raise DamagedSourceError(f"record {record}: {name} has {error}") from None


def _name(code: str) -> str | None:
    if code in ("-1", "OP_INVALID"):
        return None
    number = whole_number(code)
    if number is not None and 0 <= number < len(OPCODES):
        return OPCODES[number]
    # The counter had no version before there were two.
    return "OP_SET_GENSTAMP_V1" if code == "OP_SET_GENSTAMP" else code


def _telling(record: int, version: int, name: str, data: Element) -> EditOp:
    clients = [
        child.text or "" for child in data if child.tag in ("LEASEHOLDER", "CLIENT_NAME", "CLIENTNAME", "NEWHOLDER")
    ]
    sources = [child.text or "" for child in data.findall("SOURCES/*")]
    sources += [child.text or "" for child in data.findall("CONCAT_SOURCE")]
    reassigns = name == "OP_REASSIGN_LEASE"
    return EditOp(
        record,
        version,
        integer_in(data, "TXID"),
        name,
        path=text_in(data, "PATH", "SRC", "SOURCE", "TRG", "CONCAT_TARGET") or "",
        destination=text_in(data, "DST", "DESTINATION") or "",
        sources=tuple(sources),
        inode_id=integer_in(data, "INODEID") or 0,
        client_name=clients[0] if clients else "",
        new_holder=clients[-1] if reassigns and len(clients) > 1 else "",
        blocks=tuple(_block(block) for block in data.findall("BLOCK")),
        number=integer_in(data, *_STAMPS, "BLOCK_ID", "NEWLENGTH") or 0,
        flag=text_in(data, "OVERWRITE", "NEWBLOCK") == "true",
    )


def _block(block: Element) -> LoggedBlock:
    values = integer_in(block, "BLOCK_ID"), integer_in(block, *_LENGTHS), integer_in(block, *_STAMPS)
    if None in values:
        raise ValueError("a <BLOCK> without id, length or stamp")
    block_id, num_bytes, generation_stamp = (value or 0 for value in values)
    return LoggedBlock(block_id, num_bytes, generation_stamp)


def text_in(element: Element, *names: str) -> str | None:
    """The text of the first child that has one of these names; None if there is none."""
    for name in names:
        found = element.find(name)
        if found is not None:
            return _unmangled(found)
    return None


def _unmangled(element: Element) -> str:
    """The text as it was before the viewer replaced what XML cannot hold, XMLUtils#mangleXmlString."""
    text = _MANGLED.sub(lambda found: chr(int(found[1], 16)), element.text or "")
    # Java's halves of a character belong together; one alone is no text.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "backslashreplace")


def integer_in(element: Element, *names: str) -> int | None:
    """The number in the first child that has one of these names; None if there is none."""
    text = text_in(element, *names)
    return None if text is None else integer(text)


def integer(text: str) -> int:
    """The number that a text is; raises ValueError for one that is none of 64 bits."""
    number = whole_number(text)
    if number is None:
        raise ValueError(f"{text[:40]!r} instead of a number")
    return number
