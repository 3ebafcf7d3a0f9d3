"""Files of events that do not grow without end."""

from pathlib import Path

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
