"""The verdicts of many entities as columns: arrays for what every entity has, a dictionary for what few have.

Not here: how a verdict is found (`genstamp.logs.check`).
"""

from typing import Any

import numpy as np
import pyarrow as pa

from genstamp.logs.automaton import Automaton
from genstamp.logs.orders import Found
from genstamp.logs.tables import COMPLETIONS, COUNTS, PATHS, SAFETIES, VERDICTS

_CONFORMANT, _VIOLATED, _UNDETERMINED = map(SAFETIES.index, ("conformant", "violated", "undetermined"))
_COMPLETE, _UNFINISHED, _UNKNOWN = map(COMPLETIONS.index, ("complete", "unfinished", "unknown"))
_TOLD = ("rejected_event", "states_before", "failed", "accepted", "place")


class Answers:
    """The verdicts of entities of one kind. All arguments but the automaton are arrays over the entities.

    Args:
        automaton: the automaton that checked them.
        shown: the set of states that the events show at the end.
        unlogged: whether no source logs the end of such an entity's life.
        began: whether its life has begun.
        rejected: whether an event was rejected.
        unruled: whether no rule applies to one of its events.

    Attributes:
        slow: whether only the slow path could decide it.
    """

    def __init__(
        self, automaton: Automaton, shown: Any, unlogged: Any, began: Any, rejected: Any, unruled: Any
    ) -> None:
        self._graph = automaton.graph
        self._shown = shown
        self._unlogged = unlogged
        self._safety = np.where(rejected, _VIOLATED, np.where(unruled, _UNDETERMINED, _CONFORMANT)).astype(np.int8)
        completion = self._completion_of(shown, unlogged)
        self._completion = np.where(rejected | unruled | ~began, _UNKNOWN, completion).astype(np.int8)
        self.slow = np.zeros(len(shown), np.bool_)
        self._told: dict[int, dict[str, Any]] = {}

    def are_conformant(self) -> Any:
        """For each entity, whether it is conformant so far."""
        return self._safety == _CONFORMANT

    def are_violated(self) -> Any:
        """For each entity, whether it is violated so far."""
        return self._safety == _VIOLATED

    def doubt(self, entity: int, why: str) -> None:
        """Make a violated entity undetermined, for a reason."""
        self.leave_open(entity, f"{self._told[entity]['failed']}, but {why}")

    def accept(self, entity: int, found: Found) -> None:
        """Make an entity conformant: its events are explained in another order."""
        self._safety[entity] = _CONFORMANT
        self._shown[entity] = found.shown
        if found.began:
            self._completion[entity] = self._completion_of(found.shown, self._unlogged[entity])

    def leave_open(self, entity: int, why: str) -> None:
        """Make an entity undetermined, for a reason."""
        self._safety[entity] = _UNDETERMINED
        self.tell(entity, failed=why)

    def reject(self, entity: int, **told: Any) -> None:
        """Make an entity violated: no order explains its events. For `told` see `tell`."""
        self._safety[entity], self._completion[entity] = _VIOLATED, _UNKNOWN
        self.tell(entity, states_before=list(self._graph.members(int(self._shown[entity]))), **told)

    def tell(self, entity: int, **told: Any) -> None:
        """Set columns of an entity that is not conformant, by their names."""
        self._told.setdefault(entity, {}).update(told)

    def every(self) -> Any:
        """The numbers of all entities."""
        return np.arange(len(self._shown))

    def told(self) -> Any:
        """The numbers of the entities that need a row of their own: the others are only counted."""
        return np.flatnonzero((self._safety != _CONFORMANT) | (self._completion == _UNFINISHED))

    def counts(self) -> Any:
        """The number of entities for each verdict, a table of `tables.COUNTS`."""
        begun = self._shown != 1 << self._graph.initial
        sorts = (self._safety.astype(np.int64) * len(COMPLETIONS) + self._completion) * 4 + self.slow * 2 + begun
        keys = np.bincount(sorts)
        (met,) = np.nonzero(keys)
        safety, completion = np.divmod(met >> 2, len(COMPLETIONS))
        columns = [
            texts([self._graph.kind], np.zeros(len(met), np.int32)),
            texts(SAFETIES, safety),
            texts(COMPLETIONS, completion),
            texts(PATHS, met >> 1 & 1),
            pa.array((met & 1).astype(np.bool_)),
            pa.array(keys[met]),
        ]
        return pa.table(columns, schema=COUNTS)

    def columns(self, events: Any, those: Any) -> list[Any]:
        """The columns of the verdict table from `safety` on, for some entities.

        Args:
            events: the number of events of each of them.
            those: the numbers of the entities.
        """
        sets, of_set = np.unique(self._shown[those], return_inverse=True)
        names = pa.array([list(self._graph.members(int(states))) for states in sets], VERDICTS.field("states").type)
        return [
            texts(SAFETIES, self._safety[those]),
            texts(COMPLETIONS, self._completion[those]),
            texts(PATHS, self.slow[those]),
            pa.array(events),
            names.take(pa.array(of_set)),
            *(self._few(name, those) for name in _TOLD),
        ]

    def _few(self, name: str, those: Any) -> Any:
        """A column for some entities, which is null where `tell` has set nothing."""
        type_ = VERDICTS.field(name).type
        given = {entity: told[name] for entity, told in self._told.items() if told.get(name) is not None}
        if not given and not pa.types.is_struct(type_):  # The fields of a null struct would be null, too.
            return pa.nulls(len(those), type_)
        values: list[Any] = [None] * len(those)
        for place, entity in zip(np.searchsorted(those, list(given)).tolist(), given, strict=True):
            values[place] = given[entity]
        return pa.array(values, type_)

    def _completion_of(self, shown: Any, unlogged: Any) -> Any:
        ends = self._graph.ends
        going_on = np.where((shown & ends == 0) & ~unlogged, _UNFINISHED, _UNKNOWN)
        return np.where(shown & ~ends == 0, _COMPLETE, going_on)


def texts(values: Any, numbers: Any) -> Any:
    """A column of texts: `values[number]` for each number."""
    return pa.array(values, pa.string()).take(pa.array(np.asarray(numbers, np.int32)))
