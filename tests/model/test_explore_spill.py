"""An exact search whose memory is used up goes on in files, and finds what it would have found."""

import errno
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.model.systems.small_recovery import SMALL_RECOVERY
from tests.model.systems.two_phase import TWO_PHASE

from genstamp_model.errors import ConfigurationError
from genstamp_model.explore import Compiled, Progress, Result, Search, Verdict, explore, spill
from genstamp_model.explore.memory import LEAST_MEMORY
from genstamp_model.language import Configuration, Instance

SIX = Instance(TWO_PHASE.model(), Configuration("six", sizes={"Rm": 6}))


def told(result: Result) -> Result:
    """A result without what may differ."""
    return replace(result, seconds=0, compile_seconds=0, bytes_a_state=0, disk_bytes=0)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_in_files_finds_the_same(tmp_path: Path, threads: int) -> None:
    expected = explore(SIX)
    result = explore(SIX, memory_bytes=LEAST_MEMORY, spill=tmp_path, threads=threads)
    assert told(result) == told(expected)
    assert (expected.disk_bytes, result.disk_bytes > 300_000) == (0, True)
    assert result.bytes_a_state * result.states < LEAST_MEMORY
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_states_and_paths_are_read_from_files(tmp_path: Path) -> None:
    compiled = Compiled(SMALL_RECOVERY.instance("three"))
    search, in_memory = Search(compiled, memory_bytes=6 * LEAST_MEMORY, spill=tmp_path), Search(compiled)
    result = search.run()
    assert told(result) == told(in_memory.run())
    assert result.disk_bytes > 4 * LEAST_MEMORY
    rows, expected = search.states(), in_memory.states()
    assert np.array_equal(rows[np.lexsort(rows.T)], expected[np.lexsort(expected.T)])
    for name, length in result.witnesses.items():
        path = search.witness(name)
        assert (None if path is None else len(path)) == length


def test_its_files_have_no_names_while_it_runs(tmp_path: Path) -> None:
    seen: list[list[Path]] = []

    def look(progress: Progress) -> None:
        seen.append(list(tmp_path.iterdir()))

    result = explore(SIX, memory_bytes=LEAST_MEMORY, spill=tmp_path, progress=look)
    assert result.disk_bytes > 0
    assert seen
    assert not any(seen)


def test_it_ends_when_the_table_has_no_room() -> None:
    result = explore(SMALL_RECOVERY.instance("three"), memory_bytes=LEAST_MEMORY)
    assert (result.verdict, result.undetermined) == (Verdict.UNDETERMINED, "the memory is used up")
    assert 50_000 < result.states < 284_862
    assert result.bytes_a_state * result.states < LEAST_MEMORY


def test_it_ends_when_the_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "pwrite", full)
    result = explore(SIX, memory_bytes=LEAST_MEMORY, spill=tmp_path)
    assert result.verdict is Verdict.UNDETERMINED
    assert result.undetermined.endswith("could not be written: no space left on device")
    assert 30_000 < result.states < 50_816


def test_a_file_that_cannot_be_mapped_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spill, "_system_mmap", lambda: lambda *_: spill._FAILED)
    assert "a file could not be mapped" in explore(SIX, memory_bytes=LEAST_MEMORY).undetermined


def test_without_the_systems_mapping_it_ends_with_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spill, "_system_mmap", lambda: None)
    result = explore(SIX, memory_bytes=LEAST_MEMORY)
    assert (result.verdict, result.undetermined) == (Verdict.UNDETERMINED, "the memory is used up")


def test_too_many_states_are_told_as_such_in_files_too() -> None:
    result = explore(SIX, memory_bytes=LEAST_MEMORY, max_states=45_000)
    assert (result.verdict, result.undetermined) == (Verdict.UNDETERMINED, "there are more than 45000 states")
    assert result.disk_bytes > 0


def test_memory_and_directory_must_be_usable(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="1,000 bytes of memory are too few"):
        explore(SIX, memory_bytes=1_000)
    with pytest.raises(ConfigurationError, match="missing' is not a directory"):
        explore(SIX, spill=tmp_path / "missing")
