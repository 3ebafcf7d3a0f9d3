"""Compiled reading of the lines of NameNodes' and datanodes' logs that are by far the most.

Decides a line only if the result of `log_text` is certain, and stops at every other line. So what lines mean stands
there and in the modules beside it; here is only how the most frequent of them look, byte by byte. Leaves out what
becomes of the numbers that it finds (`log_fast`).
"""

from enum import IntEnum
from typing import Any, NamedTuple

from genstamp.logs.compiled import compiled, inlined
from genstamp.logs.readers import log_grants
from genstamp.logs.readers.log_bytes import as_bytes, has, is_plain, message, same, time_after, until_mark
from genstamp.logs.readers.log_file_rows import (
    FILES_FULL,
    NEW_HOLDER,
    NOT_HERE,
    ROWS_FULL,
    TAKEN,
    FileFound,
    Holders,
    take_allocated,
    take_completed,
)
from genstamp.logs.readers.log_files import Files, is_elsewhere
from genstamp.logs.readers.log_forms import (
    LACKING_BITS,
    NOTHING,
    UNDECIDED,
    Known,
    Told,
    allocated,
    completed,
    names_only,
    receiving,
    responder,
    scheduling,
    stored,
    synced,
    trace,
)
from genstamp.logs.readers.log_state import EVENTS_OF_A_LINE
from genstamp.logs.streams import LINE_LENGTH_MAX


class Form(IntEnum):
    """The meaning of a beginning of messages here."""

    UNDECIDED = 0
    IGNORED = 1
    STORED = 2
    RECEIVING = 3
    TRACE = 4
    RESPONDER = 5
    SCHEDULING = 6
    ALLOCATED = 7
    COMPLETED = 8
    SYNCED = 9


class Stop(IntEnum):
    """Why a scan has ended."""

    AT_END = 0
    FULL = 1
    UNDECIDED = 2
    FILES_FULL = 3
    NEW_HOLDER = 4


class Found(NamedTuple):
    """The contents of decided lines.

    Attributes:
        events: a row for each, see `TOLD` and so on.
        arguments: bytes, one after another: who stored a replica, or for whom it was finalized.

    Few arrays, because each costs time when it is handed from function to function.
    """

    events: Any
    arguments: Any


EVENT_COLUMNS = 11
TOLD, LINE, TIME_US, BLOCK, STAMP, LENGTH, NODE, POOLED, SEQUENCE, EVENT_ORDER, ARGUMENT_END = range(EVENT_COLUMNS)
"""Of an event: a `Told`; number of the line; its time; block, stamp and length, -1 where the line has none; number of
the node; whether the line names the block pool; the event's number among those of its node; its order in the unit;
where its argument ends in the arguments.
"""


FILE_COLUMNS = 9
"""Lines of files that are not here are rows of: line, sequence, order as of an event; where in the text the path begins
and ends; block and stamp of an allocation; where in the text the holder begins and ends of a completion, else 0.
"""


class Here(NamedTuple):
    """Files that compiled code knows, rows of their lines, and holders."""

    files: Files
    found: FileFound
    holders: Holders


class Heads(NamedTuple):
    """Beginnings of messages, by their first byte, among these the longest first.

    Attributes:
        text: all of them. starts: where each begins in `text`, and the end. form: a `Form` for each. first: by byte,
        the number of the first that begins with it, and one more for the end. parts: by byte, whether one that states
        a step may be behind it. stated, stated_starts: those that state a step, in small letters, and where each
        begins. begin, stop: by byte, in whichever case, which of these begin with it. lower: each byte as a small
        letter.
    """

    text: Any
    starts: Any
    form: Any
    first: Any
    parts: Any
    stated: Any
    stated_starts: Any
    begin: Any
    stop: Any
    lower: Any


class Counters(NamedTuple):
    """Numbers that continue from scan to scan.

    Attributes:
        sequences: by node, the number of its last event. totals: lines of the unit before the file; lines of something
        else; lines of known kinds that are no step; events found; where the last line began that was a line of a log,
        -1 if none; lines of files found.
    """

    sequences: Any
    totals: Any


BEFORE, OTHER, IGNORED_LINES, EVENTS, LAST_LINE, FILES = range(6)


SYNC = -1
"""Stands for the block in a line of a file that was synced."""

LOGGERS = 6
_FULL_LINE = LINE_LENGTH_MAX
_LACKING_MASK = (1 << LACKING_BITS) - 1
_WRITE, _RESPONDER_ENDS, _INVALIDATE = (
    Told.WRITE_BLOCK.value,
    Told.RESPONDER_ENDS.value,
    Told.INVALIDATE_REPLICA.value,
)
_POOL = as_bytes(b"BP-")
_REGISTRATION, _BEFORE_MARK = as_bytes(b"DatanodeRegistration("), len(b"Datanod")
_NEW, _FORMATTING = as_bytes(b"Allocated new BlockPoolId: "), as_bytes(b"Formatting block pool ")
_CLOSED_BY, _FOR = len(b" is closed by "), len(b" for ")
_F_IGNORED, _F_STORED, _F_RECEIVING, _F_TRACE, _F_RESPONDER, _F_SCHEDULING, _F_ALLOCATED, _F_COMPLETED, _F_SYNCED = (
    Form.IGNORED.value,
    Form.STORED.value,
    Form.RECEIVING.value,
    Form.TRACE.value,
    Form.RESPONDER.value,
    Form.SCHEDULING.value,
    Form.ALLOCATED.value,
    Form.COMPLETED.value,
    Form.SYNCED.value,
)
_taken_by_another, _is_below, _grant = map(
    inlined(), (log_grants.taken_by_another, log_grants.is_below, log_grants.grant)
)
_AT_END, _FULL, _UNDECIDED, _FILES_FULL, _NEW_HOLDER = (stop.value for stop in Stop)
_GOES_ON = -1


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def _form(text: Any, at: int, end: int, heads: Heads) -> tuple[int, int]:
    """What a message begins like, and where that ends; -1 if like nothing that is known."""
    byte, texts, starts = text[at], heads.text, heads.starts
    for head in range(heads.first[byte], heads.first[byte + 1]):
        start, stop = starts[head], starts[head + 1]
        if at + stop - start > end:
            continue
        # Many begin alike.
        if texts[stop - 1] == text[at + stop - start - 1] and same(text, at, texts, start, stop - start):
            return heads.form[head], at + stop - start
    return -1, at


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def _may_state_step(text: Any, began: int, end: int, heads: Heads) -> bool:
    """Whether a message that begins like nothing that is known may state a step further on (`log_patterns`)."""
    texts, starts, begin, stops = heads.stated, heads.stated_starts, heads.begin, heads.stop
    may_begin = True
    for at in range(began, end):
        byte = text[at]
        if may_begin:
            for head in range(begin[byte], stops[byte]):
                index, stop = starts[head], starts[head + 1]
                shift = at - index
                while index < stop and index + shift < end and heads.lower[text[index + shift]] == texts[index]:
                    index += 1
                if index == stop:
                    return True
        may_begin = heads.parts[byte]
    return False


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def _order(totals: Any, line: int) -> Any:
    """Order of the first event of a line, as `log_state` gives it."""
    return (totals[BEFORE] + line) * EVENTS_OF_A_LINE + 1


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def _of_file(
    text: Any, at: int, end: int, form: int, line: int, time_us: int, known: Known, counters: Counters, lines: Any,
    here: Here,
) -> int:  # fmt: skip
    """Takes a line of a file; gives a `Stop`, or that the scan goes on."""
    block, stamp, path, holder = 0, 0, -1, 0
    path_end = end
    if form == _F_ALLOCATED:
        block, stamp, path = allocated(text, at, end)
    elif form == _F_COMPLETED:
        path, holder = completed(text, at, end)
        path_end = holder - _CLOSED_BY
    else:
        path, holder = synced(text, at, end)
        block, path_end = SYNC, holder - _FOR
    if path < 0:
        return _UNDECIDED
    for index in range(path, end):
        if text[index] == 13:
            return _UNDECIDED
    if form == _F_ALLOCATED:
        granted = known.granted
        if not len(granted) or _taken_by_another(granted, stamp, block) or _is_below(granted, stamp, block):
            return _UNDECIDED
        _grant(granted, stamp, block, time_us)  # Once more if the line is read again: that changes nothing.
    totals, sequences = counters.totals, counters.sequences
    order, sequence = _order(totals, line), sequences[0] + 1
    became = NOT_HERE
    if known.files_here:
        if form == _F_SYNCED:
            if not is_elsewhere(here.files, text, path, path_end):
                return _UNDECIDED
        elif holder:
            became = take_completed(
                text, path, path_end, holder, end, order, sequence, line, here.files, here.found, here.holders
            )
        else:
            became = take_allocated(text, path, path_end, block, stamp, order, sequence, line, here.files, here.found)
    if became == NOT_HERE:
        number = totals[FILES]
        row = lines[number]
        row[0], row[1], row[2], row[3], row[4], row[5], row[6] = line, sequence, order, path, path_end, block, stamp
        row[7], row[8] = holder, end if holder else 0
        totals[FILES] = number + 1
    elif became != TAKEN:
        if became == ROWS_FULL:
            return _FULL
        return _FILES_FULL if became == FILES_FULL else _NEW_HOLDER if became == NEW_HOLDER else _UNDECIDED
    sequences[0] = sequence
    return _GOES_ON


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def _after_logger(text: Any, at: int, end: int, loggers: Any) -> Any:
    """Where the message of a line begins whose time is known; -1 if that is not certain.

    Only the text in between decides that, so a line whose message follows the same text as an earlier line's need not
    be examined. `loggers` has where a few of these texts stand, and how long they are.
    """
    began = at + 23
    for index in range(len(loggers)):
        size = loggers[index, 1]
        if size and began + size <= end and same(text, began, text, loggers[index, 0], size):
            return began + size
    stop = began
    while stop < end and text[stop] != 10:
        if text[stop] == 58:
            found = message(text, at, min(stop + 2, end))
            if found >= 0:
                for index in range(len(loggers) - 1, 0, -1):
                    loggers[index, 0], loggers[index, 1] = loggers[index - 1, 0], loggers[index - 1, 1]
                loggers[0, 0], loggers[0, 1] = began, found - began
            return found
        stop += 1
    return -1


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def _rest(text: Any, began: int, end: int, pool: Any) -> tuple[int, bool]:
    """Where a line ends, and whether it certainly is one line and tells nothing new of pools and of datanodes."""
    stop, certain = began, True
    while True:
        stop = until_mark(text, stop, end)
        if stop >= end or text[stop] == 10:
            return stop, certain
        if text[stop] == 66:
            if certain and has(text, stop, end, _POOL):
                certain = names_only(text, stop, end, began, pool)
        elif text[stop] == 58:
            # As in the time of another line, whose beginning is lost in this one (`log_patterns`).
            certain = False
        elif stop - began >= _BEFORE_MARK and has(text, stop - _BEFORE_MARK, end, _REGISTRATION):
            certain = False
        stop += 1


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def _decide(text: Any, began: int, here: int, stop: int, form: int, known: Known, heads: Heads) -> Any:
    """The kind of step, block, stamp, length, node, whether the pool is named, where the event's argument begins and
    ends.

    For what is told `UNDECIDED`, or `NOTHING` if the line is no step.
    """
    undecided, nothing = (UNDECIDED, 0, 0, -1, 0, 0, 0, 0), (NOTHING, 0, 0, -1, 0, 0, 0, 0)
    if form == -1:
        if has(text, began, stop, _NEW) or has(text, began, stop, _FORMATTING):
            return undecided
        return undecided if _may_state_step(text, began, stop, heads) else nothing
    if form == _F_IGNORED:
        return nothing
    if form == _F_STORED:
        told, block, stamp, length, argument, argument_end = stored(text, here, stop)
        if told >= 0 and (known.lacking[block & _LACKING_MASK] or not is_plain(text, argument, argument_end)):
            told = UNDECIDED
        return told, block, stamp, length, 0, 0, argument, argument_end
    if form == _F_RECEIVING:
        block, stamp, node, named = receiving(text, here, stop, known)
        return _WRITE if node >= 0 else UNDECIDED, block, stamp, -1, node, named, 0, 0
    if form == _F_TRACE:
        return trace(text, here, stop, known)
    if form == _F_RESPONDER and known.only >= 0:
        block, stamp, here, named = responder(text, here, stop, known)
        return _RESPONDER_ENDS if here >= 0 else UNDECIDED, block, stamp, -1, known.only, named, 0, 0
    if form == _F_SCHEDULING and known.only >= 0:
        block, stamp, here = scheduling(text, here - 4, stop)
        return _INVALIDATE if here >= 0 else UNDECIDED, block, stamp, -1, known.only, 0, 0, 0
    return undecided


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def _keep(text: Any, event: Any, line: int, time_us: int, counters: Counters, found: Found) -> bool:
    """Keeps an event; False if there is no room for it."""
    told, block, stamp, length, node, named, argument, argument_end = event
    totals, sequences = counters.totals, counters.sequences
    number, events, arguments = totals[EVENTS], found.events, found.arguments
    before = events[number - 1, ARGUMENT_END] if number else 0
    if before + argument_end - argument > len(arguments):
        return False
    for index in range(argument_end - argument):
        arguments[before + index] = text[argument + index]
    sequences[node] += 1
    row = events[number]
    row[TOLD], row[LINE], row[TIME_US], row[BLOCK], row[STAMP] = told, line, time_us, block, stamp
    row[LENGTH], row[NODE], row[POOLED], row[SEQUENCE] = length, node, named, sequences[node]
    row[EVENT_ORDER], row[ARGUMENT_END] = _order(totals, line), before + argument_end - argument
    totals[EVENTS] = number + 1
    return True


@compiled()  # type: ignore[untyped-decorator, unused-ignore]
def scan(
    text: Any,
    at: int,
    end: int,
    line: int,
    heads: Heads,
    known: Known,
    counters: Counters,
    found: Found,
    lines: Any,
    here: Here,
    loggers: Any,
) -> tuple[int, int, int]:
    """Reads lines up to one that is not decided here.

    Args:
        text: bytes of whole lines.
        at: where the first of them begins.
        end: where they end.
        line: number of the line.
        heads: beginnings of messages.
        known: the content of the lines before.
        counters: are counted on.
        found: takes the events.
        lines: takes the lines of files that are not here, `FILE_COLUMNS` each.
        here: files, and rows of their lines.
        loggers: room for what stands between time and message (`_after_logger`).

    Returns:
        A `Stop`, where the line begins at which the scan ended, and its number.
    """
    totals = counters.totals
    before, time_us = -1, 0
    for index in range(len(loggers)):
        loggers[index, 1] = 0
    while at < end:
        if totals[EVENTS] >= len(found.events) or totals[FILES] >= len(lines):
            return _FULL, at, line
        time_us = time_after(text, at, end, before, time_us)
        if time_us < 0:
            return _UNDECIDED, at, line
        before = at
        began = _after_logger(text, at, end, loggers)
        if began < 0:
            return _UNDECIDED, at, line
        stop, certain = _rest(text, began, end, known.pool)
        following = stop + 1
        certain = certain and stop - at <= _FULL_LINE
        if stop > began and text[stop - 1] == 13:
            stop -= 1
        if not certain or stop == began:
            return _UNDECIDED, at, line
        form, head_end = _form(text, began, stop, heads)
        if form in (_F_ALLOCATED, _F_COMPLETED, _F_SYNCED):
            why = _UNDECIDED
            if known.decides_files:
                why = _of_file(text, head_end, stop, form, line, time_us, known, counters, lines, here)
            if why != _GOES_ON:
                return why, at, line
        else:
            event = _decide(text, began, head_end, stop, form, known, heads)
            if event[0] == UNDECIDED:
                return _UNDECIDED, at, line
            if event[0] == NOTHING:
                totals[OTHER if form == -1 else IGNORED_LINES] += 1
            elif not _keep(text, event, line, time_us, counters, found):
                return _FULL, at, line
        totals[LAST_LINE] = at
        at, line = following, line + 1
    return _AT_END, at, line
