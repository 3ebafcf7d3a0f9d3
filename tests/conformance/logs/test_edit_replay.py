"""What operations of an edit log become: the change, from lists of all blocks; one key a file, whatever its path."""

from typing import Any

import pytest

from genstamp.logs.readers.edit_ops import EditOp, LoggedBlock
from genstamp.logs.readers.edit_replay import Replay
from genstamp.logs.readers.sighting import Counts, Reject, Unit

CLIENT = "DFSClient_1"


def block(number: int, num_bytes: int = 0, stamp: int = 1001) -> LoggedBlock:
    return LoggedBlock(number, num_bytes, stamp)


def told(*operations: tuple[str, dict[str, Any]], version: int = -64) -> list[tuple[str, list[str]]]:
    """Each event, and the keys that it concerns. Transaction 1 is not there, so that grants may have come before."""
    replay = Replay(Unit(0, "edit log", ("edits",), "edits"), Counts())
    events = []
    for number, (name, fields) in enumerate(operations, 2):
        for find in replay.events("edits", EditOp(number, version, number, name, **fields)):
            assert not isinstance(find, Reject), find
            role = [f"{c.kind} {c.entity}" + (f" ({c.role})" if c.role else "") for c in find.concerns]
            events.append((find.event.event, role))
    return events


def add(path: str = "/f", **fields: Any) -> tuple[str, dict[str, Any]]:
    return "OP_ADD", {"path": path, "client_name": CLIENT, **fields}


def close(path: str = "/f", *blocks: LoggedBlock) -> tuple[str, dict[str, Any]]:
    return "OP_CLOSE", {"path": path, "blocks": blocks}


def add_block(path: str, *blocks: LoggedBlock) -> tuple[str, dict[str, Any]]:
    return "OP_ADD_BLOCK", {"path": path, "blocks": blocks}


def update(path: str, *blocks: LoggedBlock) -> tuple[str, dict[str, Any]]:
    return "OP_UPDATE_BLOCKS", {"path": path, "blocks": blocks}


def test_file_is_known_by_its_inode_id() -> None:
    assert told(add(inode_id=16386), close()) == [
        ("create", ["file 16386", f"lease {CLIENT}"]),
        ("close", ["file 16386", f"lease {CLIENT} (holder)"]),
    ]


def test_file_without_an_inode_id_is_known_by_path_and_epoch() -> None:
    """Layouts before -42 store none; a path that is created again is another file."""
    assert [keys[0] for _, keys in told(add(), close(), ("OP_DELETE", {"path": "/f"}), add())] == [
        "file /f#1", "file /f#1", "file /f#1", "file /f#2",
    ]  # fmt: skip


def test_file_at_a_path_that_another_was_moved_from_is_another() -> None:
    """What was moved is not changed any more by its old path."""
    moved = ("OP_RENAME_OLD", {"path": "/f", "destination": "/g"})
    assert told(close(), moved, close())[-1][1] == ["file /f#1"]
    assert told(close(), moved, close("/g"))[-1][1] == ["file /f#0"]


def test_file_at_the_path_of_a_deleted_one_is_that_one() -> None:
    """No other can have come there, for its creation would be in the log."""
    assert told(close(), ("OP_DELETE", {"path": "/f"}), close())[-1][1] == ["file /f#0"]


def test_block_before_the_new_one_is_committed() -> None:
    assert told(add(), add_block("/f", block(1)), add_block("/f", block(1, 5), block(2, 0, 1002)))[1:] == [
        ("add_block", ["block 1", "file /f#1", f"lease {CLIENT}"]),
        ("commit", ["block 1"]),
        ("add_block", ["block 2", "file /f#1", f"lease {CLIENT}"]),
    ]


def test_list_of_blocks_tells_what_changed() -> None:
    first = (add(), add_block("/f", block(1)))
    assert told(*first, update("/f", block(1, 9)))[-1][0] == "fsync"
    assert told(*first, update("/f", block(1, 9, 1002)))[-1][0] == "update_blocks"
    assert told(*first, update("/f"))[-1] == ("abandon_block", ["block 1", "file /f#1"])
    assert told(*first, update("/f", block(1, 9), block(2)))[-2:] == [
        ("commit", ["block 1"]),
        ("add_block", ["block 2", "file /f#1", f"lease {CLIENT}"]),
    ]
    assert len(told(*first, update("/f", block(1)))) == 2


def test_block_that_is_gone_when_the_file_is_closed_was_removed() -> None:
    assert told(add(), add_block("/f", block(1)), close("/f"))[2] == ("remove_last_block", ["block 1"])


def test_every_block_is_closed_with_its_file_and_once() -> None:
    operations = (add(), add_block("/f", block(1)), add_block("/f", block(1, 5), block(2)))
    closed = close("/f", block(1, 5), block(2, 7))
    append = ("OP_APPEND", {"path": "/f", "client_name": CLIENT})
    assert [name for name, _ in told(*operations, closed)].count("close") == 3
    assert told(*operations, closed, append, closed)[-3:] == [
        ("append", ["file /f#1", f"lease {CLIENT}", "block 2"]),
        ("close", ["block 2"]),
        ("close", ["file /f#1", f"lease {CLIENT} (holder)"]),
    ]


def test_create_over_a_file_deletes_it_first() -> None:
    events = told(add(inode_id=1), add_block("/f", block(7)), add(inode_id=2, flag=True))
    assert events[2:] == [
        ("delete", ["file 1", f"lease {CLIENT} (holder)", "block 7"]),
        ("create", ["file 2", f"lease {CLIENT}"]),
    ]


def test_add_of_a_closed_file_is_an_append_in_old_logs() -> None:
    """Before layout -62 there was no OP_APPEND."""
    again = add(blocks=(block(1, 5),))
    assert told(add(), add_block("/f", block(1)), close("/f", block(1, 5)), again, version=-60)[-1] == (
        "append", ["file /f#1", f"lease {CLIENT}", "block 1"],
    )  # fmt: skip


@pytest.mark.parametrize(("version", "event"), [(-31, "fsync"), (-39, "append"), (-60, "append")])
def test_add_of_an_open_file_by_another_client_is_an_append_too(version: int, event: str) -> None:
    """So the lease is held twice; before -36 the holder may have changed without an operation."""
    first = (add(), update("/f", block(1)))
    assert told(*first, add(blocks=(block(1, 5),)), version=version)[-1][0] == "fsync"
    other = add(client_name="DFSClient_2", blocks=(block(1, 5),))
    assert event in [name for name, _ in told(*first, other, version=version)[2:]]


def test_add_with_blocks_of_a_file_from_before_the_log_is_an_append() -> None:
    assert told(add(blocks=(block(1, 5),)))[0] == ("append", ["file /f#0", f"lease {CLIENT}"])


def test_append_to_a_new_block_leaves_the_last_one_alone() -> None:
    events = told(
        add(), add_block("/f", block(1)), close("/f", block(1, 5)),
        ("OP_APPEND", {"path": "/f", "client_name": CLIENT, "flag": True}),
    )  # fmt: skip
    assert events[-1] == ("append", ["file /f#1", f"lease {CLIENT}"])


def test_truncate_at_a_block_boundary_drops_blocks_and_opens_nothing() -> None:
    operations = (add(), add_block("/f", block(1)), add_block("/f", block(1, 5), block(2)))
    closed = close("/f", block(1, 5), block(2, 5))
    assert told(*operations, closed, ("OP_TRUNCATE", {"path": "/f", "client_name": CLIENT, "number": 5}))[-2:] == [
        ("truncate", ["file /f#1"]),
        ("delete", ["block 2"]),
    ]


def test_truncate_in_place_starts_a_recovery_of_the_last_block() -> None:
    first = (add(), add_block("/f", block(1)), close("/f", block(1, 9)))
    truncate = ("OP_TRUNCATE", {"path": "/f", "client_name": CLIENT, "number": 5, "blocks": (block(1, 5, 1002),)})
    assert told(*first, truncate)[-2:] == [
        ("truncate", ["file /f#1", f"lease {CLIENT}"]),
        ("truncate", ["block 1"]),
    ]


def test_truncate_of_a_copy_replaces_the_last_block() -> None:
    first = (add(), add_block("/f", block(1)), close("/f", block(1, 9)))
    truncate = ("OP_TRUNCATE", {"path": "/f", "client_name": CLIENT, "number": 5, "blocks": (block(2, 5, 1002),)})
    assert told(*first, truncate)[-2:] == [("delete", ["block 1"]), ("copy_on_truncate", ["block 2"])]


def test_lease_is_reassigned_from_one_holder_to_the_other() -> None:
    reassign = ("OP_REASSIGN_LEASE", {"path": "/f", "client_name": CLIENT, "new_holder": "HDFS_NameNode"})
    assert told(add(), reassign, close())[1:] == [
        ("reassign_lease", ["file /f#1", f"lease {CLIENT} (holder)", "lease HDFS_NameNode (new_holder)"]),
        ("close", ["file /f#1", "lease HDFS_NameNode (holder)"]),
    ]


def test_file_keeps_its_key_through_renames_and_what_it_overwrites_is_deleted() -> None:
    events = told(
        add("/d/a"), add("/b"), ("OP_RENAME", {"path": "/d", "destination": "/e"}),
        ("OP_RENAME_OLD", {"path": "/e/a", "destination": "/b"}), close("/b"),
    )  # fmt: skip
    assert events[2:] == [
        ("rename", []),
        ("delete", ["file /b#1", f"lease {CLIENT} (holder)"]),
        ("rename", ["file /d/a#1"]),
        ("close", ["file /d/a#1", f"lease {CLIENT} (holder)"]),
    ]


def test_concat_gives_the_blocks_to_its_target() -> None:
    events = told(
        add("/a"), add_block("/a", block(1)), close("/a", block(1, 5)), add("/b"), add_block("/b", block(2)),
        close("/b", block(2, 5)), ("OP_CONCAT_DELETE", {"path": "/a", "sources": ("/b",)}),
        ("OP_DELETE", {"path": "/a"}),
    )  # fmt: skip
    assert events[-3:] == [
        ("concat", ["file /a#1", "file /b#1"]),
        ("delete", ["file /b#1"]),
        ("delete", ["file /a#1", "block 1", "block 2"]),
    ]


def test_deletion_of_a_directory_deletes_what_is_known_below_it() -> None:
    events = told(add("/d/a"), add("/d/e/b"), ("OP_DELETE", {"path": "/d"}), ("OP_DELETE", {"path": "/never/seen"}))
    assert [keys[:1] for _, keys in events[2:]] == [["file /d/a#1"], ["file /d/e/b#1"], []]


def test_the_two_counters_of_stamps_are_two_keys() -> None:
    assert told(("OP_SET_GENSTAMP_V1", {"number": 5}), ("OP_SET_GENSTAMP_V2", {"number": 1001})) == [
        ("set_generation_stamp", ["node namenode:legacy"]),
        ("set_generation_stamp", ["node namenode"]),
    ]
