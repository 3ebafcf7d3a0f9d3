"""What each source of events is known to log, and so which steps can have gone unseen.

Leaves out how the sources are read (`genstamp.logs.readers`).
"""

from collections.abc import Collection, Mapping
from enum import Enum
from functools import cache

from genstamp.events import Kind
from genstamp.logs.graphs import graph
from genstamp.logs.rules import BOOKS, Balance
from genstamp.logs.unseen import all_steps


class Logged(Enum):
    """Whether a source logs a step."""

    ALWAYS = "always"
    MAYBE = "may be missing"
    NEVER = "never"


EDITS = "hdfs-edits"
EDITS_BEFORE_40 = "hdfs-edits-before-40"
NAMENODE_LOG = "hdfs-namenode-log"
AUDIT_LOG = "hdfs-audit-log"
DATANODE_LOG = "hdfs-datanode-log"
MERGED_LOG = "hdfs-0.20-merged-log"
SEQUENCES = "hdfs-0.20-sequences"
CLIENT_LOG = "hdfs-client-log"
IMAGES = "hdfs-fsimage"
REPLICAS = "hdfs-replica-directory"
GENSTAMP = "genstamp-dfs"
TRACEBENCH = "tracebench"
MODEL_TRACE = "itf"

EDIT_LOGS = frozenset({EDITS, EDITS_BEFORE_40})

ON_DISK = EDIT_LOGS | {IMAGES, REPLICAS}
"""Sources that tell of what is on disk, and not of what a NameNode has in memory."""

OF_NAMENODE = frozenset({NAMENODE_LOG, GENSTAMP})
"""Sources that tell step by step what a NameNode does: what its edits or its audit log say of them is said again."""

IN_MEMORY = frozenset({"force_complete", "restart_last_of_open_file", "restart_any_other"})
"""Steps of a block that change nothing on disk: a NameNode that starts takes up what its images and edits say. Where no
source tells of its memory, they explain nothing.
"""


def _declared(always: str = "", maybe: str = "", never: str = "") -> Mapping[str, Logged]:
    """Steps, separated by blanks, and whether each is logged."""
    return {
        step: how
        for how, steps in ((Logged.ALWAYS, always), (Logged.MAYBE, maybe), (Logged.NEVER, never))
        for step in steps.split()
    }


# Beside the steps of blocks those of their replicas that are counted (`rules.unplaced`). The end of a file, an
# abandoned block and the deletion of one without locations name no block, or are logged at DEBUG. An order to delete
# can also be the answer to a block report, which no line tells (NameNode#blockReport before 0.19).
_OLD_BLOCKS = _declared(
    always="add_block write_block finalize_replica invalidate_replica invalidate_absent_replica add_stored_block"
    " add_to_invalidates",
    maybe="complete_block remove ask_to_delete",
    never="update_pipeline fsync commit complete_after_recovery force_complete append truncate copy_on_truncate"
    " start_recovery commit_block_synchronization commit_block_synchronization_too_few_replicas"
    " commit_block_synchronization_without_close commit_block_synchronization_delete abandon_block drop_empty_block"
    " restart_last_of_open_file restart_any_other",
)

# Levels are those of Hadoop's own log4j.properties: INFO for the NameNode and its state changes.
SOURCES: Mapping[str, Mapping[Kind, Mapping[str, Logged]]] = {
    # I.5: every change of the namespace is an edit before it is answered; states of blocks are not on disk.
    EDITS: {
        "file": _declared(
            always="create create_overwrite append truncate truncate_at_block_boundary add_block abandon_block"
            " update_pipeline reassign_lease commit_block_synchronization_without_close close delete",
            maybe="fsync",
        ),
        "block": _declared(
            always="add_block update_pipeline fsync abandon_block append truncate copy_on_truncate drop_empty_block"
            " commit_block_synchronization commit_block_synchronization_without_close"
            " commit_block_synchronization_delete remove",
            never="commit complete_block complete_after_recovery force_complete start_recovery"
            " commit_block_synchronization_too_few_replicas restart_last_of_open_file restart_any_other",
        ),
        "lease": _declared(
            always="grant take_over reassign release",
            maybe="recovery_ends",
            never="start_recovery renew soft_limit_passes hard_limit_passes restart",
        ),
        "node": _declared(always="set_generation_stamp"),
    },
    # Layout versions -24 to -39: blocks are logged with OP_CLOSE, and before only where persistBlocks was set.
    EDITS_BEFORE_40: {
        "file": _declared(
            always="create create_overwrite append reassign_lease close delete",
            maybe="add_block abandon_block update_pipeline fsync commit_block_synchronization_without_close",
            never="truncate truncate_at_block_boundary",
        ),
        "block": _declared(
            maybe="add_block update_pipeline fsync abandon_block append drop_empty_block commit_block_synchronization"
            " commit_block_synchronization_without_close commit_block_synchronization_delete remove",
            never="commit complete_block complete_after_recovery force_complete start_recovery truncate"
            " copy_on_truncate commit_block_synchronization_too_few_replicas restart_last_of_open_file"
            " restart_any_other",
        ),
        "lease": _declared(
            always="grant take_over reassign release",
            maybe="recovery_ends",
            never="start_recovery renew soft_limit_passes hard_limit_passes restart",
        ),
        "node": _declared(always="set_generation_stamp"),
    },
    # create, append, delete and truncate stand in the audit log only, which many clusters write elsewhere.
    NAMENODE_LOG: {
        "file": _declared(
            always="add_block update_pipeline close commit_block_synchronization_without_close",
            maybe="create create_overwrite append truncate truncate_at_block_boundary abandon_block reassign_lease"
            " fsync delete",
        ),
        "block": _declared(
            always="add_block update_pipeline start_recovery drop_empty_block commit_block_synchronization"
            " commit_block_synchronization_without_close commit_block_synchronization_delete",
            maybe="complete_block complete_after_recovery fsync abandon_block append truncate copy_on_truncate remove",
            never="commit force_complete commit_block_synchronization_too_few_replicas restart_last_of_open_file"
            " restart_any_other",
        ),
        "lease": _declared(
            always="hard_limit_passes",
            maybe="grant take_over reassign release recovery_ends start_recovery",
            never="renew soft_limit_passes restart",
        ),
    },
    # What clients asked for and got; nothing of how it went on, and no holder.
    AUDIT_LOG: {
        "file": _declared(
            always="create append truncate truncate_at_block_boundary delete",
            maybe="create_overwrite",
            never="add_block abandon_block update_pipeline fsync reassign_lease close"
            " commit_block_synchronization_without_close",
        ),
        "block": {**dict.fromkeys(all_steps("block"), Logged.NEVER), "remove": Logged.MAYBE},
        "lease": {**dict.fromkeys(all_steps("lease"), Logged.NEVER), "release": Logged.MAYBE},
    },
    # `Receiving ...` comes with every stage of a pipeline, but before the checks; a deletion may name no datanode.
    DATANODE_LOG: {
        "replica": _declared(
            always="create_rbw create_rbw_over_existing append recover_append recover_rbw recover_close"
            " create_temporary create_temporary_over_existing finalize init_recovery update_under_recovery",
            maybe="invalidate restart_as_rwr restart_as_rbw restart_over_finalized restart_over_unfinalized"
            " restart_temporary",
            never="convert_temporary_to_rbw unfinalize transfer_for_pipeline_recovery copy_on_truncate receive_packet",
        ),
    },
    # Hadoop 0.20: of blocks only, as no line says on which datanode a replica is.
    MERGED_LOG: {"block": _OLD_BLOCKS},
    SEQUENCES: {"block": _OLD_BLOCKS},
    # What a client does to its pipelines; what the NameNode made of it, it does not log.
    CLIENT_LOG: {
        "block": {**dict.fromkeys(all_steps("block"), Logged.NEVER), "abandon_block": Logged.MAYBE},
    },
    # They hold a state, and no steps.
    IMAGES: {},
    REPLICAS: {},
    # Calls of clients and what the NameNode and datanodes made of them, Hadoop 0.20. Nothing that a server does on its
    # own, no length, and not what delete deletes. Hadoop 0.20 has no truncate, so none goes unseen.
    TRACEBENCH: {
        "file": _declared(
            always="create add_block abandon_block truncate truncate_at_block_boundary",
            maybe="close",
            never="create_overwrite append update_pipeline fsync reassign_lease"
            " commit_block_synchronization_without_close delete",
        ),
        "block": _declared(
            always="add_block abandon_block truncate copy_on_truncate",
            maybe="commit complete_block",
            never="complete_after_recovery update_pipeline fsync append drop_empty_block"
            " commit_block_synchronization commit_block_synchronization_without_close force_complete start_recovery"
            " commit_block_synchronization_delete commit_block_synchronization_too_few_replicas remove"
            " restart_last_of_open_file restart_any_other",
        ),
        "replica": _declared(
            always="create_rbw finalize",
            maybe="create_rbw_over_existing append recover_append recover_rbw recover_close",
            never="create_temporary create_temporary_over_existing init_recovery update_under_recovery invalidate"
            " restart_as_rwr restart_as_rbw restart_over_finalized restart_over_unfinalized restart_temporary"
            " convert_temporary_to_rbw unfinalize transfer_for_pipeline_recovery copy_on_truncate receive_packet",
        ),
        "lease": _declared(
            always="grant",
            maybe="release",
            never="take_over reassign recovery_ends start_recovery renew soft_limit_passes hard_limit_passes restart",
        ),
    },
    # A model shows every step that is not hidden; it is held against its own system, and not against lifecycles.
    MODEL_TRACE: {},
    # Every step of the protocol is an event; a step that it cannot take yet would be one. Only time passes in silence.
    GENSTAMP: {
        "file": dict.fromkeys(all_steps("file"), Logged.ALWAYS),
        "block": dict.fromkeys(all_steps("block"), Logged.ALWAYS),
        "replica": dict.fromkeys(all_steps("replica"), Logged.ALWAYS),
        "lease": {
            **dict.fromkeys(all_steps("lease"), Logged.ALWAYS),
            **_declared(never="soft_limit_passes hard_limit_passes"),
        },
    },
}


def logged(source: str, kind: Kind, step: str) -> Logged:
    """Whether a source logs a step of an entity of some kind; of a source that is not known any line may be missing."""
    if source not in SOURCES:
        return Logged.MAYBE
    return SOURCES[source].get(kind, {}).get(step, Logged.NEVER)


def unseen_steps(kind: Kind, sources: Collection[str], complete: bool) -> frozenset[str]:
    """The steps of an entity that can have gone unseen.

    Args:
        kind: of the entity.
        sources: that tell of the entity's namespace.
        complete: whether the user asserts that the sources are whole; else any line may be missing.
    """
    return _unseen_steps(kind, frozenset(sources), complete)


@cache
def _unseen_steps(kind: Kind, sources: frozenset[str], complete: bool) -> frozenset[str]:
    steps = all_steps(kind)
    if not complete:
        return steps
    if kind == "block" and sources and sources <= ON_DISK:
        steps -= IN_MEMORY
    return frozenset(s for s in steps if not any(logged(source, kind, s) is Logged.ALWAYS for source in sources))


@cache
def logs_no_end(kind: Kind, sources: frozenset[str]) -> bool:
    """Whether no source logs how the life of an entity comes to its end, so that what is shown open may be over.

    A deletion is no such end: what is left open stays owed until somebody is seen to give it up.

    Args:
        kind: of the entity.
        sources: that tell of the entity's namespace.
    """
    lives = graph(kind)
    going_on, kept = ~lives.ends, lives.ends & ~lives.gone
    endings = [step for step in lives.edges if step not in IN_MEMORY and lives.image(going_on, step) & kept]
    telling = [source for source in sources if source not in SOURCES or SOURCES[source].get(kind)]
    return bool(telling) and all(logged(source, kind, step) is Logged.NEVER for source in telling for step in endings)


def balanced(kind: Kind, sources: Collection[str], complete: bool) -> tuple[Balance, ...]:
    """The balances that hold where these sources tell of an entity: all that is weighed was logged.

    Args:
        kind: of the entity.
        sources: that tell of the entity's namespace.
        complete: whether the user asserts that the sources are whole; else nothing can be weighed.
    """
    if not complete:
        return ()
    return tuple(
        balance
        for balance in BOOKS[kind].balances
        if all(
            any(logged(source, kind, event) is Logged.ALWAYS for source in sources if source in SOURCES)
            for event in balance.within
        )
    )
