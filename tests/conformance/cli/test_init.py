"""A protocol of one's own from its first file to its lock: `init`, `check`, `verify FILE.py`, `lock FILE.py`."""

from pathlib import Path

import pytest
from tests.conformance.cli.test_own_systems import ends


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What `init ring` writes, in the current directory."""
    monkeypatch.chdir(tmp_path)
    assert ends(monkeypatch, "init", "ring") == 0
    return Path("ring.py")


def test_file_of_one_system_needs_no_name(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ends(monkeypatch, "check", "ring.py", "--strict") == 0
    assert ends(monkeypatch, "check", "ring.py:RING:two") == 0
    assert capsys.readouterr().out.count("ring:two (default): holds") == 2


def test_file_of_two_systems_needs_a_name(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(f"{file.read_text()}\nOTHER = System('other', parts=[LockService], configurations=[])\n")
    assert ends(monkeypatch, "check", "ring.py") == 151
    assert "there are several in the file; write ring.py:NAME, with one of RING, OTHER" in capsys.readouterr().err


def test_a_file_is_verified_as_a_whole(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ends(monkeypatch, "verify", f"{file}:RING") == 151
    told = "expected a file, as ring.py; one system alone is checked by genstamp check ring.py:RING"
    assert told in capsys.readouterr().err


def test_file_that_exists_stays(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text("mine")
    assert ends(monkeypatch, "init", "ring") == 2
    assert "ring.py exists, and stays as it is" in capsys.readouterr().err
    assert file.read_text() == "mine"


@pytest.mark.parametrize("name", ["9ring", "class", "../ring", "Ring", ""])
def test_name_that_no_module_has_is_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert ends(monkeypatch, "init", name) == 2
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_file_is_verified_and_compared_with_its_lock(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One story, as each step searches anew."""
    assert ends(monkeypatch, "verify", "ring.py") == 0
    table = capsys.readouterr().out
    for claim in ("check ring:two", "check ring:three", "bug ring no-fencing", "prove ring", "coverage ring"):
        assert f"\n{claim} " in f"\n{table}"
    assert "skipped: lock ring.lock: ring.lock does not exist; genstamp lock ring.py --write" in table

    assert ends(monkeypatch, "lock", "ring.py", "--write") == 0
    assert ends(monkeypatch, "verify", "ring.py") == 0
    assert "lock ring.lock " in capsys.readouterr().out

    file.write_text(file.read_text().replace('limits={"tokens": 4}', 'limits={"tokens": 5}'))
    assert ends(monkeypatch, "verify", "ring.py") == 12
    assert "three: limit tokens: 4 in the lock, 5 found" in capsys.readouterr().out


@pytest.mark.slow
def test_what_nothing_uses_is_a_violation(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(file.read_text().replace("    @witness\n", ""))
    assert ends(monkeypatch, "verify", "ring.py") == 12
    assert "somebody_is_fenced" in capsys.readouterr().out.partition("violated: use ring.py: 1 never used")[2]


def test_file_is_checked_as_a_whole(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ends(monkeypatch, "verify", "ring.py", "--all") == 2
