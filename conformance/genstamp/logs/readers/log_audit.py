"""What the lines of an audit log say: what clients asked a NameNode for, and got.

A NameNode writes one when an operation has succeeded, or was not allowed, after it has released its lock. So lines of
later calls may come before it: of the files that have been at a path, a line may be of the one before the last. Not
here: what an audit log cannot show: who holds a file, its blocks, and that it was closed (`genstamp.logs.sources`
declares it).
"""

from collections.abc import Iterator

from genstamp.logs.readers.file_tree import KnownFile
from genstamp.logs.readers.log_message import Message, Patterns
from genstamp.logs.readers.sighting import Concern, Sighting
from genstamp.logs.rules.shape import PERHAPS
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
    namespace = message.state.namespace(message.line)
    command, path = message.text("command"), message.text("file")
    if message.text("allowed") == "false":
        message.count(f"audit {command}, denied")
    elif command not in _AUDITED:
        message.count(f"audit {command}")
    elif command == "mkdirs":
        message.state.tree(namespace).make_directory(path)
        message.count("audit mkdirs")
    elif command == "delete":
        yield from _deleted(message, namespace, path)
    elif command == "rename":
        yield from _renamed(message, namespace, path, message.text("destination"))
    elif command == "create":
        yield from _created(message, namespace, path)
    else:
        yield _opened(message, namespace, command, path)


def _created(message: Message, namespace: str, path: str) -> Iterator[Sighting]:
    tree, complete = message.state.tree(namespace), message.state.unit.complete
    if message.state.was_created(namespace, path):
        message.count("audit create, told of before")
        return
    before = tree.last_at(path)
    if complete and before is not None and not before.is_born:
        before.is_born = True  # Where all lines are there, no other line can be the one of its creation.
        yield _seen(message, "create", before.key, [Concern("file", before.key)], namespace, file=path)
        return
    yield from _removed(message, namespace, tree.overwrite(path), "")
    file = tree.create(path)
    file.is_open = True
    others = [_perhaps(before)] if complete and before is not None else []
    yield _seen(message, "create", file.key, [Concern("file", file.key), *others], namespace, file=path)


def _opened(message: Message, namespace: str, command: str, path: str) -> Sighting:
    tree, complete = message.state.tree(namespace), message.state.unit.complete
    before = tree.last_at(path)
    file = before if complete and before is not None else tree.at(path)
    if file is before and tree.find(path) is None:
        concerns = [_perhaps(file)]
    else:
        file.is_open, file.holder = True, ""
        file.reopen()
        concerns = [file.concern()]
    # A truncate may have left the file closed. Whatever it is, lines of later calls may come before it, which where
    # all lines are there nothing else explains.
    outcome = "unknown" if complete or command == "truncate" else ""
    return _seen(message, command, file.key, concerns, namespace, file=path, outcome=outcome)


def _deleted(message: Message, namespace: str, path: str) -> Iterator[Sighting]:
    tree = message.state.tree(namespace)
    if tree.may_be_of_another(path):
        yield _end(message, namespace, tree.at(path), "unknown")
    else:
        yield from _removed(message, namespace, tree.remove(path), path)


def _removed(message: Message, namespace: str, files: list[KnownFile], path: str) -> Iterator[Sighting]:
    for file in files:
        # A creation that comes late may be that of the very file that it seems to overwrite, or of blocks that seem to
        # be of this one.
        outcome = "" if path or file.is_born else "unknown"
        yield _end(message, namespace, file, outcome, PERHAPS if message.state.unit.complete and not path else "")
    if path and not files:  # A directory, or a file from before the log began.
        yield _seen(message, "delete", path, [], namespace, file=path)


def _end(message: Message, namespace: str, file: KnownFile, outcome: str, role: str = "") -> Sighting:
    blocks = [Concern("block", str(block.block_id), role) for block in file.blocks]
    concerns = [file.concern(), *_holder(file), *blocks]
    return _seen(message, "delete", file.key, concerns, namespace, file=file.path, outcome=outcome)


def _renamed(message: Message, namespace: str, source: str, destination: str) -> Iterator[Sighting]:
    tree = message.state.tree(namespace)
    if tree.is_directory(destination):  # As mv: into the directory.
        destination = f"{destination.rstrip('/')}/{source.rstrip('/').rsplit('/', 1)[-1]}"
    file, is_doubtful = tree.find(source), tree.may_be_of_another(source)
    _, overwritten = tree.rename(source, destination)
    yield from _removed(message, namespace, overwritten, "")
    key = source if file is None else file.key
    concerns = [] if file is None else [file.concern()]
    if file is not None and message.state.unit.complete:
        tree.may_still_be_at(source, file)
        others = [each for each in overwritten if not each.is_born]
        if is_doubtful or others:
            concerns = [_perhaps(each) for each in (file, *others)]
    yield _seen(message, "rename", key, concerns, namespace, file=source, destination=destination)


def _perhaps(file: KnownFile) -> Concern:
    """A file of which the line, or lines that came before it and are of later calls, may be."""
    file.doubt()
    return file.concern()


def _holder(file: KnownFile) -> list[Concern]:
    return [Concern("lease", file.holder, "holder")] if file.holder else []


def _seen(
    message: Message,
    event: str,
    entity: str,
    concerns: list[Concern],
    namespace: str,
    file: str,
    destination: str = "",
    outcome: str = "",
) -> Sighting:
    """An event of a file at the NameNode."""
    return message.state.seen(
        message.place,
        message.line,
        event,
        "file",
        entity,
        concerns,
        namespace=namespace,
        node=message.state.namenode(message.line),
        source=AUDIT_LOG,
        file=file,
        destination=destination,
        outcome=outcome,
    ).late()
