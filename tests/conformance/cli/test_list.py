"""`genstamp list`: a screen of systems, the details of one, and the same as JSON."""

import json

import pytest
from typer.testing import CliRunner

from genstamp.cli.verbs import app
from genstamp.systems import PLACES, UnknownSystemError


def listed(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["list", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_every_system_has_one_line_of_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = listed().splitlines()
    assert [line.split()[0] for line in lines[: len(PLACES)]] == [*PLACES]
    assert max(map(len, lines)) <= 100 and len(lines) == len(PLACES) + 2
    assert max(map(len, lines[: len(PLACES)])) <= 80


def test_details_are_those_of_the_systems_that_are_named() -> None:
    text = listed("hdfs.recovery", "hdfs.monitor")
    assert text.startswith("hdfs.recovery: ") and "\nhdfs.monitor: " in text
    for part in ("configuration restarts", "bug HDFS-1218", "hole unreachable-is-not-empty", "omits"):
        assert part in text


@pytest.mark.slow
def test_details_of_all_are_those_of_each() -> None:
    assert listed("hdfs.monitor") in listed("--all")


def test_json_has_all_that_the_text_has() -> None:
    (system,) = json.loads(listed("hdfs.monitor", "--format", "json"))
    text = listed("hdfs.monitor")
    for kind in ("configurations", "properties", "variations"):
        assert system[kind] and all(one["name"] in text for one in system[kind])


def test_an_unknown_name_gets_the_few_that_are_near() -> None:
    message = str(UnknownSystemError("hdfs.recovry"))
    assert "hdfs.recovery" in message and message.count("hdfs.") <= 7
    assert str(UnknownSystemError("zzz")).count("hdfs.") == 5


def test_version_is_that_of_the_package() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert result.exit_code == 0 and result.stdout.startswith("genstamp 0.")
