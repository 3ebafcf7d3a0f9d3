"""What a NameNode's log lines say: allocation, completion, leases, recoveries.

Not here: the audit log (`log_audit`), and lines that report no step of a file, block or lease: registrations, block
reports, placement, deletions that are only planned. Messages are those of Hadoop 2.6 to 3.4.
"""

import re
from collections.abc import Iterator
from typing import Any

from genstamp.events import Kind
from genstamp.logs.readers import log_grants
from genstamp.logs.readers.file_tree import KnownBlock, KnownFile
from genstamp.logs.readers.log_counter import shows_stamp
from genstamp.logs.readers.log_message import NO_STEP, Message, Patterns, UnreadableError
from genstamp.logs.readers.sighting import Concern, Sighting

PATTERNS = Patterns()
"""Patterns of the NameNode's messages that report a step, each with its meaning.

No form has two parts that both may be of any length: on a hostile line that would take time without end.
"""


_ALLOCATE_TODAY = b"BLOCK* allocate blk_"


@PATTERNS.says(
    rb"BLOCK* allocate",
    rb"BLOCK\* allocate %(block)b(?P<states>\{[^}]{0,5000}\})?(?:, replicas=(?P<replicas>[\w.:, -]{0,5000}))?"
    rb" for (?P<file>/.*)",
    rb"BLOCK\* allocateBlock: (?P<file>/.*?)\. (?:(?P<pool>BP-[\w.:-]{1,255}) )?%(block)b(?=\{|$)(?P<states>.*)"
    rb"(?P<replicas>)",
)
@PATTERNS.says(
    rb"BLOCK* NameSystem.allocateBlock:",
    rb"BLOCK\* NameSystem\.allocateBlock: (?P<file>/.*?)\. %(block)b(?=\{|$)(?P<states>.*)(?P<replicas>)",
)
def _allocate(message: Message) -> Iterator[Sighting]:
    namespace, block_id = message.namespace(), message.text("block")
    file = message.state.tree(namespace).at(message.text("file"))
    concerns = [Concern("block", block_id), Concern("file", file.key), *_holder(file, "")]
    previous = file.last_block()
    if previous is not None and str(previous.block_id) != block_id:
        concerns.append(Concern("block", str(previous.block_id), "previous"))
    file.is_open = True
    file.blocks.append(KnownBlock(int(block_id)))
    message.state.give_block(namespace, block_id, file)
    locations = re.findall(rb"[\w.-]+:\d+(?=[,|\s]|$)", message.match["replicas"] or message.match["states"] or b"")
    observed = {"locations": ",".join(sorted(address.decode() for address in locations))} if locations else {}
    # Up to Hadoop 2.0 blocks of one file may have one stamp; no such line is like those of today.
    yield from shows_stamp(
        message, namespace, "stamp", concerns, is_own=message.line.message.startswith(_ALLOCATE_TODAY)
    )
    yield _seen(message, "add_block", "block", block_id, concerns, observed=observed, file=file.path)


# E.5: a call that comes again, which is given the block that the file has.
PATTERNS.ignores(rb"BLOCK* allocate", rb"BLOCK\* allocateBlock: caught retry for allocation of a new block in ")
PATTERNS.ignores(
    rb"BLOCK* NameSystem.allocateBlock:", rb"BLOCK\* NameSystem\.allocateBlock: handling block allocation writing to a "
)


@PATTERNS.says(
    rb"BLOCK* NameSystem.abandonBlock:",
    rb"BLOCK\* NameSystem\.abandonBlock: %(pooled)b is removed from pendingCreates",
)
def _abandon(message: Message) -> Iterator[Sighting]:
    """At DEBUG; written also where the block is not the file's last, and so stays (FSDirWriteFileOp#abandonBlock)."""
    namespace, block_id = message.namespace(), message.text("block")
    file = message.state.file_of_block(namespace, block_id)
    last = None if file is None else file.last_block()
    if file is None or last is None or str(last.block_id) != block_id:
        concerns = [Concern("block", block_id)]
        yield _seen(message, "abandon_block", "block", block_id, concerns, outcome="unknown")
        return
    file.blocks.pop()
    concerns = [Concern("block", block_id), Concern("file", file.key), *_holder(file, "")]
    yield _seen(message, "abandon_block", "block", block_id, concerns, file=file.path)


# Before it is tried.
PATTERNS.ignores(rb"BLOCK* NameSystem.abandonBlock:", rb"BLOCK\* NameSystem\.abandonBlock: .{1,500}? of file ")


@PATTERNS.says(
    rb"BLOCK* addStoredBlock:",
    rb"BLOCK\* addStoredBlock: (?P<updated>blockMap updated): (?P<datanode>\S+) is added to %(block)b%(state)b"
    rb" size (?P<length>\d+)",
    rb"BLOCK\* addStoredBlock: (?P<datanode>\S+) is added to %(block)b \(size=\d+\)",
)
@PATTERNS.says(
    rb"BLOCK* NameSystem.addStoredBlock:",
    rb"BLOCK\* NameSystem\.addStoredBlock: blockMap (?P<updated>updated): (?P<datanode>\S+) is added to %(block)b"
    rb"\{(?:block)?UCState=(?P<state>\w+)[^}]{0,5000}\} size (?P<length>\d+)",
    # Before 0.21 no state is shown, of whatever block.
    rb"BLOCK\* NameSystem\.addStoredBlock: blockMap updated: (?P<datanode>\S+) is added to %(block)b size \d+",
)
def _stored(message: Message) -> Iterator[Sighting]:
    namespace, block_id = message.namespace(), message.text("block")
    message.state.is_reported(namespace, block_id, message.line)
    state = message.text("state") or "COMPLETE"
    observed = {"replicas": "enough"} if message.state.has_replicas(namespace, block_id) else {}
    yield _seen(
        message,
        "add_stored_block",
        "block",
        block_id,
        [Concern("block", block_id)],
        observed=observed,
        datanode=message.text("datanode"),
        block_state_before=state if message.text("updated") else "",
    )


@PATTERNS.says(
    rb"BLOCK* addStoredBlock:",
    rb"BLOCK\* addStoredBlock: (?:block )?%(block)b on (?P<datanode>\S+) size \d+ but it does not belong",
)
@PATTERNS.says(
    rb"BLOCK* addBlock:",
    rb"BLOCK\* addBlock: block %(block)b on node (?P<datanode>\S+) size \d+ does not belong",
)
@PATTERNS.says(
    rb"BLOCK* NameSystem.addStoredBlock:",
    rb"BLOCK\* NameSystem\.addStoredBlock: addStoredBlock request received for %(block)b on (?P<datanode>\S+)"
    rb" size \d+ ?[Bb]ut it does not belong to any file",
)
def _of_no_file(message: Message) -> Iterator[Sighting]:
    block_id = message.text("block")
    concerns = [Concern("block", block_id)]
    observed = {"block_state": "none"}
    datanode = message.text("datanode")
    yield _seen(message, "block_received", "block", block_id, concerns, observed=observed, datanode=datanode)


@PATTERNS.says(
    rb"BLOCK* blk_",
    rb"BLOCK\* %(block)b(?:\{[^}]{0,5000}\})? is (?P<shown>COMMITTED) but not COMPLETE\("
    rb"(?:numNodes= *(?P<nodes>\d{1,4}) *< +minimum = (?P<minimum>\d{1,4}))?[^)]*\) in file (?P<file>/.*)",
    rb"BLOCK\* %(block)b(?:\{[^}]{0,5000}\})? is not COMPLETE \(ucState = (?P<shown>\w+),[^)]*\) in file (?P<file>/.*)",
)
@PATTERNS.says(
    rb"BLOCK* checkFileProgress:",
    rb"BLOCK\* checkFileProgress: %(block)b%(state)b has not reached minimal replication",
)
def _progress(message: Message) -> Iterator[Sighting]:
    namespace, block_id = message.namespace(), message.text("block")
    path = message.text("file")
    file = message.state.tree(namespace).at(path) if path else message.state.file_of_block(namespace, block_id)
    concerns = [Concern("block", block_id)]
    if file is not None:
        file.has_block(int(block_id), is_last=False)
        concerns += [Concern("file", file.key), *_holder(file, "")]
    if message.text("minimum"):
        lacking = (message.number("minimum") or 0) - (message.number("nodes") or 0)
        message.state.lacks_replicas(namespace, block_id, lacking)
    observed = {"block_state": message.text("shown") or message.text("state") or "COMMITTED"}
    if message.text("shown") == "COMMITTED":
        message.state.is_unreported(namespace, block_id, message.line, message.place.file)
    yield _seen(message, "check_file_progress", "block", block_id, concerns, observed=observed)


PATTERNS.ignores(rb"BLOCK* addStoredBlock:", rb"BLOCK\* addStoredBlock: Redundant")
PATTERNS.ignores(rb"BLOCK* NameSystem.addStoredBlock:", rb"BLOCK\* NameSystem\.addStoredBlock: Redundant")
PATTERNS.ignores(rb"BLOCK* addBlock:", rb"BLOCK\* addBlock: logged info for")


@PATTERNS.says(rb"DIR* completeFile:", rb"DIR\* completeFile: (?P<file>/.*) is closed by (?P<holder>\S+)")
@PATTERNS.says(
    rb"DIR* NameSystem.completeFile:",
    rb"DIR\* NameSystem\.completeFile: (?:file )?(?P<file>/.*) is closed by (?P<holder>\S+)",
)
def _complete(message: Message) -> Iterator[Sighting]:
    """The line has the path that the client knows; the inode, by which the NameNode finds a file, is not in it."""
    namespace, holder = message.namespace(), message.text("holder")
    files = message.state.closed_by(namespace, message.text("file"), holder)
    concerns = [*(Concern("file", file.key) for file in files), Concern("lease", holder)]
    concerns += _closed(files[0]) if len(files) == 1 else []
    yield _seen(
        message,
        "complete",
        "file",
        files[0].key if files else message.text("file"),
        concerns,
        observed={"closed": "true"},
        client=holder,
        file=message.text("file"),
        outcome="" if len(files) == 1 else "unknown",
    )


@PATTERNS.says(
    rb"DIR* completeFile:",
    rb"DIR\* completeFile: request from (?P<holder>\S{1,300}) to complete inode \d+\((?P<file>/.{0,8000})\) which is"
    rb" already closed\.",
)
def _complete_again(message: Message) -> Iterator[Sighting]:
    """HDFS-3031: the file was closed before, and stays closed, as the next line says."""
    message.state.tree(message.namespace()).find(message.text("file"))
    message.state.completes_again = message.text("holder")
    message.count(NO_STEP)
    return iter(())


PATTERNS.ignores(rb"DIR* completeFile:", rb"DIR\* completeFile: request from .{1,500}? which is already closed\.")
PATTERNS.ignores(rb"DIR* NameSystem.completeFile:", rb"DIR\* NameSystem\.completeFile: .* for \S+$")


@PATTERNS.says(rb"BLOCK* fsync:", rb"BLOCK\* fsync: (?P<file>/.*) for (?P<holder>\S+)")
def _fsync(message: Message) -> Iterator[Sighting]:
    """Before the attempt; no other line reports its success."""
    namespace, client = message.namespace(), message.text("holder")
    file = message.state.tree(namespace).was_at(message.text("file"))
    concerns = [Concern("file", file.key), Concern("lease", client)]
    yield _seen(message, "fsync", "file", file.key, concerns, client=client, file=file.path, outcome="unknown")


@PATTERNS.says(rb"recoverLease:", rb"recoverLease: %(lease)b, src=(?P<file>/.*) from client ")
def _recover_lease(message: Message) -> Iterator[Sighting]:
    namespace = message.namespace()
    file = message.state.tree(namespace).at(message.text("file"))
    # The line shows the lease as it is before the call changes anything.
    file.is_open, file.holder = True, message.text("holder")
    begins_recovery(message, file)
    concerns = [Concern("file", file.key), Concern("lease", file.holder, "holder")]
    yield _seen(message, "recover_lease", "file", file.key, concerns, file=file.path, holder=file.holder)
    file.holder = ""  # From here on it is the caller, whom no line names.


@PATTERNS.says(
    rb"DIR* NameSystem.internalReleaseLease:",
    rb"DIR\* NameSystem\.internalReleaseLease: File (?P<file>/.*) has not been closed\. Lease recovery is in progress\."
    rb" RecoveryId = (?P<recovery_id>\d+) for block %(named)b",
)
def _start_recovery(message: Message) -> Iterator[Sighting]:
    namespace, block_id = message.namespace(), message.text("block")
    file = message.state.tree(namespace).at(message.text("file"))
    file.is_open = True
    if (number := message.number("block")) is not None:
        file.has_block(number, is_last=True)
    file.reopen(block_id)
    message.state.give_block(namespace, block_id, file)
    concerns = [Concern("block", block_id), Concern("file", file.key), *_holder(file, "holder")]
    yield from shows_stamp(message, namespace, "recovery_id", concerns)
    yield _seen(message, "start_recovery", "block", block_id, concerns, file=file.path)


PATTERNS.ignores(
    rb"DIR* NameSystem.internalReleaseLease:",
    rb"DIR\* NameSystem\.internalReleaseLease: (?!File .* has not been closed)",
)


@PATTERNS.says(
    rb"BLOCK* internalReleaseLease:",
    rb"BLOCK\* internalReleaseLease: (?:All existing blocks are COMPLETE|Committed blocks are minimally replicated),"
    rb" lease removed, file (?P<file>/.*) closed\.",
    rb"BLOCK\* internalReleaseLease: (?P<empty>Removed empty last block) and closed file (?P<file>/.*)\.",
)
def _released(message: Message) -> Iterator[Sighting]:
    """internalReleaseLease closed the file without a recovery."""
    namespace = message.namespace()
    file = message.state.tree(namespace).at(message.text("file"))
    last = file.last_block()
    if message.text("empty") and last is not None:
        block_id = str(file.blocks.pop().block_id)
        gone = [Concern("block", block_id)]
        yield _seen(message, "remove_last_block", "block", block_id, gone, file=file.path)
    concerns = [Concern("file", file.key), *_let_go(file), *_closed(file)]
    yield _seen(message, "close", "file", file.key, concerns, file=file.path)


@PATTERNS.says(
    rb"updatePipeline(",
    rb"updatePipeline\((?:block=)?%(pooled)b, newG(?:S|enerationStamp)=\d+, newLength=(?P<length>\d+),"
    rb" newNodes=\[(?P<locations>[^\]]{0,5000})\], client(?:Name)?=(?P<holder>[^)]+)\)",
)
def _update_pipeline_asked(message: Message) -> Iterator[Sighting]:
    message.state.ask(
        message.line,
        "updatePipeline",
        length=message.number("length"),
        client=message.text("holder"),
        locations=",".join(sorted(message.text("locations").split(", "))),
    )
    message.count("request, told of again when it is carried out")
    return iter(())


@PATTERNS.says(
    rb"updatePipeline(",
    rb"updatePipeline\(%(pooled)b => (?:BP-[\w.:-]+:)?blk_-?\d+_(?P<new_stamp>\d+)\)",
    rb"updatePipeline\(%(pooled)b\) successfully to (?:BP-[\w.:-]+:)?blk_-?\d+_(?P<new_stamp>\d+)",
)
def _update_pipeline(message: Message) -> Iterator[Sighting]:
    namespace, block_id = message.namespace(), message.text("block")
    if message.match.end() == len(message.match.string) and len(message.text("new_stamp")) < len(message.text("stamp")):
        raise UnreadableError("the line ends within a stamp")  # A log in which the last line is cut.
    asked = message.state.asked(message.line, "updatePipeline")
    file = message.state.file_of_block(namespace, block_id)
    if file is not None and message.state.tree(namespace).find(file.path) is not file:
        file = None  # Another call has removed it since this one has left the lock.
    client = asked.client
    concerns = [Concern("block", block_id)]
    if file is not None:
        concerns.append(Concern("file", file.key))
        file.is_open, file.holder = True, client or file.holder
        file.reopen(block_id)
    if client:
        concerns.append(Concern("lease", client))
    yield from shows_stamp(message, namespace, "new_stamp", concerns, is_now=False)
    yield message.seen(
        "update_pipeline",
        "block",
        block_id,
        concerns,
        generation_stamp=message.number("new_stamp"),
        num_bytes=asked.length,
        observed={"locations": asked.locations} if asked.locations else {},
        client=client,
    )


@PATTERNS.says(
    rb"commitBlockSynchronization(",
    rb"commitBlockSynchronization\((?:oldBlock|lastblock)=%(pooled)b, newgenerationstamp=(?P<recovery_id>\d+),"
    rb" newlength=(?P<length>\d+), newtargets=\[[^\]]{0,5000}\], closeFile=\w+, deleteBlock=(?P<delete>\w+)\)",
)
def _synchronization_asked(message: Message) -> Iterator[Sighting]:
    message.state.ask(
        message.line,
        "commitBlockSynchronization",
        recovery_id=message.number("recovery_id"),
        length=message.number("length"),
        deletes=message.text("delete") == "true",
        block_id=message.text("block"),
    )
    message.count("request, told of again when it is carried out")
    return iter(())


@PATTERNS.says(
    rb"commitBlockSynchronization(",
    rb"commitBlockSynchronization\((?:(?:oldBlock|lastblock|newblock)=)?%(pooled)b(?:, file=(?P<file>/.*?),"
    rb" newgenerationstamp=(?P<recovery_id>\d+), newlength=(?P<length>\d+), newtargets=\[[^\]]{0,5000}\])?\)"
    rb" successful",
    # Of the copy that a truncate has made, whose stamp is the id of its recovery.
    rb"commitBlockSynchronization\(oldBlock=(?P<pool>BP-[\w.:-]+):blk_-?\d+_\d+, file=(?P<file>/.*?),"
    rb" newBlock=blk_(?P<block>-?\d+)_(?P<recovery_id>\d+)(?:\{[^}]{0,5000}\})?, newlength=(?P<length>\d+),"
    rb" newtargets=\[[^\]]{0,5000}\]\) successful",
)
def _synchronization(message: Message) -> Iterator[Sighting]:
    namespace, block_id = message.namespace(), message.text("block")
    asked = message.state.asked(message.line, "commitBlockSynchronization")
    path = message.text("file")
    file = message.state.tree(namespace).at(path) if path else message.state.file_of_block(namespace, block_id)
    observed = {"closed": str(bool(path)).lower(), "deleted": str(asked.deletes).lower()}
    concerns = [Concern("block", block_id)]
    if file is not None:
        leases = _let_go(file) if path else _holder(file, "holder")
        concerns += [Concern("file", file.key), *leases]
        if asked.deletes and file.blocks and str(file.blocks[-1].block_id) == block_id:
            file.blocks.pop()
    others = [] if file is None or not path else [each for each in _closed(file) if each.entity != block_id]
    length, recovery_id = message.number("length"), message.number("recovery_id")
    recovery_id = asked.recovery_id if recovery_id is None else recovery_id
    # Of a new block the line shows the stamp that it is given.
    shows_former = message.line.message.startswith(
        (b"commitBlockSynchronization(oldBlock=", b"commitBlockSynchronization(lastblock=")
    )
    if recovery_id is not None:
        log_grants.grant(
            message.state.granted(namespace, message.line.thread), recovery_id, int(block_id), message.line.time_us
        )
    yield message.seen(
        "commit_block_synchronization",
        "block",
        block_id,
        concerns,
        generation_stamp=message.number("stamp") if shows_former else None,
        recovery_id=recovery_id,
        num_bytes=asked.length if length is None else length,
        observed=observed,
        logged="successful",
        file=path,
    )
    for other in others:
        yield _seen(message, "close", "block", other.entity, [other], stamped=False, file=path)


def _holder(file: KnownFile, role: str) -> list[Concern]:
    return [Concern("lease", file.holder, role)] if file.holder else []


def begins_recovery(message: Message, file: KnownFile) -> None:
    """A line shows the lease of a file as it is before its recovery, with the number of its files."""
    holder = message.text("holder")
    if message.text("files") == "1" and holder not in file.sole:
        file.sole.append(holder)


def _let_go(file: KnownFile) -> list[Concern]:
    """The leases that a file leaves when its recovery closes it; a holder without another file loses its lease."""
    leases = {**({file.holder: "holder"} if file.holder else {}), **dict.fromkeys(file.sole, "holder_of_no_other")}
    return [Concern("lease", name, role) for name, role in leases.items()]


def _closed(file: KnownFile) -> list[Concern]:
    """The file is closed; its blocks with it."""
    blocks = [Concern("block", str(block.block_id)) for block in file.blocks if not block.complete]
    for block in file.blocks:
        block.complete = True
    file.is_open, file.holder = False, ""
    file.sole.clear()
    return blocks


def _seen(
    message: Message, event: str, kind: Kind, entity: str, concerns: list[Concern], *, stamped: bool = True, **told: Any
) -> Sighting:
    """An event of the NameNode; `stamped` if the stamp and length of the line are the entity's."""
    if stamped and kind == "block":
        columns = {"generation_stamp": "stamp", "recovery_id": "recovery_id", "num_bytes": "length"}
        told |= {column: message.number(group) for column, group in columns.items()}
    return message.seen(event, kind, entity, concerns, **told)
