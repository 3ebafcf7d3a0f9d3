"""What observed events say about the entities that they concern: one book of rules a kind.

Leaves out transitions between states: those are the lifecycles of the specification, which the rules name event by
event.
"""

from collections.abc import Collection, Mapping, Sequence

from genstamp.events import Event, Kind
from genstamp.logs.rules.block import BLOCK
from genstamp.logs.rules.file import FILE
from genstamp.logs.rules.lease import LEASE
from genstamp.logs.rules.node import NODE
from genstamp.logs.rules.replica import REPLICA
from genstamp.logs.rules.shape import Balance, Check, Drift, Effect, Move, Register, Rule, RuleBook, Way
from genstamp.logs.rules.unplaced import UNPLACED

__all__ = [
    "BOOKS",
    "Balance",
    "Check",
    "Drift",
    "Effect",
    "Move",
    "NO_RULE",
    "Register",
    "Rule",
    "RuleBook",
    "Way",
    "rule_of",
    "weighed",
]

BOOKS: Mapping[Kind, RuleBook] = {book.kind: book for book in (FILE, BLOCK, REPLICA, LEASE, NODE)}

NO_RULE = -1
"""Given for an event of which no rule says what it means for an entity of that kind."""

_BY_EVENT: dict[tuple[Kind, str, str], list[tuple[int, Rule]]] = {}
for _book in BOOKS.values():
    for _number, _rule in enumerate(_book.rules):
        _BY_EVENT.setdefault((_book.kind, _rule.event, _rule.role), []).append((_number, _rule))


def rule_of(kind: Kind, role: str, event: Event) -> int:
    """Number of the rule that an event falls under for one entity that it concerns.

    Args:
        kind: of the entity.
        role: in which part the entity is concerned.
        event: what was seen.

    Returns:
        Index in `BOOKS[kind].rules`, or `NO_RULE`.
    """
    for number, rule in _BY_EVENT.get((kind, event.event, role), ()):
        if _refusal_fits(rule, event) and all(_holds(name, value, event) for name, value in rule.when.items()):
            return number
    return NO_RULE


def weighed(rules: Sequence[Rule], events: Collection[str]) -> list[int]:
    """Numbers of the rules whose events a balance counts: those of steps that were carried out and are nobody's."""
    return [
        number
        for number, rule in enumerate(rules)
        if rule.event in events and not rule.refused and (rule.role == UNPLACED or rule.event == "add_block")
    ]


def _refusal_fits(rule: Rule, event: Event) -> bool:
    if event.refused_with is None or rule.refused is None:
        return event.refused_with is rule.refused
    return rule.refused in ("*", event.refused_with)


def _holds(name: str, wanted: str, event: Event) -> bool:
    if name == "recovery_id":
        return event.recovery_id is not None
    value = event.observed.get(name, event.arguments.get(name))
    return value is not None and wanted in ("*", value)
