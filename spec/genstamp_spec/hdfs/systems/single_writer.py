"""A file that has at most one writer at a time: what leases and recoveries are for, without either.

One file, which holders open, change and close. Whoever takes a file over fences it first, so that from then on its
former writer changes nothing, whether it knows or not; and nobody opens it anew until the takeover has settled what
stands in it. Systems with leases, blocks and datanodes refine this one, each of their files for itself.

Coarser than any of them: of what stands in the file only its length is known; why somebody may take over, and when,
is not said; what a writer sends to datanodes does not count until the NameNode has taken it over into the file.
"""

from typing import Final, Self

from genstamp_model.language import (
    Bool,
    Configuration,
    Number,
    Part,
    System,
    action,
    flag,
    invariant,
    none,
    number,
    optional,
    pick,
    require,
    transition,
    witness,
)
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
    def release(s) -> None:
        """There was nothing to settle: the file is closed as it is, on behalf of whoever wanted it."""
        require(~s.writer.is_none(), "somebody writes the file")
        require(~s.fenced, "the file is not being taken over")
        s.writer = none

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
    def no_writer_follows_unfenced(s, t: Self) -> Bool:
        """S10: another writer comes only after the file was closed, fenced, or replaced by an empty one."""
        followed = ~s.writer.is_none() & ~t.writer.is_none() & (t.writer != s.writer)
        return followed.implies(t.fenced | (t.length == 0))

    @transition(inductive=True)
    def fenced_file_stays(s, t: Self) -> Bool:
        """S11: while the file is taken over, nothing of it changes."""
        return (s.fenced & t.fenced).implies(t.length == s.length)

    @transition(inductive=True, given=("only_open_files_are_fenced",))
    def closed_file_stays(s, t: Self) -> Bool:
        """S13: what nobody writes does not change, but it may be deleted."""
        return s.writer.is_none().implies((t.length == s.length) | (t.length == 0))

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
    configurations=[
        Configuration("two", sizes={"Client": 2}, doc="two clients and the NameNode"),
        Configuration("five", sizes={"Client": 5}, doc="five clients and the NameNode"),
    ],
    omits=OMITS,
)
