"""The page of tables that are computed from the specification: nothing on it is typed but the names of the rows.

Not here: the computing, which each table's own module does.
"""

from collections.abc import Iterator

from genstamp.systems import system_named
from genstamp.tables import corruption, lease_recovery, releases, replica_operations, sync_block
from genstamp.tables.markdown import table


def page() -> str:
    """The page as Markdown."""
    lines = [
        "# Tables of the protocol",
        "",
        "Made by `genstamp tables`. Each cell shows what the specification's actions do in the state that its row and",
        "its column describe.",
        "",
        *_files_that_may_be_open(),
        *_releases(),
        *_requests_and_states(),
        *_two_replicas(),
        *_reports(),
    ]
    return "\n".join(lines)


def _files_that_may_be_open() -> Iterator[str]:
    yield from ("## A call for a file that may be open (F.1)", "")
    yield "The result for another client: an exception, an exception after a step that has changed the state, or a step"
    yield from ("without an exception.", "")
    found = lease_recovery.rows(system_named("hdfs.recovery"), "takeover")
    yield from (*table("the file", lease_recovery.CALLS, found), "")


def _releases() -> Iterator[str]:
    yield from ("## The release of a file (F.3)", "")
    yield "The result of recoverLease, by the state of the last block but one (rows) and of the last block (columns)."
    yield ""
    yield from (
        *table("block before", list(releases.LAST), releases.rows(system_named("hdfs.lease"), "two_clients")),
        "",
    )


def _requests_and_states() -> Iterator[str]:
    yield from ("## A request for a replica, by the replica's state (B.7)", "")
    yield "Columns are the state before, cells the state after, or the exception and the check that fails."
    yield from ("", *replica_operations.table(), "")


def _two_replicas() -> Iterator[str]:
    yield from ("## Two replicas at the end of a block recovery (G.4)", "")
    yield "A is the first replica's length and B the second's. As Hadoop 3.4.1 decides, where a stamp below the block's"
    yield from ("is an error of that datanode, and one that failed does not keep the block from being deleted.", "")
    found = sync_block.rows(system_named("hdfs.recovery"), "hadoop-3.4")
    yield from (*table("first, and second", list(sync_block.REPLICAS), found), "")


def _reports() -> Iterator[str]:
    yield from ("## A reported replica, by the state of the block (I.2)", "")
    yield "Cells give the reason why the replica is corrupt; an empty cell means that it is not corrupt."
    yield ""
    yield from (*table("reported", corruption.BLOCK_STATES, corruption.rows(system_named("hdfs.reports"))), "")
