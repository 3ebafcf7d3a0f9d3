"""Times in the heads of lines of logs, however they are written.

Not here: the rest of a head (`log_head`).
"""

import re
import string
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

LEVELS: Final = rb"TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL"

TIME: Final = (
    rb"\.*\[?(?:(?:(?P<date>(?:\d{4}-\d\d-\d\d|(?:\d\d)?\d\d/\d\d/\d\d))[ T]|"
    rb"(?P<day>[ \d]\d) (?P<month>[A-Z][a-z]{2}) (?P<year>\d{4}) )?(?P<clock>\d\d:\d\d:\d\d)(?:[,.:](?P<part>\d{1,9}))?"
    rb" ?(?P<zone>Z|(?!" + LEVELS + rb")[A-Z]{3,5}(?:[+-]\d\d:?\d\d)?|[+-]\d\d:?\d\d)?"
    rb"|(?P<epoch>\d{13}|\d{10}(?:\.\d{1,9})?))\]?"
)
"""A time as it stands in a line: with a day or without one, or as a number; maybe in brackets."""

_MONTHS: Final = {
    name: b"%02d" % number for number, name in enumerate(b"Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), 1)
}
_DAY_US: Final = 86_400_000_000
_CENTURIES_US: Final = 300 * 365 * _DAY_US
"""Microseconds from 1970 to times that no log has; in a larger unit than its own a time of 1973 and
later is above them.
"""

_CAPITALS: Final = string.ascii_uppercase.encode()
_INSTANT = re.compile(TIME)
_WITHOUT_YEAR = re.compile(rb"([A-Z][a-z]{2}) ([ \d]\d) (?=\d\d:)")


CarriedTime = Callable[[], int | None]
"""Gives the time of a carrier, if it has one: most lines have their own, so that it is not asked for."""


def no_time() -> None:
    """The time of a carrier that has none."""


def time_us_of(found: re.Match[bytes], carried_time: CarriedTime = no_time) -> int | None:
    """Microseconds since 1970 of what `TIME` has found; None if there is no such day.

    Args:
        found: the match.
        carried_time: gives the time that stands before it, whose day is taken if it names none.
    """
    if found["epoch"]:
        whole, _, part = found["epoch"].partition(b".")
        return int(whole + part[:6].ljust(6, b"0")) if part else of_number(int(whole))
    begins = _begins(found) if found["date"] or found["day"] else (carried_time() or 0) // _DAY_US * 86_400
    if begins is None:
        return None
    clock, part = found["clock"], (found["part"] or b"")[:6].ljust(6, b"0")
    seconds = begins + 3600 * int(clock[:2]) + 60 * int(clock[3:5]) + int(clock[6:])
    return (seconds - _offset(found["zone"] or b"")) * 1_000_000 + int(part)


def _begins(found: re.Match[bytes]) -> int | None:
    """Seconds from 1970 to the beginning of the day that a line names."""
    if found["date"] is None:
        month, day = _MONTHS.get(found["month"], b"00"), found["day"].replace(b" ", b"0")
        return midnight(b"%b-%b-%b" % (found["year"], month, day))
    date: bytes = found["date"].replace(b"/", b"-")
    return midnight(b"20" + date if len(date) == 8 else date)


def of_number(number: int) -> int:
    """Microseconds since 1970 of a time that counts seconds, milliseconds, microseconds or nanoseconds from then."""
    for unit_us in (1_000_000, 1_000, 1):
        if number * unit_us < _CENTURIES_US:
            return number * unit_us
    return number // 1_000


def _offset(zone: bytes) -> int:
    """Seconds that a zone is ahead of UTC; 0 if it has but a name."""
    zone = zone.lstrip(_CAPITALS)
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


def instant(text: bytes) -> int | None:
    """Microseconds since 1970 of a time that stands alone; of one without a year in 2000, which has a 29 February."""
    found = _INSTANT.match(_WITHOUT_YEAR.sub(rb"\2 \1 2000 ", text))
    return None if found is None else time_us_of(found)
