"""Bytes of a line of a log, compiled: words, numbers, where its message begins.

Leaves out what messages mean.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic


def as_bytes(text: bytes) -> Any:
    """A text as the compiled code takes it; as a global name of a module it is a constant."""
    return np.frombuffer(text, np.uint8)


_LEVELS = as_bytes(b"INFO WARN ERRORDEBUGTRACEFATAL")


def _load(_: Any, text: Any, at: Any) -> Any:
    """Eight bytes of a text as one number, wherever they stand: for the compiler."""

    def load(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.gep(array.data, [arguments[1]])
        found = builder.load(builder.bitcast(place, ir.IntType(64).as_pointer()))
        found.align = 1
        return found

    return types.uint64(text, types.int64), load


_eight: Any = intrinsic(_load)


@njit(cache=True, forceinline=True)  # type: ignore[untyped-decorator, unused-ignore]
def same(text: Any, at: int, other: Any, there: int, size: int) -> bool:
    """Whether so many bytes of two texts are the same; both texts are as long at least."""
    index = 0
    while index + 8 <= size:
        if _eight(text, at + index) != _eight(other, there + index):
            return False
        index += 8
    while index < size:
        if text[at + index] != other[there + index]:
            return False
        index += 1
    return True


_ONES, _HIGHS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_COMMAS, _AFTER_BLANKS = np.uint64(0x2C2C2C2C2C2C2C2C), np.uint64(0x2121212121212121)
_NEWLINES, _BS = np.uint64(0x0A0A0A0A0A0A0A0A), np.uint64(0x4242424242424242)


@njit(cache=True, forceinline=True)  # type: ignore[untyped-decorator, unused-ignore]
def until_newline_or_b(text: Any, at: int, end: int) -> int:
    """Where the next newline or B is."""
    while at + 8 <= end:
        word = _eight(text, at)
        newlines, bs = word ^ _NEWLINES, word ^ _BS
        if (((newlines - _ONES) & ~newlines) | ((bs - _ONES) & ~bs)) & _HIGHS:
            break
        at += 8
    while at < end and text[at] != 10 and text[at] != 66:
        at += 1
    return at


@njit(cache=True, inline="always")  # type: ignore[untyped-decorator, unused-ignore]
def is_digit(byte: int) -> bool:
    """Whether it is one of 0 to 9."""
    return 48 <= byte <= 57


@njit(cache=True, inline="always")  # type: ignore[untyped-decorator, unused-ignore]
def is_word(byte: int) -> bool:
    r"""Whether it is what `\w` is in a pattern."""
    return 48 <= byte <= 57 or 97 <= byte <= 122 or 65 <= byte <= 90 or byte == 95


@njit(cache=True, inline="always")  # type: ignore[untyped-decorator, unused-ignore]
def is_blank(byte: int) -> bool:
    r"""Whether it is what `\s` is in a pattern."""
    return byte == 32 or 9 <= byte <= 13


@njit(cache=True, forceinline=True)  # type: ignore[untyped-decorator, unused-ignore]
def has(text: Any, at: int, end: int, wanted: Any) -> bool:
    """Whether a text stands somewhere."""
    if at + len(wanted) > end:
        return False
    return same(text, at, wanted, 0, len(wanted))  # type: ignore[no-any-return, unused-ignore]


@njit(cache=True, forceinline=True)  # type: ignore[untyped-decorator, unused-ignore]
def number(text: Any, at: int, end: int) -> tuple[int, int]:
    """A number as it is written without need, and where it ends; -1 for the end if there is none or it is too long."""
    value, here = 0, at
    while here < end and is_digit(text[here]):
        value = value * 10 + (text[here] - 48)
        here += 1
        if here - at > 18:
            return 0, -1
    if here == at or (text[at] == 48 and here - at > 1):
        return 0, -1
    return value, here


@njit(cache=True, forceinline=True)  # type: ignore[untyped-decorator, unused-ignore]
def until_blank(text: Any, at: int, end: int) -> int:
    """Where the next white space is."""
    while at + 8 <= end:
        word = _eight(text, at)
        if (word - _AFTER_BLANKS) & ~word & _HIGHS:  # Some byte is that of a blank or lower.
            break
        at += 8
    while at < end and not is_blank(text[at]):
        at += 1
    return at


@njit(cache=True, forceinline=True)  # type: ignore[untyped-decorator, unused-ignore]
def until_comma(text: Any, at: int, end: int) -> int:
    """Where the next comma is."""
    while at + 8 <= end:
        commas = _eight(text, at) ^ _COMMAS
        if (commas - _ONES) & ~commas & _HIGHS:
            break
        at += 8
    while at < end and text[at] != 44:
        at += 1
    return at


@njit(cache=True, forceinline=True)  # type: ignore[untyped-decorator, unused-ignore]
def is_plain(text: Any, at: int, end: int) -> bool:
    """Whether all of it is ASCII."""
    while at + 8 <= end:
        if _eight(text, at) & _HIGHS:
            return False
        at += 8
    while at < end:
        if text[at] >= 128:
            return False
        at += 1
    return True


@njit(cache=True, forceinline=True)  # type: ignore[untyped-decorator, unused-ignore]
def days(year: int, month: int, day: int) -> int:
    """Days since 1970 of a date, by its year, month and day as they are counted in a year that begins in March."""
    year -= month <= 2
    era = year // 400
    of_era = year - era * 400
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468


@njit(cache=True, forceinline=True)  # type: ignore[untyped-decorator, unused-ignore]
def two(text: Any, at: int) -> Any:
    """A number of two digits."""
    return (text[at] - 48) * 10 + text[at + 1] - 48


@njit(cache=True, forceinline=True)  # type: ignore[untyped-decorator, unused-ignore]
def time(text: Any, at: int, end: int) -> Any:
    """Microseconds since 1970 of the beginning of a line; -1 if it is none that is known for certain."""
    if at + 30 > end:
        return -1
    for index in (0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18, 20, 21, 22):
        if not is_digit(text[at + index]):
            return -1
    if text[at + 4] != 45 or text[at + 7] != 45 or text[at + 13] != 58 or text[at + 16] != 58 or text[at + 23] != 32:
        return -1
    if (text[at + 10] != 32 and text[at + 10] != 84) or (text[at + 19] != 44 and text[at + 19] != 46):
        return -1
    year = two(text, at) * 100 + two(text, at + 2)
    month, day = two(text, at + 5), two(text, at + 8)
    # Later days of a month are left to the calendar.
    if year < 1971 or month < 1 or month > 12 or day < 1:
        return -1
    if day > 28:
        leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        last = 31 if month in (1, 3, 5, 7, 8, 10, 12) else 30 if month != 2 else 29 if leap else 28
        if day > last:
            return -1
    seconds = two(text, at + 11) * 3600 + two(text, at + 14) * 60 + two(text, at + 17)
    return (days(year, month, day) * 86400 + seconds) * 1_000_000 + thousandths(text, at) * 1000


@njit(cache=True, forceinline=True)  # type: ignore[untyped-decorator, unused-ignore]
def thousandths(text: Any, at: int) -> Any:
    """Milliseconds of the second of the time that a line begins with."""
    return (text[at + 20] - 48) * 100 + two(text, at + 21)


@njit(cache=True, forceinline=True)  # type: ignore[untyped-decorator, unused-ignore]
def time_after(text: Any, at: int, end: int, before: int, time_us: Any) -> Any:
    """The same as `time`, given where a line began before, -1 if none did, and its time: mostly in the same second."""
    if before < 0 or at + 30 > end or not same(text, at, text, before, 20):
        return time(text, at, end)
    if not (is_digit(text[at + 20]) and is_digit(text[at + 21]) and is_digit(text[at + 22])) or text[at + 23] != 32:
        return -1
    return time_us + (thousandths(text, at) - thousandths(text, before)) * 1000


@njit(cache=True, forceinline=True)  # type: ignore[untyped-decorator, unused-ignore]
def message(text: Any, at: int, end: int) -> int:
    """Where the message of a line begins; -1 if that is not certain."""
    here = at + 23
    while here < end and text[here] == 32:
        here += 1
    level = 0
    for index in range(6):
        size = 4 if index < 2 else 5
        if has(text, here, end, _LEVELS[5 * index : 5 * index + size]):
            level = size
            break
    if level == 0:
        return -1
    here += level
    if here >= end or text[here] != 32:
        return -1
    while here < end and text[here] == 32:
        here += 1
    began = here
    while here < end and (is_word(text[here]) or text[here] == 46 or text[here] == 36):
        here += 1
    if here == began or here - began > 200 or here + 1 >= end or text[here] != 58 or text[here + 1] != 32:
        return -1
    return here + 2
