"""An abstract system is held to what the system below it does."""

from genstamp_model.language import (
    Bool,
    Configuration,
    Part,
    RefinementDeclaration,
    System,
    action,
    flag,
    number,
    require,
)
from genstamp_model.mutate import Mutant, below, judged, mutants


class Lamp(Part):
    """A lamp is on or off, and warm or cold."""

    on = flag()
    warm = flag()

    @action
    def switch(s) -> None:
        """From on to off and back."""
        s.on = ~s.on

    @action
    def warm_up(s) -> None:
        """It was on for some time."""
        require(s.on & ~s.warm, "it is on and cold")
        s.warm = True

    @action
    def cool(s) -> None:
        """For whatever reason."""
        require(s.warm, "it is warm")
        s.warm = False

    @action
    def unplug(s) -> None:
        """It was not on for long."""
        require(s.on & ~s.warm, "it is on and cold")
        s.on = False

    @action
    def go_out(s) -> None:
        """It is neither on nor warm any more."""
        require(s.on, "it is on")
        s.on = False
        s.warm = False


LAMP = System("lamp", parts=[Lamp], configurations=[Configuration("one", sizes={})])


class Battery(Part):
    """How much is left, and whether it is used."""

    left = number(0, 2)
    used = flag()

    @action
    def charge(s) -> None:
        """While it is not used."""
        require(~s.used, "it is not used")
        s.left = 2

    @action
    def use(s) -> None:
        """As long as there is something left."""
        require(s.left > 0, "something is left")
        s.used = True

    @action
    def take_out(s) -> None:
        """A full battery is put into something else."""
        require(s.used & (s.left == 2), "it is used, and full")
        s.used = False

    @action
    def run_down(s) -> None:
        """The last of it is used up, and the lamp goes out."""
        require(s.used, "it is used")
        s.left = s.left - 1
        s.used = s.left > 0


def is_on(s: Battery) -> Bool:
    """The lamp is on while the battery is used."""
    return s.used


def is_warm(s: Battery) -> Bool:
    """Half of it is used up."""
    return s.used & (s.left < 2)


TORCH = System(
    "torch",
    parts=[Battery],
    configurations=[Configuration("small", sizes={}), Configuration("other", sizes={})],
    refines=[RefinementDeclaration(LAMP, {"on": is_on, "warm": is_warm}, unreachable={"cool": "it goes out before"})],
)


def outcome(name: str, *, every: bool = False) -> dict[str, str]:
    [mutant] = (one for one in mutants(LAMP.model()) if str(one).startswith(name))
    return noticed(mutant, every=every)


def noticed(mutant: Mutant, *, every: bool = False) -> dict[str, str]:
    lower = below("lamp", [LAMP, TORCH], ["torch:other"])
    [one] = judged(LAMP.model(), [mutant], LAMP.configurations, below=lower, every=every)
    return dict(one.noticed)


def test_what_the_system_itself_shows_is_not_asked_of_others() -> None:
    assert set(outcome("go_out: effect on warm: left out")) == {"effects"}
    assert "refinement" in outcome("go_out: effect on warm: left out", every=True)


def test_an_action_that_no_step_below_is_any_more_is_noticed() -> None:
    # The lamp alone has the same states and steps: what is unplugged can be switched off as well.
    assert outcome("unplug: effect on on: left out", every=True) == {
        "coverage": "one: never reached: unplug changes something",
        "effects": "one: no more: unplug changes on",
        "refinement": "torch:other: no step is lamp.unplug",
    }


def test_a_step_below_that_is_none_of_the_mutant_is_noticed() -> None:
    # Of the lamp alone only the lock tells it.
    assert outcome("go_out: effect on warm: false becomes true") == {
        "refinement": "torch:other: a step that is none of its steps, after 3 others",
        "lock": "one: depth 2 instead of 3",
    }


def test_only_the_configurations_that_count_are_asked() -> None:
    assert [str(one) for one in below("lamp", [LAMP, TORCH], ["torch:other", "torch:small"])] == [
        "torch:other",
        "torch:small",
    ]
    assert below("torch", [LAMP, TORCH], ["torch:other"]) == []
