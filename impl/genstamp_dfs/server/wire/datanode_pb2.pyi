from genstamp_dfs.server.wire import hdfs_pb2 as _hdfs_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetReplicaVisibleLengthRequest(_message.Message):
    __slots__ = ("block",)
    BLOCK_FIELD_NUMBER: _ClassVar[int]
    block: _hdfs_pb2.ExtendedBlock
    def __init__(self, block: _Optional[_Union[_hdfs_pb2.ExtendedBlock, _Mapping]] = ...) -> None: ...

class GetReplicaVisibleLengthResponse(_message.Message):
    __slots__ = ("length",)
    LENGTH_FIELD_NUMBER: _ClassVar[int]
    length: int
    def __init__(self, length: _Optional[int] = ...) -> None: ...
