"""What GFS promises, by the names under which properties say which promise they state, before a colon."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

PROMISES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "OnePrimary": "at most one replica believes that it holds an unexpired lease of a chunk at its version",
        "SerialOrder": "what two replicas that are not stale applied under one lease, one applied first of the other",
        "VersionMonotonic": "a chunk's version never decreases, and no replica's exceeds one that the master chose",
        "StaleNeverServed": "the master never names a replica whose version is below the chunk's",
        "AppendAtLeastOnce": "an append that was answered stands whole at its offset on each replica that is not stale",
        "RegionTable": "what comes of writers, appends and failures is what table 1 of the paper says",
        "SnapshotIsolation": "bytes read through a snapshot never change by writes after its log record",
        "RefCount": "the reference count of a chunk is the number of files that list it",
        "LogBeforeVisible": "whatever a client has seen of the namespace survives any crash of the master",
        "NoLeaseAfterCrash": "a recovered master grants no lease while an older one may be unexpired",
    }
)
"""Each promise, and what it says."""
