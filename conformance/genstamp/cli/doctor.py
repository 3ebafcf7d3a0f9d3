"""The verb `doctor`: which requirements of genstamp this machine has."""

import importlib.metadata
import os
import platform
import shutil
from collections.abc import Iterator

import typer

from genstamp import exit_codes
from genstamp.errors import GenstampError
from genstamp.java import java_home

_LIBRARIES = ("python-statemachine", "hypothesis", "z3-solver", "numba", "llvmlite", "pyspark", "pyarrow", "graphviz")


def doctor() -> None:
    """Show the versions and programs that are found; exit code 75 if a required one is missing."""
    findings = list(examined())
    for name, found, _ in findings:
        typer.echo(f"{name:22} {found}")
    raise typer.Exit(exit_codes.HOLDS if all(is_fine for _, _, is_fine in findings) else exit_codes.FAILURE)


def examined() -> Iterator[tuple[str, str, bool]]:
    """For each requirement its name, what was found, and whether that suffices."""
    yield "python", platform.python_version(), True
    yield "cores", str(os.cpu_count()), True
    for name in _LIBRARIES:
        yield library(name)
    yield java()
    dot = shutil.which("dot")
    yield "dot", dot or "not on the PATH: the wheel's engine draws instead", True
    for name in ("mvn", "javac"):
        yield name, shutil.which(name) or "not on the PATH: only `make apache` needs it", True


def library(name: str) -> tuple[str, str, bool]:
    """An installed distribution."""
    try:
        return name, importlib.metadata.version(name), True
    except importlib.metadata.PackageNotFoundError:
        return name, "missing: run make setup", False


def java() -> tuple[str, str, bool]:
    """The Java that Spark will run on."""
    try:
        return "java", str(java_home()), True
    except GenstampError as problem:
        return "java", str(problem), False
