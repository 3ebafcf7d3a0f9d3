"""Historic faults of the lease renewer, each as one change to hdfs.renewal."""

from genstamp_model.language import Bool, Bug
from genstamp_spec.hdfs.parts.lease_renewer import SOFT_LIMIT, LeaseRenewer
from genstamp_spec.hdfs.parts.state import Client

HDFS_3032 = Bug(
    "HDFS-3032",
    "a client that cannot renew tries for ever, and goes on writing",
    drops=(("client_clock_ticks", "the client goes on"),),
    breaks=("writer_stops_past_its_hard_limit",),
    configuration="one_client",
    depth=28,
    source="https://issues.apache.org/jira/browse/HDFS-3032; fixed in 0.23.2, 2.0.0",
)


class GivesUpAtTheSoftLimit(LeaseRenewer, lane=Client):
    """A client gives up as soon as others may take its files over."""

    def gives_up(s, client: Client) -> Bool:
        """The client could not renew for the soft limit."""
        return s.since[client] > SOFT_LIMIT


HDFS_4495 = Bug(
    "HDFS-4495",
    "a client gives its files up past the soft limit, although it owns them until somebody takes them over",
    parts=(GivesUpAtTheSoftLimit,),
    breaks=("only_the_hard_limit_stops_a_writer",),
    configuration="one_client",
    depth=14,
    source="https://issues.apache.org/jira/browse/HDFS-4495; fixed in 0.23.7, 2.0.4",
)

RENEWAL_BUGS = (HDFS_3032, HDFS_4495)
