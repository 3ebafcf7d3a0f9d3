"""Callers with streams, of which the NameNode believes something: heard of lately, stale, dead, or unknown."""

import enum

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import Datanode, File
from genstamp_spec.hdfs.state.streams import Streams


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
