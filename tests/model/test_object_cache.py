"""What was compiled is kept, and never run where it may be another's or cut short."""

import os
from pathlib import Path

import pytest

from genstamp_model.explore import object_cache
from genstamp_model.explore.object_cache import cached


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GENSTAMP_CACHE", str(tmp_path))
    return tmp_path / "objects"


def from_cache(*key: str) -> bytes:
    """The code that is kept under a key: compiling gives other code each time."""
    return cached(lambda: os.urandom(64), *key)


def test_code_is_compiled_once_for_a_key(directory: Path) -> None:
    assert from_cache("text", "compiler") == from_cache("text", "compiler")
    assert from_cache("text", "compiler") != from_cache("text", "another compiler")
    assert from_cache("ab", "c") != from_cache("a", "bc")


@pytest.mark.parametrize("content", [b"", b"short", None])
def test_a_file_that_was_cut_short_is_compiled_anew(directory: Path, content: bytes | None) -> None:
    before = from_cache("text")
    (file,) = directory.iterdir()
    file.write_bytes(file.read_bytes()[:-1] if content is None else content)
    after = from_cache("text")
    assert after != before and len(after) == 64
    assert from_cache("text") == after


def test_a_directory_in_which_others_may_write_is_not_used(directory: Path) -> None:
    before = from_cache("text")
    directory.chmod(0o777)
    assert from_cache("text") != before


def test_a_link_to_a_directory_is_not_used(directory: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    directory.symlink_to(tmp_path / "elsewhere")
    assert from_cache("text") != from_cache("text")


def test_it_may_be_off_or_impossible(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    for place in ("off", str(tmp_path / "file")):
        monkeypatch.setenv("GENSTAMP_CACHE", place)
        assert from_cache("text") != from_cache("text")


def test_what_was_not_used_for_longest_makes_room(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(64):
        from_cache(str(number))
    files = sorted(directory.iterdir())
    for place, file in enumerate(files):
        os.utime(file, (place, place))
    monkeypatch.setattr(object_cache, "MOST_BYTES", 10 * files[0].stat().st_size)
    object_cache._make_room(directory)
    assert sorted(directory.iterdir()) == files[-10:]
