"""Historic faults of the lease renewer, each as one change to hdfs.renewal."""

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.history import historic
from genstamp_spec.hdfs.parts.lease_renewer import SOFT_LIMIT, LeaseRenewer
from genstamp_spec.hdfs.parts.state import Client

HDFS_3032 = historic(
    "HDFS-3032",
    fixed="0.23.2, 2.0.0",
    drops=(("client_clock_ticks", "the client goes on"),),
    title="a client that cannot renew tries for ever, and goes on writing",
).at("one_client", "writer_stops_past_its_hard_limit")


class GivesUpAtTheSoftLimit(LeaseRenewer, lane=Client):
    """A client gives its files up past the soft limit, although it owns them until somebody takes them over."""

    def gives_up(s, client: Client) -> Bool:
        """The client could not renew for the soft limit."""
        return s.since[client] > SOFT_LIMIT


HDFS_4495 = historic("HDFS-4495", GivesUpAtTheSoftLimit, fixed="0.23.7, 2.0.4").at(
    "one_client", "only_the_hard_limit_stops_a_writer"
)

RENEWAL_BUGS = (HDFS_3032, HDFS_4495)
