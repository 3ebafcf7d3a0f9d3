"""The names of the sources, and the form of a declaration.

Not here: the declarations (`edits`, `servers`, `old`), and their consequences (`declared`).
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
    """A source's declaration of a step.

    Attributes:
        how: whether the source logs the step.
        why: the reason.
    """

    how: Logged
    why: str


Steps = Mapping[str, Declared]
"""A source's declarations of the steps of one kind of entity."""

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
"""The name of a source that has lines of several nodes: they do not show which node a start concerns."""

ON_DISK = EDIT_LOGS | {IMAGES, REPLICAS}
"""Sources that show what is on disk, and not what a NameNode has in memory."""

OF_NAMENODE = frozenset({NAMENODE_LOG, NAMENODE_LOGS, GENSTAMP})
"""Sources that show each step of a NameNode; its edits and its audit log repeat some of them."""

OF_REPLICAS = frozenset({REPLICAS, DATANODE_LOG, DATANODE_LOGS, CLIENT_LOG})
"""Sources that have blocks and their replicas, and no files and no leases."""

IN_MEMORY = frozenset({"force_complete", "restart_last_of_open_file", "restart_any_other"})
"""Steps of a block that change nothing on disk: a NameNode that starts loads its images and edits. If no source shows
its memory, these steps cannot explain anything.
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
