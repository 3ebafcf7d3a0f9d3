"""What the NameNode believes of its datanodes: heard of lately, stale, dead, or without a storage that it knows.

Coarser than HDFS: a datanode is taken for dead only if it is down; its replicas of complete blocks stay counted.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import Datanode
from genstamp_spec.hdfs.state.contact import Contact, Contacts


class DatanodeContact(Contacts, lane="namenode"):
    """Stale and dead datanodes, and storages that the NameNode does not know."""

    @action(hidden=True)
    def datanode_becomes_stale(s, datanode: Datanode) -> None:
        """Time: nothing was heard of a datanode for 30 s (DatanodeInfo#isStale; facts G.2)."""
        require(s.contact[datanode].at(Contact.FRESH, Contact.UNKNOWN), "the datanode was heard of lately")
        s.may_fall_silent(datanode)
        s.contact[datanode] = Contact.STALE
        s.silences = s.silences + 1

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
