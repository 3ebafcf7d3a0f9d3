"""Files of events that do not grow without end."""

import errno
import logging
import os
from pathlib import Path

import pytest

from genstamp_dfs.events import decode_lines
from genstamp_dfs.server.event_file import EventFile


def fill(file: EventFile, count: int) -> None:
    for number in range(count):
        file.record(node="n", time_us=number, kind="node", entity="n", event="send_heartbeat", arguments={})


def numbers(path: Path) -> list[int]:
    return [event.node_sequence for event in decode_lines(path.read_bytes())]


def test_a_full_file_makes_room_and_one_older_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "n.jsonl"
    file = EventFile(path, limit_bytes=1_000)
    fill(file, 100)
    file.close()
    older, younger = path.with_name("n.jsonl.1"), path
    assert sorted(tmp_path.iterdir()) == [younger, older]
    assert older.stat().st_size <= 1_000 and younger.stat().st_size <= 1_000
    kept = numbers(older) + numbers(younger)
    assert kept == list(range(kept[0], 101))


def test_without_a_limit_a_file_grows(tmp_path: Path) -> None:
    file = EventFile(tmp_path / "n.jsonl")
    fill(file, 100)
    assert numbers(tmp_path / "n.jsonl") == list(range(1, 101))


def test_numbers_go_on_where_a_process_died_as_it_began_another_file(tmp_path: Path) -> None:
    path = tmp_path / "n.jsonl"
    fill(EventFile(path), 5)
    path.rename(tmp_path / "n.jsonl.1")
    fill(EventFile(path, limit_bytes=1_000), 1)
    assert numbers(path) == [6]


class FullDevice:
    """`os.write` on a device that has room for so many more bytes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.room: int | None = None
        self._really = os.write
        monkeypatch.setattr(os, "write", self._write)

    def _write(self, descriptor: int, data: bytes) -> int:
        if self.room is None:
            return self._really(descriptor, data)
        if not self.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = self._really(descriptor, data[: self.room])
        self.room -= written
        return written


@pytest.mark.parametrize("room", [0, 10])
def test_what_cannot_be_written_is_dropped_whole_counted_and_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, room: int
) -> None:
    device = FullDevice(monkeypatch)
    path = tmp_path / "n.jsonl"
    file = EventFile(path)
    fill(file, 2)
    device.room = room
    with caplog.at_level(logging.WARNING):
        fill(file, 3)
    assert file.dropped == 3
    assert [record.message.partition(": ")[2] for record in caplog.records] == [
        "an event cannot be written and is dropped; more may follow: [Errno 28] No space left on device"
    ]
    device.room = None
    fill(file, 1)
    assert numbers(path) == [1, 2, 6]


def test_a_torn_line_is_not_left_in_the_file_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    device = FullDevice(monkeypatch)
    path = tmp_path / "n.jsonl"
    fill(EventFile(path), 2)
    file = EventFile(path, limit_bytes=path.stat().st_size * 3 // 2 + 5)
    device.room = 10
    fill(file, 1)
    device.room = None
    file.record(node="n", time_us=1, kind="node", entity="n" * 50, event="send_heartbeat", arguments={})
    assert numbers(path.with_name("n.jsonl.1")) + numbers(path) == [1, 2, 4]


def test_a_file_that_cannot_be_begun_again_stops_no_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "n.jsonl"
    file = EventFile(path, limit_bytes=300)
    fill(file, 1)
    really = os.open

    def refuse(*given: object, **others: object) -> int:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(os, "open", refuse)
    fill(file, 4)
    monkeypatch.setattr(os, "open", really)
    fill(file, 1)
    assert file.dropped > 0
    assert numbers(path)[-1] == 6


def test_an_event_that_is_no_text_is_dropped(tmp_path: Path) -> None:
    file = EventFile(tmp_path / "n.jsonl")
    file.record(node="n", time_us=0, kind="node", entity="\ud800", event="start", arguments={})
    fill(file, 1)
    assert file.dropped == 1
    assert numbers(tmp_path / "n.jsonl") == [2]


def test_only_its_owner_reads_it(tmp_path: Path) -> None:
    EventFile(tmp_path / "events/n.jsonl")
    assert (tmp_path / "events/n.jsonl").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "events").stat().st_mode & 0o777 == 0o700
