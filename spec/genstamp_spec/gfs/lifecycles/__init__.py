"""The life of one chunk lease, one chunk replica, one mutation: which steps are legal, and nothing about why.

As those of HDFS (`genstamp_spec.lifecycles`), which say how a line is read; behind an event stands the paper's section.
"""

from genstamp_spec.gfs.lifecycles.chunk_lease import ChunkLeaseLifecycle
from genstamp_spec.gfs.lifecycles.chunk_replica import ChunkReplicaLifecycle
from genstamp_spec.gfs.lifecycles.mutation import MutationLifecycle

__all__ = ["ChunkLeaseLifecycle", "ChunkReplicaLifecycle", "MutationLifecycle"]
