"""What is asked of each client, and what a client has no way to ask for."""

import os
from enum import Enum

import pytest


class Operation(Enum):
    """One row of the table; the value is what it says."""

    WRITE = "write 3 MB in blocks of 1 MiB, and read them back"
    CHECKSUM = "the checksum of a file, which datanodes compute"
    HFLUSH = "hflush, and a reader sees those bytes while the writer goes on"
    APPEND = "append twice"
    TRUNCATE = "truncate inside a block, and at the end of one"
    RENAME = "rename"
    DELETE = "delete"
    KILLED = "a writer killed in the middle, and another that overwrites the file"
    RECOVER = "a writer killed in the middle, and recoverLease until the file is closed with what was flushed"
    TAKEOVER = "a writer killed in the middle, and another that takes over after the soft limit"
    UNKNOWN = "a call that the servers do not have is answered by RpcNoSuchMethod"
    DATANODE = "a datanode killed in the middle of a write of 16 MB"
    DATANODE_100 = "a datanode killed in the middle of a write of 100 MB"
    NAMENODE = "the namenode killed, and started again, in the middle of a write"


LONG = frozenset({Operation.DATANODE_100})
"""Rows that CI does not run."""

ON_DEMAND = pytest.mark.skipif(
    os.environ.get("GENSTAMP_ON_DEMAND") != "1", reason="takes long; run where GENSTAMP_ON_DEMAND is 1"
)
"""Of a test that is not run in CI."""
