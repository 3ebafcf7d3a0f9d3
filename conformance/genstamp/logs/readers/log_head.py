"""The head of a line of a log, as a small grammar: what carries the line, around how the logger has laid it out.

A *carrier* is what comes before a line because the line was collected, searched or quoted (`docker compose`, syslog,
`grep -n`); carriers may be nested. A *layout* is how log4j or logback has written time, level, thread and logger. To
know another one, add a row to `CARRIERS` or `LAYOUTS`, with an example: the tests render a story in every carrier
around every layout. Not here: what messages mean, and encodings (`genstamp.logs.streams`).
"""

import re
from functools import partial
from typing import Final, NamedTuple

import msgspec

from genstamp.logs.readers.log_json import as_bytes, carried_by, object_at, parts_of, time_of
from genstamp.logs.readers.log_time import LEVELS, TIME, CarriedTime, instant, no_time, time_us_of

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
        before: the text before the layout.
    """

    time_us: int
    thread: bytes
    logger: bytes
    message: bytes
    layout: str = ""
    carriers: tuple[str, ...] = ()
    before: bytes = b""


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
_CONTEXT = rb"(?:\s{0,40}(?:\[[^\]]{0,500}\]|\{[^}]{0,500}\}))?"
_DATED = rb"\[?(?:\d{2,4}[-/]\d\d[-/]|\d\d:\d\d:|\d{10})"
_PARTS = {
    b"iso": rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)",
    b"time": TIME,
    b"word": rb"(?:(?!" + LEVELS + rb")\w[\w.-]{0,100}\s{1,40})?",  # The host, or a number of the process.
    b"level": rb"[\[(<]?\b(?:" + LEVELS + rb")\b ?[\])>]?:?",
    b"thread": rb"(?:\[(?P<thread>" + _BRACKETS + rb"|[^\]]{0,500})\]|\((?P<thread_in>[^()]{0,500})\))" + _CONTEXT,
    b"thread_too": rb"[\[(][^\])]{0,500}[\])]" + _CONTEXT,
    b"logger": rb"\[?(?P<logger>[\w.$-]{1,200}?)(?:\.java)?(?::\d{1,7})?\]?\s{0,40}"
    rb"(?:\([\w$.-]{1,100}:[^ ]{1,200}\))?" + _CONTEXT,
    b"end": rb"\s{0,40}(?::(?:\s|$)|\s--?(?:\s|$)|\t\s?)",
    b"levels": LEVELS,
    b"dated": _DATED,
    b"start": _DATED + rb"|\[?[TDIWEF][A-Z]{3}|\{",
}


def _form(name: str, example: str, pattern: bytes = b"") -> Form:
    return Form(name, example, re.compile(pattern % _PARTS) if pattern else None)


HADOOP: Final = "Hadoop's default"

LAYOUTS: Final = (
    _form(
        HADOOP,
        "2018-11-14 12:25:35,275 INFO org.apache.hadoop.hdfs.StateChange: MESSAGE",
        rb"%(time)b\s{1,40}%(word)b%(level)b\s{1,40}(?:%(thread)b\s{1,40})?%(logger)b%(end)b",
    ),
    _form(
        "thread before level",
        "2018-11-14 12:25:35,275 [THREAD] INFO  hdfs.StateChange (StateChange.java:METHOD(7)) - MESSAGE",
        rb"%(time)b\s{1,40}%(thread)b\s{1,40}%(level)b\s{1,40}%(logger)b%(end)b",
    ),
    _form(
        "thread, class and line",
        "2022-05-10 16:25:37,178 - INFO  [THREAD:StateChange@7] - MESSAGE",
        rb"%(time)b (?:\[[\w:.-]{0,100}\] )?- %(level)b\s{1,40}"
        rb"\[(?P<thread>.{0,1000}?):(?P<logger>[\w.$]{1,200})@\d{1,7}\] - ",
    ),
    _form(
        "Spring Boot",
        "2018-11-14 12:25:35.275  INFO 4711 --- [THREAD] o.a.hadoop.hdfs.StateChange   : MESSAGE",
        rb"%(time)b\s{1,40}%(level)b\s{1,40}(?:\[[^\]]{0,200}\]\s{1,40})?\d{1,10} --- (?:\[[\w. -]{1,100}\] (?=\[))?"
        rb"%(thread)b\s{1,40}%(logger)b%(end)b",
    ),
    _form(
        "between bars",
        "2018-11-14 12:25:35,275 | INFO  | THREAD | MESSAGE | org.apache.hadoop.hdfs.StateChange (StateChange.java:7)",
        rb"%(time)b\s{0,40}\|\s{0,40}%(level)b\s{0,40}\|\s{0,40}(?P<thread>[^|]{0,300}?)\s{0,40}\|\s{0,40}"
        rb"(?P<message>(?s:.*)) \| (?P<logger>[\w$-]{1,100}\.[\w.$-]{1,200}|[\w$-]{1,200}(?= \())(?::\d{1,7})?"
        rb"(?: \([^|]{0,300}\))?\s{0,40}\Z",
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
    _form(
        "logger behind message",
        "2018-11-14 12:25:35,275 INFO MESSAGE (org.apache.hadoop.hdfs.StateChange)",
        rb"%(time)b\s{1,40}%(level)b\s{1,40}(?:%(thread)b\s{1,40})?"
        rb"(?P<message>(?s:.*)) \((?P<logger>[\w$-]{1,100}\.[\w.$-]{1,200})(?::\d{1,7})?\)\s{0,40}\Z",
    ),
    _form(
        "nothing between logger and message",
        "2018-11-14 12:25:35,275 INFO org.apache.hadoop.hdfs.StateChange MESSAGE",
        rb"%(time)b\s{1,40}(?:%(thread)b\s{1,40})?%(level)b\s{1,40}(?:%(thread_too)b\s{1,40})?"
        rb"(?=\[?[\w$-]{1,100}[.:]\w)%(logger)b(?:\s{1,40}\([^()]{0,500}\))?\s{1,40}",
    ),
    _form("JSON", '{"timeMillis": 1542198335275, "level": "INFO", "loggerName": "StateChange", "message": "MESSAGE"}'),
)
"""The patterns that are tried, in this order. Time may have milliseconds or none, `T`, a zone, be `yy/MM/dd`, or
count from 1970.
"""

_NO_TIME = re.compile(rb"%(level)b\s{1,40}(?:%(thread)b\s{1,40})?%(logger)b%(end)b" % _PARTS)

CARRIERS: Final = (
    _form("a byte order mark", "\ufeffLINE", rb"\xef\xbb\xbf"),
    _form("quotes or list marks", "> LINE", rb"(?:[>|#*$`,+-] ?){1,20}"),
    _form("docker compose", "namenode-1  | LINE", rb"[\w.@/-]{1,200}\s{1,100}\| ?"),
    _form("kubectl --prefix", "[pod/nn-0/namenode] LINE", rb"\[[\w./@: -]{1,300}\] ?"),
    _form("CRI", "2018-11-14T12:25:35.275123456Z stdout F LINE", rb"(?P<at>%(iso)b) (?:stdout|stderr) [FP] "),
    _form(
        "syslog of RFC 5424",
        "<134>1 2018-11-14T12:25:35.275Z nn1 hdfs 4711 - - LINE",
        rb"<\d{1,3}>\d{1,2} (?P<at>%(iso)b|-) \S{1,255} \S{1,48} \S{1,128} \S{1,32} "
        rb"(?:-|(?:\[(?:[^\]\"]|\"[^\"]{0,500}\"){0,500}\]){1,20})"
        rb" ?(?:\xef\xbb\xbf)?",
    ),
    _form(
        "syslog or journald",
        "Nov 14 12:25:35 nn1 hdfs[4711]: LINE",
        rb"(?:<\d{1,3}>)?(?:(?P<at>%(iso)b|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d{1,6})?|\d{10}\.\d{6})"
        rb"|[A-Z][a-z]{2} [ \d]\d \d{4} \d\d:\d\d:\d\d|[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d:\d\d [A-Z]{1,5}"
        rb"|\[ {0,12}\d{1,12}\.\d{6}(?: <[ \d.]{1,30}>)?\])"
        rb"(?: (?!%(dated)b)[\w.:-]{1,255}(?= \S{1,150}: ))? "
        rb"(?!%(dated)b|\S{0,128}(?:\b(?:%(levels)b)\b|\d-\d\d-\d\d ))[\w./@-]{1,128}"
        rb"(?:\[\d{1,10}\])?(?:: | (?=%(start)b))",
    ),
    _form(
        "kubectl or docker --timestamps",
        "2018-11-14T12:25:35.275123456Z LINE",
        rb"(?P<at>%(iso)b)[ \t]{1,4}(?:\{\w{1,100}=\"[^}]{0,500}\}\s)?",
    ),
    _form("a priority", "<6>LINE", rb"<\d{1,3}>"),
    _form("grep -C", "hadoop-hdfs-namenode-nn1.log-12-LINE", rb"[^\s:\"{]{1,300}?-(?=%(start)b)"),
    _form(
        "stern",
        "nn-0 namenode LINE",
        rb"(?:(?!(?:%(levels)b) |%(dated)b)[\w.-]{1,255} (?:\xe2\x80\xba )?){2,3}(?=%(start)b)",
    ),
    _form("line numbers", "12:LINE", rb"\s{0,20}\d{1,9}(?:[:)|\t]|-(?=\d{4}-)| {1,20})\s{0,20}"),
    _form(
        "grep FILE or a host", "hadoop-hdfs-namenode-nn1.log:12:LINE", rb"(?:[A-Z]:\\)?[^\s:\"{]{1,300}:(?:\d{1,9}:)? ?"
    ),
    _form("indentation", "    LINE", rb"[ \t\f\v\r]{1,500}"),
    _form(
        "a quoted column",
        'nn1,"LINE"',
        rb"[^\n]{0,500}?[\"'](?=\{|[^\"]{1,300}\{\"|[^\"]{0,600}\b(?:%(levels)b)\b[^\"]{4})",
    ),
    _form(
        "other text",
        "nn1 (rack 7): LINE",
        rb"[^\n\"'<{]{0,500}?[\s|:;,=>\[]"
        rb"(?=(?:(?:%(levels)b)\s{1,40})?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[,.]\d{3}\]?\s|\{\"\w)",
    ),
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

_NO_BREAK: Final = "\u00a0".encode()
_COLOURS = re.compile(rb"\x1b(?:\[[0-9;:]{0,20}[mK]|\][^\a\x1b]{0,200}\a)")
COLOURS: Final = "ANSI colours"

_LEVEL = re.compile(rb"TRACE|DEBUG|INFO|WARN|ERROR|FATAL")


def head_of(line: bytes) -> LogLine | None:
    """The parts of a line; None if the grammar has no head like its own.

    >>> head_of(b"nn-1  | 24/03/01 10:00:00 INFO hdfs.StateChange: BLOCK* allocate")
    LogLine(time_us=1709287200000000, thread=b'', logger=b'hdfs.StateChange', message=b'BLOCK* allocate', \
layout="Hadoop's default", carriers=('docker compose',), before=b'nn-1  | ')
    """
    carriers: list[str] = []
    line = line.lstrip(b"\0")  # What was not written when the power failed.
    # Lines of stack traces, which are many, name no level; journald may write it as numbers.
    level = _LEVEL.search(line, 0, HEAD_MAX)
    if level is None and not line.startswith(b"{"):
        return None
    if (
        level is not None and _NO_BREAK in line[: level.end() + len(_NO_BREAK)]
    ):  # As pages of the web have blanks beside blanks.
        line = line.replace(_NO_BREAK, b" ")
    if b"\x1b" in line[:HEAD_MAX]:
        line = _COLOURS.sub(b"", line)
        carriers.append(COLOURS)
    at = 0
    carried_time: CarriedTime = no_time
    for _ in range(CARRIERS_MAX + 1):
        found = _laid_out(line, at, carried_time)
        if found is not None:
            return found._replace(carriers=tuple(carriers), before=line[:at])
        carrier, line, at, time = _carried(line, at)
        if not carrier:
            return None
        carriers.append(carrier)
        carried_time = carried_time if time is no_time else time
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
        text = as_bytes(object_at(line, 0).get("log"))
        # Other collectors take the end of each line away.
        if text is not None:
            return text.rstrip(b"\r\n"), len(text) >= _DOCKER_PART and not text.endswith(b"\n")
    return None


def bare(line: bytes, like: LogLine) -> bytes:
    """A line without the carriers of the line before, if it has them: it is of a stack trace, mostly."""
    if not like.carriers:
        return line
    rest, at = _COLOURS.sub(b"", line) if COLOURS in like.carriers else line, 0
    alike = re.match(re.sub(rb"\d+", rb"\\d+", re.escape(like.before)), rest) if like.before else None
    if alike is not None:
        return rest[alike.end() :]
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


_JSON_AROUND: Final = CARRIERS[-1].name
_QUOTED: Final = "a quoted column"
_OF_CSV, _OF_JSON, _IN_APOSTROPHES = map(re.compile, (rb'"((?:[^"]|"")*+)', rb'"((?:[^"\\]|\\.)*+)', rb"'([^']*+)"))
_ANOTHER = re.compile(rb"\d:\d\d:\d\d[^\"]{0,300}\b(?:%(levels)b)\b" % _PARTS)


def _carried(line: bytes, at: int) -> tuple[str, bytes, int, CarriedTime]:
    """A carrier at a place: its name, text and place of what it carries, its time; no name if there is none."""
    if line[at : at + 1] == b"{":
        told = object_at(line, at)
        carried = carried_by(told)
        if carried is not None:
            return _JSON_AROUND, _COLOURS.sub(b"", carried), 0, partial(time_of, told)
    for each in CARRIERS:
        found = None if each.pattern is None else each.pattern.match(line, at)
        if found is not None and found.end() > at:
            if each.name == _QUOTED:
                inside = _unquoted(line[found.end() - 1 :])
                return ("", line, at, no_time) if inside is None else (each.name, inside, 0, no_time)
            time = found.groupdict().get("at")
            return each.name, line, found.end(), no_time if time is None else partial(instant, time)
    return "", line, at, no_time


def _unquoted(text: bytes) -> bytes | None:
    """What stands in the quotes that a text begins with, of CSV or of JSON; None if another line is behind them."""
    is_csv = b'""' in text
    found = (_IN_APOSTROPHES if text.startswith(b"'") else _OF_CSV if is_csv else _OF_JSON).match(text)
    if found is None or _ANOTHER.search(text, found.end()):
        return None
    if is_csv:
        return found[1].replace(b'""', b'"')
    try:
        return str(msgspec.json.decode(b'"%b"' % found[1])).encode(errors="surrogatepass").rstrip(b"\r\n")
    except (msgspec.DecodeError, UnicodeDecodeError):
        return found[1]


def _laid_out(line: bytes, at: int, carried_time: CarriedTime) -> LogLine | None:
    if line[at : at + 1] == b"{":
        told = object_at(line, at)
        named = parts_of(told)
        name = "log4j2 JSON" if "loggerName" in told else "Log4Json" if "name" in told else LAYOUTS[-1].name
        return None if named is None else LogLine(*named, name)
    for each in LAYOUTS:
        found = None if each.pattern is None else each.pattern.match(line, at)
        if found is None:
            continue
        time_us = time_us_of(found, carried_time)
        if time_us is None:
            continue
        parts = found.groupdict()
        thread, message = parts.get("thread") or parts.get("thread_in") or b"", parts.get("message")
        return LogLine(time_us, thread, parts["logger"], line[found.end() :] if message is None else message, each.name)
    if carried_time is not no_time:
        found, time_us = _NO_TIME.match(line, at), carried_time()
        if found is not None and time_us is not None:
            return LogLine(
                time_us,
                found["thread"] or found["thread_in"] or b"",
                found["logger"],
                line[found.end() :],
                "no time of its own",
            )
    return None
