"""Tests on real data are skipped where it is absent, unless the environment says that it must be there; and the tests
of one file run in one process.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

USER = "def test_reads(shared_data): assert (shared_data / 'here').is_file()\n"


def outcome(directory: Path, repository: Path, **settings: str) -> str:
    """Last line of a run of pytest over one test that wants the data."""
    tests = directory / "clone" / "tests"
    tests.mkdir(parents=True)
    shutil.copy(repository / "tests" / "conftest.py", tests)
    (tests / "test_user.py").write_text(USER)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("GENSTAMP_", "PYTEST_"))}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", str(tests)]
    done = subprocess.run(command, cwd=tests, env=environment | settings, capture_output=True, text=True, check=False)
    return done.stdout.splitlines()[-1]


@pytest.mark.slow
def test_absent_data_skips(tmp_path: Path, repository: Path) -> None:
    assert "1 skipped" in outcome(tmp_path, repository)


@pytest.mark.slow
def test_absent_data_fails_where_it_is_required(tmp_path: Path, repository: Path) -> None:
    assert "1 error" in outcome(tmp_path, repository, GENSTAMP_REQUIRE_DATA="1")


@pytest.mark.slow
@pytest.mark.parametrize("named", [True, False])
def test_data_is_found_beside_the_clone_or_where_named(tmp_path: Path, repository: Path, named: bool) -> None:
    data = tmp_path / ("elsewhere" if named else "shared/data")
    data.mkdir(parents=True)
    (data / "here").touch()
    settings = {"GENSTAMP_DATA": str(data)} if named else {}
    assert "1 passed" in outcome(tmp_path, repository, GENSTAMP_REQUIRE_DATA="1", **settings)


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="the tests run in one process")
def test_tests_of_a_file_have_a_group(request: pytest.FixtureRequest) -> None:
    """pytest-xdist writes the group behind the name of a test. Where it cannot, fixtures are made in each process."""
    assert request.node.nodeid.endswith("@tests/repo/test_fixtures.py")
