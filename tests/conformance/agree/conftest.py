"""The peers that need programs of their own."""

import os

import pytest

from genstamp.agree.spin import Spin


@pytest.fixture
def spin() -> Spin:
    """Spin, its verifiers not optimised, for small systems. Absent, the test is skipped; in CI it fails."""
    found = Spin(optimise="-O0")
    if found.version() is None:
        why = "spin or a C compiler is not on the PATH"
        assert not os.environ.get("CI"), why
        pytest.skip(why)
    return found
