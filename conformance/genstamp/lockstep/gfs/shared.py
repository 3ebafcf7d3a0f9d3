"""State that is kept for files that share chunks while a run is read: names, lists, families.

A family is a chunk that a file got at some position, and all that took its place by copy-on-write: files come to share
one by a snapshot alone.

Not here: what the events are to a family (`snapshot`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from genstamp.lockstep.gfs.snapshot_words import CHUNKS, FILES
from genstamp_dfs.gfs.master.paths import is_hidden


@dataclass(eq=False)
class File:
    """A file, independent of its name: its chunks by handle."""

    chunks: list[str] = field(default_factory=list)


class Namespace:
    """Files by their paths, as the records of the log say."""

    def __init__(self) -> None:
        self.files: dict[str, File] = {}
        self._records: list[Mapping[str, str]] = []
        self._made: dict[tuple[int, str], File] = {}

    @property
    def records(self) -> int:
        """How many there are."""
        return len(self._records)

    def below(self, path: str) -> Iterator[tuple[str, File]]:
        """The files at a path or below it, each with the rest of its path; without hidden ones."""
        for name, file in list(self.files.items()):
            if name == path or (name.startswith(f"{path}/") and not is_hidden(name)):
                yield name[len(path) :], file

    def forget(self, records: int) -> None:
        """Only this many records have survived."""
        survived, self._records = self._records[:records], []
        self.files.clear()
        for record in survived:
            self.apply(record)

    def apply(self, record: Mapping[str, str]) -> None:
        """Make the change of the next record."""
        self._records.append(record)
        match record["record"]:
            case "CreateFile":
                self.files[record["path"]] = self._new("", [])
            case "HideFile":
                self._move(record["path"], record["hidden"])
            case "RenamePath":
                self._move(record["source"], record["target"])
            case "RemovePaths":
                for path in record["paths"].split(","):
                    self.files.pop(path, None)
            case "CopyTree":
                for rest, file in self.below(record["source"]):
                    self.files[record["target"] + rest] = self._new(rest, file.chunks)
            case "AddChunk":
                self.files[record["path"]].chunks.append(record["handle"])
            case "ReplaceChunk":
                self.files[record["path"]].chunks[int(record["index"])] = record["handle"]

    def _new(self, rest: str, chunks: list[str]) -> File:
        """The file that a record makes; the same if it is made again."""
        file = self._made.setdefault((self.records, rest), File())
        file.chunks = list(chunks)
        return file

    def _move(self, source: str, target: str) -> None:
        moved = [name for name in self.files if name == source or name.startswith(f"{source}/")]
        for name in moved:
            self.files[target + name[len(source) :]] = self.files.pop(name)


@dataclass
class Lease:
    """A lease: its version, and from when the master counts it, in microseconds of its clock."""

    version: int
    counted_us: int


@dataclass(eq=False)
class Family:
    """Files that share a chunk at one position, or did, and the chunks that they have there.

    Attributes:
        key: under which it is checked.
        files: those that list a chunk of it -> what they are called here.
        chunks: by handle -> what they are called here.
        making: file -> the chunk that will take the place of the one that it lists.
        snapshots: target's path -> source, and what the target is called here.
        revoking: chunks whose lease the master wants to end for a snapshot.
        granted: chunks whose lease may not be over.
        unknown: chunks of which a former master may have granted a lease.
        told: (chunk, version) -> the file whose clients know of the lease.
        last_record: the last record that was a step of it.
        is_over: it is not checked any further.
    """

    key: str
    files: dict[File, str] = field(default_factory=dict)
    chunks: dict[str, str] = field(default_factory=dict)
    making: dict[File, str] = field(default_factory=dict)
    snapshots: dict[str, tuple[File, str]] = field(default_factory=dict)
    revoking: set[str] = field(default_factory=set)
    granted: dict[str, Lease] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)
    told: dict[tuple[str, int], File] = field(default_factory=dict)
    last_record: int = 0
    is_over: bool = False

    def new_file(self) -> str | None:
        """The name of a file that joins the family; None if the family has too many."""
        used = {*self.files.values(), *(name for _, name in self.snapshots.values())}
        return next((name for name in FILES if name not in used), None)

    def new_chunk(self, handle: str) -> str | None:
        """The name of a chunk that joins the family; None if the family has too many."""
        if len(self.chunks) == len(CHUNKS):
            return None
        self.chunks[handle] = CHUNKS[len(self.chunks)]
        return self.chunks[handle]

    def listing(self, handle: str) -> File | None:
        """A file that lists the chunk, the first that did; None if there is none."""
        return next((file for file in self.files if handle in file.chunks), None)

    def sources_with(self, handle: str) -> list[File]:
        """The files that list the chunk, and of which a snapshot is under way."""
        return [source for source, _ in self.snapshots.values() if handle in source.chunks]
