"""The lock: what is installed is pinned, checked by hash, and named without saying where it comes from."""

import re
import tomllib
from pathlib import Path
from typing import Any

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


@pytest.fixture(scope="module")
def project(repository: Path) -> dict[str, Any]:
    declared: dict[str, Any] = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))
    return declared


@pytest.fixture(scope="module")
def extras(project: dict[str, Any]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = project["project"]["optional-dependencies"]
    return found


def test_lock_holds_what_the_project_asks_for(
    repository: Path, project: dict[str, Any], extras: dict[str, list[str]]
) -> None:
    asked = project["project"]["dependencies"] + project["build-system"]["requires"]
    asked += [text for extra, texts in extras.items() if extra != "all" for text in texts]
    versions = dict(entry.split()[0].split("==") for entry in entries(repository, "requirements.lock"))
    wanted = [Requirement(text) for text in asked]
    assert [str(one) for one in wanted if not one.specifier.contains(versions.get(one.name, "0"))] == []


def test_the_extra_all_has_every_extra_for_users(extras: dict[str, list[str]]) -> None:
    assert Requirement(*extras["all"]).extras == set(extras) - {"all", "dev"}


def test_make_lock_names_every_extra(repository: Path, extras: dict[str, list[str]]) -> None:
    named = re.search(r"^EXTRAS := (.*)$", (repository / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert named is not None
    assert set(named[1].split()) == set(extras) - {"all"}
