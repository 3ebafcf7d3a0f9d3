"""The patterns of all messages of NameNodes, datanodes and clients that state a step, and how to find such a statement
in a line that no layout reads.

Such a line is of an unknown layout, or has something before its message. It is recognized by a beginning of the table
below, at the start of the line or behind a byte that may end a layout's head, together with one of these: the form that
belongs to the beginning, or a block with a stamp or a command of the audit log behind it. A beginning that is spelled
as nothing else is (`BLOCK* allocate`, `updatePipeline(`) is enough alone. Where capital and small letters are not as
HDFS writes them, the whole form is needed, or such a beginning. A line that merely mentions a block states no step:
exceptions, stack traces, and messages of DEBUG that begin otherwise.

Not here: what messages mean (the modules `log_*` beside this one), and layouts (`log_line`).
"""

import re
from functools import reduce
from itertools import islice
from typing import Final

from genstamp.logs.readers import (
    log_audit,
    log_client,
    log_copies,
    log_datanode,
    log_leases,
    log_namenode,
    log_reports,
    log_starts,
)
from genstamp.logs.readers.log_message import Patterns

PATTERNS: Final = reduce(
    Patterns.together,
    (
        each.PATTERNS
        for each in (
            log_namenode,
            log_reports,
            log_leases,
            log_audit,
            log_datanode,
            log_copies,
            log_starts,
            log_client,
        )
    ),
)

PARTS: Final = bytes(
    each for each in range(256) if not (chr(each).isascii() and chr(each).isalnum()) and each not in b"_./$"
)
"""What a message may be behind, where the layout of the line is not known: all but parts of a name or a path."""

HEAD_MAX: Final = 4096
"""Bytes of a line in which a statement is looked for, so that the time for a hostile line is bounded."""

HEADS_MAX: Final = 16
"""Places that are examined in a line."""

_STATED = PATTERNS.stated()
_FIRSTS = bytes(sorted({beginning[0] for beginning in _STATED}))
_BEGINNINGS = b"|".join(map(re.escape, sorted(_STATED, key=len, reverse=True)))
_AT = re.compile(b"[%b](?=[%b])(%b)" % (re.escape(PARTS), re.escape(_FIRSTS), _BEGINNINGS), re.IGNORECASE)
_IN_ANY_CASE = [
    (beginning.lower(), re.compile(form.pattern, re.IGNORECASE), is_step)
    for beginning, forms in _STATED.items()
    for form, is_step in forms
]
LOWERED: Final = tuple(sorted({beginning.lower() for beginning in _STATED}, key=lambda each: (each[0], -len(each))))
"""How messages begin that state a step, in small letters; by the first byte, the longest first."""
_BLOCK = re.compile(rb"blk_-?\d{1,20}_\d")
_COMMAND = re.compile(rb"\bcmd=(?:%b)\b" % b"|".join(sorted(log_audit.STEPS)))
_TIME = re.compile(rb"\d:\d\d:\d")
_UNMISTAKABLE = re.compile(rb"[*(]")
_EXCEPTION = re.compile(
    rb"\s*(?:at [\w.$<>/]{1,500}\(|\.\.\. \d|(?:Caused by: |Suppressed: )?[\w.$]{1,500}(?:Exception|Error)\b"
    rb"|[\w.-]{1,300}:\d{1,5}:DataXceiver error processing )"
)


def states_step(text: bytes) -> bool:
    """Whether a step is stated somewhere in a line that nothing has read.

    >>> states_step(b"24/03/01 10:00:00 INFO hdfs.StateChange: BLOCK* allocate blk_7_1001, replicas=a:1 for /f")
    True
    >>> states_step(b"java.io.IOException: Receiving blk_7_1001 failed")
    False
    """
    text = b"\n" + text  # So a statement at the start of the line has something before it, too.
    found = list(islice(_AT.finditer(text, 0, HEAD_MAX), HEADS_MAX))
    return bool(found) and not _EXCEPTION.match(text) and any(_is_stated(text, one) for one in found)


def states_another(text: bytes) -> bool:
    """Whether a message that states a step continues with another line, whose end of line was lost.

    >>> states_another(b"DIR* completeFile: /f is closed by c2024-03-01 10:00:00 INFO x.Y: BLOCK* allocate blk_7_1")
    True
    """
    # Lines of logs have the time before what they tell; messages of steps have none.
    found = _TIME.search(text)
    return found is not None and states_step(text[found.end() :])


def _is_stated(text: bytes, found: re.Match[bytes]) -> bool:
    at = found.start(1)
    if found[1] not in _STATED:
        return _is_stated_in_any_case(text, found)
    for form, is_step in _STATED[found[1]]:
        match = form.match(text, at)
        if match is not None:
            return is_step and match.groupdict().get("command", b"create") in log_audit.STEPS
    return _UNMISTAKABLE.search(found[1]) is not None or any(sign.search(text, at) for sign in (_BLOCK, _COMMAND))


def _is_stated_in_any_case(text: bytes, found: re.Match[bytes]) -> bool:
    lowered = found[1].lower()
    for beginning, form, is_step in _IN_ANY_CASE:
        if beginning == lowered and (match := form.match(text, found.start(1))):
            return is_step and (match.groupdict().get("command") or b"create").lower() in log_audit.STEPS
    return _UNMISTAKABLE.search(found[1]) is not None


def may_state_step(text: bytes) -> bool:
    """Whether a step may be stated somewhere in a text, of many lines; faster than to examine each."""
    # A plain loop: a generator takes twice as long.
    text = text.lower()
    for beginning in LOWERED:  # noqa: SIM110
        if beginning in text:
            return True
    return False
