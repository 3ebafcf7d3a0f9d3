"""Refinements in a run of verify: their verdict is locked, and an upper action that no step is fails coverage."""

from typing import Any

from genstamp import coverage
from genstamp.verify.searching import search_on
from genstamp_model.explore import explore
from genstamp_model.language import Configuration, Part, RefinementDeclaration, System, action, number, require


class Clock(Part):
    hour = number(0, 3)

    @action
    def tick(s) -> None:
        require(s.hour < 3, "not yet three")
        s.hour = s.hour + 1

    @action
    def strike(s) -> None:
        s.hour = 0


class Broken(Clock):
    @action(unchanged="it is broken")
    def strike(s) -> None:
        """Nothing."""


class Fast(Clock):
    @action
    def tick(s) -> None:
        require(s.hour < 2, "not yet two")
        s.hour = s.hour + 2


ONE = [Configuration("one", sizes={})]
CLOCK = System("clock", parts=[Clock], configurations=ONE)


def refining(part: type[Part], **declared: Any) -> System:
    refines = [RefinementDeclaration(CLOCK, {"hour": lambda s: s.hour}, **declared)]
    return System("lower", parts=[part], configurations=ONE, refines=refines)


def missing(system: System) -> list[str]:
    return coverage.missing(coverage.together([coverage.of(explore(system.instance()))]))


def test_every_upper_action_must_be_taken() -> None:
    assert missing(refining(Clock)) == []
    [never] = missing(refining(Broken))
    assert never == "step clock.strike"
    found = coverage.place_of(refining(Broken).model(), never)
    assert found is not None
    assert found.file.endswith("test_refinements.py")


def test_what_is_declared_unreachable_need_not_be_taken() -> None:
    assert missing(refining(Broken, unreachable={"strike": "it is broken"})) == []


def test_a_search_goes_on_without_a_broken_refinement() -> None:
    result, found = search_on(refining(Fast).instance())
    assert [(one.name, one.depth) for one in found] == [("refines clock", 1)]
    assert any("not tick()" in line for line in found[0].lines)
    assert result.violation is None
