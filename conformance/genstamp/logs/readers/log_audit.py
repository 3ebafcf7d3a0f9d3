"""What the lines of an audit log say: what clients asked a NameNode for, and got.

A NameNode writes one when an operation has succeeded, or was not allowed. Not here: what an audit log cannot show:
who holds a file, its blocks, and that it was closed (`genstamp.logs.sources` declares it).
"""

from collections.abc import Iterator

from genstamp.logs.readers.file_tree import KnownFile
from genstamp.logs.readers.log_message import Message, Patterns
from genstamp.logs.readers.sighting import Concern, Sighting
from genstamp.logs.sources import AUDIT_LOG

PATTERNS = Patterns()
"""Patterns of audit lines. No form has two parts that both may be of any length."""

STEPS = frozenset({b"create", b"append", b"truncate", b"delete", b"rename"})
"""Commands that are steps of a file, or move it."""

_AUDITED = ("create", "append", "truncate", "delete", "rename", "mkdirs")

# Fields are tab-separated; what copies a log may have made blanks of the tabs. Hadoop 0.20 wrote no allowed=.
_WHO_ASKED = (rb"ugi=[^\t]*\tip=[^\t]*\tcmd=", rb"ugi=.{0,500}? ip=\S* {1,20}cmd=")
_WHAT_FOR = (
    rb"(?P<command>\w+)(?: \([^\t]*\))?\tsrc=(?P<file>[^\t]*)\tdst=(?P<destination>[^\t]*)",
    rb"(?P<command>\w+)(?: \([^)]{0,500}\))? {1,20}src=(?P<file>.*?) {1,20}dst=(?P<destination>.*?)(?: {1,20}perm=|$)",
)


@PATTERNS.says(
    rb"allowed=",
    *(rb"allowed=(?P<allowed>\w+)\s{1,20}" + who + what for who, what in zip(_WHO_ASKED, _WHAT_FOR, strict=True)),
)
@PATTERNS.says(rb"ugi=", *(who + what for who, what in zip(_WHO_ASKED, _WHAT_FOR, strict=True)))
def _audit(message: Message) -> Iterator[Sighting]:
    """A line of the audit log, written when an operation has succeeded."""
    command, path = message.text("command"), message.text("file")
    tree = message.state.tree(message.namespace())
    if message.text("allowed") == "false":
        message.count(f"audit {command}, denied")
    elif command not in _AUDITED:
        message.count(f"audit {command}")
    elif command == "mkdirs":
        tree.make_directory(path)
        message.count("audit mkdirs")
    elif command == "delete":
        yield from _removed(message, tree.remove(path), path)
    elif command == "rename":
        yield from _renamed(message, path, message.text("destination"))
    else:
        if command == "create" and message.state.was_created(tree.find(path)):
            message.count("audit create, told of before")
            return
        if command == "create":
            yield from _removed(message, tree.remove(path), "")
        file = tree.create(path) if command == "create" else tree.at(path)
        file.is_open, file.holder = True, ""
        file.reopen()
        # A truncate may have left the file closed. Whatever it is, lines of later calls may come before it, which where
        # all lines are there nothing else explains.
        is_known = command == "create" or (command == "append" and not message.state.unit.complete)
        outcome = "" if is_known else "unknown"
        yield _seen(message, command, file.key, [Concern("file", file.key)], file=path, outcome=outcome)


def _removed(message: Message, files: list[KnownFile], path: str) -> Iterator[Sighting]:
    for file in files:
        blocks = [Concern("block", str(block.block_id)) for block in file.blocks]
        concerns = [Concern("file", file.key), *_holder(file), *blocks]
        yield _seen(message, "delete", file.key, concerns, file=file.path)
    if path and not files:  # A directory, or a file from before the log began.
        yield _seen(message, "delete", path, [], file=path)


def _renamed(message: Message, source: str, destination: str) -> Iterator[Sighting]:
    tree = message.state.tree(message.namespace())
    if tree.is_directory(destination):  # As mv: into the directory.
        destination = f"{destination.rstrip('/')}/{source.rstrip('/').rsplit('/', 1)[-1]}"
    file = tree.find(source)
    _, overwritten = tree.rename(source, destination)
    yield from _removed(message, overwritten, "")
    key = source if file is None else file.key
    concerns = [] if file is None else [Concern("file", key)]
    yield _seen(message, "rename", key, concerns, file=source, destination=destination)


def _holder(file: KnownFile) -> list[Concern]:
    return [Concern("lease", file.holder, "holder")] if file.holder else []


def _seen(message: Message, event: str, entity: str, concerns: list[Concern], **told: str) -> Sighting:
    """An event of a file at the NameNode."""
    return message.seen(event, "file", entity, concerns, source=AUDIT_LOG, **told)
