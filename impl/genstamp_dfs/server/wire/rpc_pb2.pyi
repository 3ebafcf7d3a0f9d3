from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RpcKind(_message.Message):
    __slots__ = ()
    class Value(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        RPC_BUILTIN: _ClassVar[RpcKind.Value]
        RPC_WRITABLE: _ClassVar[RpcKind.Value]
        RPC_PROTOCOL_BUFFER: _ClassVar[RpcKind.Value]
    RPC_BUILTIN: RpcKind.Value
    RPC_WRITABLE: RpcKind.Value
    RPC_PROTOCOL_BUFFER: RpcKind.Value
    def __init__(self) -> None: ...

class Operation(_message.Message):
    __slots__ = ()
    class Value(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        RPC_FINAL_PACKET: _ClassVar[Operation.Value]
        RPC_CONTINUATION_PACKET: _ClassVar[Operation.Value]
        RPC_CLOSE_CONNECTION: _ClassVar[Operation.Value]
    RPC_FINAL_PACKET: Operation.Value
    RPC_CONTINUATION_PACKET: Operation.Value
    RPC_CLOSE_CONNECTION: Operation.Value
    def __init__(self) -> None: ...

class RpcStatus(_message.Message):
    __slots__ = ()
    class Value(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        SUCCESS: _ClassVar[RpcStatus.Value]
        ERROR: _ClassVar[RpcStatus.Value]
        FATAL: _ClassVar[RpcStatus.Value]
    SUCCESS: RpcStatus.Value
    ERROR: RpcStatus.Value
    FATAL: RpcStatus.Value
    def __init__(self) -> None: ...

class RpcErrorCode(_message.Message):
    __slots__ = ()
    class Value(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        ERROR_APPLICATION: _ClassVar[RpcErrorCode.Value]
        ERROR_NO_SUCH_METHOD: _ClassVar[RpcErrorCode.Value]
        ERROR_NO_SUCH_PROTOCOL: _ClassVar[RpcErrorCode.Value]
        ERROR_RPC_SERVER: _ClassVar[RpcErrorCode.Value]
        ERROR_SERIALIZING_RESPONSE: _ClassVar[RpcErrorCode.Value]
        ERROR_RPC_VERSION_MISMATCH: _ClassVar[RpcErrorCode.Value]
        FATAL_UNKNOWN: _ClassVar[RpcErrorCode.Value]
        FATAL_UNSUPPORTED_SERIALIZATION: _ClassVar[RpcErrorCode.Value]
        FATAL_INVALID_RPC_HEADER: _ClassVar[RpcErrorCode.Value]
        FATAL_DESERIALIZING_REQUEST: _ClassVar[RpcErrorCode.Value]
        FATAL_VERSION_MISMATCH: _ClassVar[RpcErrorCode.Value]
        FATAL_UNAUTHORIZED: _ClassVar[RpcErrorCode.Value]
    ERROR_APPLICATION: RpcErrorCode.Value
    ERROR_NO_SUCH_METHOD: RpcErrorCode.Value
    ERROR_NO_SUCH_PROTOCOL: RpcErrorCode.Value
    ERROR_RPC_SERVER: RpcErrorCode.Value
    ERROR_SERIALIZING_RESPONSE: RpcErrorCode.Value
    ERROR_RPC_VERSION_MISMATCH: RpcErrorCode.Value
    FATAL_UNKNOWN: RpcErrorCode.Value
    FATAL_UNSUPPORTED_SERIALIZATION: RpcErrorCode.Value
    FATAL_INVALID_RPC_HEADER: RpcErrorCode.Value
    FATAL_DESERIALIZING_REQUEST: RpcErrorCode.Value
    FATAL_VERSION_MISMATCH: RpcErrorCode.Value
    FATAL_UNAUTHORIZED: RpcErrorCode.Value
    def __init__(self) -> None: ...

class SaslState(_message.Message):
    __slots__ = ()
    class Value(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        SUCCESS: _ClassVar[SaslState.Value]
        NEGOTIATE: _ClassVar[SaslState.Value]
        INITIATE: _ClassVar[SaslState.Value]
        CHALLENGE: _ClassVar[SaslState.Value]
        RESPONSE: _ClassVar[SaslState.Value]
        WRAP: _ClassVar[SaslState.Value]
    SUCCESS: SaslState.Value
    NEGOTIATE: SaslState.Value
    INITIATE: SaslState.Value
    CHALLENGE: SaslState.Value
    RESPONSE: SaslState.Value
    WRAP: SaslState.Value
    def __init__(self) -> None: ...

class RpcRequestHeader(_message.Message):
    __slots__ = ("rpcKind", "rpcOp", "callId", "clientId", "retryCount", "traceInfo", "callerContext", "stateId", "routerFederatedState", "authorizationHeader")
    RPCKIND_FIELD_NUMBER: _ClassVar[int]
    RPCOP_FIELD_NUMBER: _ClassVar[int]
    CALLID_FIELD_NUMBER: _ClassVar[int]
    CLIENTID_FIELD_NUMBER: _ClassVar[int]
    RETRYCOUNT_FIELD_NUMBER: _ClassVar[int]
    TRACEINFO_FIELD_NUMBER: _ClassVar[int]
    CALLERCONTEXT_FIELD_NUMBER: _ClassVar[int]
    STATEID_FIELD_NUMBER: _ClassVar[int]
    ROUTERFEDERATEDSTATE_FIELD_NUMBER: _ClassVar[int]
    AUTHORIZATIONHEADER_FIELD_NUMBER: _ClassVar[int]
    rpcKind: RpcKind.Value
    rpcOp: Operation.Value
    callId: int
    clientId: bytes
    retryCount: int
    traceInfo: RPCTraceInfo
    callerContext: RPCCallerContext
    stateId: int
    routerFederatedState: bytes
    authorizationHeader: bytes
    def __init__(self, rpcKind: _Optional[_Union[RpcKind.Value, str]] = ..., rpcOp: _Optional[_Union[Operation.Value, str]] = ..., callId: _Optional[int] = ..., clientId: _Optional[bytes] = ..., retryCount: _Optional[int] = ..., traceInfo: _Optional[_Union[RPCTraceInfo, _Mapping]] = ..., callerContext: _Optional[_Union[RPCCallerContext, _Mapping]] = ..., stateId: _Optional[int] = ..., routerFederatedState: _Optional[bytes] = ..., authorizationHeader: _Optional[bytes] = ...) -> None: ...

class RPCTraceInfo(_message.Message):
    __slots__ = ("traceId", "parentId", "spanContext")
    TRACEID_FIELD_NUMBER: _ClassVar[int]
    PARENTID_FIELD_NUMBER: _ClassVar[int]
    SPANCONTEXT_FIELD_NUMBER: _ClassVar[int]
    traceId: int
    parentId: int
    spanContext: bytes
    def __init__(self, traceId: _Optional[int] = ..., parentId: _Optional[int] = ..., spanContext: _Optional[bytes] = ...) -> None: ...

class RPCCallerContext(_message.Message):
    __slots__ = ("context", "signature")
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    SIGNATURE_FIELD_NUMBER: _ClassVar[int]
    context: str
    signature: bytes
    def __init__(self, context: _Optional[str] = ..., signature: _Optional[bytes] = ...) -> None: ...

class RequestHeader(_message.Message):
    __slots__ = ("methodName", "declaringClassProtocolName", "clientProtocolVersion")
    METHODNAME_FIELD_NUMBER: _ClassVar[int]
    DECLARINGCLASSPROTOCOLNAME_FIELD_NUMBER: _ClassVar[int]
    CLIENTPROTOCOLVERSION_FIELD_NUMBER: _ClassVar[int]
    methodName: str
    declaringClassProtocolName: str
    clientProtocolVersion: int
    def __init__(self, methodName: _Optional[str] = ..., declaringClassProtocolName: _Optional[str] = ..., clientProtocolVersion: _Optional[int] = ...) -> None: ...

class IpcConnectionContext(_message.Message):
    __slots__ = ("userInfo", "protocol")
    USERINFO_FIELD_NUMBER: _ClassVar[int]
    PROTOCOL_FIELD_NUMBER: _ClassVar[int]
    userInfo: UserInformation
    protocol: str
    def __init__(self, userInfo: _Optional[_Union[UserInformation, _Mapping]] = ..., protocol: _Optional[str] = ...) -> None: ...

class UserInformation(_message.Message):
    __slots__ = ("effectiveUser", "realUser")
    EFFECTIVEUSER_FIELD_NUMBER: _ClassVar[int]
    REALUSER_FIELD_NUMBER: _ClassVar[int]
    effectiveUser: str
    realUser: str
    def __init__(self, effectiveUser: _Optional[str] = ..., realUser: _Optional[str] = ...) -> None: ...

class RpcResponseHeader(_message.Message):
    __slots__ = ("callId", "status", "serverIpcVersionNum", "exceptionClassName", "errorMsg", "errorDetail", "clientId", "retryCount", "stateId", "routerFederatedState")
    CALLID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    SERVERIPCVERSIONNUM_FIELD_NUMBER: _ClassVar[int]
    EXCEPTIONCLASSNAME_FIELD_NUMBER: _ClassVar[int]
    ERRORMSG_FIELD_NUMBER: _ClassVar[int]
    ERRORDETAIL_FIELD_NUMBER: _ClassVar[int]
    CLIENTID_FIELD_NUMBER: _ClassVar[int]
    RETRYCOUNT_FIELD_NUMBER: _ClassVar[int]
    STATEID_FIELD_NUMBER: _ClassVar[int]
    ROUTERFEDERATEDSTATE_FIELD_NUMBER: _ClassVar[int]
    callId: int
    status: RpcStatus.Value
    serverIpcVersionNum: int
    exceptionClassName: str
    errorMsg: str
    errorDetail: RpcErrorCode.Value
    clientId: bytes
    retryCount: int
    stateId: int
    routerFederatedState: bytes
    def __init__(self, callId: _Optional[int] = ..., status: _Optional[_Union[RpcStatus.Value, str]] = ..., serverIpcVersionNum: _Optional[int] = ..., exceptionClassName: _Optional[str] = ..., errorMsg: _Optional[str] = ..., errorDetail: _Optional[_Union[RpcErrorCode.Value, str]] = ..., clientId: _Optional[bytes] = ..., retryCount: _Optional[int] = ..., stateId: _Optional[int] = ..., routerFederatedState: _Optional[bytes] = ...) -> None: ...

class RpcSasl(_message.Message):
    __slots__ = ("version", "state", "token", "auths")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    AUTHS_FIELD_NUMBER: _ClassVar[int]
    version: int
    state: SaslState.Value
    token: bytes
    auths: _containers.RepeatedCompositeFieldContainer[SaslAuth]
    def __init__(self, version: _Optional[int] = ..., state: _Optional[_Union[SaslState.Value, str]] = ..., token: _Optional[bytes] = ..., auths: _Optional[_Iterable[_Union[SaslAuth, _Mapping]]] = ...) -> None: ...

class SaslAuth(_message.Message):
    __slots__ = ("method", "mechanism", "protocol", "serverId", "challenge")
    METHOD_FIELD_NUMBER: _ClassVar[int]
    MECHANISM_FIELD_NUMBER: _ClassVar[int]
    PROTOCOL_FIELD_NUMBER: _ClassVar[int]
    SERVERID_FIELD_NUMBER: _ClassVar[int]
    CHALLENGE_FIELD_NUMBER: _ClassVar[int]
    method: str
    mechanism: str
    protocol: str
    serverId: str
    challenge: bytes
    def __init__(self, method: _Optional[str] = ..., mechanism: _Optional[str] = ..., protocol: _Optional[str] = ..., serverId: _Optional[str] = ..., challenge: _Optional[bytes] = ...) -> None: ...
