"""The head of a line of a log, as a small grammar: what carries the line, around how the logger has laid it out.

A *carrier* is what comes before a line because the line was collected, searched or quoted (`docker compose`, syslog,
`grep -n`); carriers may be nested. A *layout* is how log4j or logback has written time, level, thread and logger. To
know another one, add a row to `CARRIERS` or `LAYOUTS`, with an example: the tests render a story in every carrier
around every layout. Not here: what messages mean, and encodings (`genstamp.logs.streams`).
"""

import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec

HEAD_MAX: Final = 2048
"""Bytes of a line in which its head is looked for."""

CARRIERS_MAX: Final = 4
"""Carriers, which may be nested."""


class LogLine(NamedTuple):
    """A line of a log, taken apart.

    Attributes:
        time_us: microseconds since 1970, the time of day taken as UTC where the line names no zone.
        thread: name of the thread; empty where the layout has none.
        logger: name of the logger, or of the class that logged.
        message: the rest.
        layout: its name in `LAYOUTS`.
        carriers: their names in `CARRIERS`, the outermost first.
    """

    time_us: int
    thread: bytes
    logger: bytes
    message: bytes
    layout: str = ""
    carriers: tuple[str, ...] = ()


class Form(NamedTuple):
    """A carrier or a layout.

    Attributes:
        name: as in reports.
        example: of a line; MESSAGE stands for what is told, LINE for what is carried.
        pattern: of a head; none of what is written in JSON.
    """

    name: str
    example: str
    pattern: re.Pattern[bytes] | None


_BRACKETS = rb"(?:[^\[\]]++|\[(?:[^\[\]]++|\[(?:[^\[\]]++|\[[^\[\]]*+\])*+\])*+\])*+"
_PARTS = {
    b"iso": rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)",
    b"time": rb"\.*\[?(?:(?:(?P<date>(?:\d{4}-\d\d-\d\d|(?:\d\d)?\d\d/\d\d/\d\d))[ T]|"
    rb"(?P<day>\d\d) (?P<month>[A-Z][a-z]{2}) (?P<year>\d{4}) )?(?P<clock>\d\d:\d\d:\d\d)(?:[,.:](?P<part>\d{1,9}))?"
    rb" ?(?P<zone>Z|UTC|GMT|[+-]\d\d:?\d\d)?|(?P<epoch>\d{13}|\d{10}(?:\.\d{1,9})?))\]?",
    b"level": rb"\[?\b(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL)\b\]?:?",
    b"thread": rb"\[(?P<thread>" + _BRACKETS + rb"|[^\]]{0,500})\]",
    b"logger": rb"\[?(?P<logger>[\w.$-]{1,200})\]?\s{0,40}(?:\([\w$.-]{1,100}:[^ ]{1,200}\))?",
    b"end": rb"\s{0,40}(?::(?:\s|$)|\s-(?:\s|$)|\t\s?)",
    b"start": rb"\[?(?:\d{2,4}[-/]\d\d[-/]|\d\d:\d\d:|\d{10}|[TDIWEF][A-Z]{3})|\{",
}


def _form(name: str, example: str, pattern: bytes = b"") -> Form:
    return Form(name, example, re.compile(pattern % _PARTS) if pattern else None)


HADOOP: Final = "Hadoop's default"

LAYOUTS: Final = (
    _form(
        HADOOP,
        "2018-11-14 12:25:35,275 INFO org.apache.hadoop.hdfs.StateChange: MESSAGE",
        rb"%(time)b\s{1,40}%(level)b\s{1,40}(?:%(thread)b\s{1,40})?%(logger)b%(end)b",
    ),
    _form(
        "thread before level",
        "2018-11-14 12:25:35,275 [THREAD] INFO  hdfs.StateChange (StateChange.java:METHOD(7)) - MESSAGE",
        rb"%(time)b\s{1,40}%(thread)b\s{1,40}%(level)b\s{1,40}%(logger)b%(end)b",
    ),
    _form(
        "thread, class and line",
        "2022-05-10 16:25:37,178 - INFO  [THREAD:StateChange@7] - MESSAGE",
        rb"%(time)b - %(level)b\s{1,40}\[(?P<thread>.{0,1000}?):(?P<logger>[\w$]{1,200})@\d{1,7}\] - ",
    ),
    _form(
        "Spring Boot",
        "2018-11-14 12:25:35.275  INFO 4711 --- [THREAD] o.a.hadoop.hdfs.StateChange   : MESSAGE",
        rb"%(time)b\s{1,40}%(level)b\s{1,40}\d{1,10} --- (?:\[[\w. -]{1,100}\] (?=\[))?"
        rb"%(thread)b\s{1,40}%(logger)b%(end)b",
    ),
    _form(
        "between bars",
        "2018-11-14 12:25:35,275 | INFO  | THREAD | MESSAGE | org.apache.hadoop.hdfs.StateChange (StateChange.java:7)",
        rb"%(time)b\s{0,40}\|\s{0,40}%(level)b\s{0,40}\|\s{0,40}(?P<thread>[^|]{0,300}?)\s{0,40}\|\s{0,40}",
    ),
    _form(
        "between bars, message last",
        "2018-11-14 12:25:35,275 | INFO  | THREAD | org.apache.hadoop.hdfs.StateChange | MESSAGE",
        rb"%(time)b\s{0,40}\|\s{0,40}%(level)b\s{0,40}\|\s{0,40}(?:(?P<thread>[^|]{0,300}?)\s{0,40}\|\s{0,40})?(?P<logger>[\w.$-]{1,200})\s{0,40}\|\s{0,40}",
    ),
    _form(
        "thread behind logger",
        "2018-11-14 12:25:35,275 INFO hdfs.StateChange (StateChange.java:METHOD(7)) [THREAD] - MESSAGE",
        rb"%(time)b\s{1,40}%(level)b\s{1,40}%(logger)b\s{1,40}%(thread)b%(end)b",
    ),
    _form(
        "level before time",
        "INFO 2018-11-14 12:25:35,275 [THREAD] org.apache.hadoop.hdfs.StateChange: MESSAGE",
        rb"%(level)b\s{1,40}%(time)b\s{1,40}(?:%(thread)b\s{1,40})?%(logger)b%(end)b",
    ),
    _form("JSON", '{"timeMillis": 1542198335275, "level": "INFO", "loggerName": "StateChange", "message": "MESSAGE"}'),
)
"""The patterns that are tried, in this order. Time may have milliseconds or none, `T`, a zone, be `yy/MM/dd`, or
count from 1970.
"""

_BEHIND_BARS = re.compile(
    rb"(?P<message>.*) \| (?P<logger>[\w$-]{1,100}\.[\w.$-]{1,200}|[\w$-]{1,200}(?= \())(?: \([^|]{0,300}\))?\s{0,40}",
    re.DOTALL,
)
_NO_TIME = re.compile(rb"%(level)b\s{1,40}(?:%(thread)b\s{1,40})?%(logger)b%(end)b" % _PARTS)

CARRIERS: Final = (
    _form("a byte order mark", "\ufeffLINE", rb"\xef\xbb\xbf"),
    _form("quotes or list marks", "> LINE", rb"(?:[>|#*$`-] ?){1,20}"),
    _form("docker compose", "namenode-1  | LINE", rb"[\w.@/-]{1,200}\s{1,100}\| ?"),
    _form("kubectl --prefix", "[pod/nn-0/namenode] LINE", rb"\[[\w./@:-]{1,300}\] ?"),
    _form("CRI", "2018-11-14T12:25:35.275123456Z stdout F LINE", rb"(?P<at>%(iso)b) (?:stdout|stderr) [FP] "),
    _form(
        "syslog of RFC 5424",
        "<134>1 2018-11-14T12:25:35.275Z nn1 hdfs 4711 - - LINE",
        rb"<\d{1,3}>\d{1,2} (?P<at>%(iso)b|-) \S{1,255} \S{1,48} \S{1,128} \S{1,32} (?:-|(?:\[[^\]]{0,500}\]){1,20})"
        rb" ?(?:\xef\xbb\xbf)?",
    ),
    _form(
        "syslog or journald",
        "Nov 14 12:25:35 nn1 hdfs[4711]: LINE",
        rb"(?:<\d{1,3}>)?(?:(?P<at>%(iso)b)|[A-Z][a-z]{2} [ \d]\d (?:\d{4} )?\d\d:\d\d:\d\d(?:\.\d{1,6})?)"
        rb" [\w.:-]{1,255} [\w./@-]{1,128}(?:\[\d{1,10}\])?: ",
    ),
    _form("kubectl or docker --timestamps", "2018-11-14T12:25:35.275123456Z LINE", rb"(?P<at>%(iso)b) "),
    _form("grep -C", "hadoop-hdfs-namenode-nn1.log-12-LINE", rb"[^\s:\"{]{1,300}?-(?=%(start)b)"),
    _form(
        "stern", "nn-0 namenode LINE", rb"[\w.-]{1,255} (?:\xe2\x80\xba )?[\w.-]{1,255} (?:\xe2\x80\xba )?(?=%(start)b)"
    ),
    _form("line numbers", "12:LINE", rb"\s{0,20}\d{1,9}(?:[:)|\t]|-(?=\d{4}-)| {1,20})\s{0,20}"),
    _form(
        "grep FILE or a host", "hadoop-hdfs-namenode-nn1.log:12:LINE", rb"(?:[A-Z]:\\)?[^\s:\"{]{1,300}:(?:\d{1,9}:)? ?"
    ),
    _form("indentation", "    LINE", rb"[ \t]{1,500}"),
    _form("docker json-file", '{"log": "LINE\\n", "stream": "stdout", "time": "2018-11-14T12:25:35.275000000Z"}'),
)
"""The patterns that are tried in this order where no layout begins."""

KNOWN: Final = (
    *(each.example for each in LAYOUTS),
    "081109 203518 143 INFO dfs.FSNamesystem: MESSAGE (Hadoop 0.20)",  # `merged_log` reads it.
)
"""An example of each layout that is known."""

_PART = re.compile(rb"%(iso)b (?:stdout|stderr) (?P<flag>[FP]) " % _PARTS)
_DOCKER_PART = 1 << 14
"""Bytes of a line at which docker cuts it."""

_COLOURS = re.compile(rb"\x1b\[[0-9;]{0,20}[mK]")
COLOURS: Final = "ANSI colours"

_LEVEL = re.compile(rb"TRACE|DEBUG|INFO|WARN|ERROR|FATAL")


def head_of(line: bytes) -> LogLine | None:
    """The parts of a line; None if the grammar has no head like its own.

    >>> head_of(b"nn-1  | 24/03/01 10:00:00 INFO hdfs.StateChange: BLOCK* allocate")
    LogLine(time_us=1709287200000000, thread=b'', logger=b'hdfs.StateChange', message=b'BLOCK* allocate', \
layout="Hadoop's default", carriers=('docker compose',))
    """
    carriers: list[str] = []
    line = line.lstrip(b"\0")  # What was not written when the power failed.
    # Lines of stack traces, which are many, name no level; journald may write it as numbers.
    if _LEVEL.search(line, 0, HEAD_MAX) is None and not line.startswith(b"{"):
        return None
    if b"\x1b[" in line[:HEAD_MAX]:
        line = _COLOURS.sub(b"", line)
        carriers.append(COLOURS)
    at, carried_at = 0, b""
    for _ in range(CARRIERS_MAX + 1):
        found = _laid_out(line, at, carried_at)
        if found is not None:
            return found._replace(carriers=tuple(carriers))
        carrier, line, at, time = _carried(line, at)
        if not carrier:
            return None
        carriers.append(carrier)
        carried_at = time or carried_at
    return None


def part_of(line: bytes, *, is_next: bool = False) -> tuple[bytes, bool] | None:
    """What a container's runtime has stored in a line, and whether the next line goes on with it.

    Args:
        line: as it is stored.
        is_next: whether the line before goes on here.

    Returns:
        None if no runtime has.

    >>> part_of(b"2018-11-14T12:25:35.275Z stdout P 2018-11-14 12:25")
    (b'2018-11-14 12:25', True)
    """
    found = _PART.match(line)
    if found is not None:
        return line[found.end() :], found["flag"] == b"P"
    if line.startswith(b"{") and (is_next or len(line) > _DOCKER_PART):
        text = _bytes(_object(line, 0).get("log"))
        # Other collectors take the end of each line away.
        if text is not None:
            return text.rstrip(b"\r\n"), len(text) >= _DOCKER_PART and not text.endswith(b"\n")
    return None


def bare(line: bytes, like: LogLine) -> bytes:
    """A line without the carriers of the line before, if it has them: it is of a stack trace, mostly."""
    if not like.carriers:
        return line
    rest, at = _COLOURS.sub(b"", line) if COLOURS in like.carriers else line, 0
    for name in like.carriers:
        if name == "a byte order mark":  # Of the first line alone.
            continue
        carrier, text, begins, _ = _carried(rest, at)
        if carrier == name:
            rest, at = text, begins
    return rest[at:]


def known_heads() -> list[str]:
    """The known layouts, each with an example, as text."""
    rows = [(each.name, each.example.removeprefix("\ufeff")) for each in (*LAYOUTS, *CARRIERS)]
    told = [f"  {name:{max(len(name) for name, _ in rows)}}  {example}" for name, example in rows]
    layouts, carriers = told[: len(LAYOUTS)], told[len(LAYOUTS) :]
    return [
        "layouts, each with milliseconds or none, a T, a zone, as yy/MM/dd, as 14 Nov 2018 or counted from 1970:",
        *layouts,
        f"  and {KNOWN[-1]}",
        f"carriers, of which {CARRIERS_MAX} may stand one in another, with {COLOURS} or without:",
        *carriers,
        "encodings: UTF-8, and UTF-16 with a byte order mark; lines end with LF or CR LF",
    ]


def head_in_words(line: LogLine) -> str:
    """How a line is laid out and carried, for reports."""
    return " in ".join((line.layout, *reversed(line.carriers)))


def nearest(line: bytes) -> str:
    """The layout whose example is most like a line, by the kinds of its characters."""
    shape = _shape(line[:200].decode(errors="replace"))
    return max(LAYOUTS, key=lambda each: _alike(shape, _shape(each.example))).example


def _shape(text: str) -> list[str]:
    return re.findall(r"\d+|[^\W\d_]+|[^\w\s]", re.sub(r"[^\W\d_]+", "a", re.sub(r"\d", "9", text)))


def _alike(one: list[str], other: list[str]) -> int:
    """How many parts are the same, from the beginning."""
    return sum(a == b for a, b in zip(one, other, strict=False))


def _carried(line: bytes, at: int) -> tuple[str, bytes, int, bytes]:
    """A carrier at a place: its name, text and place of what it carries, its time; no name if there is none."""
    if line[at : at + 1] == b"{":
        told = _object(line, at)
        for key in ("log", "MESSAGE"):
            carried = _bytes(told.get(key))
            if carried is not None:
                return CARRIERS[-1].name, _COLOURS.sub(b"", carried.rstrip(b"\r\n")), 0, b""
        return "", line, at, b""
    for each in CARRIERS:
        found = None if each.pattern is None else each.pattern.match(line, at)
        if found is not None and found.end() > at:
            return each.name, line, found.end(), found.groupdict().get("at") or b""
    return "", line, at, b""


def _laid_out(line: bytes, at: int, carried_at: bytes) -> LogLine | None:
    if line[at : at + 1] == b"{":
        return _of_json(_object(line, at))
    for each in LAYOUTS:
        found = None if each.pattern is None else each.pattern.match(line, at)
        if found is None:
            continue
        time_us = _time_us(found, carried_at)
        if time_us is None:
            continue
        parts, message = found.groupdict(), line[found.end() :]
        if "logger" not in parts:
            behind = _BEHIND_BARS.fullmatch(message)
            if behind is None:
                continue
            parts["logger"], message = behind["logger"], behind["message"]
        return LogLine(time_us, parts.get("thread") or b"", parts["logger"], message, each.name)
    if carried_at:
        found, time_us = _NO_TIME.match(line, at), _instant(carried_at)
        if found is not None and time_us is not None:
            return LogLine(time_us, found["thread"] or b"", found["logger"], line[found.end() :], "no time of its own")
    return None


# -- times --------------------------------------------------------------------------------------------------------


def _time_us(found: re.Match[bytes], carried_at: bytes) -> int | None:
    if found["epoch"]:
        whole, _, part = found["epoch"].partition(b".")
        return int(whole) * 1000 if len(whole) == 13 else int(whole) * 1_000_000 + int(part[:6].ljust(6, b"0"))
    day = found["date"]
    if found["day"]:
        day = b"%b-%b-%b" % (found["year"], _MONTHS.get(found["month"], b"00"), found["day"])
    elif day is None:
        day = carried_at[:10] or b"1970-01-01"
    elif b"/" in day:
        day = (b"20" + day if len(day) == 8 else day).replace(b"/", b"-")
    begins = midnight(day)
    if begins is None:
        return None
    clock, part = found["clock"], (found["part"] or b"")[:6].ljust(6, b"0")
    seconds = begins + 3600 * int(clock[:2]) + 60 * int(clock[3:5]) + int(clock[6:])
    return (seconds - _offset(found["zone"] or b"")) * 1_000_000 + int(part)


_MONTHS: Final = {
    name: b"%02d" % number for number, name in enumerate(b"Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), 1)
}


def _offset(zone: bytes) -> int:
    """Seconds that a zone is ahead of UTC."""
    if zone[:1] not in (b"+", b"-"):
        return 0
    seconds = 3600 * int(zone[1:3]) + 60 * int(zone[-2:])
    return -seconds if zone[:1] == b"-" else seconds


@lru_cache(maxsize=64)
def midnight(day: bytes) -> int | None:
    """Seconds from 1970 to the beginning of a day; None if there is no such day."""
    try:
        return int(datetime.fromisoformat(day.decode()).replace(tzinfo=UTC).timestamp())
    except ValueError:
        return None


_INSTANT = re.compile(_PARTS[b"time"])


def _instant(text: bytes) -> int | None:
    """Microseconds since 1970 of a time that stands alone."""
    found = _INSTANT.match(text)
    return None if found is None else _time_us(found, b"")


# -- JSON ---------------------------------------------------------------------------------------------------------


def _object(line: bytes, at: int) -> dict[str, Any]:
    try:
        told = msgspec.json.decode(line[at:])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _of_json(told: dict[str, Any]) -> LogLine | None:
    """A line of log4j2's JSON layouts, of Log4Json, of logback's and of others that name parts as these do."""
    message = _text(told, "message", "msg")
    logger = _text(told, "loggerName", "logger_name", "log.logger", "name", "logger")
    if logger is None and isinstance(told.get("log"), dict):
        logger = _text(told["log"], "logger")
    if message is None or logger is None:
        return None
    time_us = _time_of_json(told)
    if time_us is None:
        return None
    thread = _text(told, "thread", "thread_name", "process.thread.name") or b""
    name = "log4j2 JSON" if "loggerName" in told else "Log4Json" if "name" in told else LAYOUTS[-1].name
    return LogLine(time_us, thread, logger, message, name)


def _bytes(carried: Any) -> bytes | None:
    """What is carried as a text, or as numbers where journald finds bytes in it that are no text, as of colours."""
    if isinstance(carried, str):
        return carried.encode(errors="surrogatepass")
    if isinstance(carried, list) and carried and all(isinstance(each, int) and 0 <= each < 256 for each in carried):
        return bytes(carried)
    return None


def _text(told: dict[str, Any], *names: str) -> bytes | None:
    for name in names:
        if isinstance(told.get(name), str):
            text: str = told[name]
            return text.encode(errors="surrogatepass")
    return None


def _time_of_json(told: dict[str, Any]) -> int | None:
    instant = told.get("instant")
    if isinstance(instant, dict):
        second, part = instant.get("epochSecond"), instant.get("nanoOfSecond", 0)
        if isinstance(second, int) and isinstance(part, int):
            return second * 1_000_000 + part // 1000
    for name in ("timeMillis", "time", "timestamp", "@timestamp", "date", "instant"):
        value = told.get(name)
        if isinstance(value, int) and 0 <= value < 2**43:
            return value * 1000
        if isinstance(value, str) and (time_us := _instant(value.encode(errors="replace"))) is not None:
            return time_us
    return None
