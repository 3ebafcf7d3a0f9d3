"""The tracker keeps just the states that fit, and says what was in the way when none is left."""

from typing import Any

import pytest
from tests.conformance.track.lock_service import LOCK_SERVICE
from tests.model.systems.two_phase import TWO_PHASE
from tests.model.test_any_of import TOKENS

from genstamp.errors import MembersError
from genstamp.events import Event
from genstamp.track import Conforms, Names, Rejected, Timer, Tracker, Undetermined

LOCK_MODEL = LOCK_SERVICE.model()
CLIENTS = {"Holder": ["alice", "bob"]}


def event(name: str, *, refused_with: str | None = None, observed: dict[str, str] | None = None, **rest: Any) -> Event:
    columns = {key: rest.pop(key) for key in ("generation_stamp", "recovery_id", "num_bytes") if key in rest}
    return Event(
        source="test",
        node="server",
        node_sequence=1,
        kind="node",
        namespace="test",
        entity="lock",
        event=name,
        refused_with=refused_with,
        arguments=rest,
        observed=observed or {},
        **columns,
    )


def lock_tracker(**options: Any) -> Tracker:
    return Tracker(LOCK_MODEL, CLIENTS, first_stamp=1001, **options)


def rejected(answer: object) -> Rejected:
    assert isinstance(answer, Rejected)
    return answer


def committed_run(managers: list[str]) -> list[Event]:
    """What a simulation of two-phase commit shows when everybody prepares."""
    prepared = [step for rm in managers for step in (event("rm_prepare", rm=rm), event("tm_receive_prepared", rm=rm))]
    return [*prepared, event("tm_commit"), *(event("rm_receive_commit", rm=rm) for rm in managers)]


def test_a_correct_run_conforms_in_one_state() -> None:
    managers = ["paris", "rome", "oslo", "bern"]
    tracker = Tracker(TWO_PHASE.model(), {"Rm": managers}, first_stamp=1)
    assert [tracker.feed(step) for step in committed_run(managers)] == [Conforms(1)] * 13
    assert tracker.largest == 1


def test_a_run_may_begin_in_any_initial_state() -> None:
    """One or two of three pawns have a token, and a number has one of two values."""
    tracker = Tracker(TOKENS.model(), {"Pawn": ["ann", "bea", "cyd"]}, first_stamp=1)
    assert len(tracker.states) == tracker.largest == 12
    assert tracker.feed(event("lose", pawn="ann")) == Conforms(6)
    assert isinstance(tracker.feed(event("lose", pawn="ann")), Rejected)


def test_more_initial_states_than_may_be_kept_are_undetermined() -> None:
    tracker = Tracker(TOKENS.model(), {"Pawn": ["ann", "bea", "cyd"]}, first_stamp=1, max_states=11)
    assert tracker.is_undetermined
    assert tracker.feed(event("lose", pawn="ann")) == Undetermined(12)


def test_a_commit_without_everybody_names_the_check_its_line_and_what_it_read() -> None:
    managers = ["paris", "rome"]
    tracker = Tracker(TWO_PHASE.model(), {"Rm": managers}, first_stamp=1)
    tracker.feed(event("rm_prepare", rm="paris"))
    tracker.feed(event("tm_receive_prepared", rm="paris"))
    answer = rejected(tracker.feed(event("tm_commit")))
    assert answer.labels == ("every manager has prepared",)
    [(miss, count)] = answer.misses
    assert count == 1
    assert miss.values == (("tm_prepared", "paris"),)
    assert str(miss.source).startswith("two_phase.py:")
    assert answer.lines() == [
        "server: tm_commit() fits none of 1 possible states",
        f"  in 1 of 1 possible states: tm_commit(): 'every manager has prepared' does not hold [{miss.source}]",
        "      tm_prepared = paris",
        "  the model cannot do this now",
    ]


def test_arguments_that_are_not_shown_range_over_all_choices() -> None:
    tracker = Tracker(TWO_PHASE.model(), {"Rm": ["paris", "rome", "oslo"]}, first_stamp=1)
    assert tracker.feed(event("rm_prepare")) == Conforms(3)
    assert tracker.feed(event("rm_prepare", rm="rome")) == Conforms(2)
    assert tracker.largest == 3
    assert tracker.feed(event("rm_choose_to_abort", rm="paris")) == Conforms(1)


def test_hidden_actions_may_happen_before_each_event() -> None:
    tracker = lock_tracker()
    assert tracker.feed(event("acquire", client="alice", generation_stamp=1001)) == Conforms(2)
    assert tracker.feed(event("acquire", client="bob", refused_with="ExpiredException")) == Conforms(1)


def test_clocked_hidden_actions_happen_only_once_enough_time_has_passed() -> None:
    tracker = lock_tracker(clock={"expire": Timer(60_000, 60_000)})
    assert tracker.feed(event("acquire", client="alice")) == Conforms(1)
    counts = []
    for milliseconds in (59_999, 1):
        with tracker.time_passes(milliseconds):
            counts.append(len(tracker.states))
    assert counts == [1, 2]
    assert tracker.feed(event("acquire", client="bob", refused_with="ExpiredException")) == Conforms(1)


def test_clocked_hidden_actions_do_not_happen_while_no_time_passes() -> None:
    tracker = lock_tracker(clock={"expire": Timer(60_000, 60_000)})
    tracker.feed(event("acquire", client="alice"))
    answer = rejected(tracker.feed(event("acquire", client="bob", refused_with="ExpiredException")))
    assert answer.allowed == ("HeldException",)


def test_clocked_hidden_actions_have_happened_after_a_longer_silence() -> None:
    tracker = lock_tracker(clock={"expire": Timer(60_000, 60_000)})
    tracker.feed(event("acquire", client="alice"))
    alice_releases = event("release", holder="alice")
    with tracker.time_passes(60_000):
        pass
    assert tracker.feed(alice_releases) == Conforms(2)

    tracker = lock_tracker(clock={"expire": Timer(60_000, 60_000)})
    tracker.feed(event("acquire", client="alice"))
    with tracker.time_passes(60_001):
        pass
    assert tracker.feed(alice_releases) == Conforms(1)


def test_an_event_may_have_put_clocked_hidden_actions_off() -> None:
    tracker = lock_tracker(clock={"expire": Timer(60_000, 60_000)})
    with tracker.time_passes(90_000):
        tracker.feed(event("acquire", client="alice"))
    assert len(tracker.states) == 2


@pytest.mark.parametrize(("put_off_by", "states"), [(None, 2), ({}, 1), ({"acquire": None}, 2), ({"release": None}, 1)])
def test_what_is_known_not_to_put_them_off_does_not(put_off_by: dict[str, str | None] | None, states: int) -> None:
    tracker = lock_tracker(clock={"expire": Timer(60_000, 60_000, put_off_by=put_off_by)})
    tracker.feed(event("acquire", client="alice"))
    with tracker.time_passes(30_001):
        pass
    tracker.feed(event("acquire", client="bob", refused_with="HeldException"))
    with tracker.time_passes(30_001):
        pass
    assert len(tracker.states) == states


@pytest.mark.parametrize(("due_ms", "states"), [(None, 2), (30_000, 1)])
def test_what_was_surely_possible_for_longer_may_be_due_earlier(due_ms: int | None, states: int) -> None:
    tracker = lock_tracker(clock={"expire": Timer(20_000, 60_000, due_ms=due_ms)})
    tracker.feed(event("acquire", client="alice"))
    with tracker.time_passes(30_001):
        pass
    assert len(tracker.states) == states


def test_a_refusal_by_a_check_changes_nothing_and_one_with_a_side_effect_applies_it() -> None:
    tracker = lock_tracker(clock={"expire": Timer(1, 1)})
    tracker.feed(event("acquire", client="alice"))
    tracker.feed(event("acquire", client="bob", refused_with="HeldException"))
    assert tracker.feed(event("release", holder="alice")) == Conforms(1)

    tracker = lock_tracker()
    tracker.feed(event("acquire", client="alice"))
    tracker.feed(event("acquire", client="bob", refused_with="ExpiredException", observed={"holder": "server"}))
    answer = rejected(tracker.feed(event("release", holder="alice")))
    assert answer.labels == ("the caller holds the lock",)
    assert answer.misses[0][0].values == (("holder", "server"),)
    assert answer.allowed == ("NotHolderException",)


def test_a_named_member_is_called_by_its_name_in_lower_case() -> None:
    tracker = lock_tracker()
    tracker.feed(event("acquire", client="alice"))
    tracker.feed(event("acquire", client="bob", refused_with="ExpiredException"))
    assert isinstance(tracker.feed(event("release", holder="server")), Conforms)


def test_a_named_member_is_not_a_member_of_a_subset() -> None:
    answer = rejected(lock_tracker().feed(event("acquire", client="server")))
    assert answer.problem == "acquire: client 'server' is unknown in this run; it has alice, bob"


def test_a_wrong_exception_names_the_check_that_refuses_and_both_exceptions() -> None:
    tracker = lock_tracker(clock={"expire": Timer(1, 1)})
    tracker.feed(event("acquire", client="alice"))
    answer = rejected(tracker.feed(event("acquire", client="bob", refused_with="GoneException")))
    assert answer.labels == ("the lock is free",)
    assert "refuses with HeldException, not with GoneException" in answer.misses[0][0].problem
    assert answer.allowed == ("HeldException",)


def test_a_refusal_of_what_the_model_performs_is_rejected() -> None:
    answer = rejected(lock_tracker().feed(event("acquire", client="alice", refused_with="HeldException")))
    assert "the model performs the step, but the run refused it with HeldException" in answer.misses[0][0].problem
    assert answer.allowed == (None,)


def test_stamps_are_counted_from_the_first_of_the_run() -> None:
    tracker = lock_tracker()
    tracker.feed(event("acquire", client="alice", generation_stamp=1001))
    tracker.feed(event("release", holder="alice"))
    answer = rejected(tracker.feed(event("acquire", client="bob", generation_stamp=1001)))
    assert "generation_stamp is 1002, shown 1001" in answer.misses[0][0].problem
    assert "acquire(client bob)" in answer.misses[0][0].call


def test_a_stamp_that_is_computed_is_counted_from_the_first_of_the_run_too_and_0_is_none() -> None:
    tracker = lock_tracker()
    for stamp in (0, 1002):
        tracker.feed(event("acquire", client="alice"))
        assert isinstance(tracker.feed(event("release", holder="alice", recovery_id=stamp)), Conforms)


def test_labels_are_compared_without_regard_to_case() -> None:
    tracker = lock_tracker()
    assert isinstance(tracker.feed(event("acquire", client="alice", observed={"state": "held"})), Conforms)
    answer = rejected(lock_tracker().feed(event("acquire", client="alice", observed={"state": "FREE"})))
    assert "state is HELD, shown FREE" in answer.misses[0][0].problem


def test_a_set_is_shown_as_sorted_names() -> None:
    tracker = Tracker(LOCK_MODEL, {"Holder": ["bob", "alice"]}, first_stamp=1)
    tracker.feed(event("give_up", client="bob", observed={"gone": "bob"}))
    assert isinstance(tracker.feed(event("give_up", client="alice", observed={"gone": "alice,bob"})), Conforms)


def test_a_message_is_any_of_those_under_way_that_shows_the_same() -> None:
    tracker = lock_tracker()
    tracker.feed(event("acquire", client="alice"))
    tracker.feed(event("release", holder="alice"))
    tracker.feed(event("acquire", client="bob"))
    assert isinstance(tracker.feed(event("told", generation_stamp=1002)), Conforms)
    answer = rejected(tracker.feed(event("told", generation_stamp=1002)))
    assert "generation_stamp is 1001, shown 1002" in answer.misses[0][0].problem
    assert answer.misses[0][0].call == "told(notices (to alice, stamp 1001))"


def test_numbers_are_unbounded_whatever_a_configuration_limits() -> None:
    tracker = lock_tracker(clock={"expire": Timer(1, 1)})
    for stamp in range(1001, 1050):
        assert isinstance(tracker.feed(event("acquire", client="alice", generation_stamp=stamp)), Conforms)
        tracker.feed(event("release", holder="alice"))


def test_an_event_without_an_action_is_rejected_with_the_names_that_exist() -> None:
    answer = rejected(lock_tracker().feed(event("steal", client="alice")))
    assert answer.problem == "the model has no event 'steal'; it has acquire, give_up, release, told"


def test_a_hidden_action_is_no_event() -> None:
    assert "no event 'expire'" in rejected(lock_tracker().feed(event("expire"))).problem


def test_an_observation_that_the_model_does_not_know_is_rejected() -> None:
    answer = rejected(lock_tracker().feed(event("give_up", client="bob", observed={"mood": "sad"})))
    assert answer.problem == "give_up shows 'mood', which the model does not have; it can show gone"


def test_a_step_is_denied_rightly_only_where_the_model_cannot_make_it() -> None:
    tracker = lock_tracker()
    assert isinstance(tracker.deny("told", {}), Conforms)
    answer = rejected(tracker.deny("acquire", {"client": "bob"}))
    assert answer.allowed == (None,)
    assert answer.problem == "acquire(client bob) was said not to be possible, but in each of 1 states it is"


def test_a_denial_keeps_the_states_in_which_the_model_cannot_make_the_step() -> None:
    tracker = lock_tracker()
    assert tracker.feed(event("acquire", client="alice")) == Conforms(2)
    assert tracker.deny("acquire", {"client": "bob"}) == Conforms(2)
    fresh_then_expired = {state[3] for state in tracker.states}
    assert fresh_then_expired == {False, True}


def test_more_states_than_allowed_is_undetermined_for_good() -> None:
    tracker = Tracker(TWO_PHASE.model(), {"Rm": [f"rm{n}" for n in range(9)]}, first_stamp=1, max_states=100)
    answers = [tracker.feed(event("rm_prepare")) for _ in range(4)]
    assert answers == [Conforms(9), Conforms(36), Conforms(84), Undetermined(126)]
    assert tracker.feed(event("rm_prepare")) == Undetermined(126)
    assert tracker.is_undetermined


def test_offers_are_what_the_states_answer_and_how_many_of_them() -> None:
    tracker = lock_tracker()
    tracker.feed(event("acquire", client="alice"))
    offers = {
        (o.event, *o.arguments, o.refused_with): (o.changes, share)
        for event_name in ("release", "acquire", "told")
        for o, share in tracker.offers(event_name, most_states=8)
    }
    assert offers["release", ("holder", "alice"), None] == (True, 1.0)
    assert offers["release", ("holder", "server"), "NotHolderException"] == (False, 1.0)
    assert offers["acquire", ("client", "bob"), "HeldException"] == (False, 1.0)
    assert offers["acquire", ("client", "bob"), "ExpiredException"] == (True, 0.5)
    assert offers["told", None] == (True, 1.0)


@pytest.mark.parametrize(
    ("members", "problem"),
    [
        ({}, "members of Holder: no member is named; name at least one"),
        ({"Holder": []}, r"members of Holder: \(server\) must be one name or more, each once"),
        ({"Holder": ["a", "a"]}, r"members of Holder: \(a, a, server\) must be one name or more, each once"),
        ({"Holder": ["a"], "Fork": ["b"]}, "members of Fork: the model has no such index set; it has Holder"),
    ],
)
def test_members_that_do_not_fit_are_refused(members: dict[str, list[str]], problem: str) -> None:
    with pytest.raises(MembersError, match=problem):
        Names(LOCK_MODEL, members, first_stamp=1)
