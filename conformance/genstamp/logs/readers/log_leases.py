"""Reads the NameNode's lines about leases and files beside their steps: recoveries begun or declined, calls refused,
and at DEBUG creations.

Messages are those of Hadoop 0.20 to 3.4.
"""

from collections.abc import Iterator

from genstamp.logs.readers.file_tree import KnownFile
from genstamp.logs.readers.log_message import Message, Patterns
from genstamp.logs.readers.log_namenode import begins_recovery
from genstamp.logs.readers.sighting import Concern, Sighting

PATTERNS = Patterns()
"""Patterns of such messages, each with its meaning."""

_CALLS = {
    "addBlock": "add_block",
    "abandonBlock": "abandon_block",
    "complete": "complete",
    "fsync": "fsync",
    "getAdditionalDatanode": "get_additional_datanode",
    "updatePipeline": "update_pipeline",
}


@PATTERNS.says(rb"Recovering [Lease.", rb"Recovering %(lease)b, src=(?P<file>/.*)")
@PATTERNS.says(rb"Recovering lease=[Lease.", rb"Recovering lease=%(lease)b, src=(?P<file>/.*)")
def _internal_release_lease(message: Message) -> Iterator[Sighting]:
    """Written before the call looks at the file, so of the file it says nothing."""
    file = _file(message)
    begins_recovery(message, file)
    yield _of_file(message, "internal_release_lease", file, message.text("holder"), "holder")


@PATTERNS.says(
    rb"Started block recovery ", rb"Started block recovery (?:for file )?(?P<file>/.{0,8000}) lease %(lease)b"
)
def _expired_lease(message: Message) -> Iterator[Sighting]:
    """checkLeases: the lease of the file is past its hard limit."""
    file = _file(message)
    file.is_open = True
    yield _of_file(message, "release_expired_lease", file, message.text("holder"), "holder")
    file.holder = ""  # The NameNode itself, or as before: no line tells.


@PATTERNS.says(rb"[Lease.", rb"%(lease)b has expired hard limit")
@PATTERNS.says(rb"Lease [Lease.", rb"Lease %(lease)b has expired hard limit")
def _hard_limit(message: Message) -> Iterator[Sighting]:
    holder = message.text("holder")
    yield message.seen("hard_limit_passes", "lease", holder)


PATTERNS.ignores(rb"[Lease.", rb"\[Lease\.(?!.* hard limit)")
PATTERNS.ignores(rb"Lease [Lease.", rb"Lease \[Lease\.(?!.* hard limit)")


@PATTERNS.says(rb"Block recovery attempt for ", rb"Block recovery attempt for %(pooled)b rejected, as the previous")
def _declined(message: Message) -> Iterator[Sighting]:
    block_id = message.text("block")
    yield message.seen("recovery_attempt_rejected", "block", block_id, generation_stamp=message.number("stamp"))


@PATTERNS.says(
    rb"DIR* NameSystem.startFile: added ",
    rb"DIR\* NameSystem\.startFile: added (?P<file>/.*) inode (?P<inode>\d{1,19}) (?P<holder>\S+)$",
)
def _created(message: Message) -> Iterator[Sighting]:
    """At DEBUG; the audit log repeats it a moment later."""
    tree = message.state.tree(message.namespace())
    path = message.text("file")
    overwritten = tree.remove(path)
    file = tree.create(path, message.number("inode") or 0)
    file.is_open, file.holder = True, message.text("holder")
    message.state.created(file)
    for gone in overwritten:
        yield _of_file(message, "delete", gone, gone.holder, "holder")
    yield _of_file(message, "create", file, file.holder, "")


PATTERNS.ignores(rb"DIR* NameSystem.startFile: src=", rb"DIR\* NameSystem\.startFile: src=")


@PATTERNS.says(
    rb"DIR* NameSystem.startFile:",
    rb"DIR\* NameSystem\.startFile: (?P<file>/.{0,8000}?) Failed to (?P<operation>CREATE)_FILE (?P=file) for"
    rb" \S{1,300} on \S{1,300} because (?P<why>.*)",
)
@PATTERNS.says(
    rb"DIR* NameSystem.append:",
    rb"DIR\* NameSystem\.append: Failed to (?P<operation>APPEND)_FILE (?P<file>/.{0,8000}?) for \S{1,300} on"
    rb" \S{1,300} because (?P<why>.*)",
)
def _held_by_another(message: Message) -> Iterator[Sighting]:
    """F.1: the file has a writer, or it is being recovered. The caller may have no lease."""
    in_recovery = "recovery is in progress" in message.text("why")
    refused_with = "RecoveryInProgressException" if in_recovery else "AlreadyBeingCreatedException"
    yield _of_file(message, message.text("operation").lower(), _file(message, True), "", "", refused_with=refused_with)


PATTERNS.ignores(rb"DIR* NameSystem.startFile:", rb"DIR\* NameSystem\.startFile: ")
PATTERNS.ignores(rb"DIR* NameSystem.append:", rb"DIR\* NameSystem\.append: ")


@PATTERNS.says(
    rb"IPC Server handler ",
    rb"IPC Server handler \d+ on (?:default port )?\d+, call (?:Call#-?\d+ Retry#-?\d+ )?[\w.]{1,200}\."
    rb"(?P<method>\w{1,60}) from \S{1,300}(?: Call#-?\d+ Retry#-?\d+)?: (?:[\w.]{1,200}\.)?LeaseExpiredException:"
    rb" (?:No lease on |File does not exist: |File is not open for writing: |Client \(=\S{1,300}\) is not the lease"
    rb" owner \(=\S{1,300}(?: [\d:,]{1,40}[+-]\d{4})?: )(?P<file>/.{0,8000}?) \(inode \d+\)",
)
def _no_lease(message: Message) -> Iterator[Sighting]:
    """E.0: the file is gone, or another's."""
    event = _CALLS.get(message.text("method"))
    if event is None:
        message.count("call refused for want of a lease")
    else:
        yield _of_file(message, event, _file(message, True), "", "", refused_with="LeaseExpiredException")


@PATTERNS.says(rb"IPC Server handler ", rb"IPC Server handler (?!\d+ on (?:default port )?\d+\s*[|\]])")
def _other_call(message: Message) -> Iterator[Sighting]:
    message.count("of something else")
    return iter(())


PATTERNS.ignores(rb"*DIR* NameNode.", rb"\*DIR\* NameNode\.(?!rename: )")
PATTERNS.ignores(rb"DIR* addFile: ", rb"DIR\* addFile: ")
PATTERNS.ignores(rb"DIR* FSDirectory.addBlock: ", rb"DIR\* FSDirectory\.addBlock: ")
PATTERNS.ignores(rb"BLOCK* getAdditionalBlock: ", rb"BLOCK\* getAdditionalBlock: ")
PATTERNS.ignores(rb"persistNewBlock: ", rb"persistNewBlock: ")
PATTERNS.ignores(rb"persistBlocks: ", rb"persistBlocks: ")
PATTERNS.ignores(rb"closeFile: ", rb"closeFile: ")


@PATTERNS.says(rb"*DIR* NameNode.", rb"\*DIR\* NameNode\.rename: (?P<file>/.*) to (?P<destination>/.*)")
def _rename_called(message: Message) -> Iterator[Sighting]:
    """Before the attempt; no line reports its success."""
    yield _of_file(message, "rename_called", _file(message, True), "", "", destination=message.text("destination"))


def _file(message: Message, refused: bool = False) -> KnownFile:
    tree = message.state.tree(message.namespace())
    return (tree.was_at if refused else tree.at)(message.text("file"))


def _of_file(
    message: Message,
    event: str,
    file: KnownFile,
    holder: str,
    role: str,
    *,
    destination: str = "",
    refused_with: str | None = None,
) -> Sighting:
    concerns = [Concern("file", file.key)]
    if holder:
        concerns.append(Concern("lease", holder, role))
    return message.seen(
        event,
        "file",
        file.key,
        concerns,
        refused_with=refused_with,
        file=file.path,
        client=holder,
        destination=destination,
    )
