"""The file VERSION of a storage directory: lines of name=value that say whose directory it is, and in which layout.

Not here: which names there are and what their values may be. That is the business of each kind of node.

Source: common/Storage#readPropertiesFile, #writeProperties, Hadoop 3.4.1.
"""

from typing import Final

from genstamp_dfs.errors import StorageError
from genstamp_dfs.world.disk import UNFINISHED_SUFFIX, Disk, replace_file

VERSION_FILE: Final = "VERSION"
UNFINISHED_FILE: Final = VERSION_FILE + UNFINISHED_SUFFIX
LOCK_FILE: Final = "in_use.lock"
HARMLESS_NAMES: Final = frozenset({LOCK_FILE, "lost+found"})
"""What may be in a directory that counts as empty."""


def read_version_file(disk: Disk, directory: str) -> dict[str, str] | None:
    """What VERSION says in a directory; None if there is none.

    Raises:
        StorageError: it is no such text.
    """
    path = _path(directory)
    if not disk.exists(path):
        return None
    try:
        lines = disk.read(path).decode("ascii").splitlines()
    except UnicodeDecodeError as problem:
        raise StorageError(f"{path} is not a properties file: {problem}") from problem
    pairs = [line.partition("=") for line in lines if line and not line.startswith("#")]
    if not pairs or any(not equals for _, equals, _ in pairs):
        raise StorageError(f"{path} is not a properties file; expected lines of name=value")
    return {name: value for name, _, value in pairs}


def write_version_file(disk: Disk, directory: str, fields: dict[str, str]) -> None:
    """Put VERSION into a directory, in one step."""
    text = "".join(f"{name}={value}\n" for name, value in fields.items())
    replace_file(disk, _path(directory), text.encode("ascii"))


def _path(directory: str) -> str:
    return f"{directory}/{VERSION_FILE}" if directory else VERSION_FILE
