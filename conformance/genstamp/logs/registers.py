"""The three numbers that a checker remembers of an entity, and how an event is compared with them.

The fast path keeps them in arrays (`genstamp.logs.kernel`); this is the same for one entity at a time, for the slow
path and for explanations.
"""

from typing import NamedTuple

from genstamp.logs.automaton import COMPARISONS
from genstamp.logs.rules.shape import Register, Rule


class Values(NamedTuple):
    """The meaning of an event; None if it has none."""

    generation_stamp: int | None = None
    recovery_id: int | None = None
    num_bytes: int | None = None


class Registers(NamedTuple):
    """The known facts about an entity.

    Attributes:
        held: by register, its value, None if unknown.
        loose: bit i: register i may by now be higher than the value.
    """

    held: tuple[int | None, int | None, int | None] = (None, None, None)
    loose: int = 0

    def letter(self, values: Values) -> int:
        """How an event's values compare with the registers, as in `genstamp.logs.automaton`."""
        letter = 0
        for position, (name, register) in enumerate(COMPARISONS):
            letter |= self._order(getattr(values, name), register) << 2 * position
        return letter

    def after(self, rule: Rule, values: Values) -> "Registers":
        """The registers after an event that falls under a rule."""
        stamp = self.held[Register.STAMP]
        if rule.late_sets_nothing and None not in (values.recovery_id, stamp) and _below(values.recovery_id, stamp):
            return self
        held, loose = list(self.held), self.loose
        for register, name in rule.sets.items():
            value = 0 if name == "0" else getattr(values, name) if name else None
            if name == "" or value is not None:
                held[register] = value
                loose &= ~(1 << register)
        for register in rule.loosens:
            loose |= 1 << register
        if rule.shows_id and _below(held[Register.RECOVERY_ID], values.recovery_id):
            held[Register.RECOVERY_ID] = values.recovery_id
            loose |= 1 << Register.RECOVERY_ID
        return Registers((held[0], held[1], held[2]), loose)

    def _order(self, value: int | None, register: Register) -> int:
        held = self.held[register]
        if value is None or held is None:
            return 0
        if value < held:
            return 1
        if self.loose >> register & 1:
            return 0
        return 2 if value == held else 3


def _below(one: int | None, other: int | None) -> bool:
    return one is not None and other is not None and one < other
