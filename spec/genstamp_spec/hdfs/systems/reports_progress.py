"""hdfs.reports_progress: that reports, delivered eventually, complete a block; the writers of hdfs.reports alone.

Nothing stops or fails here but nodes of the pipeline, for a fault that is cut off by a limit leaves progress unjudged.
"""

from genstamp_model.language import Bool, Configuration, System, count, leads_to, witness
from genstamp_spec.hdfs.parts.state import Datanode, File
from genstamp_spec.hdfs.state.block_map import BlockMap
from genstamp_spec.hdfs.systems.reports import REPORTS_AND_WRITERS, sizes
from genstamp_spec.lifecycles.block import BlockLifecycle


class ReportsProgress(BlockMap):
    """What comes of it that reports are sent and arrive."""

    def has_good_replicas(s, file: File) -> Bool:
        """Replicas enough are FINALIZED, with the stamp and length of the block."""
        good = count(Datanode, lambda d: s.matches(s.replica[d][file], s.block_stamp[file], s.block_bytes[file]))
        return good >= s.minimal()

    @leads_to(fair=("send_incremental_report", "block_receiving", "block_received", "block_deleted", "block_report"))
    def committed_blocks_become_complete(s, file: File) -> tuple[Bool, Bool]:
        """L5: a COMMITTED block with live replicas enough that match becomes COMPLETE, if reports go out and arrive."""
        committed = s.block[file].at(BlockLifecycle.committed)
        return committed & s.has_good_replicas(file), s.block[file].at(BlockLifecycle.complete)

    @witness
    def nothing_is_known_yet(s, file: File) -> Bool:
        """A7: the client has committed, and no report has come."""
        return s.block[file].at(BlockLifecycle.committed) & s.stored[file].is_empty()


LIMITS = (
    *("stamps", "bytes", "pipeline_updates", "appends", "deletions", "copies", "crashes"),
    # Nothing here uses these.
    *("decommissions", "losses", "namenode_restarts", "recoveries"),
)
"""What does not happen in a configuration unless it says how often."""


REPORTS_PROGRESS = System(
    "hdfs.reports_progress",
    parts=[*REPORTS_AND_WRITERS, ReportsProgress],
    doc="That reports complete a committed block, if they go out and arrive.",
    limits=dict.fromkeys(LIMITS, 0),
    configurations=[
        Configuration(
            "one_is_enough",
            sizes=sizes(2, wanted=2),
            limits={"stamps": 2, "bytes": 1, "pipeline_updates": 1},
            doc="a node of the pipeline is left behind",
        ),
        Configuration(
            "two_are_needed",
            sizes=sizes(2, wanted=2, minimal=2),
            limits={"stamps": 2, "appends": 1},
            doc="minimal replication of 2, and an append",
        ),
        Configuration(
            "too_many",
            sizes=sizes(2, wanted=1),
            limits={"stamps": 3, "appends": 1, "deletions": 1, "pipeline_updates": 1},
            doc="a replica too many, an append, and a file that is deleted",
        ),
        Configuration(
            "copies",
            sizes=sizes(2, wanted=2),
            limits={"stamps": 3, "copies": 1, "appends": 1, "pipeline_updates": 1},
            doc="a copy, and an append",
        ),
        Configuration(
            "alone",
            sizes=sizes(1, wanted=2),
            limits={"stamps": 2, "bytes": 1, "appends": 1},
            doc="one datanode",
        ),
    ],
    omits=(
        "faults, recoveries, decommissioning, and what else is in hdfs.reports beside its writers",
        "progress of copies: how many there are is a limit",
    ),
)
