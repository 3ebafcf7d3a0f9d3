"""What a path leads to, and the refusals if it is not what an operation needs. The path's locks are held.

Not here: whether the text is a path (`paths`).
"""

from genstamp_dfs.gfs.errors import IsADirectory, NotADirectory, PathExists, PathNotFound
from genstamp_dfs.gfs.master.namespace import DIRECTORY, Namespace, Value
from genstamp_dfs.gfs.master.paths import ROOT, parent_of


def value_of(namespace: Namespace, path: str) -> Value:
    """What is known of a path.

    Raises:
        PathNotFound: there is none.
    """
    value = namespace.find(path)
    if value is None:
        raise PathNotFound(f"no file or directory has the path {path}")
    return value


def chunks_of_file(namespace: Namespace, path: str) -> bytes:
    """A file's list of chunks.

    Raises:
        PathNotFound: there is no such path.
        IsADirectory: it is a directory.
    """
    value = value_of(namespace, path)
    if value is DIRECTORY:
        raise IsADirectory(f"{path} is a directory, and a file is wanted")
    return value


def check_free(namespace: Namespace, path: str) -> None:
    """Refuse a path that cannot be made.

    Raises:
        PathExists: it is taken.
        PathNotFound: the directory in which it would be is missing.
        NotADirectory: a file stands where this directory would have to be.
    """
    if path == ROOT or namespace.find(path) is not None:
        raise PathExists(f"{path} exists")
    above = parent_of(path)
    while (value := namespace.find(above)) is None:
        above = parent_of(above)
    if value is not DIRECTORY:
        raise NotADirectory(f"{above} is a file, and {path} would be in it")
    if above != parent_of(path):
        raise PathNotFound(f"no directory has the path {parent_of(path)}")
