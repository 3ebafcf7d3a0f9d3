"""The calls of ClientProtocol: our requests and answers as Hadoop's, one entry each, for servers and our own client.

Not here: calls that the namenode here does not have; a server answers those by RpcNoSuchMethodException.

Source: facts W.2.2, W.2.3; CL/protocolPB/ClientNamenodeProtocolTranslatorPB, Hadoop 3.4.1.
"""

from typing import Any, Final

from genstamp_dfs.server.wire.calls import Call
from genstamp_dfs.server.wire.tree_calls import NAMES_AND_NODES
from genstamp_dfs.server.wire.writing_calls import WRITING
from genstamp_dfs.world.request import Request

PROTOCOL: Final = "org.apache.hadoop.hdfs.protocol.ClientProtocol"

CALLS: Final[dict[type[Request[Any]], Call]] = dict([*WRITING, *NAMES_AND_NODES])
"""Every call, by the class of our request."""

BY_METHOD: Final[dict[str, Call]] = {call.method: call for call in CALLS.values()}
"""Every call, by Hadoop's name of it."""
