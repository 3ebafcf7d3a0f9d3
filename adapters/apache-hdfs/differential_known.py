"""Differences between Apache's namenode and ours that have a name and a reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from differential_sides import Answer, Call


@dataclass(frozen=True)
class Known:
    """A difference that is meant to be.

    Attributes:
        name: of the difference.
        reason: why our namenode answers otherwise.
        fits: whether a call and its answers, Apache's and ours, are an example of it.
        ends_run: whether the namenodes have different files afterwards.
    """

    name: str
    reason: str
    fits: Callable[[Call, Answer, Answer], bool]
    ends_run: bool = False


def _fails(answer: Answer, java_class: str) -> bool:
    return answer.get("refused") == f"java.lang.{java_class}"


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_times(one) for key, one in value.items() if key not in ("modified", "accessed")}
    return [_without_times(one) for one in value] if isinstance(value, list) else value


def _commits_less(call: Call, apache: Answer, ours: Answer) -> bool:
    return "below the stored length" in ours.get("message", "")


def _opens_too_large(call: Call, apache: Answer, ours: Answer) -> bool:
    if "gives" not in ours:
        return False
    too_large = "with size larger than the preferred block size" in apache.get("message", "")
    return too_large or (call["call"] == "truncate" and _fails(apache, "NullPointerException"))


KNOWN: tuple[Known, ...] = (
    Known(
        "null-pointer",
        "Apache's namenode fails with a NullPointerException: fsync of a file without blocks that says a length, "
        "getAdditionalDatanode without existing datanodes, rename of the root into a directory",
        lambda call, apache, ours: (
            call["call"] in ("fsync", "getAdditionalDatanode", "rename")
            and _fails(apache, "NullPointerException")
            and "gives" in ours
        ),
    ),
    Known(
        "block-above-its-size",
        "a client commits more bytes than a block of its file may have; Apache's namenode fails half-way through the "
        "next append or truncate, and leaves the file open",
        _opens_too_large,
        ends_run=True,
    ),
    Known(
        "commit-below-stored-length",
        "Apache's namenode asserts that a block is not committed with fewer bytes than are stored, and assertions are "
        "off; ours refuses it",
        _commits_less,
        ends_run=True,
    ),
    Known(
        "reserved-times",
        "Apache's namenode shows the time at which it was formatted for what is below /.reserved, ours none",
        lambda call, apache, ours: (
            call.get("path") in ("/.reserved", "/.reserved/") and _without_times(apache) == _without_times(ours)
        ),
    ),
)
"""All of them."""
