"""hdfs.single_writer_truncate, hdfs.durable_prefix_truncate: the two abstract files where a file may be cut.

What truncate takes back on purpose, and nothing beyond it: only a file that nobody writes is cut, and who reads it or
relies on it keeps what is left. Beside the abstract files without truncate, of which more can be promised.
"""

from typing import Self

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import Client, Holder
from genstamp_spec.hdfs.systems.durable_prefix import LONGEST as LONGEST_PREFIX
from genstamp_spec.hdfs.systems.durable_prefix import OMITS as OMITS_OF_DURABLE_PREFIX
from genstamp_spec.hdfs.systems.durable_prefix import DurablePrefix, DurablePrefixProperties
from genstamp_spec.hdfs.systems.single_writer import LONGEST as LONGEST_FILE
from genstamp_spec.hdfs.systems.single_writer import OMITS as OMITS_OF_SINGLE_WRITER
from genstamp_spec.hdfs.systems.single_writer import SingleWriter, SingleWriterProperties


class TruncatedFile(SingleWriter):
    """The file with its writer, which may be cut."""

    @action
    def truncate(s, client: Client) -> None:
        """A client has the file cut: it is the client's and fenced until that is done, as in a takeover.

        A copy that takes the place of what must stay is as long as the file becomes.
        """
        length = s.what_is_left()
        require(s.writer.is_none(), "nobody writes the file", "AlreadyBeingCreatedException")
        s.writer = client
        s.fenced = True
        s.length = length

    @action
    def truncate_at_block_boundary(s) -> None:
        """The file is cut where blocks end: it is shorter at once, and stays closed."""
        length = s.what_is_left()
        require(s.writer.is_none(), "nobody writes the file", "AlreadyBeingCreatedException")
        s.length = length

    def what_is_left(s) -> Number:
        """Any length that is not longer."""
        length = pick("length", 0, LONGEST_FILE)
        require(length <= s.length, "the file does not get longer")
        return length


class TruncatedFileProperties(SingleWriterProperties, TruncatedFile):
    """What the file promises all the same."""

    @transition(inductive=True, given=("only_open_files_are_fenced",))
    def closed_file_stays(s, t: Self) -> Bool:
        """S13: what nobody writes does not get longer; another file that gets its name finds it empty or deleted."""
        closed = s.writer.is_none() & (s.length > 0)
        return closed.implies(t.length <= s.length)

    # What comes of the steps that hdfs.write_path_truncate, which refines this file, does not take or hardly shows.

    @leads_to(fair=("take_over",))
    def open_file_can_be_taken_over(s) -> tuple[Bool, Bool]:
        """S10: whatever others do with an open file, the NameNode can take it over, and it is fenced then."""
        taken: Bool = s.fenced & (s.writer == Holder.NAMENODE)
        return ~s.writer.is_none(), s.writer.is_none() | taken

    @leads_to(fair=("release_and_open",))
    def released_file_goes_to_whoever_wants_it(s, client: Client) -> tuple[Bool, Bool]:
        """S10: a client that goes on with the file in the call that releases it is its writer then."""
        released = ~s.writer.is_none() & ~s.fenced
        return released, ~released | (s.writer == client)

    @leads_to(fair=("overwrite",))
    def overwritten_file_is_a_new_one(s, client: Client) -> tuple[Bool, Bool]:
        """S13: whoever writes the file, a client can put another one in its place, which is empty and the client's."""
        return s.length > 0, (s.writer == client) & ~s.fenced & (s.length == 0)

    @leads_to(fair=("delete",))
    def deleted_file_is_gone(s) -> tuple[Bool, Bool]:
        """S13: whatever others do with it, a file can be deleted, open or closed, and nothing is left of it then."""
        return ~s.writer.is_none() | (s.length > 0), s.writer.is_none() & (s.length == 0)


SINGLE_WRITER_TRUNCATE = System(
    "hdfs.single_writer_truncate",
    parts=[TruncatedFileProperties],
    doc="The abstract file with one writer at a time, which may be cut; hdfs.write_path_truncate refines it.",
    rows="""
        two: Client=2; two clients and the NameNode
    """,
    omits=OMITS_OF_SINGLE_WRITER,
)


class TruncatedPrefix(DurablePrefix):
    """The file whose acknowledged prefix stays, but for what is cut off."""

    @action
    def truncate(s) -> None:
        """A closed file is opened to be cut: less of it is promised from now on, and that stays.

        Readers rely on no more of it either.
        """
        left = s.what_is_left()
        s.open = True
        s.length = 0
        s.promised = left
        s.seen.update(lambda client: smallest(s.seen[client], left))

    @action
    def truncate_at_block_boundary(s) -> None:
        """The same where blocks end: the file is shorter at once, and stays closed; all that is left is promised."""
        left = s.what_is_left()
        s.length = left
        s.promised = left
        s.seen.update(lambda client: smallest(s.seen[client], left))

    def what_is_left(s) -> Number:
        """Any length that is not longer."""
        left = pick("left", 0, LONGEST_PREFIX)
        require(~s.open, "the file is closed")
        require(left <= s.length, "the file does not get longer")
        return left


class TruncatedPrefixProperties(DurablePrefixProperties, TruncatedPrefix):
    """What the file promises all the same."""

    @transition(inductive=True, given=("closed_file_has_what_was_promised",))
    def promise_is_kept_or_void(s, t: Self) -> Bool:
        """S6: the promise of an open file only grows, unless the last datanode that could keep it stops, or delete."""
        return s.open.implies((t.promised >= s.promised) | (t.promised == 0))

    @transition(inductive=True)
    def closed_file_stays(s, t: Self) -> Bool:
        """S13: a closed file does not get longer while it is closed."""
        return (~s.open & ~t.open).implies(t.length <= s.length)


DURABLE_PREFIX_TRUNCATE = System(
    "hdfs.durable_prefix_truncate",
    parts=[TruncatedPrefixProperties],
    doc="The abstract file whose acknowledged prefix stays, until it is cut; hdfs.write_path_truncate refines it.",
    rows="""
        two: Client=2; two readers
    """,
    omits=OMITS_OF_DURABLE_PREFIX[1:],
)
