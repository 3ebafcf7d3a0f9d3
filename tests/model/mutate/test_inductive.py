"""Proofs notice what no small configuration shows, and nothing of a change that keeps what is declared inductive."""

from genstamp_model.language import Bool, Configuration, Part, System, action, invariant, number, require
from genstamp_model.mutate import Mutant, judged, mutants
from genstamp_model.mutate.inductive import Inductive


class Tank(Part):
    """A tank is filled by one unit at a time, and emptied from five units on."""

    units = number(limit="units")
    empties = number(limit="empties")

    @action
    def fill(s) -> None:
        """One more."""
        require(s.units < 6, "there is room")
        s.units = s.units + 1

    @action
    def empty(s) -> None:
        """All is let out, and half of it comes back."""
        require(s.units > 4, "there is much in it")
        s.units = 3
        s.empties = s.empties + 1

    @invariant(inductive=True)
    def it_never_runs_over(s) -> Bool:
        """Seven units are the most."""
        return s.units <= 7


SMALL = Configuration("small", sizes={}, limits={"units": 5, "empties": 1})
TANK = System("tank", parts=[Tank], configurations=[SMALL])


def named(system: System, change: str) -> Mutant:
    """The mutant that is told so."""
    [found] = (one for one in mutants(system.model()) if str(one).startswith(change))
    return found


def test_a_proof_notices_what_the_limits_hide() -> None:
    dropped = named(TANK, "fill: check 'there is room': dropped")
    [searched] = judged(TANK.model(), [dropped], [SMALL])
    assert searched.noticed == {"proofs": "small: it_never_runs_over is not inductive"}


def test_who_keeps_what_is_inductive_is_not_noticed() -> None:
    assert Inductive(TANK.instance()).notices(named(TANK, "empty: effect on units: 3 becomes 4")) is None


class Leaking(Tank):
    """The same, with a property that its own `fill` does not keep."""

    @invariant(inductive=True)
    def it_never_holds_four(s) -> Bool:
        """This is not so."""
        return s.units != 4


def test_what_the_model_does_not_keep_either_is_no_ones_fault() -> None:
    leaking = System("leaking", parts=[Leaking], configurations=[SMALL])
    assert Inductive(leaking.instance()).notices(named(leaking, "empty: effect on units: 3 becomes 4")) is not None
    assert Inductive(leaking.instance()).notices(named(leaking, "fill: effect on units: 1 becomes 2")) is None
