"""A disk in memory that loses nothing."""

from genstamp_dfs.errors import DiskError


class MemoryDisk:
    """Files by path (`genstamp_dfs.world.disk.Disk`)."""

    def __init__(self) -> None:
        self.files: dict[str, bytearray] = {}
        self.directories: set[str] = {""}

    def exists(self, path: str) -> bool:
        """Whether there is a file or directory."""
        return path in self.files or path in self.directories

    def names(self, directory: str) -> list[str]:
        """Names in a directory, sorted."""
        start = f"{directory}/" if directory else ""
        below = (path[len(start) :] for path in (*self.files, *self.directories) if path.startswith(start))
        return sorted(name for name in below if name and "/" not in name)

    def is_directory(self, path: str) -> bool:
        """Whether the path is a directory."""
        return path in self.directories

    def size(self, path: str) -> int:
        """Length of a file in bytes."""
        return len(self._file(path))

    def read(self, path: str, offset: int = 0, length: int | None = None) -> bytes:
        """Bytes of a file."""
        return bytes(self._file(path)[offset : None if length is None else offset + length])

    def make_directory(self, path: str) -> None:
        """Make a directory and those above it."""
        parts = path.split("/")
        self.directories.update("/".join(parts[:depth]) for depth in range(1, len(parts) + 1))

    def create(self, path: str) -> None:
        """Make an empty file."""
        if self.exists(path) or path.rpartition("/")[0] not in self.directories:
            raise DiskError(f"{path} exists, or its directory does not")
        self.files[path] = bytearray()

    def write(self, path: str, offset: int, data: bytes) -> None:
        """Put bytes into a file."""
        file = self._file(path)
        if offset > len(file):
            raise DiskError(f"{path} has {len(file)} bytes, a write at {offset} would leave a hole")
        file[offset : offset + len(data)] = data

    def truncate(self, path: str, length: int) -> None:
        """Cut a file."""
        del self._file(path)[length:]

    def rename(self, source: str, destination: str) -> None:
        """Give a file another name."""
        self.files[destination] = self._file(source)
        del self.files[source]

    def remove(self, path: str) -> None:
        """Remove a file."""
        self._file(path)
        del self.files[path]

    def sync(self, path: str) -> None:
        """Nothing is lost, so there is nothing to do."""
        self._file(path)

    def sync_directory(self, path: str) -> None:
        """Nothing is lost, so there is nothing to do."""

    def _file(self, path: str) -> bytearray:
        file = self.files.get(path)
        if file is None:
            raise DiskError(f"{path} is no file")
        return file
