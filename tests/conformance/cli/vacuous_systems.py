"""Small systems that hold and say nothing, each in its own way, and what they would look like if they did."""

from typing import Self

from genstamp_model.language import (
    Bool,
    Bug,
    Configuration,
    Part,
    System,
    action,
    flag,
    invariant,
    leads_to,
    number,
    require,
    transition,
    witness,
)

ONE = [Configuration("one", sizes={})]


class Lamp(Part):
    """A lamp that is lit once, and whose fuse stays whole."""

    lit = flag()
    blown = flag()
    level = number(0, 3)

    @action
    def light(s) -> None:
        """It is lit, one level after the other."""
        require(s.level < 3, "it can be brighter")
        s.lit = True
        s.level = s.level + 1


class Blowing(Lamp):
    """The fuse may blow."""

    @action
    def blow(s) -> None:
        """The lamp goes out for good."""
        require(s.lit, "it is lit")
        s.blown = True
        s.lit = False
        s.level = 3

    @action
    def repair(s) -> None:
        """The fuse is whole again."""
        require(s.blown, "it is blown")
        s.blown = False


class AntecedentNever(Lamp):
    @invariant
    def blown_lamp_is_dark(s) -> Bool:
        """The lamp is dark while its fuse is blown."""
        return s.blown.implies(~s.lit)


class Tautology(Blowing):
    @invariant
    def level_is_a_level(s) -> Bool:
        """A level is at most 3."""
        return (s.level <= 3) & s.blown.implies(~s.lit)


class NeverOwed(Blowing):
    @leads_to(fair=("light",))
    def dark_lamp_at_full_level_is_lit(s) -> tuple[Bool, Bool]:
        """A lamp of full level that is dark and whole is lit."""
        return (s.level == 2) & ~s.lit, s.lit

    @invariant
    def blown_lamp_is_dark(s) -> Bool:
        """The lamp is dark while its fuse is blown."""
        return s.blown.implies(~s.lit)


class TriggerNever(Blowing):
    @transition
    def lamp_that_dims_is_blown(s, t: Self) -> Bool:
        """A lamp is dimmed by its fuse only."""
        return (t.level < s.level).implies(t.blown)


class Sound(Blowing):
    """All is met."""

    @invariant
    def blown_lamp_is_dark(s) -> Bool:
        """The lamp is dark while its fuse is blown."""
        return s.blown.implies(~s.lit)

    @transition
    def level_never_falls(s, t: Self) -> Bool:
        """A lamp gets brighter."""
        return t.level >= s.level

    @leads_to(fair=("repair",))
    def blown_lamp_is_repaired(s) -> tuple[Bool, Bool]:
        """A fuse that is blown is replaced."""
        return s.blown, ~s.blown

    @witness
    def full_level(s) -> Bool:
        """The lamp is as bright as can be."""
        return s.lit & (s.level == 3)


class Declared(AntecedentNever):
    @invariant(vacuous="only with a bug does the fuse blow")
    def blown_lamp_is_dark(s) -> Bool:
        """The lamp is dark while its fuse is blown."""
        return s.blown.implies(~s.lit)


class WronglyDeclared(Sound):
    @invariant(vacuous="the fuse never blows")
    def blown_lamp_is_dark(s) -> Bool:
        """The lamp is dark while its fuse is blown."""
        return s.blown.implies(~s.lit)


class Idle(Sound):
    @action
    def look(s) -> None:
        """A step that changes nothing, and does not say so."""
        require(s.lit, "it is lit")
        s.blown = s.blown & ~s.lit


class Looking(Sound):
    @action(unchanged="it is only looked at")
    def look(s) -> None:
        """A step that changes nothing."""
        require(s.lit, "it is lit")


SOUND = System("sound", parts=[Sound], configurations=ONE)
ANTECEDENT = System("antecedent", parts=[AntecedentNever], configurations=ONE)
TAUTOLOGY = System("tautology", parts=[Tautology], configurations=ONE)
OWED = System("owed", parts=[NeverOwed], configurations=ONE)
TRIGGER = System("trigger", parts=[TriggerNever], configurations=ONE)
DECLARED = System(
    "declared",
    parts=[Declared],
    configurations=ONE,
    bugs=[Bug("LAMP-1", "the fuse blows", parts=(Blowing,), breaks=("blown_lamp_is_dark",), configuration="one")],
    idle={"blown": "only with a bug does the fuse blow"},
)
WRONGLY_DECLARED = System(
    "wrongly_declared",
    parts=[WronglyDeclared],
    configurations=ONE,
    idle={"lit": "it is never lit", "light": "it lights nothing"},
)
IDLE = System("idle", parts=[Idle], configurations=ONE)
LOOKING = System("looking", parts=[Looking], configurations=ONE)
IDLE_DECLARED = System("idle_declared", parts=[Idle], configurations=ONE, idle={"look": "the fuse is whole"})
TWO = System(
    "two",
    parts=[Sound],
    configurations=[*ONE, Configuration("two", sizes={}), Configuration("third", sizes={}, on_demand=True)],
)


class Unmet(Part):
    """An action and a witness that are never met: what the help of `genstamp check` promises an exit code for."""

    held = flag()
    done = flag()

    @action
    def finish(s) -> None:
        """It is done."""
        s.done = True

    @action
    def let_go(s) -> None:
        """Never."""
        require(s.held, "it is held")
        s.held = False

    @witness
    def is_held(s) -> Bool:
        """It is held."""
        return s.held & s.done


UNMET = System("unmet", parts=[Unmet], configurations=ONE)
