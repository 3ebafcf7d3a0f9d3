"""Mutants of properties: a part that some fault needs is noticed, and one that no fault needs is not."""

from typing import Self

from genstamp_model.language import Bool, Configuration, Part, System, action, invariant, number, require, transition
from genstamp_model.mutate import mutants
from genstamp_model.mutate.claims import STRONGER, WEAKER, ClaimJudging, claim_mutants


class Till(Part):
    """Money is put in and taken out, and what was put in is counted."""

    inside = number(0, 3)
    counted = number(0, 3)

    @action
    def put_in(s) -> None:
        """One coin."""
        require(s.counted < 3, "three coins at most")
        s.inside = s.inside + 1
        s.counted = s.counted + 1

    @action
    def take_out(s) -> None:
        """One coin."""
        require(s.inside > 0, "there is a coin")
        s.inside = s.inside - 1

    @invariant
    def nothing_comes_from_nowhere(s) -> Bool:
        """There is no more than was put in; that it is 3 at most its range says already."""
        return (s.inside <= s.counted) & (s.counted <= 3)

    @transition
    def counter_never_falls(s, t: Self) -> Bool:
        """And it rises only with what is inside."""
        return (t.counted >= s.counted) & ((t.counted > s.counted).implies(t.inside > s.inside))


class FallingTill(Till):
    """The counter falls with what is inside."""

    @action
    def take_out(s) -> None:
        """One coin."""
        Till.take_out.function(s)
        s.counted = s.counted - 1


TILL = System("till", parts=[Till], configurations=[Configuration("one", sizes={})])


def test_a_part_is_left_out_where_that_makes_the_claim_weaker_or_stronger() -> None:
    texts = [(one.claim.name, one.kind, one.change) for one in claim_mutants(TILL.model())]
    assert texts == [
        ("nothing_comes_from_nowhere", WEAKER, "(inside <= counted)"),
        ("nothing_comes_from_nowhere", WEAKER, "(counted <= 3)"),
        ("counter_never_falls", WEAKER, "(counted <= counted')"),
        ("counter_never_falls", WEAKER, "(~(counted < counted') | (inside < inside'))"),
        ("counter_never_falls", STRONGER, "~(counted < counted')"),
        ("counter_never_falls", STRONGER, "(inside < inside')"),
    ]


def noticed(*faults: type[Part], actions: bool = False) -> dict[str, str]:
    """What is noticed with these faults, by what is left out."""
    model, [configuration] = TILL.model(), TILL.configurations
    judging = ClaimJudging(claim_mutants(model))
    variants = judging.held(model, configuration)
    for fault in faults:
        judging.fault(System("till", parts=[fault], configurations=[configuration]).model(), configuration, "fault")
    for mutant in mutants(model) if actions else ():
        judging.mutant(variants, mutant)
    return {one.change: seen for one, seen in judging.noticed.items()}


def test_what_the_model_itself_breaks_is_noticed_without_a_fault() -> None:
    assert noticed() == {
        "~(counted < counted')": "one: the model breaks it",
        "(inside < inside')": "one: the model breaks it",
    }


def test_what_misses_a_declared_fault_is_noticed() -> None:
    assert noticed(FallingTill)["(counted <= counted')"] == "misses fault"


def test_what_no_fault_needs_is_not_noticed() -> None:
    """The counter is never above 3, whatever is changed: its range says so."""
    found = noticed(FallingTill, actions=True)
    assert "(counted <= 3)" not in found
    assert found["(inside <= counted)"].startswith("misses ")
    assert found["(~(counted < counted') | (inside < inside'))"].startswith("misses ")


def test_a_search_that_gave_up_misses_nothing() -> None:
    model, [configuration] = TILL.model(), TILL.configurations
    judging = ClaimJudging([one for one in claim_mutants(model) if one.kind == WEAKER])
    fault = System("till", parts=[FallingTill], configurations=[configuration]).model()
    judging.fault(fault, configuration, "fault", 3)
    assert not judging.noticed
    judging.fault(fault, configuration, "fault")
    assert judging.noticed
