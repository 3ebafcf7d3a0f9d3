"""All that messages of NameNodes, datanodes and clients look like that tell of a step, and how to see one in a line
that nothing has read.

A line tells of a step in vain if it is of no layout that is known, or has something before its message. It is known by
the statement itself: a beginning of the table below, behind the start of the line or what may end a layout's head, and
the form that goes with it, or a block with a stamp behind it. What merely mentions a block is no statement of a step:
exceptions, stack traces, and messages of DEBUG that begin otherwise.

Not here: what messages mean (the modules `log_*` beside this one), and layouts (`log_line`).
"""

import re
from functools import reduce
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

PARTS: Final = b" \t\n\r\v\f:;,])>|\"'=-"
"""What a message may stand behind, where the layout of the line is not known."""

_STATED = PATTERNS.stated()
_BEGINNINGS = b"|".join(map(re.escape, sorted(_STATED, key=len, reverse=True)))
_AT = re.compile(b"(?:\\A|[" + re.escape(PARTS) + b"])(" + _BEGINNINGS + b")")
_BLOCK = re.compile(rb"blk_-?\d{1,20}_\d")
_EXCEPTION = re.compile(
    rb"\s*(?:at [\w.$<>/]{1,500}\(|\.\.\. \d|(?:Caused by: |Suppressed: )?[\w.$]{1,500}(?:Exception|Error)\b)"
)


def states_step(text: bytes) -> bool:
    """Whether a step is stated somewhere in a line that nothing has read.

    >>> states_step(b"24/03/01 10:00:00 INFO hdfs.StateChange: BLOCK* allocate blk_7_1001, replicas=a:1 for /f")
    True
    >>> states_step(b"java.io.IOException: Receiving blk_7_1001 failed")
    False
    """
    return not _EXCEPTION.match(text) and any(_is_stated(text, found) for found in _AT.finditer(text))


def _is_stated(text: bytes, found: re.Match[bytes]) -> bool:
    at = found.start(1)
    for form, is_step in _STATED[found[1]]:
        match = form.match(text, at)
        if match is not None:
            return is_step and match.groupdict().get("command", b"create") in log_audit.STEPS
    return _BLOCK.search(text, at) is not None


def may_state_step(text: bytes) -> re.Match[bytes] | None:
    """The first place of a text of many lines where a step may be stated; quicker than to ask of each line."""
    return _AT.search(text)
