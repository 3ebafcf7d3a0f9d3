"""What the tests of the log pipeline share; most of them need no Spark."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from genstamp.logs.local import Checked, check_locally

Verdicts = dict[tuple[str, str], dict[str, Any]]


@pytest.fixture
def edits(repository: Path) -> Path:
    """Hadoop's own edit log of all operations, binary and as XML."""
    return repository / "tests" / "data" / "edits"


@pytest.fixture
def check_log(tmp_path: Path) -> Callable[..., Checked]:
    """Checks a text as if it were a log."""

    def check(text: str, *, complete: bool = False) -> Checked:
        log = tmp_path / "hadoop.log"
        log.write_text(text, encoding="utf-8")
        return check_locally([log], complete=complete)

    return check


@pytest.fixture
def by_key() -> Callable[[Checked], Verdicts]:
    """The verdicts by kind and entity."""

    def by_kind_and_entity(checked: Checked) -> Verdicts:
        return {(row["kind"], row["entity"]): row for row in checked.verdicts.to_pylist()}

    return by_kind_and_entity
