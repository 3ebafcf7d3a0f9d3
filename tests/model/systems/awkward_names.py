"""A system whose names mean something in the languages that it is exported to; it has 4 states and no sense."""

import enum

from genstamp_model.language import *


class Colour(enum.Enum):
    """Labels that another enumeration has as well."""

    RED = enum.auto()
    init = enum.auto()


class Light(enum.Enum):
    """The same labels in another order."""

    init = enum.auto()
    RED = enum.auto()


class Od(Index):
    """Named like a word of Promela."""


class Awkward(Part):
    """Names that mean something in Promela, in C, or in the verifier, or that two things have."""

    run = enumeration(Colour)
    active = enumeration(Light)
    od = per(Od, number(0, 1))
    register = members(Od)
    now = number(-2, 2, initially=0)

    @action
    def atomic(s, od: Od) -> None:
        """A comment that would end */ too early."""
        require(s.od[od] == 0, 'it\'s "quoted" */ and %d')
        s.od[od] = 1
        s.run = Colour.init
        s.active = Light.RED
        s.register.add(od)
        s.now = s.now - 1

    @invariant
    def never(s) -> Bool:
        """A property called like a claim of Promela."""
        return s.now >= -2


AWKWARD_NAMES = System("awkward_names", parts=[Awkward], configurations=[Configuration("one", sizes={"Od": 2})])
