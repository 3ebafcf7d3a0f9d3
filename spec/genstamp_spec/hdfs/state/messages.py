"""Callers with streams whose calls and reports may stay on their way."""

import enum

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import Attempt, AttemptStage, Datanode, File, Found, OriginalState, no_datanode
from genstamp_spec.hdfs.state.streams import Streams


class Call(Record):
    """initReplicaRecovery or updateReplicaUnderRecovery, for whose answer nobody waits any more."""

    updates = flag()
    datanode = reference(Datanode)
    file = reference(File)
    recovery_id = ordered(limit="stamps")
    block_stamp = ordered(limit="stamps")  # of initReplicaRecovery
    found_bytes = number(limit="bytes")  # of updateReplicaUnderRecovery: the length that was answered
    new_bytes = number(limit="bytes")  # likewise: the length that was agreed on


class Report(Record):
    """commitBlockSynchronization."""

    primary = reference(Datanode)
    file = reference(File)
    recovery_id = ordered(limit="stamps")
    stage = enumeration(AttemptStage)  # UPDATING, or DELETING where nothing was found
    new_bytes = number(limit="bytes")
    targets = members(Datanode)


class Messages(Streams):
    """Calls for whose answer nobody waits any more, and what primaries tell the NameNode."""

    calls = bag(Call, limit="calls")
    reports = bag(Report, limit="reports")
    lost_commands = number(limit="lost_commands")  # history: only limited, never read

    def report_of(s, primary: Datanode, file: File, attempt: Attempt) -> Report:
        """What the primary tells of an attempt."""
        return Report(
            primary=primary,
            file=file,
            recovery_id=attempt.recovery_id,
            stage=attempt.stage,
            new_bytes=attempt.new_bytes,
            targets=attempt.updated,
        )

    def reports_back(s, primary: Datanode, file: File) -> Attempt:
        """A report arrives at the NameNode, for the first time or again."""
        report = s.reports.receive()
        require(report.primary == primary, "the report is the primary's")
        require(report.file == file, "the report is about the file's block")
        return Attempt(
            stage=report.stage,
            recovery_id=report.recovery_id,
            block_stamp=report.recovery_id,
            locations=no_datanode(),
            answered=no_datanode(),
            failed=no_datanode(),
            found=each(Datanode, lambda datanode: Found(original=OriginalState.NONE, num_bytes=0)),
            participants=no_datanode(),
            new_bytes=report.new_bytes,
            updated=report.targets,
        )

    def why_an_answer_changes_nothing(s) -> str:
        """The report stays under way."""
        return "the primary was done when it sent the report, which may come again"

    def attempt_ends(s, primary: Datanode, file: File) -> None:
        """The primary was done when it sent the report, which may come again."""


class Holding(Streams):
    """History: who had what."""

    holding = per(File, members(Datanode))  # who had bytes when the last command was given

    def recovery_begins(s, file: File) -> None:
        """It is noted which datanodes have bytes of the block."""
        s.holding[file] = those(Datanode, lambda d: s.has_bytes(d, file))


class Contact(enum.Enum):
    """What the NameNode believes of a datanode."""

    FRESH = enum.auto()
    STALE = enum.auto()
    DEAD = enum.auto()
    UNKNOWN = enum.auto()


class Contacts(Streams):
    """Stale and dead datanodes, and storages that the NameNode does not know."""

    contact = per(Datanode, enumeration(Contact))
    given_up = members(Datanode)  # history: who was ever taken for dead
    silences = number(limit="silences")  # history: only limited, never read

    def came_back(s, datanode: Datanode) -> None:
        """It is heard of, and its storages are known."""
        s.contact[datanode] = Contact.FRESH

    def dead(s) -> Members[Datanode]:
        """Datanodes that are taken for dead."""
        return those(Datanode, lambda datanode: s.contact[datanode].at(Contact.DEAD))

    def alive_locations(s, file: File) -> Members[Datanode]:
        """A stale datanode counts as alive (facts G.1)."""
        return s.locations[file] - s.dead()

    def not_gone(s, file: File) -> Members[Datanode]:
        """Locations that a command may name: all but the dead, as since HDFS-17430."""
        return s.alive_locations(file)

    def locations_to_ask(s, file: File) -> Members[Datanode]:
        """A stale one may have what nobody else has."""
        return s.not_gone(file)

    def known_storages(s, targets: Members[Datanode]) -> Members[Datanode]:
        """Unknown ones are skipped (facts G.6)."""
        return targets - those(Datanode, lambda datanode: s.contact[datanode].at(Contact.UNKNOWN))
