"""spec.lock: what is written is read again, and every difference is told."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from genstamp import lock
from genstamp.errors import LockError
from genstamp.lock import SearchEntry, SemanticsEntry, SystemEntry, VariationEntry

SEARCH = SearchEntry(
    sizes={"File": 2},
    limits={"stamps": 3},
    distinct=12,
    generated=30,
    depth=5,
    cut={"stamps": 4},
    properties={"one_lease": "holds", "acked_bytes_survive": "violated in 5 steps"},
)
BUG = VariationEntry(breaks="one_lease", configuration="small", depth=3, distinct=9, digest="b" * 64)
LOCK = {
    "leases": SystemEntry(
        semantics={"hadoop-3.4": SemanticsEntry(digest="a" * 64, searches={"small": SEARCH})},
        variations={"HDFS-1": BUG},
        proved={"one_lease": ["only_granted"]},
    )
}


def changed(**fields: object) -> lock.Lock:
    """The lock with one search found otherwise."""
    search = msgspec.structs.replace(SEARCH, **fields)
    semantics = SemanticsEntry(digest="a" * 64, searches={"small": search})
    return {"leases": msgspec.structs.replace(LOCK["leases"], semantics={"hadoop-3.4": semantics})}


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    lock.write(tmp_path / "spec.lock", LOCK)
    assert lock.read(tmp_path / "spec.lock") == LOCK


def test_text_is_sorted_and_has_a_line_for_each_value() -> None:
    lines = lock.text(LOCK).splitlines()
    assert sum('"distinct": 12' in line for line in lines) == 1
    names = [line.split('"')[1] for line in lines if line.startswith("       ") and line.strip().startswith('"')]
    assert names.index("cut") < names.index("depth") < names.index("distinct")


def test_equal_locks_do_not_differ() -> None:
    assert lock.differences(LOCK, changed()) == []


@pytest.mark.parametrize(
    ("found", "line"),
    [
        (changed(distinct=13), "leases, hadoop-3.4, small: distinct states: 12 in the lock, 13 found"),
        (changed(depth=6), "leases, hadoop-3.4, small: depth: 5 in the lock, 6 found"),
        (changed(cut={}), "leases, hadoop-3.4, small: steps cut off by stamps: 4 in the lock, nothing found"),
        (changed(limits={"stamps": 4}), "leases, hadoop-3.4, small: limit stamps: 3 in the lock, 4 found"),
        (
            changed(properties={"acked_bytes_survive": "violated in 5 steps"}),
            "leases, hadoop-3.4, small: one_lease: holds in the lock, nothing found",
        ),
        (
            changed(properties={"one_lease": "holds", "acked_bytes_survive": "holds"}),
            "leases, hadoop-3.4, small: acked_bytes_survive: violated in 5 steps in the lock, holds found, "
            "so that a known violation has vanished",
        ),
    ],
)
def test_each_difference_is_told(found: lock.Lock, line: str) -> None:
    assert lock.differences(LOCK, found) == [line]


def test_a_bug_a_proof_and_a_model_that_changed_are_told() -> None:
    found = {
        "leases": SystemEntry(
            semantics={"hadoop-3.4": SemanticsEntry(digest="c" * 64, searches={"small": SEARCH})},
            variations={"HDFS-1": msgspec.structs.replace(BUG, depth=4)},
            proved={"one_lease": []},
        )
    }
    assert lock.differences(LOCK, found) == [
        "leases: proved one_lease: given only_granted in the lock, given nothing found",
        "leases, hadoop-3.4: digest of the model: aaaaaaaaaaaa in the lock, cccccccccccc found",
        "leases, HDFS-1: depth: 3 in the lock, 4 found",
    ]


def test_what_was_not_searched_is_not_compared() -> None:
    found = {"leases": SystemEntry(variations={"HDFS-1": BUG})}
    assert lock.differences(lock.common(LOCK, found), found) == []
    assert lock.differences(LOCK, found) != []


def test_searches_can_be_left_out() -> None:
    left = lock.without(LOCK, "leases", [("hadoop-3.4", "small")])
    assert left["leases"].semantics["hadoop-3.4"].searches == {}
    assert left["leases"].variations == LOCK["leases"].variations
    for system, left_out in (("leases", ("hadoop-3.4", "other")), ("leases", ("other", "small"))):
        assert lock.without(LOCK, system, [left_out]) == LOCK
    assert lock.without(LOCK, "other", [("hadoop-3.4", "small")]) == LOCK


def test_parts_make_one_lock() -> None:
    parts = [
        {"leases": SystemEntry(variations=LOCK["leases"].variations)},
        {"leases": SystemEntry(semantics=LOCK["leases"].semantics)},
        {"leases": SystemEntry(proved=LOCK["leases"].proved)},
    ]
    assert lock.merged(parts) == LOCK


@pytest.mark.parametrize("content", [None, "", "[]", '{"version": 1, "systems": {}}', '{"version": 2, "systems": 7}'])
def test_a_file_that_is_no_lock_is_refused(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "spec.lock"
    if content is not None:
        path.write_text(content)
    with pytest.raises(LockError, match=r"spec\.lock"):
        lock.read(path)


COUNTER = """\
from genstamp_model.language import System, action, number, require
from genstamp_model.language.declare import Part


class Counter(Part):
    count = number(limit="counts")

    @action
    def add(s) -> None:
        require(s.count < 7, "there is room", refuses="FullException")
        s.count = s.count + 1


print(System("counter", parts=[Counter], configurations=[]).model().digest)
"""


def digest_of(directory: Path, text: str, hash_seed: str) -> str:
    directory.mkdir()
    (directory / "counter.py").write_text(text)
    environment = os.environ | {"PYTHONHASHSEED": hash_seed}
    done = subprocess.run(
        [sys.executable, "counter.py"], cwd=directory, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.slow
def test_digest_does_not_depend_on_line_folder_or_hash_seed(tmp_path: Path) -> None:
    first = digest_of(tmp_path / "one", COUNTER, "1")
    moved = COUNTER.replace("\n\nclass", "\n\n# A comment.\n\n\nclass")
    assert digest_of(tmp_path / "another", moved, "2") == first


@pytest.mark.slow
def test_digest_depends_on_what_is_declared(tmp_path: Path) -> None:
    first = digest_of(tmp_path / "one", COUNTER, "1")
    changes = [
        ("< 7", "< 8"),
        ("Full", "Other"),
        ("+ 1", "+ 2"),
        ("is room", "was room"),
        ('refuses="', 'defensive=True, refuses="'),
    ]
    for place, (old, new) in enumerate(changes):
        assert digest_of(tmp_path / str(place), COUNTER.replace(old, new), "1") != first
