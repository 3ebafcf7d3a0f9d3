"""What each source of events is known to log, and so which steps can have gone unseen.

A source that is whole misses no step that it always logs. By default no source is taken for whole but an edit log
without a gap in its transactions; `--complete` asserts it of all. Not here: how the sources are read
(`genstamp.logs.readers`).
"""

from collections.abc import Collection, Mapping
from functools import cache

from genstamp.events import Kind
from genstamp.logs.graphs import graph
from genstamp.logs.rules import BOOKS, Balance
from genstamp.logs.sources import edits, old, servers
from genstamp.logs.sources.edits import edits_source
from genstamp.logs.sources.shape import (
    AUDIT_LOG,
    CLIENT_LOG,
    DATANODE_LOG,
    DATANODE_LOGS,
    EDIT_LOGS,
    EDITS,
    EDITS_BEFORE_36,
    EDITS_BEFORE_40,
    EDITS_BEFORE_60,
    GENSTAMP,
    IMAGES,
    IN_MEMORY,
    MERGED_LOG,
    MODEL_TRACE,
    NAMENODE_LOG,
    NAMENODE_LOGS,
    OF_NAMENODE,
    OF_REPLICAS,
    ON_DISK,
    REPLICAS,
    SEQUENCES,
    SHARED,
    TRACEBENCH,
    Declared,
    Logged,
    Steps,
    declared,
)
from genstamp.logs.unseen import all_steps

__all__ = [
    "AUDIT_LOG",
    "CLIENT_LOG",
    "DATANODE_LOG",
    "DATANODE_LOGS",
    "EDITS",
    "EDITS_BEFORE_36",
    "EDITS_BEFORE_40",
    "EDITS_BEFORE_60",
    "EDIT_LOGS",
    "GENSTAMP",
    "IMAGES",
    "MERGED_LOG",
    "MODEL_TRACE",
    "NAMENODE_LOG",
    "NAMENODE_LOGS",
    "OF_NAMENODE",
    "ON_DISK",
    "REPLICAS",
    "SEQUENCES",
    "SHARED",
    "SOURCES",
    "TRACEBENCH",
    "Declared",
    "Logged",
    "Steps",
    "balanced",
    "edits_source",
    "logged",
    "logs_no_end",
    "tells_alone",
    "unseen_steps",
]

_EACH = "every step of the protocol is an event"


def _every_step(kind: Kind) -> Steps:
    return dict.fromkeys(all_steps(kind), Declared(Logged.ALWAYS, _EACH))


SOURCES: Mapping[str, Mapping[Kind, Steps]] = {
    **edits.DECLARED,
    **servers.DECLARED,
    **old.DECLARED,
    # They hold a state, and no steps.
    IMAGES: {},
    REPLICAS: {},
    # A model shows every step that is not hidden; it is checked against its own system, and not against lifecycles.
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
"""By source and kind of entity what is declared of each step; a source says nothing of kinds that are not there."""


def logged(source: str, kind: Kind, step: str) -> Logged:
    """Whether a source logs a step of an entity of some kind; of a source that is not known any line may be missing."""
    if source not in SOURCES:
        return Logged.MAYBE
    found = SOURCES[source].get(kind, {}).get(step)
    return Logged.UNSEEN if found is None else found.how


def unseen_steps(kind: Kind, sources: Collection[str], whole: Collection[str]) -> frozenset[str]:
    """The steps of an entity that can have gone unseen.

    Args:
        kind: of the entity.
        sources: that tell of the entity's namespace.
        whole: those of them of which nothing is missing; of the others any line may be.
    """
    return _unseen_steps(kind, frozenset(sources), frozenset(whole))


@cache
def _unseen_steps(kind: Kind, sources: frozenset[str], whole: frozenset[str]) -> frozenset[str]:
    steps = frozenset(step for step in all_steps(kind) if not _is_absent(kind, step, sources))
    if kind == "block" and whole and sources <= ON_DISK:
        steps -= IN_MEMORY
    return frozenset(step for step in steps if not any(_always(kind, step, told) for told in _tellings(whole)))


def _tellings(sources: frozenset[str]) -> list[frozenset[str]]:
    """Sources that tell of the same time, each by itself; edit logs of several layouts tell of one time each."""
    edit_logs = sources & EDIT_LOGS
    return [*(frozenset({source}) for source in sources - EDIT_LOGS), *([edit_logs] if edit_logs else [])]


def _always(kind: Kind, step: str, sources: frozenset[str]) -> bool:
    """Whether a step is always there at whatever time, given a source for each; where it does not exist, none is
    missing.
    """
    hows = {logged(source, kind, step) for source in sources} - {Logged.ABSENT}
    return hows == {Logged.ALWAYS}


def _is_absent(kind: Kind, step: str, sources: frozenset[str]) -> bool:
    """Whether a step does not exist, as far as there are sources that speak of such entities."""
    telling = [source for source in sources if source not in SOURCES or SOURCES[source].get(kind)]
    return bool(telling) and all(logged(source, kind, step) is Logged.ABSENT for source in telling)


def tells_alone(kind: Kind, sources: Collection[str]) -> bool:
    """Whether only the edit log and the images beside it have steps of a kind of entity.

    Another source may go on after the last transaction, when steps go unseen that an edit log would have.
    """
    others = set(sources) - EDIT_LOGS - {IMAGES}
    return others <= OF_REPLICAS and (not others or kind in ("file", "lease"))


@cache
def logs_no_end(kind: Kind, sources: frozenset[str]) -> bool:
    """Whether no source logs how the life of an entity comes to its end, so that what is shown open may be over.

    A deletion is no such end: what is left open stays owed until somebody is seen to give it up.

    Args:
        kind: of the entity.
        sources: that tell of the entity's namespace.
    """
    lives = graph(kind)
    going_on, kept = ~lives.ends, lives.ends & ~lives.gone
    endings = [step for step in lives.edges if step not in IN_MEMORY and lives.image(going_on, step) & kept]
    telling = [source for source in sources if source not in SOURCES or SOURCES[source].get(kind)]
    without = (Logged.UNSEEN, Logged.ABSENT)
    return bool(telling) and all(logged(source, kind, step) in without for source in telling for step in endings)


def balanced(kind: Kind, sources: Collection[str], complete: bool) -> tuple[Balance, ...]:
    """The balances that hold where these sources tell of an entity: all that is weighed was logged.

    Args:
        kind: of the entity.
        sources: that tell of the entity's namespace.
        complete: whether the user asserts that the sources are whole; else nothing can be weighed.
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
