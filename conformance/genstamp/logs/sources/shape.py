"""The names of the sources, and what a source declares of a step.

Not here: the declarations (the modules beside this one), and what follows from them (`genstamp.logs.sources`).
"""

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple


class Logged(Enum):
    """Whether a source logs a step."""

    ALWAYS = "always there"
    MAYBE = "may be missing"
    UNSEEN = "happens unseen"
    ABSENT = "does not exist here"


class Declared(NamedTuple):
    """What a source declares of a step.

    Attributes:
        how: whether the source logs it.
        why: the reason.
    """

    how: Logged
    why: str


Steps = Mapping[str, Declared]
"""What a source declares of the steps of one kind of entity."""

EDITS = "hdfs-edits"
EDITS_BEFORE_60 = "hdfs-edits-before-60"
EDITS_BEFORE_40 = "hdfs-edits-before-40"
EDITS_BEFORE_36 = "hdfs-edits-before-36"
NAMENODE_LOG = "hdfs-namenode-log"
NAMENODE_LOGS = "hdfs-namenode-log of several"
AUDIT_LOG = "hdfs-audit-log"
DATANODE_LOG = "hdfs-datanode-log"
DATANODE_LOGS = "hdfs-datanode-log of several"
MERGED_LOG = "hdfs-0.20-merged-log"
SEQUENCES = "hdfs-0.20-sequences"
CLIENT_LOG = "hdfs-client-log"
IMAGES = "hdfs-fsimage"
REPLICAS = "hdfs-replica-directory"
GENSTAMP = "genstamp-dfs"
TRACEBENCH = "tracebench"
MODEL_TRACE = "itf"

EDIT_LOGS = frozenset({EDITS, EDITS_BEFORE_60, EDITS_BEFORE_40, EDITS_BEFORE_36})

SHARED: Mapping[str, str] = {NAMENODE_LOG: NAMENODE_LOGS, DATANODE_LOG: DATANODE_LOGS}
"""What a source is called where it tells of several nodes at once: then nothing says which of them a start concerns."""

ON_DISK = EDIT_LOGS | {IMAGES, REPLICAS}
"""Sources that tell of what is on disk, and not of what a NameNode has in memory."""

OF_NAMENODE = frozenset({NAMENODE_LOG, NAMENODE_LOGS, GENSTAMP})
"""Sources that tell step by step what a NameNode does: what its edits or its audit log say of them is said again."""

OF_REPLICAS = frozenset({REPLICAS, DATANODE_LOG, DATANODE_LOGS, CLIENT_LOG})
"""Sources that tell of blocks and their replicas, and of no file and no lease."""

IN_MEMORY = frozenset({"force_complete", "restart_last_of_open_file", "restart_any_other"})
"""Steps of a block that change nothing on disk: a NameNode that starts takes up what its images and edits say. Where no
source tells of its memory, they explain nothing.
"""


def declared(*groups: tuple[Logged, str, str]) -> Steps:
    """Declarations of steps that share a reason.

    Args:
        groups: whether the source logs them, the steps separated by blanks, and the reason.
    """
    found: dict[str, Declared] = {}
    for how, steps, why in groups:
        for step in steps.split():
            assert step not in found, f"{step} is declared twice"
            found[step] = Declared(how, why)
    return found
