"""Reads fsimages as the offline image viewer prints them (`hdfs oiv -p XML`).

XML is parsed as in `edit_xml`: what declares a type or an entity is refused. Not here: what the items mean.
"""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from genstamp.logs.readers.edit_ops import LoggedBlock
from genstamp.logs.readers.edit_xml import elements, integer, integer_in, text_in
from genstamp.logs.readers.image import ImageChildren, ImageCounters, ImageInode, ImageItem, ImageOpenFile
from genstamp.logs.streams import Content, DamagedSourceError

_COUNTERS, _INODES, _DIRECTORIES = "NameSection", "INodeSection", "INodeDirectorySection"
_OPEN_FILES = ("FileUnderConstructionSection", "FilesUnderConstructionSection")


def is_image_xml(head: bytes) -> bool:
    """Whether a file that begins so is a printed fsimage."""
    return b"<fsimage" in head[:8192] and head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def items(content: Content) -> Iterator[ImageItem]:
    """The items of a printed image: counters, inodes, directories, files under construction.

    Raises:
        DamagedSourceError: the document is not well-formed, no fsimage, or declares an entity or a type; or an item
            is not as it should be.
    """
    number = 0

    def where() -> str:
        return f"after item {number}: "

    for path, element in elements(content, "fsimage", 2, where, _COUNTERS):
        try:
            if len(path) == 2:
                number += element.tag == "inode"
                yield from _item(path[1], element, number)
            elif len(path) == 1:
                number = 0
                if element.tag == _COUNTERS:
                    yield _counters(element)
        except ValueError as error:
            raise DamagedSourceError(f"item {number} has {error}") from None


def _item(section: str, element: Element, number: int) -> Iterator[ImageItem]:
    if section == _INODES and element.tag == "inode" and text_in(element, "type") in ("FILE", "DIRECTORY"):
        yield _inode(element, number)
    elif section == _DIRECTORIES and element.tag == "directory":
        children = (child for child in element if child.tag in ("inode", "child"))
        yield ImageChildren(_number(element, "parent"), tuple(integer(child.text or "") for child in children))
    elif section in _OPEN_FILES and element.tag == "inode":
        yield ImageOpenFile(number, _number(element, "id"))


def _counters(section: Element) -> ImageCounters:
    return ImageCounters(
        _number(section, "txid"),
        _number(section, "genstampV2"),
        integer_in(section, "genstampV1") or 0,
        integer_in(section, "genstampV1Limit") or 0,
    )


def _inode(element: Element, number: int) -> ImageInode:
    writer = element.find("file-under-construction")
    return ImageInode(
        number,
        _number(element, "id"),
        text_in(element, "name") or "",
        text_in(element, "type") == "FILE",
        tuple(_block(block) for block in element.findall("blocks/block")),
        None if writer is None else text_in(writer, "clientName") or "",
    )


def _block(block: Element) -> LoggedBlock:
    return LoggedBlock(_number(block, "id"), _number(block, "numBytes"), _number(block, "genstamp"))


def _number(element: Element, name: str) -> int:
    number = integer_in(element, name)
    if number is None:
        raise ValueError(f"no <{name}> in <{element.tag[:40]}>")
    return number
