"""Compares two answers to one call, and tells of a difference as a story."""

from __future__ import annotations

import json
from dataclasses import dataclass

from differential_known import KNOWN, Known
from differential_sides import Answer, Call


@dataclass(frozen=True)
class Found:
    """Two answers differ.

    Attributes:
        name: of the known difference that it is, if any.
        ends_run: whether the namenodes can be compared no further.
    """

    name: str | None
    ends_run: bool


@dataclass(frozen=True)
class Difference:
    """A run up to a call that is answered differently: numbered calls, and the answers to the last one."""

    seed: int
    calls: tuple[tuple[int, Call], ...]
    apache: Answer
    ours: Answer

    @property
    def kind(self) -> tuple[str, str, str]:
        """The name of the call and the kinds of both answers."""
        return self.calls[-1][1]["call"], _kind(self.apache), _kind(self.ours)


def _kind(answer: Answer) -> str:
    return str(answer.get("refused", "gives"))


def compared(call: Call, apache: Answer, ours: Answer, known: tuple[Known, ...] = KNOWN) -> Found | None:
    """How the answers differ: what they give, or the class of what they are refused with; None if they do not."""
    same = apache.get("refused") == ours.get("refused") and apache.get("gives") == ours.get("gives")
    if same:
        return None
    for one in known:
        if one.fits(call, apache, ours):
            return Found(one.name, one.ends_run)
    return Found(None, True)


def story(difference: Difference) -> str:
    """The calls of a difference, one a line, and both answers to the last one."""
    lines = [f"seed {difference.seed}, {len(difference.calls)} calls:"]
    lines += [f"  {number:4} {_told(call)}" for number, call in difference.calls]
    lines += [f"    Apache: {_shown(difference.apache)}", f"    ours:   {_shown(difference.ours)}"]
    return "\n".join(lines)


def _told(call: Call) -> str:
    arguments = " ".join(f"{key}={_short(value)}" for key, value in call.items() if key != "call")
    return f"{call['call']} {arguments}"


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 600 else f"{text[:60]}... ({len(text)} characters)"


def _shown(answer: Answer) -> str:
    if "refused" in answer:
        return f"{answer['refused']}: {answer['message'][:300]}"
    return json.dumps(answer["gives"])
