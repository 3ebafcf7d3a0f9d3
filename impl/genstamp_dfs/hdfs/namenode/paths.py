"""What is a path: absolute, names between slashes.

Not here: names that are paths and reserved (`reserved`).

Source: DFSUtil#isValidName, NN/FSDirectory#verifyMaxComponentLength, NN/NameNodeRpcServer#checkPathLength, 3.4.1.
"""

from typing import Final

from genstamp_dfs.errors import HdfsIOException, IllegalArgumentException

MAX_PATH_LENGTH: Final = 8_000
MAX_PATH_DEPTH: Final = 1_000


def is_valid_name(path: str) -> bool:
    """Whether the text is a path; a slash at its end is allowed.

    >>> [is_valid_name(text) for text in ("/", "/a/b", "/a/", "a", "", "/a//b", "/a/../b", "/a:b")]
    [True, True, True, False, False, False, False, False]
    """
    if not path.startswith("/"):
        return False
    if path == "/":
        return True
    names = path[1:].removesuffix("/").split("/")
    return all(name and name not in (".", "..") and ":" not in name for name in names)


def check_length(call: str, path: str) -> None:
    """Refuse a path that is too long, or too deep.

    Raises:
        IllegalArgumentException: it is empty.
        HdfsIOException: more than 8000 characters or 1000 names.
    """
    if not path:
        raise IllegalArgumentException("Can not create a Path from an empty string")
    if len(path) > MAX_PATH_LENGTH or len(names_of(path)) > MAX_PATH_DEPTH:
        raise HdfsIOException(
            f"{call}: Pathname too long. Limit {MAX_PATH_LENGTH} characters, {MAX_PATH_DEPTH} levels."
        )


def names_of(path: str) -> list[str]:
    """The names of a path, from the top.

    >>> names_of("/a/b/"), names_of("/")
    (['a', 'b'], [])
    """
    return [name for name in path.split("/") if name]
