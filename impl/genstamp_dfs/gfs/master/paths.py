"""What is a path, in which order paths stand, and the hidden names of deleted files.

A path is absolute, with names between slashes. Its key has zero bytes for the slashes, so that a directory and all that
is below it stand side by side: nothing sorts between a name and a zero byte behind it.

Source: sections 4.1 and 4.4.1.
"""

from typing import Final

from genstamp_dfs.gfs.errors import InvalidPath

ROOT: Final = "/"
HIDDEN: Final = ".deleted."
"""How the name of a deleted file begins; then come the time in milliseconds, a number, and the name that it had."""

LONGEST_PATH: Final = 4_000
LONGEST_NAME: Final = 255


def check_path(path: str, *, may_be_hidden: bool = False) -> None:
    """Refuse a text that is no path.

    Raises:
        InvalidPath: it is none, or has a hidden name where that may not be.
    """
    if path == ROOT:
        return
    if not path.startswith(ROOT) or len(path) > LONGEST_PATH:
        raise InvalidPath(f"{path[:100]!r} is not a path; expected up to {LONGEST_PATH} characters that begin with '/'")
    for name in path[1:].split("/"):
        _check_name(path, name, may_be_hidden=may_be_hidden)


def _check_name(path: str, name: str, *, may_be_hidden: bool) -> None:
    if not name or name in (".", "..") or "\0" in name:
        raise InvalidPath(f"{path[:100]!r} has the name {name[:100]!r} in it, which no file can have")
    try:
        length = len(name.encode())
    except UnicodeEncodeError as problem:
        raise InvalidPath(f"{path[:100]!r} is no text: {problem.reason}") from problem
    room = LONGEST_NAME + (len(HIDDEN) + 40 if may_be_hidden else 0)
    if length > room:
        raise InvalidPath(f"{path[:100]!r} has a name of {length} bytes in it, accepted: {LONGEST_NAME}")
    if name.startswith(HIDDEN) and not may_be_hidden:
        raise InvalidPath(f"{path[:100]!r} has a name like that of a deleted file; accepted: none with {HIDDEN!r}")


def key_of(path: str) -> bytes:
    """Where a path stands in the order.

    >>> key_of("/"), key_of("/a/b")
    (b'', b'a\\x00b')
    """
    return path[1:].replace("/", "\0").encode()


def path_of(key: bytes) -> str:
    """The path of a key.

    >>> path_of(b''), path_of(b'a\\x00b')
    ('/', '/a/b')
    """
    return ROOT + key.decode().replace("\0", "/")


def parent_of(path: str) -> str:
    """The directory of a path.

    >>> parent_of("/a/b"), parent_of("/a"), parent_of("/")
    ('/a', '/', '/')
    """
    return path.rpartition("/")[0] or ROOT


def name_of(path: str) -> str:
    """The last name of a path."""
    return path.rpartition("/")[2]


def parents_of(path: str) -> list[str]:
    """All directories above a path, from the top.

    >>> parents_of("/a/b/c"), parents_of("/")
    (['/', '/a', '/a/b'], [])
    """
    if path == ROOT:
        return []
    names = path.split("/")
    return [ROOT] + ["/".join(names[:depth]) for depth in range(2, len(names))]


def join(directory: str, name: str) -> str:
    """The path of a name in a directory.

    >>> join("/", "a"), join("/a", "b")
    ('/a', '/a/b')
    """
    return f"{directory.removesuffix('/')}/{name}"


def is_below(path: str, directory: str) -> bool:
    """Whether the path lies in the directory, at any depth.

    >>> is_below("/a/b", "/a"), is_below("/ab", "/a"), is_below("/a", "/"), is_below("/a", "/a")
    (True, False, True, False)
    """
    return path != directory and path.startswith(directory.removesuffix("/") + "/")


def hidden_path(path: str, time_ms: int, number: int) -> str:
    """The path of a file after its deletion; the number keeps apart those of one name and time.

    >>> hidden_path("/a/b", 1700000000000, 7)
    '/a/.deleted.1700000000000.7.b'
    """
    return join(parent_of(path), f"{HIDDEN}{time_ms}.{number}.{name_of(path)}")


def is_hidden(path: str) -> bool:
    """Whether it is the path of a deleted file."""
    return name_of(path).startswith(HIDDEN)


def hidden_parts(path: str) -> tuple[int, str]:
    """When a deleted file was deleted, in milliseconds, and the path that it had.

    Raises:
        InvalidPath: it is not the path of a deleted file.

    >>> hidden_parts('/a/.deleted.1700000000000.7.b')
    (1700000000000, '/a/b')
    """
    parts = name_of(path).removeprefix(HIDDEN).split(".", 2)
    if not is_hidden(path) or len(parts) < 3 or not (parts[0].isdecimal() and parts[1].isdecimal()):
        raise InvalidPath(f"{path[:100]!r} is not the path of a deleted file, which begins with {HIDDEN!r}")
    return int(parts[0]), join(parent_of(path), parts[2])
