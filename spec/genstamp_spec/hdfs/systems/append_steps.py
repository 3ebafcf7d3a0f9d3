"""What a step may do to the pipeline of a client that appends: promises about steps, whatever takes them."""

from typing import Self

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import Client, Datanode, File
from genstamp_spec.hdfs.state.appends import Appends
from genstamp_spec.lifecycles.replica import ReplicaLifecycle


class AppendSteps(Appends):
    """Of the pipeline that is set up before the first packet."""

    def goes_on_setting_up(s, t: Self, client: Client, file: File) -> Bool:
        """The client sets up a pipeline before and after the step."""
        return s.is_setting_up(client, file) & t.is_setting_up(client, file)

    @transition(inductive=True)
    def pipelines_shrink_while_set_up(s, t: Self, client: Client, file: File) -> Bool:
        """C.5: a node that fails leaves the pipeline, and the client asks for a new stamp for those that are left."""
        before, after = s.stream[client][file], t.stream[client][file]
        same = after.pipeline == before.pipeline
        anew = (after.pipeline <= before.pipeline) & (after.stamp == 0) & after.set_up.is_empty()
        return s.goes_on_setting_up(t, client, file).implies(same | anew)

    @transition(inductive=True)
    def nodes_are_set_up_under_the_stamp(s, t: Self, client: Client, file: File, datanode: Datanode) -> Bool:
        """B2, B3, S9: a node that takes the block has a replica that the client writes, under the client's stamp."""
        before, after = s.stream[client][file], t.stream[client][file]
        new = ~before.set_up.has(datanode) & after.set_up.has(datanode)
        replica = t.replica[datanode][file]
        written = replica.state.at(ReplicaLifecycle.rbw) & (replica.writer == client) & (replica.stamp == after.stamp)
        asked = s.running.has(datanode) & before.pipeline.has(datanode) & (after.stamp == before.stamp)
        takes = s.goes_on_setting_up(t, client, file) & new
        return takes.implies(written & asked & (after.stamp > 0))
