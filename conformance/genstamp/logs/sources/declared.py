"""The steps that each source of events logs, and so the steps that can happen unseen.

A whole source misses no step that it always logs. By default only an edit log without a gap in its transactions counts
as whole; `--complete` asserts it of all sources. Not here: how the sources are read (`genstamp.logs.readers`).
"""

from collections.abc import Collection, Mapping
from functools import cache

from genstamp.events import Kind
from genstamp.logs.graphs import graph
from genstamp.logs.rules import BOOKS
from genstamp.logs.rules.shape import Balance
from genstamp.logs.sources import (
    EDIT_LOGS,
    GENSTAMP,
    IMAGES,
    IN_MEMORY,
    MODEL_TRACE,
    OF_REPLICAS,
    ON_DISK,
    REPLICAS,
    Declared,
    Logged,
    Steps,
    declared,
    edits,
    old,
    servers,
)
from genstamp.logs.unseen import all_steps

_EACH = "every step of the protocol is an event"


def _every_step(kind: Kind) -> Steps:
    return dict.fromkeys(all_steps(kind), Declared(Logged.ALWAYS, _EACH))


SOURCES: Mapping[str, Mapping[Kind, Steps]] = {
    **edits.DECLARED,
    **servers.DECLARED,
    **old.DECLARED,
    # They contain a state and no steps.
    IMAGES: {},
    REPLICAS: {},
    # A trace of a model is checked with its own system, not with lifecycles.
    MODEL_TRACE: {},
    GENSTAMP: {
        "file": _every_step("file"),
        "block": _every_step("block"),
        "replica": _every_step("replica"),
        "lease": {
            **_every_step("lease"),
            **declared((Logged.UNSEEN, "soft_limit_passes hard_limit_passes", "time passes without an event")),
        },
    },
}
"""The declaration of each step, by source and kind of entity. A source logs nothing of other kinds."""


def logged(source: str, kind: Kind, step: str) -> Logged:
    """Whether a source logs a step of a kind of entity; an unknown source may miss any step."""
    if source not in SOURCES:
        return Logged.MAYBE
    found = SOURCES[source].get(kind, {}).get(step)
    return Logged.UNSEEN if found is None else found.how


def unseen_steps(kind: Kind, sources: Collection[str], whole: Collection[str]) -> frozenset[str]:
    """The steps of an entity that can happen unseen.

    Args:
        kind: the entity's kind.
        sources: the sources of the entity's namespace.
        whole: those of them that miss nothing; the others may miss any line.
    """
    return _unseen_steps(kind, frozenset(sources), frozenset(whole))


@cache
def _unseen_steps(kind: Kind, sources: frozenset[str], whole: frozenset[str]) -> frozenset[str]:
    steps = frozenset(step for step in all_steps(kind) if not _is_absent(kind, step, sources))
    if kind == "block" and whole and sources <= ON_DISK:
        steps -= IN_MEMORY
    return frozenset(step for step in steps if not any(_always(kind, step, told) for told in _tellings(whole)))


def _tellings(sources: frozenset[str]) -> list[frozenset[str]]:
    """The sources in groups that each cover the whole time; edit logs of several layouts do so together."""
    edit_logs = sources & EDIT_LOGS
    return [*(frozenset({source}) for source in sources - EDIT_LOGS), *([edit_logs] if edit_logs else [])]


def _always(kind: Kind, step: str, sources: frozenset[str]) -> bool:
    """Whether a group of sources always logs a step; a source in which the step does not exist misses none."""
    hows = {logged(source, kind, step) for source in sources} - {Logged.ABSENT}
    return hows == {Logged.ALWAYS}


def _is_absent(kind: Kind, step: str, sources: frozenset[str]) -> bool:
    """Whether a step exists in none of the sources that have such entities."""
    telling = [source for source in sources if source not in SOURCES or SOURCES[source].get(kind)]
    return bool(telling) and all(logged(source, kind, step) is Logged.ABSENT for source in telling)


def tells_alone(kind: Kind, sources: Collection[str]) -> bool:
    """Whether only the edit log and its images have steps of a kind of entity.

    Another source may continue after the last transaction, when steps are unseen that an edit log would have.
    """
    others = set(sources) - EDIT_LOGS - {IMAGES}
    return others <= OF_REPLICAS and (not others or kind in ("file", "lease"))


@cache
def logs_no_end(kind: Kind, sources: frozenset[str]) -> bool:
    """Whether no source logs how the life of an entity ends, so that an entity that looks open may have ended.

    A deletion does not count as an end: an open entity stays unfinished until its deletion is seen.

    Args:
        kind: the entity's kind.
        sources: the sources of the entity's namespace.
    """
    lives = graph(kind)
    going_on, kept = ~lives.ends, lives.ends & ~lives.gone
    endings = [step for step in lives.edges if step not in IN_MEMORY and lives.image(going_on, step) & kept]
    telling = [source for source in sources if source not in SOURCES or SOURCES[source].get(kind)]
    without = (Logged.UNSEEN, Logged.ABSENT)
    return bool(telling) and all(logged(source, kind, step) in without for source in telling for step in endings)


def balanced(kind: Kind, sources: Collection[str], complete: bool) -> tuple[Balance, ...]:
    """The balances that must hold for an entity, because its sources log everything that limits them.

    Args:
        kind: the entity's kind.
        sources: the sources of the entity's namespace.
        complete: whether the user asserts that the sources are whole; otherwise there are none.
    """
    if not complete:
        return ()
    return tuple(
        balance
        for balance in BOOKS[kind].balances
        if all(
            any(logged(source, kind, event) is Logged.ALWAYS for source in sources if source in SOURCES)
            for event in balance.within
        )
    )
