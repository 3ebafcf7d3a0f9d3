"""The verb logs, where it ends before Spark is started."""

import pytest
from typer.testing import CliRunner

import genstamp.logs.session
from genstamp.cli import app


def test_path_that_is_not_there_is_refused_without_starting_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(master: str | None = None) -> None:
        raise AssertionError(f"Spark was started on {master}")

    monkeypatch.setattr(genstamp.logs.session, "spark_session", start)
    result = CliRunner().invoke(app, ["logs", "check", "nowhere.log"])
    assert result.exit_code == 2
    assert result.stderr == "genstamp: no file or directory nowhere.log\n"
