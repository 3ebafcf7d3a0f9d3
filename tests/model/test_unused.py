"""Variables that no step sets, and variables that nothing reads."""

from genstamp_model.language import (
    Bool,
    Configuration,
    Index,
    Part,
    System,
    action,
    flag,
    invariant,
    members,
    number,
    per,
    require,
    when,
)
from genstamp_model.language.model import Model
from genstamp_model.unused import never_read, never_set


class Used(Part):
    """Each variable is used in another way."""

    checked = flag()
    claimed = flag()
    passed_on = number(0, 3)
    limited = number(limit="steps")
    only_itself = number(0, 3)
    left_alone = flag()
    constant = number(0, 3, initially=1)

    @action
    def step(s) -> None:
        require(~s.checked, "it is the first step")
        s.checked = True
        s.claimed = s.passed_on == 1
        s.passed_on = s.constant
        s.limited = s.limited + 1
        s.only_itself = s.constant

    @invariant
    def claim(s) -> Bool:
        return ~s.claimed


def model() -> Model:
    return System("used", parts=[Used], configurations=[Configuration("one", {}, {"steps": 3})]).model()


def test_what_no_action_assigns_is_never_set() -> None:
    assert [variable.name for variable in never_set(model())] == ["left_alone", "constant"]


class Node(Index):
    """A node."""


class Cleared(Part):
    cleared = members(Node)
    narrowed = members(Node)
    lowered = flag()
    reset = per(Node, flag())
    kept = per(Node, number(0, 3))
    filled = members(Node, initially_all=True)
    raised = flag()
    marked = per(Node, flag())
    chosen = number(0, 3)

    @action
    def step(s, node: Node) -> None:
        s.cleared.clear()
        s.narrowed.remove(node)
        s.lowered = s.lowered & s.raised
        s.reset[node] = False
        s.kept[node] = when(s.raised, s.kept[node], 0)
        s.filled.remove(node)
        s.raised = s.raised | (s.chosen == 1)
        s.marked[node] = s.raised
        s.chosen = when(s.raised, 1, s.chosen)


def test_what_is_only_set_to_its_initial_value_is_never_set() -> None:
    found = never_set(System("cleared", parts=[Cleared], configurations=[]).model())
    assert [variable.name for variable in found] == ["cleared", "narrowed", "lowered", "reset", "kept"]


def test_what_only_its_own_value_depends_on_is_never_read() -> None:
    """`constant` is read for the sake of `passed_on`, that of `claimed`; `only_itself` reads it to no purpose."""
    assert [variable.name for variable in never_read(model())] == ["only_itself", "left_alone"]


def test_what_is_read_for_an_unread_variable_only_is_never_read() -> None:
    class Chain(Part):
        first = number(0, 3)
        second = number(0, 3)

        @action
        def step(s) -> None:
            s.first = s.second
            s.second = s.first

    found = never_read(System("chain", parts=[Chain], configurations=[]).model())
    assert [variable.name for variable in found] == ["first", "second"]
