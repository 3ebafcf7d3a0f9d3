"""Bytes of a line of a log, compiled: words, numbers, where its message begins.

Not here: what messages mean.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from genstamp.logs.compiled import KEEPS, inlined


def as_bytes(text: bytes) -> Any:
    """A text as the compiled code takes it; as a global name of a module it is a constant."""
    return np.frombuffer(text, np.uint8)


_LEVELS = as_bytes(b"INFO WARN ERRORDEBUGTRACEFATAL")


def _at(context: Any, builder: Any, signature: Any, arguments: Any, bits: Any) -> Any:
    """Load the value at any place of a text as a type of the compiler."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    place = builder.gep(array.data, [arguments[1]])
    found = builder.load(builder.bitcast(place, bits.as_pointer()))
    found.align = 1
    return found


def _load(size: int) -> Any:
    """So many bits of a text as one number: for the compiler."""

    def typed(_: Any, text: Any, at: Any) -> Any:
        def load(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            found = _at(context, builder, signature, arguments, ir.IntType(size))
            return builder.zext(found, ir.IntType(64)) if size < 64 else found

        return types.uint64(text, types.int64), load

    return typed


_four: Any = intrinsic(_load(32))
_eight: Any = intrinsic(_load(64))


def _zeros(_: Any, word: Any) -> Any:
    """How many of the low bits of a number are zero: for the compiler."""

    def count(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), count


_low_zeros: Any = intrinsic(_zeros)

_LANES = 32
_BYTES = ir.VectorType(ir.IntType(8), _LANES)


def _all_of(byte: int) -> Any:
    return ir.Constant(_BYTES, [byte] * _LANES)


def _first(builder: Any, are: Any) -> Any:
    """The first lane that holds, as many as there are lanes if none does."""
    lanes = builder.zext(builder.bitcast(are, ir.IntType(_LANES)), ir.IntType(64))
    none = builder.or_(lanes, ir.Constant(ir.IntType(64), 1 << _LANES))
    return builder.cttz(none, ir.Constant(ir.IntType(1), 1))


def _marked(_: Any, text: Any, at: Any) -> Any:
    """The first of 32 bytes that `until_mark` looks for: for the compiler."""

    def find(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        here = _at(context, builder, signature, arguments, _BYTES)

        def after(distance: int) -> Any:
            place = builder.add(arguments[1], ir.Constant(ir.IntType(64), distance))
            return _at(context, builder, signature, [arguments[0], place], _BYTES)

        found = builder.icmp_unsigned("==", here, _all_of(10))
        for first, second, distance in _PAIRS:
            sides = ((here, first), (after(distance), second))
            pair = (builder.icmp_unsigned("==", each, _all_of(byte)) for each, byte in sides)
            found = builder.or_(found, builder.and_(*pair))
        return _first(builder, found)

    return types.int64(text, types.int64), find


def _closing(_: Any, text: Any, at: Any) -> Any:
    """The first of 32 bytes that is a closing brace: for the compiler."""

    def find(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        here = _at(context, builder, signature, arguments, _BYTES)
        return _first(builder, builder.icmp_unsigned("==", here, _all_of(125)))

    return types.int64(text, types.int64), find


_PAIRS = ((ord("B"), ord("P"), 1), (ord("e"), ord("R"), 1), (ord(":"), ord(":"), 3))
_REACH = max(distance for _, _, distance in _PAIRS)
_mark_in: Any = intrinsic(_marked)
_brace_in: Any = intrinsic(_closing)


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def same(text: Any, at: int, other: Any, there: int, size: int) -> bool:
    """Whether this many bytes of two texts are equal; both texts must be at least that long."""
    index = 0
    while index + 8 <= size:
        if _eight(text, at + index) != _eight(other, there + index):
            return False
        index += 8
    if index + 4 <= size:
        if _four(text, at + index) != _four(other, there + index):
            return False
        index += 4
    while index < size:
        if text[at + index] != other[there + index]:
            return False
        index += 1
    return True


_ONES, _HIGHS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_COMMAS, _AFTER_BLANKS = np.uint64(0x2C2C2C2C2C2C2C2C), np.uint64(0x2121212121212121)


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def until_mark(text: Any, at: int, end: int) -> int:
    """Where the next newline is, or the next of two letters with which begins, or in the midst of which stands, what a
    line may tell of pools and datanodes, or another line in it may begin with: `BP`, `eR` and colons as in a time.
    """
    while at + _LANES + _REACH <= end:
        found = _mark_in(text, at)
        if found < _LANES:
            return at + found  # type: ignore[no-any-return]
        at += _LANES
    while at < end and text[at] != 10:
        if at + 1 < end and ((text[at] == 66 and text[at + 1] == 80) or (text[at] == 101 and text[at + 1] == 82)):
            break
        if at + 3 < end and text[at] == 58 and text[at + 3] == 58:
            break
        at += 1
    return at


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def until_brace(text: Any, at: int, end: int) -> int:
    """Where the next closing brace is."""
    while at + _LANES <= end:
        found = _brace_in(text, at)
        if found < _LANES:
            return at + found  # type: ignore[no-any-return]
        at += _LANES
    while at < end and text[at] != 125:
        at += 1
    return at


@njit(cache=KEEPS, inline="always")  # type: ignore[untyped-decorator, unused-ignore]
def is_digit(byte: int) -> bool:
    """Whether it is one of 0 to 9."""
    return 48 <= byte <= 57


@njit(cache=KEEPS, inline="always")  # type: ignore[untyped-decorator, unused-ignore]
def is_word(byte: int) -> bool:
    r"""Whether it is what `\w` is in a pattern."""
    return 48 <= byte <= 57 or 97 <= byte <= 122 or 65 <= byte <= 90 or byte == 95


@njit(cache=KEEPS, inline="always")  # type: ignore[untyped-decorator, unused-ignore]
def is_blank(byte: int) -> bool:
    r"""Whether it is what `\s` is in a pattern."""
    return byte == 32 or 9 <= byte <= 13


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def has(text: Any, at: int, end: int, wanted: Any) -> bool:
    """Whether a text stands somewhere."""
    if at + len(wanted) > end:
        return False
    return same(text, at, wanted, 0, len(wanted))  # type: ignore[no-any-return, unused-ignore]


_ZEROS, _ABOVE_NINE = np.uint64(0x3030303030303030), np.uint64(0x7676767676767676)
_ONE_DIGIT, _TWO_DIGITS, _FOUR_DIGITS = (
    np.uint64(mask) for mask in (0x0F0F0F0F0F0F0F0F, 0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF)
)
_TENS, _HUNDREDS, _TEN_THOUSANDS = (np.uint64(each) for each in (1 + (10 << 8), 1 + (100 << 16), 1 + (10_000 << 32)))
_ONE_BYTE, _TWO_BYTES, _FOUR_BYTES, _SIXTY_FOUR = np.uint64(8), np.uint64(16), np.uint64(32), np.uint64(64)
_POWERS = np.array([10**each for each in range(9)])


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def number(text: Any, at: int, end: int) -> tuple[int, int]:
    """A number as it is written without need, and where it ends; -1 for the end if there is none or it is too long."""
    value: Any = np.int64(0)
    here = at
    while here + 8 <= end:
        word = _eight(text, here)
        off = word ^ _ZEROS
        # By the first byte that is no digit; bytes before it carry nothing over.
        size = _low_zeros(((off + _ABOVE_NINE) | off) & _HIGHS) >> 3
        if size == 0:
            break
        # As eight digits with zeros before them, each two, four and eight of which are added up.
        digits = (word << (_SIXTY_FOUR - (np.uint64(size) << np.uint64(3)))) & _ONE_DIGIT
        digits = ((digits * _TENS) >> _ONE_BYTE) & _TWO_DIGITS
        digits = ((digits * _HUNDREDS) >> _TWO_BYTES) & _FOUR_DIGITS
        digits = (digits * _TEN_THOUSANDS) >> _FOUR_BYTES
        value = value * _POWERS[size] + np.int64(digits)
        here += size
        if size < 8 or here - at > 18:
            break
    while here < end and is_digit(text[here]):
        value = value * 10 + (np.int64(text[here]) - 48)
        here += 1
        if here - at > 18:
            return 0, -1
    if here == at or here - at > 18 or (text[at] == 48 and here - at > 1):
        return 0, -1
    return value, here


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def until_blank(text: Any, at: int, end: int) -> int:
    """Where the next white space is."""
    while at + 8 <= end:
        word = _eight(text, at)
        low = (word - _AFTER_BLANKS) & ~word & _HIGHS  # The first that is set is a blank or lower.
        if low:
            at += _low_zeros(low) >> 3
            if is_blank(text[at]):
                return at
            at += 1
        else:
            at += 8
    while at < end and not is_blank(text[at]):
        at += 1
    return at


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def until_comma(text: Any, at: int, end: int) -> int:
    """Where the next comma is."""
    while at + 8 <= end:
        commas = _eight(text, at) ^ _COMMAS
        found = (commas - _ONES) & ~commas & _HIGHS
        if found:
            return at + (_low_zeros(found) >> 3)  # type: ignore[no-any-return]
        at += 8
    while at < end and text[at] != 44:
        at += 1
    return at


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
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


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def days(year: int, month: int, day: int) -> int:
    """Days since 1970 of a date, by its year, month and day as they are counted in a year that begins in March."""
    year -= month <= 2
    era = year // 400
    of_era = year - era * 400
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def two(text: Any, at: int) -> Any:
    """A number of two digits."""
    return (text[at] - 48) * 10 + text[at + 1] - 48


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
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


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def thousandths(text: Any, at: int) -> Any:
    """Milliseconds of the second of the time that a line begins with."""
    return (text[at + 20] - 48) * 100 + two(text, at + 21)


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
def time_after(text: Any, at: int, end: int, before: int, time_us: Any) -> Any:
    """The same as `time`, given where a line began before, -1 if none did, and its time: mostly in the same second."""
    if before < 0 or at + 30 > end or not same(text, at, text, before, 20):
        return time(text, at, end)
    if not (is_digit(text[at + 20]) and is_digit(text[at + 21]) and is_digit(text[at + 22])) or text[at + 23] != 32:
        return -1
    return time_us + (thousandths(text, at) - thousandths(text, before)) * 1000


@inlined()  # type: ignore[untyped-decorator, unused-ignore]
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
