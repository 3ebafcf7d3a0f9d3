"""Takes a line of a Hadoop log apart: time, level, who logged it, message.

Two layouts are known: Hadoop's default (`2018-11-14 12:25:35,275 INFO org.apache.hadoop.hdfs.StateChange: message`,
with or without the thread and the place in the source), and that of many test runs (`2022-05-10 16:25:37,178 - INFO
[thread:Class@line] - message`). Leaves out what messages mean.
"""

import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

_DEFAULT = re.compile(
    rb"\.*(\d{4}-\d\d-\d\d)[ T](\d\d):(\d\d):(\d\d)[,.](\d{3})\s+(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\s+"
    rb"(?:\[([^\]]{0,500})\]\s+)?([\w.$]{1,200})\s*(?:\([\w$]{1,100}\.java:[^ ]{1,200}\))?(?::\s| -\s|\t\s?)"
)
_OF_TESTS = re.compile(
    rb"\.*(\d{4}-\d\d-\d\d)[ T](\d\d):(\d\d):(\d\d)[,.](\d{3}) - (?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\s+"
    rb"\[(.{0,1000}?):([\w$]{1,200})@\d{1,7}\] - "
)

_CUT = re.compile(rb"([\w.$]{1,200}) \([\w$]{1,100}\.java:\w{1,100}\(\d{1,7}\)\) - ")


LAYOUTS = (
    "2018-11-14 12:25:35,275 INFO org.apache.hadoop.hdfs.StateChange: MESSAGE",
    "2018-11-14 12:25:35,275 INFO  [THREAD] hdfs.StateChange (StateChange.java:METHOD(7)) - MESSAGE",
    "2022-05-10 16:25:37,178 - INFO  [THREAD:StateChange@7] - MESSAGE",
    "081109 203518 143 INFO dfs.FSNamesystem: MESSAGE (Hadoop 0.20)",
)
"""An example of each layout that is known."""


class LogLine(NamedTuple):
    """A line of a log, taken apart.

    Attributes:
        time_us: microseconds since 1970, the time of day taken as UTC: logs name no zone.
        thread: name of the thread; empty where the layout has none.
        logger: name of the logger, or of the class that logged.
        message: the rest.
    """

    time_us: int
    thread: bytes
    logger: bytes
    message: bytes


def log_line(line: bytes) -> LogLine | None:
    """The parts of a line; None if it is of neither layout: the rest of a stack trace, say."""
    # The one has a hyphen where the other has the level.
    found = _OF_TESTS.match(line) if b" - " in line[:32] else _DEFAULT.match(line)
    if found is None:
        return None
    day, hour, minute, second, millisecond, thread, logger = found.groups()
    try:
        midnight = _midnight(day)
    except ValueError:
        return None
    seconds = midnight + 3600 * int(hour) + 60 * int(minute) + int(second)
    return LogLine(seconds * 1_000_000 + int(millisecond) * 1000, thread or b"", logger, line[found.end() :])


def cut_line(line: bytes, before: LogLine) -> LogLine | None:
    """The parts of a line that has lost its beginning, time and level; its time is taken from the line before."""
    found = _CUT.match(line)
    return None if found is None else LogLine(before.time_us, b"", found[1], line[found.end() :])


@lru_cache(maxsize=64)
def _midnight(day: bytes) -> int:
    return int(datetime.fromisoformat(day.decode()).replace(tzinfo=UTC).timestamp())
