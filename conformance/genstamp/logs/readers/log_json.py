"""Lines of logs that are JSON objects: of loggers that write JSON, and of what collects lines in JSON.

Not here: which of these a line is (`log_head`), and events of our own servers (`native`).
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import msgspec

from genstamp.logs.readers.log_time import instant, of_number

_CARRYING: Final = ("log", "MESSAGE", "textPayload", "message", "msg", "line", "entry", "event", "_raw", "LogEntry")
_MESSAGES: Final = ("formattedMessage", "message", "msg", "short_message", "@m")
_LOGGERS: Final = ("loggerName", "logger_name", "log.logger", "logger", "_loggerName", "_logger", "name", "class",
                   "SourceContext")  # fmt: skip
_LEVEL_NAMES: Final = ("level", "severity", "lvl", "log.level")
_THREADS: Final = ("thread", "thread_name", "threadName", "process.thread.name", "_thread")
_TIMES: Final = ("timeMillis", "time", "timestamp", "@timestamp", "date", "instant", "ts", "@t")
_NESTED_MAX: Final = 6
_BEGINS_LINE = re.compile(rb"\s{0,40}(?:\{|\[?\d{2,4}[-/]\d\d[-/])")


@lru_cache(maxsize=1)
def object_at(line: bytes, at: int) -> Mapping[str, Any]:
    """What a JSON object names, those in it included; of one name what is further out. Callers ask twice in a row."""
    try:
        told = msgspec.json.decode(line[at:].rstrip(b", \r\t"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    if not isinstance(told, dict) or not any(isinstance(value, dict) for value in told.values()):
        return told if isinstance(told, dict) else {}
    found: dict[str, Any] = {}
    level = [("", told)]
    for _ in range(_NESTED_MAX):
        named = [(f"{outer}.{name}".lstrip("."), name, value) for outer, each in level for name, value in each.items()]
        for path, name, value in named:
            found.setdefault(name, value)
            found.setdefault(path, value)
        level = [(path, value) for path, _, value in named if isinstance(value, dict)]
    return found


def parts_of(told: Mapping[str, Any]) -> tuple[int, bytes, bytes, bytes] | None:
    """Time, thread, logger and message of a line of log4j2's JSON layouts, of Log4Json, of logback's and of others that
    name parts as these do; None if it is none, or if its message is a line with a head.
    """
    message, logger = _text(told, _MESSAGES), _text(told, _LOGGERS)
    if message is None or (logger is None and told.keys().isdisjoint(_LEVEL_NAMES)) or _BEGINS_LINE.match(message):
        return None
    time_us = time_of(told)
    return None if time_us is None else (time_us, _text(told, _THREADS) or b"", logger or b"", message)


def carried_by(told: Mapping[str, Any]) -> bytes | None:
    """The line that an object carries; None if there is none."""
    found = next((text for name in _CARRYING if (text := as_bytes(told.get(name))) is not None), None)
    return None if found is None else found.rstrip(b"\r\n")


def as_bytes(carried: Any) -> bytes | None:
    """What is carried as a text, or as numbers where journald finds bytes in it that are no text, as of colours."""
    if isinstance(carried, str):
        return carried.encode(errors="surrogatepass")
    if isinstance(carried, list) and carried and all(isinstance(each, int) and 0 <= each < 256 for each in carried):
        return bytes(carried)
    return None


def _text(told: Mapping[str, Any], names: Sequence[str]) -> bytes | None:
    for name in names:
        if isinstance(told.get(name), str):
            text: str = told[name]
            return text.encode(errors="surrogatepass")
    return None


def time_of(told: Mapping[str, Any]) -> int | None:
    """Microseconds since 1970; None if it tells no time."""
    of_log4j2 = told.get("instant")
    if isinstance(of_log4j2, dict):
        second, part = of_log4j2.get("epochSecond"), of_log4j2.get("nanoOfSecond", 0)
        if isinstance(second, int) and isinstance(part, int):
            return second * 1_000_000 + part // 1000
    for name in _TIMES:
        value = told.get(name)
        if isinstance(value, int | float) and 0 <= value < 2**63:
            return of_number(value) if isinstance(value, int) else int(value * 1_000_000)
        if isinstance(value, str) and (time_us := instant(value.encode(errors="replace"))) is not None:
            return time_us
    return None
