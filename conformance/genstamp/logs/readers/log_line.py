"""Takes a line of a Hadoop log apart: time, level, who logged it, message.

Most lines are of Hadoop's default layout without anything before it, which is looked for first; the grammar of all
heads that are known is `log_head`. Not here: what messages mean.
"""

import re
from datetime import UTC, datetime
from functools import lru_cache

from genstamp.logs.readers.log_head import HADOOP, LogLine, head_of, part_of
from genstamp.logs.readers.log_time import midnight

_DEFAULT = re.compile(
    rb"\.*(\d{4}-\d\d-\d\d)[ T](\d\d):(\d\d):(\d\d)[,.](\d{3})\s+(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\s+"
    rb"(?:\[([^\[\]]{0,500})\]\s+)?([\w.$]{1,200})\s*(?:\([\w$]{1,100}\.java:[^ ]{1,200}\))?(?::\s| -\s|\t\s?)"
)

_CUT = re.compile(rb"([\w.$]{1,200}) \([\w$]{1,100}\.java:\w{1,100}\(\d{1,7}\)\) - ")


def log_line(line: bytes) -> LogLine | None:
    """The parts of a line; None if it is of no layout that is known: the rest of a stack trace, say."""
    found = _DEFAULT.match(line)
    if found is None:
        return head_of(line)
    day, hour, minute, second, millisecond, thread, logger = found.groups()
    begins = midnight(day)
    if begins is None:
        return None
    seconds = begins + 3600 * int(hour) + 60 * int(minute) + int(second)
    time_us = seconds * 1_000_000 + int(millisecond) * 1000
    return LogLine(time_us, thread or b"", logger, line[found.end() :], HADOOP)


def plain_line(line: bytes) -> bytes:
    """A line as compiled code reads it, if no more is lost than its carriers and its level; else the line itself."""
    if _DEFAULT.match(line) or ((stored := part_of(line)) is not None and stored[1]):
        return line
    parts = head_of(line.removesuffix(b"\r"))
    if parts is None or parts.thread or parts.time_us % 1000 or b"\n" in parts.message:
        return line
    if parts.message.endswith(b"\r"):  # Compiled code would take it for the end of the line.
        return line
    seconds, part = divmod(parts.time_us // 1000, 1000)
    return b"%b,%03d INFO %b: %b" % (_second(seconds), part, parts.logger, parts.message)


@lru_cache(maxsize=64)
def _second(seconds: int) -> bytes:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S").encode()


def cut_line(line: bytes, before: LogLine) -> LogLine | None:
    """The parts of a line that has lost its beginning, time and level; its time is taken from the line before."""
    found = _CUT.match(line)
    return None if found is None else LogLine(before.time_us, b"", found[1], line[found.end() :])
