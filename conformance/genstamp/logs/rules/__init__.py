"""Rules that map observed events to lifecycle events: one book of rules for each kind of entity.

Not here: the transitions between states, which are those of the specification's lifecycles.
"""

from collections.abc import Collection, Mapping, Sequence

from genstamp.events import Event, Kind
from genstamp.logs.rules.block import BLOCK
from genstamp.logs.rules.file import FILE
from genstamp.logs.rules.lease import LEASE
from genstamp.logs.rules.node import NODE
from genstamp.logs.rules.replica import REPLICA
from genstamp.logs.rules.shape import Rule, RuleBook
from genstamp.logs.rules.unplaced import UNPLACED

BOOKS: Mapping[Kind, RuleBook] = {book.kind: book for book in (FILE, BLOCK, REPLICA, LEASE, NODE)}

NO_RULE = -1
"""The result for an event to which no rule of that kind of entity applies."""

_BY_EVENT: dict[tuple[Kind, str, str], list[tuple[int, Rule]]] = {}
for _book in BOOKS.values():
    for _number, _rule in enumerate(_book.rules):
        _BY_EVENT.setdefault((_book.kind, _rule.event, _rule.role), []).append((_number, _rule))


def rule_of(kind: Kind, role: str, event: Event) -> int:
    """The number of the first rule that applies to an event, for one entity that the event concerns.

    Args:
        kind: the entity's kind.
        role: the entity's role in the event; "" where it has only one.
        event: the observed event.

    Returns:
        Index in `BOOKS[kind].rules`, or `NO_RULE`.
    """
    for number, rule in _BY_EVENT.get((kind, event.event, role), ()):
        if _refusal_fits(rule, event) and all(_holds(name, value, event) for name, value in rule.when.items()):
            return number
    return NO_RULE


def weighed(rules: Sequence[Rule], events: Collection[str]) -> list[int]:
    """The numbers of the rules whose events a balance counts: steps that were carried out, on an unnamed datanode."""
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
