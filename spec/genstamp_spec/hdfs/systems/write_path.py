"""hdfs.write_path: what hdfs.recovery is made of, and the pipeline's recovery on top of it."""

from typing import Self

from genstamp_model.language import Bool, Configuration, System, exists, forall, invariant, transition, witness
from genstamp_spec.hdfs.parts.pipeline_recovery import PipelineRecovery
from genstamp_spec.hdfs.parts.state import AttemptStage, Client, Datanode, File, StreamStage
from genstamp_spec.hdfs.systems.recovery import RecoveryProperties
from genstamp_spec.lifecycles.block import BlockLifecycle
from genstamp_spec.lifecycles.file import FileLifecycle
from genstamp_spec.lifecycles.replica import ReplicaLifecycle


class WritePathProperties(RecoveryProperties, PipelineRecovery):
    """What hdfs.write_path promises beyond hdfs.recovery."""

    def given_out(s, file: File) -> Bool:
        """Also the stamps of pipelines that clients set up."""
        streams = forall(Client, lambda client: s.stream[client][file].stamp <= s.last_stamp)
        resumed = forall(Client, lambda client: s.resumption[client][file].new_stamp <= s.last_stamp)
        return super().given_out(file) & streams & resumed

    @transition(inductive=True)
    def pipeline_stamps_are_given_out_once(s, t: Self, client: Client, file: File) -> Bool:
        """S9: a pipeline is set up again under a stamp above every one that was given out before."""
        before, after = s.resumption[client][file].new_stamp, t.resumption[client][file].new_stamp
        return ((after != before) & (after > 0)).implies(after > s.last_stamp)

    def restamps(s, t: Self, client: Client, file: File) -> Bool:
        """The client has set up a pipeline under the block's new stamp, and owns the file."""
        stamps = (t.block_stamp[file] == s.resumption[client][file].new_stamp) | (
            t.block_stamp[file] == s.stream[client][file].stamp
        )
        return (s.client_name[file] == client) & stamps

    @transition(inductive=True)
    def only_the_holder_restamps(s, t: Self, file: File) -> Bool:
        """S10, S11: the stamp of a block that is being written changes by its holder's hand alone."""
        under_construction = BlockLifecycle.under_construction
        written = s.block[file].at(under_construction) & t.block[file].at(under_construction)
        restamped = written & (t.block_stamp[file] != s.block_stamp[file])
        return restamped.implies(exists(Client, lambda client: s.restamps(t, client, file)))

    @invariant
    def committed_length_is_on_every_replica(s, datanode: Datanode, file: File) -> Bool:
        """S14: no finalized replica of a committed block's stamp has another length than the block."""
        replica = s.replica[datanode][file]
        committed = s.block[file].at(BlockLifecycle.committed, BlockLifecycle.complete)
        same_stamp = replica.stamp == s.block_stamp[file]
        finalized = replica.state.at(ReplicaLifecycle.finalized)
        return (committed & finalized & same_stamp).implies(replica.num_bytes == s.block_bytes[file])

    @witness
    def pipeline_goes_on(s, client: Client, file: File) -> Bool:
        """A client closes a file whose pipeline has lost a node after an hflush."""
        stream = s.stream[client][file]
        return stream.stage.at(StreamStage.CLOSING) & (s.block_stamp[file] > 1) & (s.hflushed[file] > 0)

    @witness
    def recovery_meets_a_burned_stamp(s, datanode: Datanode, file: File) -> Bool:
        """H: block recovery finds a replica under a stamp that the NameNode was never told of."""
        attempt, replica = s.attempt[datanode][file], s.replica[datanode][file]
        burned = (replica.stamp > attempt.block_stamp) & (replica.stamp < attempt.recovery_id)
        return attempt.stage.at(AttemptStage.UPDATING) & burned

    @witness
    def closed_by_a_pipeline_of_less(s, datanode: Datanode, file: File) -> Bool:
        """A file is closed while a node that was in the pipeline has a replica of an older generation."""
        replica = s.replica[datanode][file]
        stale = ~replica.state.at(ReplicaLifecycle.absent) & (replica.stamp < s.block_stamp[file])
        return s.file[file].at(FileLifecycle.closed) & stale


WRITE_PATH = System(
    "hdfs.write_path",
    parts=[WritePathProperties],
    doc="Leases, pipelines and their recovery, lease and block recovery, crashes.",
    configurations=[
        Configuration(
            "one_node",
            sizes={"Client": 1, "File": 1, "Datanode": 1},
            limits={"stamps": 3, "bytes": 1, "crashes": 1, "appends": 1},
            doc="small enough for other checkers",
        ),
        Configuration(
            "lost_node",
            sizes={"Client": 1, "File": 1, "Datanode": 2},
            limits={"stamps": 3, "bytes": 1, "crashes": 1, "appends": 1},
            doc="a pipeline loses a node",
        ),
    ],
)
