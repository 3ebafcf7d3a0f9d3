"""What goes wrong where one thing is left out of the care for replicas, each as one change to gfs.replicas.

None of them is known of GFS: they are what an implementer may get wrong.
"""

from genstamp_model.language import *
from genstamp_spec.gfs.lifecycles.chunk_replica import ChunkReplicaLifecycle
from genstamp_spec.gfs.parts.lease_state import Chunkserver
from genstamp_spec.gfs.parts.replicas_state import WANTED, CloneStage, FileStage
from genstamp_spec.gfs.parts.replicas_steps import Cloning

COMPLETE = ("named_replicas_are_complete", "newest_clones_are_complete", "mutations_survive")
"""The promise, and what it rests on, which may break some steps earlier."""

CLONE_WITHOUT_VERSION = Bug(
    "clone-of-an-older-version",
    "a clone is named although the chunk was mutated while it was made",
    drops=(("finish_clone", "the version is the chunk's"),),
    source="section 4.5: the version goes with the order to clone, and is verified",
).at("two_chunkservers", *COMPLETE)
CLONE_OF_DAMAGED = Bug(
    "clone-of-damaged-bytes",
    "the source of a clone does not verify its checksums, and the damage gets new ones that fit",
    drops=(("begin_clone", "the checksums of the source fit"),),
    source="section 5.2: verified whether the requester is a client or another chunkserver",
).at("three_chunkservers", *COMPLETE)
READ_UNVERIFIED = Bug(
    "read-without-checksums",
    "a chunkserver answers a reader without verifying checksums",
    drops=(("read", "the checksums fit"),),
    source="section 5.2: before returning any data",
).at("two_chunkservers", "reads_are_whole")
STALE_NAMED = Bug(
    "stale-replica-named-after-a-restart",
    "the master names whatever a chunkserver reports when it starts again",
    drops=(("report_current", "its version is the chunk's"),),
    source="section 4.5: a chunkserver that starts again reports its versions",
).at("two_chunkservers", *COMPLETE)


class HiddenTakenForGone(Cloning, lane="master"):
    """The chunks of a deleted file are taken for orphans while it has its hidden name."""

    @action
    def report_orphan(s, chunkserver: Chunkserver) -> None:
        """A file under a hidden name is not looked at."""
        s.may_report(chunkserver)
        require(s.file.at(FileStage.HIDDEN, FileStage.GONE), "no file lists the chunk under its own name")
        s.replica[chunkserver].fire(ChunkReplicaLifecycle.orphan)


HIDDEN_TAKEN_FOR_GONE = Bug(
    "orphans-of-a-file-that-can-be-undeleted",
    parts=(HiddenTakenForGone,),
    source="section 4.4: the file can be undeleted by renaming it back",
).at("two_chunkservers", *COMPLETE)


class OnlyNamedAreCompared(Cloning, lane="master"):
    """The master compares the versions of replicas that it names, and never tells of others that they are garbage."""

    @action
    def report_stale(s, chunkserver: Chunkserver) -> None:
        """A stale replica is not."""
        s.may_report(chunkserver)
        require(s.locations.has(chunkserver), "the master names the replica")
        s.replica[chunkserver].fire(ChunkReplicaLifecycle.detect_stale)


ONLY_NAMED_ARE_COMPARED = Bug(
    "versions-compared-of-named-replicas-alone",
    parts=(OnlyNamedAreCompared,),
    source="section 4.5: the master removes stale replicas in its regular garbage collection",
).at("two_chunkservers", "stale_replica_is_removed")


class OrphansAreWhole(Cloning, lane="master"):
    """A damaged replica is only discarded when another one is in its place, also when no file lists the chunk
    any more.
    """

    @action
    def report_orphan(s, chunkserver: Chunkserver) -> None:
        """Which nobody makes once the file is gone."""
        s.may_report(chunkserver)
        require(s.file.at(FileStage.GONE), "no file lists the chunk")
        found = s.replica[chunkserver].at(ChunkReplicaLifecycle.corrupt)
        require(~found, "nobody has found it damaged")
        s.replica[chunkserver].fire(ChunkReplicaLifecycle.orphan)


ORPHANS_ARE_WHOLE = Bug(
    "damaged-orphan-waits-for-its-clone",
    parts=(OrphansAreWhole,),
    source="section 5.2 does not speak of files that are deleted meanwhile",
).at("three_chunkservers", "orphan_is_reclaimed")


class NoRoomForClones(Cloning, lane="master"):
    """A damaged replica is kept until another one is in its place, for which no chunkserver is left."""

    def may_discard(s) -> Bool:
        """Also if no chunkserver is left that could have one."""
        return s.locations.size() >= WANTED


NO_ROOM_FOR_CLONES = Bug(
    "damaged-replica-takes-the-room-of-its-clone",
    parts=(NoRoomForClones,),
    source="section 5.2: the mismatched replica is deleted after a valid new one is in place",
).at("two_chunkservers", "missing_replicas_are_cloned")


class OutdatedCloneStays(Cloning, lane="master"):
    """A clone whose version is too low when it is there is never begun again."""

    def may_begin(s, chunkserver: Chunkserver) -> Bool:
        """It is taken for one that is under way."""
        return s.clone[chunkserver].at(CloneStage.NONE)


OUTDATED_CLONE_STAYS = Bug(
    "clone-that-was-overtaken-stays",
    parts=(OutdatedCloneStays,),
    source="section 4.5: the version is verified; it does not say what happens then",
).at("two_chunkservers", "missing_replicas_are_cloned")

REPLICAS_BUGS = (
    CLONE_WITHOUT_VERSION,
    CLONE_OF_DAMAGED,
    READ_UNVERIFIED,
    STALE_NAMED,
    HIDDEN_TAKEN_FOR_GONE,
    ONLY_NAMED_ARE_COMPARED,
    ORPHANS_ARE_WHOLE,
    NO_ROOM_FOR_CLONES,
    OUTDATED_CLONE_STAYS,
)
"""Each breaks a promise of gfs.replicas."""
