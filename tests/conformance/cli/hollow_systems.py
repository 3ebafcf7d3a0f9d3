"""Small systems of which one property holds and says nothing, hidden in its form; `Sound` is said in the same forms."""

from typing import Self

from genstamp_model.language import (
    Bool,
    Configuration,
    Index,
    Members,
    Part,
    System,
    action,
    count,
    exists,
    flag,
    forall,
    invariant,
    leads_to,
    members,
    minimum,
    number,
    observation,
    per,
    require,
    those,
    transition,
    when,
    witness,
)


class Node(Index):
    """A node."""


class Nodes(Part):
    """Nodes start, and count how often; a step could break them and never does."""

    up = members(Node)
    told = members(Node)
    starts = per(Node, number(0, 2))
    total = number(0, 4)
    known = number(0, 4)
    busy = flag()
    locked = flag()
    broken = members(Node)
    failed = flag()
    faults = number(0, 4)
    losses = number(0, 4)
    wounds = per(Node, number(0, 2))
    scars = per(Node, number(0, 2))

    @action
    def start(s, node: Node) -> None:
        """A node starts, once or twice."""
        require(s.starts[node] < 2, "it may start")
        s.up.add(node)
        s.told.add(node)
        s.starts[node] = s.starts[node] + 1
        s.total = s.total + 1
        s.known = s.known + 1
        s.busy = True
        s.locked = True

    @action
    def rest(s) -> None:
        """All stop."""
        require(s.busy, "somebody works")
        s.busy = False
        s.locked = False
        s.up.clear()
        s.told.clear()
        never = s.total > 4
        s.broken = those(Node, lambda node: s.starts[node] > 2)
        s.failed = never
        s.faults = when(never, 1, 0)
        s.losses = when(never, 1, 0)
        s.wounds.update(lambda node: when(never, 1, 0))
        s.scars.update(lambda node: when(never, 1, 0))

    @observation
    def all_is_read(s, node: Node) -> Bool:
        """No variable is idle: what is told is told of the property."""
        flags = s.up.has(node) & s.told.has(node) & s.broken.has(node) & s.busy & s.locked & s.failed
        return flags & (s.total + s.known + s.faults + s.losses + s.wounds[node] + s.scars[node] == 0)


class Sound(Nodes):
    """The same forms, and all is met."""

    @invariant
    def few_start_twice(s) -> Bool:
        """No more than all start twice while somebody works."""
        return s.busy.implies(count(Node, lambda n: s.starts[n] == 2) <= s.total)

    @invariant
    def idle_do_not_lead(s) -> Bool:
        """What is started least often has started at most as often as all together."""
        return minimum(Node, lambda n: s.starts[n], where=lambda n: s.up.has(n), default=0) <= s.total

    @invariant
    def known_is_all(s) -> Bool:
        """All is known."""
        return (s.known == s.total) & (s.told == s.up) & (s.busy == s.locked)

    @invariant
    def chosen_by_work(s) -> Bool:
        """The count is above zero while somebody works."""
        return when(s.busy, s.known, s.known + 1) > 0

    @invariant
    def up_is_told(s) -> Bool:
        """What is up was told so."""
        return forall(Node, lambda n: _without(s.up).has(n) | s.told.has(n)) & (s.up - s.told).is_empty()

    @transition
    def few_start_at_once(s, t: Self) -> Bool:
        """At most one node starts in a step."""
        return count(Node, lambda n: t.starts[n] != s.starts[n]) <= 1

    @transition
    def total_follows(s, t: Self) -> Bool:
        """What is known grows with the total."""
        return t.total - s.total == t.known - s.known

    @leads_to(fair=("rest",))
    def work_ends(s) -> tuple[Bool, Bool]:
        """Work ends."""
        return s.busy | s.locked, ~s.busy

    @witness
    def all_up(s) -> Bool:
        """All are up."""
        return forall(Node, lambda n: s.up.has(n))


def _without(some: Members[Node]) -> Members[Node]:
    """The other nodes."""
    return those(Node, lambda n: ~some.has(n))


class CountedNever(Nodes):
    @invariant
    def claim(s) -> Bool:
        """At most one node is broken."""
        return count(Node, lambda n: s.broken.has(n)) <= 1


class CountedUnderACondition(Nodes):
    @invariant
    def claim(s) -> Bool:
        """At most one node is broken while somebody works."""
        return s.busy.implies(count(Node, lambda n: s.broken.has(n)) <= 1)


class CountedAgainst(Nodes):
    @invariant
    def claim(s) -> Bool:
        """No more are broken than started."""
        return count(Node, lambda n: s.broken.has(n)) <= s.total


class CountedNone(Nodes):
    @invariant
    def claim(s) -> Bool:
        """No broken node was told."""
        return count(Node, lambda n: s.broken.has(n) & s.told.has(n)) == 0


class MinimumOfNone(Nodes):
    @invariant
    def claim(s) -> Bool:
        """A broken node has started at most as often as all."""
        return minimum(Node, lambda n: s.starts[n], where=lambda n: s.broken.has(n), default=0) <= s.total


class FlagsThatStay(Nodes):
    @invariant
    def claim(s) -> Bool:
        """It has failed where a node is broken."""
        return s.failed == exists(Node, lambda n: s.broken.has(n))


class OneFlagStays(Nodes):
    @invariant
    def claim(s) -> Bool:
        """While nobody works it is locked as it has failed."""
        return (~s.busy).implies(s.locked == s.failed)


class NumbersThatStay(Nodes):
    @invariant
    def claim(s) -> Bool:
        """Each fault is a loss."""
        return s.faults == s.losses


class SetsThatStay(Nodes):
    @invariant
    def claim(s) -> Bool:
        """What is broken is up."""
        return s.broken == those(Node, lambda n: s.broken.has(n) & s.up.has(n))


class ArraysThatStay(Nodes):
    @invariant
    def claim(s) -> Bool:
        """Each wound leaves a scar."""
        return forall(Node, lambda n: s.wounds[n] == s.scars[n])


class EmptyOfNone(Nodes):
    @invariant
    def claim(s) -> Bool:
        """No broken node is up."""
        return (s.broken & s.up).is_empty()


class EmptyOrElse(Nodes):
    @invariant
    def claim(s) -> Bool:
        """Somebody works where a node is broken."""
        return s.busy | s.broken.is_empty()


class OutsideOfNone(Nodes):
    @invariant
    def claim(s) -> Bool:
        """A node that is broken is up."""
        return forall(Node, lambda n: s.up.has(n) | _without(s.broken).has(n))


class OnlyCleared(Nodes):
    lost = members(Node)

    @action
    def forget(s) -> None:
        """What is lost is forgotten."""
        require(s.busy, "somebody works")
        s.busy = False
        s.lost.clear()

    @invariant
    def claim(s) -> Bool:
        """Each node is outside of those that are lost."""
        return forall(Node, lambda n: _without(s.lost).has(n)) & s.lost.is_empty()


class ChoiceOfOne(Nodes):
    @invariant
    def claim(s) -> Bool:
        """What is known, without what was lost in a failure."""
        return when(s.failed, s.losses, s.known) <= s.total


class ChoiceUnderACondition(Nodes):
    @invariant
    def claim(s) -> Bool:
        """It is locked while somebody works, and otherwise in a failure."""
        return (s.known > 0).implies(when(s.failed, s.busy, s.locked == s.busy))


class OneAlternative(Nodes):
    @invariant
    def claim(s) -> Bool:
        """It is locked while somebody works or it has failed."""
        return (s.busy | s.failed).implies(s.locked)


class ChangeNever(Nodes):
    @transition
    def claim(s, t: Self) -> Bool:
        """A step breaks at most one node while somebody works."""
        return s.busy.implies(count(Node, lambda n: t.broken.has(n) & ~s.broken.has(n)) <= 1)


class ChangeTogether(Nodes):
    @transition
    def claim(s, t: Self) -> Bool:
        """Losses change with faults."""
        return (t.faults == s.faults) == (t.losses == s.losses)


class DifferenceNever(Nodes):
    @transition
    def claim(s, t: Self) -> Bool:
        """There is at most one more fault after a step."""
        return t.faults - s.faults <= 1


class OwedByOne(Nodes):
    @leads_to(fair=("rest",))
    def claim(s) -> tuple[Bool, Bool]:
        """Work and failures end."""
        return s.busy | s.failed, ~s.busy


class WitnessAlways(Nodes):
    @witness
    def claim(s) -> Bool:
        """No more is known than was."""
        return s.known <= s.total


class WitnessAtOnce(Nodes):
    @witness
    def claim(s) -> Bool:
        """Nobody works."""
        return ~s.busy


def _of(part: type[Part]) -> System:
    return System(part.__name__.lower(), parts=[part], configurations=[Configuration("two", {"Node": 2})])


SOUND = _of(Sound)
COUNTED_NEVER = _of(CountedNever)
COUNTED_UNDER_A_CONDITION = _of(CountedUnderACondition)
COUNTED_AGAINST = _of(CountedAgainst)
COUNTED_NONE = _of(CountedNone)
MINIMUM_OF_NONE = _of(MinimumOfNone)
FLAGS_THAT_STAY = _of(FlagsThatStay)
ONE_FLAG_STAYS = _of(OneFlagStays)
NUMBERS_THAT_STAY = _of(NumbersThatStay)
SETS_THAT_STAY = _of(SetsThatStay)
ARRAYS_THAT_STAY = _of(ArraysThatStay)
EMPTY_OF_NONE = _of(EmptyOfNone)
EMPTY_OR_ELSE = _of(EmptyOrElse)
OUTSIDE_OF_NONE = _of(OutsideOfNone)
ONLY_CLEARED = _of(OnlyCleared)
CHOICE_OF_ONE = _of(ChoiceOfOne)
CHOICE_UNDER_A_CONDITION = _of(ChoiceUnderACondition)
ONE_ALTERNATIVE = _of(OneAlternative)
CHANGE_NEVER = _of(ChangeNever)
CHANGE_TOGETHER = _of(ChangeTogether)
DIFFERENCE_NEVER = _of(DifferenceNever)
OWED_BY_ONE = _of(OwedByOne)
WITNESS_ALWAYS = _of(WitnessAlways)
WITNESS_AT_ONCE = _of(WitnessAtOnce)
