"""Callers of the NameNode with streams, replicas and recoveries in full."""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import (
    Attempt,
    AttemptStage,
    Client,
    ClientState,
    Datanode,
    DatanodeState,
    File,
    PrimaryState,
    Replica,
    StreamStage,
    TurnState,
    no_attempt,
    no_stream,
)
from genstamp_spec.hdfs.state.namenode import Callers
from genstamp_spec.lifecycles import BlockLifecycle, ReplicaLifecycle


class Streams(Callers, TurnState, DatanodeState, ClientState, PrimaryState):
    """What clients pass from their streams, datanodes report of their replicas, and primaries bring back."""

    def open_stream(s, client: Client, file: File) -> None:
        """The client has the file open, without a block."""
        s.stream[client][file].stage = StreamStage.OPEN

    def passes_previous(s, client: Client, file: File) -> None:
        """Checks: one block a file, and a client that has not asked for it yet."""
        require(s.block[file].at(BlockLifecycle.absent), "the file has no block yet")
        require(s.stream[client][file].stage.at(StreamStage.OPEN), "the client has the file open")

    def give_block(s, client: Client, file: File) -> None:
        """The client streams to all datanodes that it was given."""
        stream = s.stream[client][file]
        stream.stage = StreamStage.STREAMING
        stream.stamp = s.last_stamp
        stream.pipeline = s.running

    def ready_to_complete(s, client: Client, file: File) -> Bool:
        """The client's last packet is acknowledged by its whole pipeline, or it never had a block."""
        stream = s.stream[client][file]
        closed = stream.stage.at(StreamStage.CLOSING) & (stream.pipeline <= stream.finalized)
        return closed | (stream.stage.at(StreamStage.OPEN) & s.block[file].at(BlockLifecycle.absent))

    def passes_no_block(s, client: Client, file: File) -> Bool:
        """The client's complete() names no last block: it was never given one."""
        return s.stream[client][file].stage.at(StreamStage.NONE, StreamStage.OPEN)

    def block_matches(s, client: Client, file: File) -> Bool:
        """The file's last block is the client's in id and stamp, or neither has one (Block#matchingIdAndGenStamp)."""
        stream = s.stream[client][file]
        none_there = s.block[file].at(BlockLifecycle.absent, BlockLifecycle.removed)
        same = stream.stage.at(StreamStage.CLOSING) & ~none_there & (s.block_stamp[file] == stream.stamp)
        return same | (s.passes_no_block(client, file) & none_there)

    def passed_stamp(s, client: Client, file: File) -> Ordered:
        """That of the client's stream."""
        return s.stream[client][file].stamp

    def passed_bytes(s, client: Client, file: File) -> Number:
        """What is acknowledged."""
        return s.stream[client][file].acked

    def close_stream(s, client: Client, file: File) -> None:
        """The client has nothing open."""
        s.stream[client][file] = no_stream()

    def reported(s, file: File, datanode: Datanode) -> tuple[Ordered, Number]:
        """Those of the replica as it is when the NameNode reads the report."""
        replica = s.replica[datanode][file]
        require(s.running.has(datanode), "the datanode is running")
        require(replica.state.at(ReplicaLifecycle.finalized), "the replica is finalized")
        return replica.stamp, replica.num_bytes

    def reports_back(s, primary: Datanode, file: File) -> Attempt:
        """Checks: the primary has updated every participant it could, or found nothing."""
        attempt = s.attempt[primary][file]
        deletes = attempt.stage.at(AttemptStage.DELETING)
        every = attempt.participants <= (attempt.updated | attempt.failed)
        require(s.running.has(primary), "the primary is running")
        require(deletes | attempt.stage.at(AttemptStage.UPDATING), "the primary has agreed on what to do")
        done = deletes | (every & ~attempt.updated.is_empty())
        require(done, "every participant is updated or has failed")
        s.may_report(attempt)
        return attempt

    def may_report(s, attempt: Attempt) -> None:
        """Checks: nothing more; participants that failed do not matter (HDFS-12070)."""

    def attempt_ends(s, primary: Datanode, file: File) -> None:
        """Nothing goes on at the primary."""
        s.attempt[primary][file] = no_attempt()

    def alive_locations(s, file: File) -> Members[Datanode]:
        """Expected locations that the NameNode takes for alive; here it knows at once."""
        return s.locations[file] & s.running

    def writes_to(s, client: Client, file: File, datanode: Datanode) -> Bool:
        """The datanode takes the client's packets: nobody has stopped its writer."""
        replica, stream = s.replica[datanode][file], s.stream[client][file]
        in_pipeline = s.running.has(datanode) & stream.pipeline.has(datanode)
        being_written = replica.state.at(ReplicaLifecycle.rbw) & (replica.stamp == stream.stamp)
        return s.alive.has(client) & in_pipeline & being_written & (replica.writer == client)

    def is_of_no_use(s, file: File, datanode: Datanode) -> Bool:
        """The block is gone, or it is complete, this replica does not match it, and one that it counts is up."""
        replica = s.replica[datanode][file]
        other_stamp = replica.stamp != s.block_stamp[file]
        other_size = replica.state.at(ReplicaLifecycle.finalized) & (replica.num_bytes != s.block_bytes[file])
        useless = replica.state.at(ReplicaLifecycle.rwr)
        spare = exists(Datanode, lambda d: s.stored[file].has(d) & s.running.has(d))
        mismatch = s.block[file].at(BlockLifecycle.complete) & spare & (other_stamp | other_size | useless)
        return s.block[file].at(BlockLifecycle.removed) | mismatch

    def may_crash(s) -> None:
        """Checks: a datanode may stop."""
        s.may_fail()

    def may_fail(s) -> None:
        """Checks: something may still go wrong; here, always."""

    def received_by_all(s, client: Client, file: File) -> Number:
        """Length that every node of the pipeline has received."""
        pipeline = s.stream[client][file].pipeline
        return minimum(Datanode, lambda d: s.replica[d][file].num_bytes, where=lambda d: pipeline.has(d), default=0)

    def fsync(s, client: Client, file: File) -> None:
        """Checks: a block's first hflush also calls fsync at the NameNode, which may refuse it (HDFS-4516, E.10)."""
        known = s.hflushed[file] > 0
        owned = s.under_construction(file) & (s.client_name[file] == client)
        recovering = s.block[file].at(BlockLifecycle.under_recovery)
        require(known | owned, "the client owns the file at its first hflush")
        require(known | ~recovering, "the block is not under recovery at its first hflush")

    def forgets(s, client: Client) -> None:
        """What else goes with a client that stops."""

    # Block recovery.

    def recovery_begins(s, file: File) -> None:
        """What a system remembers of the state in which a command was given."""

    def locations_to_ask(s, file: File) -> Members[Datanode]:
        """The locations that the command names; here, all."""
        return s.locations[file]

    def may_decide(s, attempt: Attempt) -> None:
        """Checks: whether enough locations have answered."""

    def may_update(s, datanode: Datanode) -> None:
        """Checks: the datanode can write."""

    def changes_in_place(s, primary: Datanode, file: File) -> None:
        """Checks: the recovery changes the replicas themselves, not copies."""

    def replica_is_cut(s, file: File, datanode: Datanode) -> None:
        """What history keeps of a replica that is shorter now."""

    def came_back(s, datanode: Datanode) -> None:
        """What else follows where a datanode registers again."""

    def visible_bytes_are_promised(s, file: File) -> None:
        """All bytes of a closed file stay, as long as a node that has them does."""
        s.hflushed[file] = s.block_bytes[file]
        s.steady[file] = s.stored[file] & s.running

    def may_fall_silent(s, datanode: Datanode) -> None:
        """Checks: a datanode that is up may be silent, too."""

    def has_bytes(s, datanode: Datanode, file: File) -> Bool:
        """The datanode has a replica that is not empty, be the datanode up or down."""
        replica = s.replica[datanode][file]
        return ~replica.state.at(ReplicaLifecycle.absent) & (replica.num_bytes > 0)

    def is_younger(s, replica: Replica, recovery_id: Ordered) -> Bool:
        """The replica takes part in a recovery of this id or a later one."""
        return replica.state.at(ReplicaLifecycle.rur) & (replica.recovery_id >= recovery_id)
