"""The contents of an fsimage, item by item, as far as they concern files, blocks and leases.

Not here: permissions, quotas, snapshots, storage policies, and how an image is stored (`image_xml`,
`image_binary`).
"""

from dataclasses import dataclass

from genstamp.logs.readers.edit_ops import LoggedBlock


@dataclass(frozen=True)
class ImageCounters:
    """The counters of the namespace; first in every image.

    Attributes:
        txid: the last transaction that the image contains.
        generation_stamp: the last that was given out.
        legacy_generation_stamp: the last for blocks with random ids.
        legacy_limit: stamps below it belong to blocks with random ids; 0 if there never were any.
    """

    txid: int
    generation_stamp: int
    legacy_generation_stamp: int
    legacy_limit: int


@dataclass(frozen=True)
class ImageInode:
    """A file or a directory.

    Attributes:
        number: its place in the section, from 1.
        inode_id: its id.
        name: last part of its path; "" for the root.
        is_file: whether it is a file.
        blocks: of a file, in order.
        client_name: who writes the file; None for a closed one.
    """

    number: int
    inode_id: int
    name: str
    is_file: bool
    blocks: tuple[LoggedBlock, ...] = ()
    client_name: str | None = None


@dataclass(frozen=True)
class ImageChildren:
    """The contents of a directory.

    Attributes:
        parent: its inode id.
        children: inode ids; without what only snapshots still refer to.
    """

    parent: int
    children: tuple[int, ...]


@dataclass(frozen=True)
class ImageOpenFile:
    """An entry of the list of files under construction.

    Attributes:
        number: its place in the section, from 1.
        inode_id: of the file.
    """

    number: int
    inode_id: int


ImageItem = ImageCounters | ImageInode | ImageChildren | ImageOpenFile
