"""The comparison of Apache's namenode with ours: its logic, without Apache."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

APACHE = Path(__file__).parents[1] / "adapters" / "apache-hdfs"


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Imports a module of the adapter."""
    monkeypatch.syspath_prepend(str(APACHE))

    def imported(name: str) -> ModuleType:
        return importlib.import_module(f"differential_{name}")

    return imported


def test_ids_are_named_after_the_call_that_shows_them_first(module: Any) -> None:
    apache, ours = module("names").Names(), module("names").Names()
    assert apache.named({"block": 7, "stamp": 1001}, 3) == {"block": "b3", "stamp": "g3"}
    assert ours.named({"block": 90, "stamp": 5000}, 3) == {"block": "b3", "stamp": "g3"}
    assert apache.named([{"block": 8}, {"block": 7}], 3) == [{"block": "b3.2"}, {"block": "b3"}]
    assert ours.resolved({"block": {"id": "b3", "stamp": "g3", "bytes": 1}}) == {
        "block": {"id": 90, "stamp": 5000, "bytes": 1}
    }


def test_a_name_that_is_taken_back_is_free_again(module: Any) -> None:
    names = module("names").Names()
    names.named({"file": 5}, 1)
    names.forget(1)
    assert names.named({"file": 5}, 2) == {"file": "f2"}
    assert names.resolved({"path": "/.reserved/.inodes/{f2}"}) == {"path": "/.reserved/.inodes/5"}


def test_times_of_the_wall_clock_are_the_same_and_others_are_compared(module: Any) -> None:
    shown = module("names").Names().named({"modified": 1_795_238_899_165, "accessed": 12345}, 1)
    assert shown == {"modified": "now", "accessed": 12345}


def test_answers_differ_by_what_they_give_and_by_class(module: Any) -> None:
    compared, call = module("comparing").compared, {"call": "delete", "path": "/f"}
    refused = {"refused": "java.io.IOException", "message": "no"}
    assert compared(call, refused, {**refused, "message": "never"}) is None
    assert compared(call, {"gives": True}, {"gives": True}) is None
    for other in ({"gives": False}, refused):
        found = compared(call, {"gives": True}, other)
        assert (found.name, found.ends_run) == (None, True)
    assert compared(call, refused, {**refused, "refused": "java.io.FileNotFoundException"}).name is None


def test_a_known_difference_has_its_name(module: Any) -> None:
    failed = {"refused": "java.lang.NullPointerException", "message": ""}
    found = module("comparing").compared({"call": "fsync"}, failed, {"gives": None})
    assert (found.name, found.ends_run) == ("null-pointer", False)
    assert module("comparing").compared({"call": "delete"}, failed, {"gives": None}).name is None


def test_a_story_has_the_calls_and_both_answers(module: Any) -> None:
    call = {"call": "delete", "path": "/f", "recursive": True}
    refused = {"refused": "java.io.IOException", "message": "no"}
    difference = module("comparing").Difference(7, ((3, call),), {"gives": True}, refused)
    assert module("comparing").story(difference).splitlines() == [
        "seed 7, 1 calls:",
        "     3 delete path=/f recursive=true",
        "    Apache: true",
        "    ours:   java.io.IOException: no",
    ]


def test_a_seed_draws_the_same_calls(module: Any) -> None:
    drawn = []
    for _ in range(2):
        drawing = module("calls").Drawing(11)
        drawn.append([drawing.draw() for _ in range(200)])
    assert drawn[0] == drawn[1]
    assert len({call["call"] for call in drawn[0]}) > 20
