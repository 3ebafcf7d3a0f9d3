"""A system that ends, with all that can be said of where it may."""

from dataclasses import replace

from genstamp_model.language import (
    ANYWHERE,
    NOWHERE,
    Bool,
    Configuration,
    Part,
    System,
    action,
    flag,
    invariant,
    number,
    require,
)


class Once(Part):
    """Something happens once."""

    done = flag()

    @action
    def do(s) -> None:
        """It happens."""
        require(~s.done, "it has not happened")
        s.done = True

    @invariant
    def nothing_is_wrong(s) -> Bool:
        """It happens, or it does not."""
        return s.done | ~s.done


UNSAID = System("once", parts=[Once], configurations=[Configuration("one", sizes={})])
ANY = replace(UNSAID, may_stop=ANYWHERE)
NEVER = replace(UNSAID, may_stop=NOWHERE)
WHEN_DONE = replace(UNSAID, may_stop=lambda s: s.done)


class Counting(Part):
    """A number that leaves its range."""

    count = number(0, 2)

    @action
    def raise_it(s) -> None:
        """It rises."""
        s.count = s.count + 1


BEYOND = System("counting", parts=[Counting], configurations=[Configuration("one", sizes={})])
