"""What is under version control would be the same on any machine."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

# Directories of a person or a machine; recorded logs name those of the machines they come from.
PERSONAL = re.compile(r"(?<![\w.~-])/(?:home|root|Users|work)/[\w.-]+")
RECORDED = {".log", ".xml", ".out"}


@pytest.fixture(scope="module")
def tracked(repository: Path) -> dict[Path, str]:
    """Text of each tracked file; binary ones are left out."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=repository, capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        pytest.skip("not a git work tree")
    texts = {}
    for path in (repository / name for name in listed.stdout.split("\0") if name):
        content = path.read_bytes() if path.is_file() else b"\0"
        if b"\0" not in content:
            texts[path.relative_to(repository)] = content.decode(errors="replace")
    return texts


def test_no_file_names_a_path_of_this_machine(tracked: dict[Path, str], repository: Path) -> None:
    # /usr and /usr/local are the same everywhere.
    here = {str(repository), sys.base_prefix} - {"/usr", "/usr/local"}
    assert {str(path): name for path, text in tracked.items() for name in here if name in text} == {}


@pytest.mark.slow
def test_no_file_names_a_personal_directory(tracked: dict[Path, str]) -> None:
    written = {path: text for path, text in tracked.items() if path.suffix not in RECORDED}
    assert {str(path): found for path, text in written.items() if (found := PERSONAL.findall(text))} == {}
