"""Finds the files to read, detects their types from their content, and groups the files that form one history.

Not here: reading it (`genstamp.logs.reading`). Names of files serve only to order the parts of a log; the file type is
detected from the content.
"""

import hashlib
import io
import os
import re
import stat
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from genstamp.events import Place
from genstamp.logs.copies import BINARY_EDITS, LINES, XML_EDITS, beginning_of, copies_among, file_chunks
from genstamp.logs.edit_pairs import differing
from genstamp.logs.fragments import COMPARED_MAX, fragments
from genstamp.logs.opening import expanded, is_remote, size, sizes_below
from genstamp.logs.parts import parts_of
from genstamp.logs.readers import (
    edit_binary,
    edit_xml,
    image_binary,
    image_xml,
    log_text,
    merged_log,
    native,
    sequences,
    storage_directory,
    tracebench,
)
from genstamp.logs.readers.log_head import HADOOP, LAYOUTS, head_in_words, nearest
from genstamp.logs.readers.log_line import log_line
from genstamp.logs.readers.sighting import Reject, Unit, shortened
from genstamp.logs.readers.storage_tree import is_archive
from genstamp.logs.semantics import Semantics
from genstamp.logs.streams import DECOMPRESSED, DamagedSourceError, Stream, head, not_decompressed, whole_lines

EDIT_LOG, EDIT_XML, LOG, NATIVE = "edit log", "edit log as XML", "log", "events"
MERGED_LOG, SEQUENCES = "merged log", "sequences"
IMAGE, IMAGE_XML, STORAGE = "fsimage", "fsimage as XML", "storage directories"
TRACE, MODEL_TRACE = "trace of calls", "trace of a model"

HEAD = 1 << 20
"""Bytes from which it is said what a file is, and which block pools it is about."""

TOLD_ONCE: Mapping[str, int] = {EDIT_LOG: BINARY_EDITS, EDIT_XML: XML_EDITS, LOG: LINES, MERGED_LOG: LINES}
"""What is collected more than once: as it is and compressed, or from each JournalNode."""

LAID_OUT = 100
"""Lines that show how a log is laid out."""

_USUAL = (HADOOP, LAYOUTS[2].name)
_DATE = r"(?:\d{4}([-_.]?)\d\d\1\d\d|\d\d-\d\d-\d{4})(?:[-_.T]?\d\d(?:[-_.]?\d\d){0,2}|-\d{10})?"
_ROTATED = re.compile(
    rf"(?:[-_.]{_DATE}(?:[-_.]\d{{1,4}})?(?P<ending>\.(?:log|out|txt))?|\.\d{{1,4}}|(?P<only>\.(?:log|out|txt)))?"
    r"(?:\.gz|\.bz2|\.xz|\.zst)?$"
)
_ZEROS = re.compile(rb"\0{16,}")
_SEGMENT = re.compile(r"edits_(?:inprogress_)?\d+")
_POOL_OF_STORAGE = re.compile(rb"nsid=(\d+);(?:[^ ]{0,200};)?bpid=(BP-[\w.-]+-\d+)")


class Found:
    """The input.

    Attributes:
        units: in the order in which their events count as given.
        rejects: files that are none of what can be read, and should be.
        notes: files that are not read, or not with others, and why.
        left_out: files that hold nothing but what another one holds.
        apart: files that begin as another one does and are no part of it, and that one.
        perhaps: files that may be parts of other logs, of which nothing shows that they are whole.
    """

    def __init__(self) -> None:
        self.units: list[Unit] = []
        self.rejects: list[Reject] = []
        self.notes: list[tuple[str, str]] = []
        self.left_out: list[str] = []
        self.apart: dict[str, str] = {}
        self.perhaps: set[str] = set()


def find_units(
    paths: Sequence[str],
    group: str | None = None,
    complete: bool = False,
    semantics: Semantics = "hadoop-3.4",
    *,
    with_copies: bool = False,
) -> Found:
    """The sources to read at some paths.

    Args:
        paths: files, and directories that are read with everything below them; as plain paths or URIs, with wildcards.
        group: name of the cluster for sources that name no block pool; by default each of them is one of its own.
        complete: whether the user asserts that nothing is missing.
        semantics: whether known faults of HDFS are allowed.
        with_copies: whether a log that is a copy of another is read, too; its steps would be taken twice.

    Raises:
        NoSuchPathError, NotOpenedError: see `opening.expanded`.
    """
    paths = expanded(paths)
    found = Found()
    begun: dict[tuple[str, bytes], dict[str, bytes]] = {}
    readers: dict[str, str] = {}
    firsts: dict[str, int] = {}
    pools: dict[str, str] = {}
    storages = list(_storages(paths))
    for file, is_asked_for in _files(paths, [root for root, _ in storages], found):
        if _not_text(str(file)):
            named = str(file).encode(errors="backslashreplace").decode()
            found.rejects.append(Reject(Place(named, 0), "the file name is not valid UTF-8"))
            continue
        try:
            beginning = head(file, HEAD)
        except OSError as error:
            found.rejects.append(Reject(Place(str(file), 0), f"cannot be read: {error.strerror}"))
            continue
        reader, why_not = _reader(beginning, file)
        if reader:
            readers[str(file)] = reader
            # Nothing more is kept of a beginning: a cluster has many thousand logs.
            firsts[str(file)] = _first(reader, beginning)
            if reader == LOG:
                found.notes += ((str(file), f"layout: {layout}") for layout in _layouts(beginning))
                pools |= _pools_of_storages(beginning)
            if reader in TOLD_ONCE:
                begins = (beginning_of(beginning, TOLD_ONCE[reader], many) for many in (1, 2))
                one, two = (hashlib.sha256(each).digest() for each in begins)
                begun.setdefault((reader, one), {})[str(file)] = two
        elif why_not.startswith(_NOT_MEANT) and not is_asked_for:
            found.notes.append((str(file), f"not read: {why_not.removeprefix(_NOT_MEANT)}"))
        else:
            found.rejects.append(Reject(Place(str(file), 0), why_not.removeprefix(_NOT_MEANT)))
    if not with_copies:
        _leave_out_copies(begun, found)
        for copy in found.left_out:
            del readers[copy]
        _part_fragments([file for file, reader in readers.items() if reader == LOG], found)
        for copy in found.left_out:
            readers.pop(copy, None)
    binary, xml = ([file for file, each in readers.items() if each == sort] for sort in (EDIT_LOG, EDIT_XML))
    found.notes += differing(binary, xml)
    namenodes, datanodes = _stories_of_storages(storages)
    archives = [[file] for file, reader in readers.items() if reader == STORAGE]
    logs = _stories({each: reader for each, reader in readers.items() if reader != STORAGE}, firsts, found.apart)
    if not with_copies:
        logs = _parted(logs, readers, found, complete)
    logs.sort(key=lambda files: (readers[files[0]] not in (EDIT_LOG, EDIT_XML), files))
    readers.update((root, STORAGE) for roots in (*namenodes, *datanodes) for root in roots)
    for story in (*namenodes, *archives, *logs, *datanodes):
        unit = Unit(len(found.units), readers[story[0]], tuple(story), group or story[0], pools, complete, semantics)
        found.units.append(unit)
    return found


def _storages(paths: Sequence[str]) -> Iterator[tuple[Path, Mapping[str, str]]]:
    """The storage directories at and below some paths, each with the contents of its VERSION."""
    seen: set[Path] = set()
    for given in paths:
        if is_remote(given):  # Only archives of them are read there.
            continue
        for here, directories, _ in os.walk(given):
            directories.sort()
            root = Path(here)
            version = root / storage_directory.VERSION
            told = storage_directory.version_at(version) if "current" in directories else {}
            if told.get("storageType") in storage_directory.KINDS:
                directories.clear()
                if root.resolve() not in seen and not _not_text(str(root)):
                    seen.add(root.resolve())
                    yield root, told


def _stories_of_storages(storages: Sequence[tuple[Path, Mapping[str, str]]]) -> tuple[list[list[str]], list[list[str]]]:
    """The directories of each NameNode together, and those of each datanode."""
    namenodes: dict[str, list[str]] = {}
    datanodes: dict[tuple[str, str], list[str]] = {}
    for root, told in storages:
        namespace = storage_directory.namespace(told)
        if told["storageType"] == "NAME_NODE":
            namenodes.setdefault(namespace, []).append(str(root))
        else:
            datanodes.setdefault((namespace, storage_directory.node(told)), []).append(str(root))
    return list(namenodes.values()), list(datanodes.values())


def _files(paths: Sequence[str], storages: Sequence[Path], found: Found) -> Iterator[tuple[str | Path, bool]]:
    """Files to examine, and whether the user named each; none of a storage directory."""
    seen: set[str | Path] = set()
    for given in paths:
        if is_remote(given):
            below = [name for name in sizes_below(given) if name not in seen]
            seen.update(below)
            yield from ((name, name == given) for name in below)
            continue
        path = Path(given)
        for file in _below(path, frozenset(storages), found) if path.is_dir() else [path]:
            real = file.resolve()
            if real in seen:
                continue
            seen.add(real)
            if stat.S_ISREG(real.stat().st_mode):
                yield file, file == path
            else:
                found.rejects.append(Reject(Place(str(file), 0), "not a regular file"))


def _below(directory: Path, storages: frozenset[Path], found: Found) -> Iterator[Path]:
    """The files below a directory, in a fixed order; a link that leads out of it is not followed."""
    inside = directory.resolve()
    entries: list[Path] = []
    for here, directories, files in os.walk(directory):
        if Path(here) in storages:
            directories.clear()
        else:
            entries += (Path(here) / name for name in (*directories, *files))
    for path in sorted(entries):
        if path.is_symlink() and not path.resolve().is_relative_to(inside):
            found.rejects.append(Reject(Place(str(path), 0), f"a link that leads out of {directory}"))
        elif not path.is_dir() and path.resolve().is_relative_to(inside):
            yield path


def _not_text(name: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in name)


_ITF_KEYS = (b'"#meta"', b'"vars"', b'"states"', b'"params"', b'"loop"')


def _is_itf(beginning: bytes) -> bool:
    """Whether a file that begins so is a trace of a model: an object whose first key is one of the format."""
    text = beginning.lstrip(b"\xef\xbb\xbf \t\r\n")
    return text.startswith(b"{") and text[1:].lstrip().startswith(_ITF_KEYS)


_NOT_MEANT = "(not meant)"


def _reader(beginning: bytes, file: str | Path) -> tuple[str, str]:
    """Which reader a file is for; else why it is for none. All lines of a text are examined, if necessary."""
    if not beginning:
        return "", _nothing_of(file)
    if edit_binary.is_edit_log(beginning):
        return EDIT_LOG, ""
    if image_xml.is_image_xml(beginning):
        return IMAGE_XML, ""
    if edit_xml.is_edit_xml(beginning):
        return EDIT_XML, ""
    if tracebench.is_trace(beginning):
        return TRACE, ""
    if _is_itf(beginning):
        return MODEL_TRACE, ""
    if native.is_native(beginning):
        return _reader_of_json(beginning)
    if image_binary.is_image(beginning):
        return IMAGE, ""
    if is_archive(beginning):
        return STORAGE, ""
    if sequences.is_sequences(beginning):
        return SEQUENCES, ""
    if binary := _binary(beginning):
        return "", binary
    if log_text.is_log(beginning):
        return LOG, ""
    if merged_log.is_merged_log(beginning):
        return MERGED_LOG, ""
    if any(log_text.is_log_somewhere(text) for text in whole_lines(file)):
        return LOG, ""
    first = next((line for line in beginning.splitlines() if line.strip()), b"")
    like = f"its first line is {shortened(first)[:80]!r}, and the layout most like it {nearest(first)!r}"
    return "", f"{_NOT_MEANT}text, and no line of it is of a layout that is known; {like}"


def _nothing_of(file: str | Path) -> str:
    """Why a file has no content."""
    try:
        with Stream(file) as stream:
            any(stream.chunks())
    except DamagedSourceError as damaged:
        return damaged.reason
    return f"{_NOT_MEANT}empty"


def _binary(beginning: bytes) -> str:
    """The type of a file that is neither text nor readable; "" if it may be text."""
    if by := not_decompressed(beginning):
        return f"compressed by {by}; what can be read is plain or compressed by {', '.join(DECOMPRESSED)}"
    # A file system that loses power leaves zeros in a log, many together.
    if b"\0" in _ZEROS.sub(b"", beginning[:8192]) or (_ZEROS.search(beginning) and not log_text.is_log(beginning)):
        return "binary, and not an edit log: the first four bytes are not a layout version"
    return ""


def _reader_of_json(beginning: bytes) -> tuple[str, str]:
    """Which reader JSON lines are for: events of our servers, or lines of a logger that writes JSON."""
    if log_text.is_log(b"\n".join(beginning.splitlines()[:LAID_OUT])):
        return LOG, ""
    return ("", native.OF_GFS) if native.is_of_gfs(beginning) else (NATIVE, "")


def _layouts(beginning: bytes) -> list[str]:
    """How the first lines of a log are laid out, but for what is told of no log: as Hadoop does by default."""
    lines = map(log_line, beginning.splitlines()[:LAID_OUT])
    told = dict.fromkeys(head_in_words(line) for line in lines if line is not None)
    return [layout for layout in told if layout not in _USUAL]


def _pools_of_storages(beginning: bytes) -> dict[str, str]:
    """Block pool id by namespace id, as datanodes log both; a NameNode's log has the namespace id only."""
    return {nsid.decode(): pool.decode() for nsid, pool in _POOL_OF_STORAGE.findall(beginning)}


def _leave_out_copies(begun: Mapping[tuple[str, bytes], Mapping[str, bytes]], found: Found) -> None:
    """Note which files are copies, and which begin like another one and are none.

    Args:
        begun: by reader and first entry the files, each with a digest of its first two entries.
        found: the notes are added to it.
    """
    for (reader, _), files in begun.items():
        copies = copies_among({file: file_chunks(file) for file in files}, TOLD_ONCE[reader])
        found.left_out += (copy.file for copy in copies)
        found.notes += ((copy.file, copy.why()) for copy in copies)
        firsts: dict[bytes, str] = {}
        for file, two in files.items():
            if file not in found.left_out and firsts.setdefault(two, file) != file:
                first = found.apart[file] = firsts[two]
                why = f"begins as {first} does, and neither is the beginning of the other: each is checked by itself"
                found.notes.append((file, why))


def _part_fragments(logs: Sequence[str], found: Found) -> None:
    """Note which logs begin another one, and which have some lines of it."""
    if len(logs) > 1 and sum(map(size, logs)) > COMPARED_MAX:
        why = (
            f"more than {COMPARED_MAX >> 20} MiB of logs are not compared line by line: steps of a line in two of them"
        )
        found.notes.append((logs[0], f"{why} are taken twice"))
        return
    for file, other, is_beginning in fragments([log for log in logs if log not in found.apart]):
        if is_beginning:
            found.left_out.append(file)
            found.notes.append((file, f"left out, as its lines are those with which {other} begins"))
        else:
            found.apart[file] = other
            found.perhaps.add(file)
            found.notes.append((file, f"has lines of {other}: each is checked by itself"))


def _stories(readers: dict[str, str], firsts: dict[str, int], apart: Collection[str]) -> list[list[str]]:
    """Files that follow one another, as their names say: rotated parts of one log, segments of one edit log.

    What begins as another file does follows nothing.
    """
    stories: dict[tuple[str, str, str], list[str]] = {}
    for file, reader in readers.items():
        path = Path(file)
        if file in apart:
            name = file
        elif reader in (EDIT_LOG, EDIT_XML) and _SEGMENT.match(path.name):
            name = "edits"
        elif reader == TRACE:
            name = "collection"
        elif reader in (LOG, MERGED_LOG, NATIVE):
            name = log_name(path)
        else:
            name = path.name
        stories.setdefault((reader, str(path.parent), name), []).append(file)
    for (reader, _, _), files in stories.items():
        if len(files) > 1:
            files.sort(key=lambda file: (_first_transaction(file, reader) or firsts[file], file))
    return list(stories.values())


def _parted(stories: list[list[str]], readers: dict[str, str], found: Found, complete: bool) -> list[list[str]]:
    """Stories, those of text logs as their times and contents show them."""
    logs: dict[Path, list[list[str]]] = {}
    others = []
    for files in stories:
        if readers[files[0]] == LOG and files[0] not in found.apart:
            logs.setdefault(Path(files[0]).parent, []).append(files)
        else:
            others.append(files)
    for parts in map(parts_of, logs.values()):
        others += parts.stories
        found.notes += parts.notes + (parts.doubts if complete else [])
        found.rejects += parts.rejects
        found.perhaps.update(parts.perhaps)
    return others


def log_name(path: Path) -> str:
    """The name that a log had before it was rotated, by log4j or by logrotate, or compressed.

    A number before the ending is no part of that: it may as well be that of one of several servers.
    """
    return _ROTATED.sub(lambda found: found["ending"] or found["only"] or "", path.name)


def _first(reader: str, beginning: bytes) -> int:
    """What orders the parts of a story, of what a beginning tells: the first time or number, or a trace's table."""
    if reader == TRACE:
        return tracebench.rank_of_table(beginning)
    if reader == LOG:
        times = (parts.time_us for line in io.BytesIO(beginning) if (parts := log_line(line)) is not None)
        return next(times, 0)
    if reader == NATIVE:
        return native.first_number(beginning)
    return merged_log.first_time(beginning) if reader == MERGED_LOG else 0


def _first_transaction(file: str, reader: str) -> int:
    """Number of the first transaction of an edit log; 0 if there is none."""
    if reader not in (EDIT_LOG, EDIT_XML):
        return 0
    operations = edit_binary.operations if reader == EDIT_LOG else edit_xml.operations
    try:
        with Stream(file) as stream:
            return next((op.txid or 0 for op in operations(stream)), 0)
    except DamagedSourceError:
        return 0
