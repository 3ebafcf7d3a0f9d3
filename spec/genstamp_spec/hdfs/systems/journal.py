"""hdfs.journal: the edit log, its sync and replay, active and standby, restart and failover, and the retry cache.

Which changes survive the NameNode, and that the next one goes on from just there.
"""

from typing import Self

from genstamp_model.language import (
    Bool,
    Configuration,
    System,
    invariant,
    transition,
    when,
)
from genstamp_spec.hdfs.parts.client_calls import AT_MOST_ONCE
from genstamp_spec.hdfs.parts.journal_state import CallKind, CallStage, Service
from genstamp_spec.hdfs.parts.namenode_failover import NamenodeFailover
from genstamp_spec.hdfs.parts.recovery_in_outline import RecoveryInOutline
from genstamp_spec.hdfs.parts.state import Client, Datanode, File
from genstamp_spec.lifecycles.block import BlockLifecycle
from genstamp_spec.lifecycles.file import FileLifecycle

OMITS = ()


class JournalProperties(NamenodeFailover, RecoveryInOutline):
    """What hdfs.journal promises; numbers S are those of the facts, section J."""

    # Replay.

    @invariant
    def replay_never_fails(s) -> Bool:
        """S19: every edit on disk can be replayed on what the edits before it have made."""
        return (s.synced == 0) | s.can_replay(s.edits.first())

    @invariant
    def replay_gives_the_state_of_the_active(s, file: File) -> Bool:
        """S19: a standby that has replayed every edit knows what the active knows.

        All but what a standby is not told: locations, how far the last block of an open file is, and a length that was
        committed while the file stayed open.
        """
        image = s.image[file]
        caught_up = s.service.at(Service.ACTIVE) & (s.edits.size() == 0)
        there = s.in_tree.has(file)
        same_path = when(there, image.path == s.path[file], image.path.is_none())
        closed = s.file[file].at(FileLifecycle.closed)
        complete = s.block[file].at(BlockLifecycle.complete) == image.block.at(BlockLifecycle.complete)
        length, known = s.block_bytes[file], image.num_bytes
        same_length = when(closed, complete & (known == length), known <= length)
        same_block = (s.block_stamp[file] == image.stamp) & (s.known(file) == s.image_has_block(file))
        same_state = (image.holder == s.client_name[file]) & (closed == image.state.at(FileLifecycle.closed))
        same = same_state & same_block & same_length
        return caught_up.implies(same_path & (~there | same))

    # Stamps.

    @transition
    def stamps_are_given_out_once(s, t: Self) -> Bool:
        """S9: a new stamp is above every stamp that anybody knows, whatever NameNode gave it out."""
        return (t.last_stamp > s.last_stamp).implies(t.last_stamp > s.given)

    # Ownership.

    @transition
    def only_the_active_commands(s, t: Self, datanode: Datanode, file: File) -> Bool:
        """S25: no datanode begins a recovery on behalf of a NameNode that is not active."""
        begins = (t.led[datanode][file] != s.led[datanode][file]) & (t.led[datanode][file] > 0)
        return begins.implies(s.service.at(Service.ACTIVE))

    # Retries.

    @invariant
    def retry_cache_knows_what_was_done(s, client: Client) -> Bool:
        """S20: where the effect of a lost @AtMostOnce call is there, the active NameNode has its answer."""
        lost = s.call[client].stage.at(CallStage.LOST) & s.done_calls.has(client)
        known = s.cached[client] == s.call[client].call_id
        return (lost & s.service.at(Service.ACTIVE) & s.call[client].kind.at(*AT_MOST_ONCE)).implies(known)

    @transition
    def repeated_call_has_no_second_effect(s, t: Self, client: Client, file: File) -> Bool:
        """S20: a lost call whose effect is there changes nothing when it is made again."""
        lost = s.call[client].stage.at(CallStage.LOST) & s.done_calls.has(client) & (s.call[client].file == file)
        repeated = (t.call[client].kind == s.call[client].kind) & (t.call[client].file == file)
        again = lost & t.call[client].stage.at(CallStage.WAITING) & repeated
        idempotent = ~s.call[client].kind.at(CallKind.FSYNC, CallKind.BLOCK_FOR_PIPELINE)
        same = (s.block_stamp[file] == t.block_stamp[file]) & (s.block_bytes[file] == t.block_bytes[file])
        return (again & idempotent).implies(same & (s.client_name[file] == t.client_name[file]))

    @transition
    def repeated_call_is_answered(s, t: Self, client: Client) -> Bool:
        """S20: a lost call whose effect is there never fails when it is made again."""
        lost = s.call[client].stage.at(CallStage.LOST) & s.done_calls.has(client)
        return lost.implies(~t.call[client].stage.at(CallStage.IDLE))

    # Data.

    @invariant
    def promised_bytes_survive(s, file: File) -> Bool:
        """S6: the length that an fsync has promised is there as long as the file is, over restarts and failovers."""
        up = ~s.service.at(Service.STARTING) & s.in_tree.has(file) & s.known(file)
        return up.implies(s.block_bytes[file] >= s.promised[file])


def limits(**chosen: int) -> dict[str, int]:
    """Limits of a configuration; what is not named does not happen."""
    names = (
        "stamps",
        "bytes",
        "crashes",
        "edits",
        "namenode_failures",
        "lost_answers",
        "renames",
        "deletions",
        "quota_changes",
    )
    return dict.fromkeys(names, 0) | chosen


JOURNAL = System(
    "hdfs.journal",
    parts=[JournalProperties],
    doc="The edit log, its sync and replay, active and standby, restart and failover, and the retry cache.",
    semantics={"repaired": ()},
    default_semantics="repaired",
    configurations=[
        Configuration(
            "small",
            sizes={"Client": 1, "File": 1, "Datanode": 1, "Path": 1},
            limits=limits(stamps=1, bytes=1, namenode_failures=1, edits=2),
            doc="one client writes one file, and the NameNode stops once",
        ),
        Configuration(
            "takeover",
            sizes={"Client": 2, "File": 1, "Datanode": 1, "Path": 1},
            limits=limits(stamps=2, bytes=1, namenode_failures=1, edits=1),
            doc="two clients and the NameNode compete for a file",
        ),
        Configuration(
            "recoveries",
            sizes={"Client": 1, "File": 1, "Datanode": 1, "Path": 1},
            limits=limits(stamps=3, bytes=1, namenode_failures=2, edits=1),
            doc="recoveries and pipelines over two failures",
        ),
        Configuration(
            "appends",
            sizes={"Client": 1, "File": 1, "Datanode": 1, "Path": 1},
            limits=limits(stamps=2, bytes=2, namenode_failures=1, edits=2, quota_changes=1),
            doc="a file that is opened again",
        ),
        Configuration(
            "lost_answers",
            sizes={"Client": 1, "File": 1, "Datanode": 1, "Path": 1},
            limits=limits(stamps=2, bytes=1, namenode_failures=1, edits=3, lost_answers=2),
            doc="calls that are made again",
        ),
        Configuration(
            "deletions",
            sizes={"Client": 1, "File": 1, "Datanode": 1, "Path": 1},
            limits=limits(stamps=2, bytes=1, namenode_failures=1, edits=3, deletions=1),
            doc="an open file is deleted",
        ),
        Configuration(
            "renames",
            sizes={"Client": 1, "File": 1, "Datanode": 1, "Path": 2},
            limits=limits(stamps=1, bytes=1, namenode_failures=1, edits=3, renames=1),
            doc="an open file is renamed",
        ),
        Configuration(
            "two_files",
            sizes={"Client": 1, "File": 2, "Datanode": 1, "Path": 2},
            limits=limits(stamps=2, bytes=1, namenode_failures=0, edits=1, deletions=1),
            doc="a path that is used again",
        ),
    ],
    omits=OMITS,
)
