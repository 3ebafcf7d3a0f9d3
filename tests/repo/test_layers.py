"""Which package may import which."""

import subprocess
import sys
from pathlib import Path

import grimp
import pytest

LAYERS = ("genstamp_spec", "genstamp_model", "genstamp_dfs", "genstamp")


@pytest.mark.slow
def test_import_contracts_are_kept(repository: Path) -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    answer = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout


@pytest.mark.slow
def test_specification_needs_only_the_language_and_lifecycles() -> None:
    graph = grimp.build_graph(*LAYERS, include_external_packages=True, cache_dir=None)
    modules = {"genstamp_spec", *graph.find_descendants("genstamp_spec")}
    imported = {found for module in modules for found in graph.find_modules_directly_imported_by(module)} - modules
    others = {module for module in imported if module.split(".")[0] not in sys.stdlib_module_names}
    allowed = ("genstamp_model.language", "statemachine")
    assert not {module for module in others if not f"{module}.".startswith(tuple(f"{name}." for name in allowed))}
