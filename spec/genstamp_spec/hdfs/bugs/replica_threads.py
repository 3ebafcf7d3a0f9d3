"""Faults by which the threads around a replica wait for ever."""

from dataclasses import replace

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.history import historic
from genstamp_spec.hdfs.parts.replica_threads import Operation, ReplicaThreads
from genstamp_spec.hdfs.parts.state import Datanode


class WaitsUnderTheLock(ReplicaThreads):
    """An operation waits without end for a writer, under the lock that the writer's responder needs to end."""

    def takes_lock(s, datanode: Datanode) -> None:
        """Checks: nobody waits, and so the lock is free."""
        require(s.operation[datanode].at(Operation.NONE), "the dataset lock is free")


HDFS_5016 = historic("HDFS-5016", WaitsUnderTheLock, fixed="2.1.0-beta").at("copy", "waiting_for_a_writer_ends")
STOPS_UNDER_THE_LOCK = replace(
    HDFS_5016,
    name="stops-under-the-lock",
    title="an operation that waits for a writer keeps the lock that the writer's responder needs to end: only the "
    "time-out helps",
    source="facts B.6; FsDatasetImpl#recoverRbw, ReplicaInPipeline#stopWriter, Hadoop 2.7.4; otherwise in 3.x",
)


class AnyReplicaIsInTheWay(ReplicaThreads, lane=Datanode):
    """A copy of a newer generation is refused for ever because an older replica lies there that was being written."""

    @action(event="create_temporary")
    def copy_replaces_older(s, datanode: Datanode) -> None:
        """Nothing makes room: the copy begins only where there is no replica."""
        s.copy_is_wanted(datanode)
        s.create_temporary(datanode, s.new_stamp)


HDFS_6948 = historic("HDFS-6948", AnyReplicaIsInTheWay, fixed="2.6.0").at("copy", "newer_copy_arrives")
