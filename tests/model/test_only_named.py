"""Index sets that have only named members: no configuration gives their size."""

import pytest

from genstamp_model.errors import ConfigurationError, SpecError
from genstamp_model.explore import explore
from genstamp_model.language import (
    Bool,
    Configuration,
    Index,
    Part,
    System,
    action,
    invariant,
    members,
    named,
    number,
    per,
    reference,
    require,
)
from genstamp_model.parametric import prove_parametric
from genstamp_model.prove import Verdict as Proved


class Light(Index, ordered=True, only_named=True):
    """A traffic light's."""

    RED: "Light" = named()
    AMBER: "Light" = named()
    GREEN: "Light" = named()


class Car(Index):
    """A car that sees one."""


class Signal(Part):
    """Which light is on, which ones were, and what each car has seen."""

    lit = reference(Light)
    seen = members(Light)
    saw = per(Car, reference(Light))
    times = per(Light, number(0, 1))

    @action
    def change(s, light: Light) -> None:
        """Another light is on."""
        require(s.lit != light, "another one is on")
        s.seen.add(s.lit)
        s.times[light] = 1
        s.lit = light

    @action
    def look(s, car: Car) -> None:
        """A car sees the light."""
        s.saw[car] = s.lit

    @invariant(inductive=True)
    def there_are_three(s) -> Bool:
        """That no other light exists is known also of any number of cars."""
        three = (s.lit == Light.RED) | (s.lit == Light.AMBER) | (s.lit == Light.GREEN)
        return three & (s.seen.size() <= 3)

    @invariant(inductive=True)
    def never_green(s) -> Bool:
        """Wrong, with three cars or none."""
        return s.lit != Light.GREEN


SIGNAL = System("signal", parts=[Signal], configurations=[Configuration("one", sizes={"Car": 1})])


class Ring(Signal):
    """Lights in their order."""

    @action
    def change(s) -> None:
        """The next one on the ring."""
        s.lit = s.lit.successor()

    @invariant
    def red_comes_first(s) -> Bool:
        """The order is that of the declaration."""
        return (s.lit == Light.RED) == (s.lit.rank() == 0)

    @invariant
    def never_green(s) -> Bool:
        """Amber is between red and green."""
        return (s.lit != Light.GREEN) | (s.lit.predecessor() == Light.AMBER)


RING = System("ring", parts=[Ring], configurations=SIGNAL.configurations)


def test_a_search_has_the_named_members_alone() -> None:
    assert explore(RING.instance()).states == 9
    violated = explore(SIGNAL.instance()).violation
    assert violated is not None
    assert "lit: RED -> GREEN" in str(violated.path)


def test_a_proof_for_any_number_of_cars_knows_all_lights() -> None:
    report = prove_parametric(SIGNAL.model())
    assert report.proof("there_are_three").verdict is Proved.PROVED
    failed = report.proof("never_green")
    assert failed.verdict is Proved.VIOLATED
    assert failed.broken_by is not None
    assert failed.broken_by.sizes == ("1 Car",)
    assert any("change(light GREEN)" in line for line in failed.broken_by.lines)
    assert report.open == ("Car",)


def test_a_size_is_not_given() -> None:
    with pytest.raises(ConfigurationError, match="size 'Light', which the system does not have; it has Car"):
        System("sized", parts=[Ring], configurations=[Configuration("two", sizes={"Light": 1, "Car": 1})]).instance()


@pytest.mark.parametrize("wrong", [{"symmetric": True}, {"unnamed": "Lamp"}])
def test_what_speaks_of_unnamed_members_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(SpecError, match="Wrong has only named members"):
        type("Wrong", (Index,), {"A": named()}, only_named=True, **wrong)
    with pytest.raises(SpecError, match="Wrong has only named members"):
        type("Wrong", (Index,), {}, only_named=True)
    with pytest.raises(SpecError, match="Part is the subset of the unnamed members of Light, which has none"):
        type("Part", (Light,), {})
