"""A file that has at most one writer at a time: what leases and recoveries are for, without either.

One file, which holders open, change and close. Whoever takes a file over fences it first, so that from then on its
former writer changes nothing, whether it knows or not; and nobody opens it anew until the takeover has settled what
stands in it. Systems with leases, blocks and datanodes refine this one, each of their files for itself.

Coarser than any of them: of what stands in the file only its length is known; why somebody may take over, and when,
is not said; what a writer sends to datanodes does not count until the NameNode has taken it over into the file.
"""

from typing import Final, Self

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import Client, Holder

LONGEST: Final = 7
"""Lengths that are told apart: more than any configuration of a system that refines this one writes."""

OMITS = (
    "when a takeover is due: leases and their ages, clocks",
    "what stands in the file, but for its length",
    "clients that go on writing to datanodes because nobody has told them of a takeover",
)


class SingleWriter(Part):
    """The file, and who may change it."""

    writer = optional(Holder)  # nobody: the file is closed, or not there
    fenced = flag()  # it is being taken over: not even its writer changes it
    length = number(0, LONGEST)  # of what the NameNode has taken over into the file

    @action
    def open_(s, client: Client) -> None:
        """A client opens the file, to write it for the first time or to append."""
        require(s.writer.is_none(), "nobody writes the file", "AlreadyBeingCreatedException")
        s.writer = client

    @action
    def commit(s, client: Client) -> None:
        """The writer has more, or something else, in the file."""
        s.check_writer(client)
        s.length = s.any_length()

    @action
    def close(s, client: Client) -> None:
        """The writer commits the rest and closes the file."""
        s.check_writer(client)
        s.length = s.any_length()
        s.writer = none

    @action
    def take_over(s, holder: Holder) -> None:
        """Somebody has the file recovered, by right of age or by force.

        From now on the file is theirs, or stays the writer's in name; in either case it is fenced.
        """
        require(~s.writer.is_none(), "somebody writes the file")
        s.writer = holder
        s.fenced = True

    @action
    def recover(s) -> None:
        """A takeover ends: what stands in the file is settled, and the file is closed."""
        require(s.fenced, "the file is being taken over")
        s.length = s.any_length()
        s.writer = none
        s.fenced = False

    @action
    def forget(s) -> None:
        """The NameNode starts again: a takeover has to begin anew, and what was not logged yet is not in the file.

        Whose the file became it stays.
        """
        length = s.any_length()
        require(~s.writer.is_none(), "somebody writes the file")
        require(length <= s.length, "nothing is in the file that was not")
        s.length = length
        s.fenced = False

    @action
    def release(s) -> None:
        """There was nothing to settle: the file is closed as it is, on behalf of whoever wanted it."""
        require(~s.writer.is_none(), "somebody writes the file")
        require(~s.fenced, "the file is not being taken over")
        s.writer = none

    @action
    def release_and_open(s, client: Client) -> None:
        """There was nothing to settle, and whoever wanted the file closed goes on with it in the same call."""
        require(~s.writer.is_none(), "somebody writes the file")
        require(~s.fenced, "the file is not being taken over")
        s.writer = client

    @action
    def delete(s) -> None:
        """The file is deleted, whoever writes it. Under its name there may be another one later."""
        s.writer = none
        s.fenced = False
        s.length = 0

    @action
    def overwrite(s, client: Client) -> None:
        """A client puts a new file in the place of this one, whoever writes it."""
        s.writer = client
        s.fenced = False
        s.length = 0

    @action
    def move_here(s, holder: Maybe[Holder]) -> None:
        """Another file gets this one's name, with its writer if it has one, and in whatever state it is."""
        fenced = pick("fenced", 0, 1) == 1
        length = s.any_length()
        require(s.writer.is_none() & (s.length == 0), "the file is not there, or empty")
        require(~fenced | ~holder.is_none(), "only what somebody writes is taken over")
        s.writer = holder
        s.fenced = fenced
        s.length = length

    def check_writer(s, client: Client) -> None:
        """Checks: the client writes the file, and nobody takes it over."""
        require(s.writer == client, "the client writes the file", "LeaseExpiredException")
        require(~s.fenced, "the file is not being taken over", "IOException")

    def any_length(s) -> Number:
        """Whatever was written."""
        return pick("length", 0, LONGEST)


class SingleWriterProperties(SingleWriter):
    """What the file promises."""

    @invariant(inductive=True)
    def only_open_files_are_fenced(s) -> Bool:
        """Only what somebody writes is taken over."""
        return s.fenced.implies(~s.writer.is_none())

    @transition(inductive=True)
    def next_writer_finds_it_settled(s, t: Self) -> Bool:
        """S10: who follows another writer finds the file fenced, or as it was, or an empty one in its place."""
        followed = ~s.writer.is_none() & ~t.writer.is_none() & (t.writer != s.writer)
        return followed.implies(t.fenced | (t.length == s.length) | (t.length == 0))

    @transition(inductive=True, given=("only_open_files_are_fenced",))
    def fenced_file_stays(s, t: Self) -> Bool:
        """S11: while the file is taken over, nothing of it changes."""
        return (s.fenced & t.fenced).implies(t.length == s.length)

    @transition(inductive=True, given=("only_open_files_are_fenced",))
    def closed_file_stays(s, t: Self) -> Bool:
        """S13: what nobody writes does not change, but it may be deleted, and another file may have its name then."""
        closed = s.writer.is_none() & (s.length > 0)
        return closed.implies((t.length == s.length) | (t.length == 0))

    @witness
    def taken_over_by_the_namenode(s) -> Bool:
        """The NameNode itself recovers a file in which something stands."""
        held: Bool = s.writer == Holder.NAMENODE
        return s.fenced & held & (s.length > 0)

    @witness
    def closed_with_content(s) -> Bool:
        """A file is closed, and something stands in it."""
        return s.writer.is_none() & (s.length > 0)


SINGLE_WRITER = System(
    "hdfs.single_writer",
    parts=[SingleWriterProperties],
    doc="An abstract file with at most one writer at a time; systems with leases refine it.",
    rows="""
        two: Client=2; two clients and the NameNode
        five: Client=5; five clients and the NameNode
    """,
    omits=OMITS,
)
