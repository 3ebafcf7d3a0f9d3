"""The life of one replica: one chunk on one chunkserver.

Leaves out: bytes, the version number itself, and where a copy comes from.

Events: create, clone, record_version, miss_version, detect_stale, find_mismatch, orphan, discard, delete.
"""

from statemachine import State, StateMachine


class ChunkReplicaLifecycle(StateMachine):
    """One replica, as it is, whether the master knows or not.

    `absent` is begun from again: a chunkserver that deleted a replica keeps no trace and may be given the chunk anew.
    A chunkserver that starts again finds its replicas as they were, which is no edge.
    """

    absent = State("absent", initial=True)
    current = State("current")
    stale = State("stale")
    garbage = State("garbage")
    corrupt = State("corrupt")

    create = absent.to(current)  # section 4.3: with the chunk
    clone = absent.to(current)  # section 4.3: from a replica whose version was verified (section 4.5)
    record_version = current.to(current)  # section 4.5: a new lease was granted, and the replica was told
    miss_version = current.to(stale)  # section 4.5: the chunkserver was down, and mutations go on without it
    detect_stale = stale.to(garbage)  # section 4.5: it reports its version
    find_mismatch = corrupt.from_(current, stale)  # section 5.2: a checksum does not fit
    orphan = garbage.from_(current, stale, corrupt)  # section 4.4: no file has the chunk any more
    discard = corrupt.to(garbage)  # section 5.2: another replica was cloned in its place
    delete = garbage.to(absent)  # section 4.4: on a heartbeat
