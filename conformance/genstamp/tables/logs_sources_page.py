"""The page of what each source of events logs of each step, and why: what a missing line can explain.

Not here: the declarations (`genstamp.logs.sources`).
"""

from collections.abc import Iterator
from itertools import groupby
from typing import Final

from genstamp.logs.sources import Logged, Steps
from genstamp.logs.sources.declared import SOURCES

MEANINGS: Final = {
    Logged.ALWAYS: "a whole source has a line or record of it; if lines may be missing, this one may be missing too",
    Logged.MAYBE: "it may have no line, whether or not the source is whole",
    Logged.UNSEEN: "it happens without a line",
    Logged.ABSENT: "it cannot happen where this source is written, so it explains nothing",
}

_BEGINNING = """\
# What each source logs

`genstamp logs check` reports *violated* if no steps that may be missing explain the lines that were read. Therefore
each source declares for each step of each lifecycle whether it logs the step, and why. Made by `genstamp tables`.

| declaration | meaning |
| --- | --- |
"""

_WHOLE = """\

A source is whole if `--complete` asserts it. An edit log is whole even without `--complete` if no transaction id is
missing and no other source describes the same kind of entity: that source could have events that are later than the
last transaction. Such an edit log may begin after the namespace's first transaction; then any history is possible
before it. A source *of several* contains lines of several nodes, and a start in it does not name its node. Images and
replica directories hold a state but no steps. Traces of models are checked against their own system.
"""

_ORDER = list(Logged)


def page() -> str:
    """The page as Markdown."""
    meanings = "\n".join(f"| {how.value} | {meaning} |" for how, meaning in MEANINGS.items())
    return "\n".join([f"{_BEGINNING}{meanings}", _WHOLE, *(line for source in SOURCES for line in _source(source))])


def _source(source: str) -> Iterator[str]:
    if not SOURCES[source]:
        return
    yield from (f"## {source}", "", "| of a | steps | declaration | reason |", "| --- | --- | --- | --- |")
    for kind, steps in SOURCES[source].items():
        for told, how, why in _rows(steps):
            yield f"| {kind} | {told} | {how.value} | {why} |"
    yield ""


def _rows(steps: Steps) -> Iterator[tuple[str, Logged, str]]:
    """Steps that share a declaration together, in the order of the declarations."""
    ordered = sorted(steps, key=lambda step: (_ORDER.index(steps[step].how), steps[step].why, step))
    for (how, why), those in groupby(ordered, key=lambda step: steps[step]):
        yield ", ".join(f"`{step}`" for step in those), how, why
