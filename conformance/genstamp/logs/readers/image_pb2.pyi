from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Summary(_message.Message):
    __slots__ = ("storedVersion", "layoutVersion", "codec", "sections")
    class Section(_message.Message):
        __slots__ = ("name", "length", "offset")
        NAME_FIELD_NUMBER: _ClassVar[int]
        LENGTH_FIELD_NUMBER: _ClassVar[int]
        OFFSET_FIELD_NUMBER: _ClassVar[int]
        name: str
        length: int
        offset: int
        def __init__(self, name: _Optional[str] = ..., length: _Optional[int] = ..., offset: _Optional[int] = ...) -> None: ...
    STOREDVERSION_FIELD_NUMBER: _ClassVar[int]
    LAYOUTVERSION_FIELD_NUMBER: _ClassVar[int]
    CODEC_FIELD_NUMBER: _ClassVar[int]
    SECTIONS_FIELD_NUMBER: _ClassVar[int]
    storedVersion: int
    layoutVersion: int
    codec: str
    sections: _containers.RepeatedCompositeFieldContainer[Summary.Section]
    def __init__(self, storedVersion: _Optional[int] = ..., layoutVersion: _Optional[int] = ..., codec: _Optional[str] = ..., sections: _Optional[_Iterable[_Union[Summary.Section, _Mapping]]] = ...) -> None: ...

class Counters(_message.Message):
    __slots__ = ("legacyGenerationStamp", "generationStamp", "legacyLimit", "transactionId")
    LEGACYGENERATIONSTAMP_FIELD_NUMBER: _ClassVar[int]
    GENERATIONSTAMP_FIELD_NUMBER: _ClassVar[int]
    LEGACYLIMIT_FIELD_NUMBER: _ClassVar[int]
    TRANSACTIONID_FIELD_NUMBER: _ClassVar[int]
    legacyGenerationStamp: int
    generationStamp: int
    legacyLimit: int
    transactionId: int
    def __init__(self, legacyGenerationStamp: _Optional[int] = ..., generationStamp: _Optional[int] = ..., legacyLimit: _Optional[int] = ..., transactionId: _Optional[int] = ...) -> None: ...

class Block(_message.Message):
    __slots__ = ("blockId", "generationStamp", "numBytes")
    BLOCKID_FIELD_NUMBER: _ClassVar[int]
    GENERATIONSTAMP_FIELD_NUMBER: _ClassVar[int]
    NUMBYTES_FIELD_NUMBER: _ClassVar[int]
    blockId: int
    generationStamp: int
    numBytes: int
    def __init__(self, blockId: _Optional[int] = ..., generationStamp: _Optional[int] = ..., numBytes: _Optional[int] = ...) -> None: ...

class Inode(_message.Message):
    __slots__ = ("type", "id", "name", "file")
    class Writer(_message.Message):
        __slots__ = ("clientName",)
        CLIENTNAME_FIELD_NUMBER: _ClassVar[int]
        clientName: str
        def __init__(self, clientName: _Optional[str] = ...) -> None: ...
    class File(_message.Message):
        __slots__ = ("blocks", "writer")
        BLOCKS_FIELD_NUMBER: _ClassVar[int]
        WRITER_FIELD_NUMBER: _ClassVar[int]
        blocks: _containers.RepeatedCompositeFieldContainer[Block]
        writer: Inode.Writer
        def __init__(self, blocks: _Optional[_Iterable[_Union[Block, _Mapping]]] = ..., writer: _Optional[_Union[Inode.Writer, _Mapping]] = ...) -> None: ...
    TYPE_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    FILE_FIELD_NUMBER: _ClassVar[int]
    type: int
    id: int
    name: bytes
    file: Inode.File
    def __init__(self, type: _Optional[int] = ..., id: _Optional[int] = ..., name: _Optional[bytes] = ..., file: _Optional[_Union[Inode.File, _Mapping]] = ...) -> None: ...

class Children(_message.Message):
    __slots__ = ("parent", "children")
    PARENT_FIELD_NUMBER: _ClassVar[int]
    CHILDREN_FIELD_NUMBER: _ClassVar[int]
    parent: int
    children: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, parent: _Optional[int] = ..., children: _Optional[_Iterable[int]] = ...) -> None: ...

class OpenFile(_message.Message):
    __slots__ = ("inodeId",)
    INODEID_FIELD_NUMBER: _ClassVar[int]
    inodeId: int
    def __init__(self, inodeId: _Optional[int] = ...) -> None: ...
