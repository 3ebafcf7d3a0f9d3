"""What the events of a run tell of the order of mutations, held against what the order has to be.

SerialOrder: what two replicas apply under one lease are prefixes of one sequence, but for what failed. So a replica
applies serial numbers that rise, each where its primary has ordered it. And a call is carried out once, whatever the
network repeats: no data is ordered more often than its client has asked for it.

Not here: bytes, which are compared where they are read (`ledger`); a core whose events are wrong is found there.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from genstamp_dfs.events import Event

ATTEMPTS = ("push_data", "retry")
"""Told by a client before it asks a primary."""

ORDERS = ("order_mutation", "order_append", "pad_chunk")
"""Told by a primary that gives a serial number."""


def wrong_orders(events: Iterable[Event]) -> list[str]:
    """A sentence for everything in the events of a run that no order allows."""
    seen = list(events)
    return [*_wrong_serials(seen), *_more_than_asked_for(seen)]


def _wrong_serials(events: Iterable[Event]) -> Iterator[str]:
    last: dict[tuple[str, str, int | None], int] = {}
    ordered: dict[tuple[str, int | None, int], str] = {}
    for event in events:
        if event.event not in (*ORDERS, "apply_mutation"):
            continue
        serial, offset = int(event.arguments["serial"]), event.arguments["offset"]
        lease = (event.entity, event.generation_stamp)
        name = f"mutation {serial} of chunk {event.entity} under version {event.generation_stamp}"
        if event.event in ORDERS:
            if (*lease, serial) in ordered:
                yield f"{event.node} orders {name} a second time"
            ordered[*lease, serial] = offset
        elif ordered.get((*lease, serial)) != offset:
            yield f"{event.node} applies {name} at {offset}, which was ordered at {ordered.get((*lease, serial))}"
        before = last.get((event.node, *lease), 0)
        if serial <= before:
            yield f"{event.node} applies {name} after {before}"
        last[event.node, *lease] = serial


def _more_than_asked_for(events: Iterable[Event]) -> Iterator[str]:
    asked: Counter[str] = Counter()
    ordered: Counter[str] = Counter()
    for event in events:
        data = event.arguments.get("data")
        if data and event.event in ATTEMPTS:
            asked[data] += 1
        elif data and event.event in ORDERS:
            ordered[data] += 1
            if ordered[data] > asked[data]:
                yield (
                    f"{event.node} orders the data {data} of chunk {event.entity} for the {ordered[data]}. time, its "
                    f"client has asked {asked[data]} times"
                )
