"""The lock: what is installed is pinned, checked by hash, and named without saying where it comes from."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

LOCKS = ("requirements-build.lock", "requirements.lock")


def entries(repository: Path, lock: str) -> list[str]:
    """The requirements of a lock file, each with its hashes on one line."""
    joined = (repository / lock).read_text(encoding="utf-8").replace("\\\n", " ")
    return [line for line in joined.splitlines() if line.strip() and not line.lstrip().startswith("#")]


@pytest.mark.parametrize("lock", LOCKS)
def test_every_requirement_is_pinned_with_hashes(repository: Path, lock: str) -> None:
    pinned = re.compile(r"[a-z0-9._-]+(\[[a-z0-9,]+\])?==[^\s*]+( ;[^-]+)?(\s+--hash=sha256:[0-9a-f]{64})+\s*")
    found = entries(repository, lock)
    assert found
    assert [entry.split()[0] for entry in found if not pinned.fullmatch(entry)] == []


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_names_no_address(repository: Path, lock: str) -> None:
    text = (repository / lock).read_text(encoding="utf-8")
    assert not re.findall(r"\S*(?:://|--(?:extra-)?index-url|--find-links|--trusted-host| @ )\S*", text)


def test_lock_holds_what_the_project_asks_for(repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))
    asked = project["project"]["dependencies"] + project["project"]["optional-dependencies"]["dev"]
    asked += project["build-system"]["requires"]
    versions = dict(entry.split()[0].split("==") for entry in entries(repository, "requirements.lock"))
    wanted = [Requirement(text) for text in asked]
    assert [str(one) for one in wanted if not one.specifier.contains(versions.get(one.name, "0"))] == []
