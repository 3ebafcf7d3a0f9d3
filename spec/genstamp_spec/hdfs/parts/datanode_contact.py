"""What the NameNode believes of its datanodes: heard of lately, stale, dead, or without a storage that it knows.

Coarser than HDFS: a datanode is taken for dead only if it is down; its replicas of complete blocks stay counted.
"""

import enum

from genstamp_model.language import Members, action, enumeration, members, number, per, require, those
from genstamp_spec.hdfs.parts.block_recovery import BlockRecovery
from genstamp_spec.hdfs.parts.state import Datanode, File


class Contact(enum.Enum):
    """What the NameNode believes of a datanode."""

    FRESH = enum.auto()
    STALE = enum.auto()
    DEAD = enum.auto()
    UNKNOWN = enum.auto()


class DatanodeContact(BlockRecovery, lane="namenode"):
    """Stale and dead datanodes, and storages that the NameNode does not know."""

    contact = per(Datanode, enumeration(Contact))
    given_up = members(Datanode)  # history: who was ever taken for dead
    silences = number(limit="silences")  # history: only limited, never read

    @action(hidden=True)
    def datanode_becomes_stale(s, datanode: Datanode) -> None:
        """Time: nothing was heard of a datanode for 30 s (DatanodeInfo#isStale; facts G.2)."""
        require(s.contact[datanode].at(Contact.FRESH, Contact.UNKNOWN), "the datanode was heard of lately")
        s.may_fall_silent(datanode)
        s.contact[datanode] = Contact.STALE
        s.silences = s.silences + 1

    def may_fall_silent(s, datanode: Datanode) -> None:
        """Checks: a datanode that is up may be silent, too."""

    @action(hidden=True)
    def datanode_is_taken_for_dead(s, datanode: Datanode) -> None:
        """Time: a datanode that is down was silent for ten minutes (HeartbeatManager#heartbeatCheck; facts G.1)."""
        require(s.contact[datanode].at(Contact.STALE), "the datanode was not heard of lately")
        require(~s.running.has(datanode), "the datanode is down")
        s.contact[datanode] = Contact.DEAD
        s.given_up.add(datanode)

    @action(hidden=True)
    def datanode_is_heard_of(s, datanode: Datanode) -> None:
        """A heartbeat of a datanode that was silent, or the report of a storage that was forgotten."""
        require(s.running.has(datanode), "the datanode is running")
        require(s.contact[datanode].at(Contact.STALE, Contact.UNKNOWN), "the datanode was silent or unknown")
        s.contact[datanode] = Contact.FRESH

    @action(hidden=True)
    def storage_is_forgotten(s, datanode: Datanode) -> None:
        """The NameNode drops the storage of a datanode that goes on (DatanodeDescriptor#pruneStorageMap; facts G.6)."""
        require(s.contact[datanode].at(Contact.FRESH), "the datanode was heard of lately")
        require(s.running.has(datanode), "the datanode is running")
        s.may_fail()
        s.contact[datanode] = Contact.UNKNOWN
        s.silences = s.silences + 1

    def come_back(s, datanode: Datanode, lost_bytes: int) -> None:
        """It registers: it is heard of, and its storages are known."""
        super().come_back(datanode, lost_bytes)
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
