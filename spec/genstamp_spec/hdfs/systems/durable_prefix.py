"""A file whose acknowledged prefix stays: what hflush and recovery are for, without either.

One file, whose writer is told how much is safe, and whose readers never see it shrink. What was promised, to the writer
or by showing it to a reader, is in the file when it is closed. Nothing is promised any more once the last datanode has
stopped that had all of it and had never stopped before: then the file may end with any length. Systems with pipelines
and block recovery refine this one, each of their files for itself.

Coarser than any of them: bytes have no values, and what was written but not acknowledged is not known.
"""

from typing import Final, Self

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import Client

LONGEST: Final = 7
"""Lengths that are told apart: more than any configuration of a system that refines this one writes."""

OMITS = (
    "truncate, which takes bytes back on purpose",
    "bytes that were written and not acknowledged: they may be in the closed file or not",
    "hsync: bytes that survive the restart of every datanode",
    "what the bytes are",
)


class DurablePrefix(Part):
    """The file, what was promised of it, and what readers have seen. Any client may read."""

    open = flag()
    length = number(0, LONGEST)  # of the closed file; 0 while it is open
    promised = number(0, LONGEST)  # bytes that the writer or a reader relies on
    seen = per(Client, number(0, LONGEST))  # bytes that a reader has seen and relies on

    @action
    def open_(s) -> None:
        """The file is created, or opened for append: what stands in it is promised."""
        require(~s.open, "the file is not open")
        s.open = True
        s.promised = s.length
        s.length = 0

    @action
    def acknowledge(s) -> None:
        """The writer is told that so many bytes are safe."""
        promised = s.no_less_than(s.promised)
        require(s.open, "the file is open")
        s.promised = promised

    @action
    def read(s, client: Client) -> None:
        """A reader finds all that was promised, or more; what it saw of an open file is promised from then on."""
        shown = s.no_less_than(when(s.open, s.promised, s.length))
        require(s.open | (shown == s.length), "of a closed file the reader sees all")
        s.promised = when(s.open, shown, s.promised)
        s.seen[client] = shown

    @action
    def settle(s) -> None:
        """The file is closed, by its writer or after it: with all that was promised, or more."""
        length = s.no_less_than(s.promised)
        require(s.open, "the file is open")
        s.open = False
        s.length = length

    @action
    def lose(s) -> None:
        """The last datanode stops that had all that was promised and had never stopped: nobody may rely on it now."""
        s.promised = 0
        s.seen.update(lambda client: 0)

    @action
    def delete(s) -> None:
        """The file is deleted. Under its name there may be another one later."""
        s.open = False
        s.length = 0
        s.promised = 0
        s.seen.update(lambda client: 0)

    def no_less_than(s, least: Number) -> Number:
        """Any length of at least so many bytes."""
        length = pick("length", 0, LONGEST)
        require(length >= least, "nothing is missing of what was promised")
        return length


class DurablePrefixProperties(DurablePrefix):
    """What the file promises."""

    @invariant(inductive=True, given=("closed_file_has_what_was_promised",))
    def readers_never_see_it_shrink(s, client: Client) -> Bool:
        """S4: what a reader has seen is there, for the next reader too."""
        return s.seen[client] <= when(s.open, s.promised, s.length)

    @invariant(inductive=True)
    def closed_file_has_what_was_promised(s) -> Bool:
        """S5, S6: what was promised is in the closed file."""
        return (~s.open).implies(s.promised <= s.length)

    @transition(inductive=True, given=("closed_file_has_what_was_promised",))
    def promise_is_kept_or_void(s, t: Self) -> Bool:
        """S6: a promise only grows, unless the last datanode that could keep it stops, or the file is deleted."""
        return (t.promised >= s.promised) | (t.promised == 0)

    @transition(inductive=True)
    def closed_file_stays(s, t: Self) -> Bool:
        """S13: the length of a closed file does not change, but it may be deleted."""
        closed = ~s.open & ~t.open
        return closed.implies((t.length == s.length) | (t.length == 0))

    @leads_to(fair=("delete",))
    def deleted_file_is_gone(s) -> tuple[Bool, Bool]:
        """S13: whatever others do with it, a file can be deleted, open or closed, and nothing is left of it then."""
        return s.open | (s.length > 0), ~s.open & (s.length == 0)

    @witness
    def more_survives_than_was_promised(s) -> Bool:
        """J.3: bytes that were not acknowledged may survive."""
        return ~s.open & (s.promised > 0) & (s.length > s.promised)

    @witness
    def reader_saw_all(s, client: Client) -> Bool:
        """A reader has seen all of an open file that anybody relies on."""
        return s.open & (s.seen[client] > 0) & (s.seen[client] == s.promised)


DURABLE_PREFIX = System(
    "hdfs.durable_prefix",
    parts=[DurablePrefixProperties],
    doc="An abstract file whose acknowledged prefix stays; systems with pipelines and block recovery refine it.",
    rows="""
        two: Client=2; two readers
        three: Client=3; three readers
    """,
    omits=OMITS,
)
