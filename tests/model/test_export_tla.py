"""The exported TLA+ is readable, keeps what the author wrote, and avoids what TLA+ refuses.

Whether it means the same is for TLC to say (`tests/conformance/agree/test_tlc.py`).
"""

import re

import pytest
from tests.model.random_systems import RandomSystem
from tests.model.systems.every_form import EVERY_FORM
from tests.model.systems.two_phase import TWO_PHASE

from genstamp_model.export.tla import Claims, tla, tla_config, together
from genstamp_model.export.tla_names import clean
from genstamp_model.language import (
    Bool,
    Configuration,
    Index,
    Part,
    System,
    action,
    always_eventually,
    eventually_always,
    exists,
    flag,
    invariant,
    leads_to,
    number,
    per,
    require,
    witness,
)
from genstamp_spec.hdfs.systems.recovery import RECOVERY


class Door(Index):
    """A door."""


class House(Part):
    """Names that would mean two things in TLA+."""

    door = per(Door, flag())
    Next = number(limit="steps")

    @action
    def open(s, door: Door) -> None:
        """Somebody opens a door."""
        require(~s.door[door], "the door is shut", refuses="OpenException")
        s.door[door] = s.door[door] | (s.Next > 0)
        s.Next = s.Next + 1

    @witness
    def way_out(s) -> Bool:
        """A door can be open."""
        return exists(Door, lambda door: s.door[door])

    @invariant
    def never_way_out(s) -> Bool:
        """Called as the opposite of the witness might be."""
        return s.Next >= 0


HOUSE = System("house.1", parts=[House], configurations=[Configuration("two", sizes={"Door": 2}, limits={"steps": 1})])


def definition(text: str, name: str) -> str:
    """One definition, without the comments before it."""
    found = re.search(rf"^{re.escape(name)}[^\n]* ==.*?(?=\n\n|\n\w)", text, re.M | re.S)
    assert found is not None, name
    return found[0]


def test_an_action_reads_as_its_author_wrote_it() -> None:
    text = tla(TWO_PHASE.instance("three")).text
    assert definition(text, "rm_prepare(r)") == (
        "rm_prepare(r) ==\n"
        '    /\\ rm[r] = "WORKING"  \\* the manager is working\n'
        '    /\\ rm\' = [rm EXCEPT ![r] = "PREPARED"]\n'
        "    /\\ prepared_sent' = prepared_sent \\cup {r}\n"
        "    /\\ UNCHANGED <<tm, tm_prepared, commit_sent, abort_sent>>"
    )
    assert "\\* A resource manager prepares.\n\\* two_phase.py:" in text


def test_no_name_means_two_things() -> None:
    module = tla(HOUSE.instance("two"))
    assert module.name == "house_1"
    assert "open(d) ==" in module.text
    assert "VARIABLES\n    door,\n    Next2\n" in module.text
    assert module.claims["way_out"] == Claims(invariants=("never_way_out2_within_limits",))
    assert module.claims["never_way_out"] == Claims(invariants=("never_way_out_within_limits",))


def test_a_condition_that_is_assigned_is_in_parentheses() -> None:
    # x' = a \/ b would be (x' = a) \/ b.
    text = tla(System("lamps", parts=[Lamps], configurations=[Configuration("one", sizes={})]).instance()).text
    assert "both' = (left /\\ right)" in text


class Lamps(Part):
    """Two lamps."""

    left = flag()
    right = flag()
    both = flag()

    @action
    def look(s) -> None:
        """Both are looked at."""
        s.both = s.left & s.right


def test_an_effect_says_no_more_than_the_checks_leave_open() -> None:
    text = tla(EVERY_FORM.instance("tiny")).text
    assert '    /\\ parcel\' = [parcel EXCEPT ![shelf] = "stored"]' in definition(text, "accept(")


@pytest.mark.slow
@pytest.mark.parametrize("system", [TWO_PHASE, EVERY_FORM, HOUSE, RECOVERY], ids=lambda system: system.name)
def test_equal_systems_give_equal_text_that_names_no_place_on_this_machine(system: System) -> None:
    first, second = (tla(system.instance()) for _ in range(2))
    assert first.text == second.text
    assert tla_config(system.instance()) == tla_config(system.instance())
    assert not re.search(r"/\w+/", first.text.replace("\\/", "").replace("/\\", ""))


def test_a_configuration_asks_for_what_must_hold_of_states_and_steps() -> None:
    assert tla_config(EVERY_FORM.instance("tiny")).splitlines() == [
        "SPECIFICATION Spec",
        "CONSTANTS",
        "    Clerk = {clerk1}",
        "    Person = {clerk1, OFFICE}",
        "    Shelf = {shelf1}",
        "    clerk1 = clerk1",
        "    OFFICE = OFFICE",
        "    None = None",
        "    MaxDeliveries = 1",
        "    MaxJournal = 1",
        "    MaxOrders = 1",
        "    MaxParcels = 1",
        "    MaxTickets = 3",
        "CONSTRAINT WithinLimits",
        "INVARIANTS",
        "    TypeOK",
        "    manager_is_trained_or_the_office_within_limits",
        "    way_is_short_within_limits",
        "    orders_are_sound_within_limits",
        "    NoDeadlock_within_limits",
        "PROPERTIES",
        "    always_tickets_rise_within_limits",
        "    always_journal_grows_with_deliveries_within_limits",
        "    always_refines_tally_within_limits",
    ]


def test_fairness_is_said_of_each_choice_of_members_and_of_any_message() -> None:
    module = tla(EVERY_FORM.instance("tiny"))
    assert "FairFor_orders_are_met == WF_vars(\\E m \\in BagToSet(orders) : dispatch(m))" in module.text
    assert module.claims["orders_are_met"] == Claims((), ("orders_are_met",), "SpecFor_orders_are_met")


class Often(House):
    @always_eventually()
    def is_shut_again(s, door: Door) -> Bool:
        """It is shut again and again."""
        return ~s.door[door]

    @eventually_always(fair=("open",))
    def stays_open(s, door: Door) -> Bool:
        """It is open from some time on."""
        return s.door[door]

    @leads_to()
    def is_shut_by_those_who_shut(s, door: Door) -> tuple[Bool, Bool, Bool]:
        """It is shut if some door is again and again."""
        return s.door[door], ~s.door[door], exists(Door, lambda one: ~s.door[one])


def test_what_holds_again_and_again_or_for_good_is_exported() -> None:
    often = System("often", parts=[Often], configurations=HOUSE.configurations)
    text = tla(often.instance("two")).text
    assert definition(text, "is_shut_again").endswith("\\A d \\in Door : (TRUE) ~> (~door[d])")
    assert definition(text, "stays_open").endswith("\\A d \\in Door : <>[](door[d])")
    assert definition(text, "is_shut_by_those_who_shut").endswith(
        "([]<>(\\E d2 \\in Door : ~door[d2])) => ((door[d]) ~> (~door[d]))"
    )


class Doors(House):
    @action
    def shut(s, door: Door) -> None:
        """Somebody shuts a door."""
        s.door[door] = False

    @leads_to(fair=("open", "shut"))
    def is_shut(s, door: Door) -> tuple[Bool, Bool]:
        """No door stays open."""
        return s.door[door], ~s.door[door]


def test_a_quantifier_of_fairness_ends_before_the_next_one() -> None:
    """TLC refuses two variables of one name, one inside of the other."""
    doors = System("doors", parts=[Doors], configurations=HOUSE.configurations)
    fair = definition(tla(doors.instance("two")).text, "FairFor_is_shut")
    one, other = (f"(\\A d \\in Door : WF_vars({name}(d)))" for name in ("open", "shut"))
    assert fair == f"FairFor_is_shut == {one} /\\ {other}"


def test_claims_about_other_behaviours_are_not_put_together() -> None:
    one, other = Claims(invariants=("a",)), Claims(properties=("b",))
    assert together([one, other]) == Claims(("a",), ("b",))
    with pytest.raises(AssertionError):
        together([one, Claims(properties=("c",), specification="SpecFor_c")])


def test_names_are_made_of_what_tla_allows() -> None:
    assert [clean(name) for name in ("hdfs.recovery", "1", "WF_x", "grün")] == [
        "hdfs_recovery",
        "the_1",
        "the_WF_x",
        "gr_n",
    ]


@pytest.mark.slow
def test_every_random_system_can_be_written() -> None:
    assert all(tla(RandomSystem(seed).instance()).text for seed in range(40))
