"""Jobs that search and prove, on a small system; and what is summed up of their rows."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.conformance.verify import small_system
from tests.model.systems import endless_recovery

from genstamp import lock
from genstamp.systems import PLACES, every_system, place_of, system_at
from genstamp.verify import summing
from genstamp.verify.job import Context
from genstamp.verify.plan import Plan, searches, whole
from genstamp.verify.proving import any_size, proofs
from genstamp.verify.row import Row, Verdict
from genstamp.verify.searching import check, known, variation

COUNTER = f"{small_system.__name__}:COUNTER"
OTHERWISE = f"{small_system.__name__}:OTHERWISE"
WRONG = f"{small_system.__name__}:WRONG"
STILL = f"{small_system.__name__}:STILL"
UNTRUE = f"{small_system.__name__}:UNTRUE"


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return Context(repository=tmp_path, directory=tmp_path, data=None, seed=0)


def only(rows: Iterator[Row]) -> Row:
    (row,) = rows
    return row


def locked_properties(row: Row) -> dict[str, str]:
    """Of the one search that a row is about."""
    (system,) = msgspec.convert(row.data["lock"], lock.Lock).values()
    (semantics,) = system.semantics.values()
    (search,) = semantics.searches.values()
    return search.properties


def locked_search(row: Row, semantics: str, configuration: str) -> lock.SearchEntry:
    found = msgspec.convert(row.data["lock"], lock.Lock)
    return found["counter"].semantics[semantics].searches[configuration]


@pytest.mark.slow
def test_a_configuration_where_all_holds(context: Context) -> None:
    row = only(check(context, "check", COUNTER, "two"))
    assert (row.verdict, row.unit, row.note) == (Verdict.HOLDS, "states", "within counts 6")
    entry = locked_search(row, "good", "two")
    assert (entry.distinct, entry.depth) == (row.count, 12)
    assert entry.properties == {
        "never_negative": "holds",
        "one_is_raised": "holds",
        "never_falls": "holds",
        "all_have_raised": "seen after 2 steps",
    }


def test_a_configuration_where_no_step_is_possible_is_no_pass(context: Context) -> None:
    row = only(check(context, "check", STILL, "none"))
    note = "no step is possible within the limits of counts, so nothing was searched"
    assert (row.verdict, row.note) == (Verdict.UNDETERMINED, note)


@pytest.mark.slow
def test_a_configuration_where_something_breaks_has_its_counterexample_written(context: Context) -> None:
    row = only(check(context, "check", UNTRUE, "two"))
    assert row.verdict is Verdict.VIOLATED
    assert row.note == "transition never_falls breaks in 3 steps"
    assert row.story[0].startswith("  1. add(client ")
    assert row.story[-3:] == (
        "  this does not hold (x' is the value of x after the step):",
        "    count <= count'",
        "    where count = 2, count' = 0",
    )
    text, itf = (context.directory / file for file in row.files)
    assert text.read_text().splitlines() == list(row.story)
    trace = json.loads(itf.read_text())
    assert (trace["#meta"]["violated"], len(trace["states"])) == ("never_falls", 4)


@pytest.mark.slow
def test_all_that_is_known_to_break_is_found(context: Context) -> None:
    row = only(known(context, "known", COUNTER, "two", "old"))
    assert row.verdict is Verdict.HOLDS
    assert row.note == "within counts 6; never_falls breaks in 3 steps, one_is_raised breaks in 3 steps"
    properties = locked_search(row, "old", "two").properties
    assert properties["one_is_raised"] == properties["never_falls"] == "violated in 3 steps"
    assert properties["never_negative"] == "holds"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "verdict", "note"),
    [
        ("BUG-1", Verdict.HOLDS, "one_is_raised breaks in 1 step in two"),
        ("BUG-2", Verdict.VIOLATED, "invariant one_is_raised breaks in 1 step, and not never_falls"),
        ("BUG-3", Verdict.VIOLATED, "nothing breaks in two: it is not caught"),
        ("BUG-4", Verdict.VIOLATED, "one_is_raised breaks in 1 step in two, declared are 7"),
    ],
)
def test_a_bug_is_caught_only_by_what_it_must_break(context: Context, name: str, verdict: Verdict, note: str) -> None:
    row = only(variation(context, "bug", COUNTER, name))
    assert (row.verdict, row.note) == (verdict, note)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "verdict", "note"),
    [
        ("DIFFERENCE-1", Verdict.HOLDS, "witness one_alone is seen in two, and nothing breaks"),
        ("DIFFERENCE-2", Verdict.HOLDS, "action add_again is seen in two, and nothing breaks"),
        (
            "DIFFERENCE-3",
            Verdict.HOLDS,
            "refusal add_again, StillException: the client has raised it is seen in two, and nothing breaks",
        ),
        ("DIFFERENCE-4", Verdict.VIOLATED, "'witness all_have_raised' is in the system without it"),
        ("DIFFERENCE-5", Verdict.VIOLATED, "'witness nothing' is not seen in two"),
        ("DIFFERENCE-6", Verdict.VIOLATED, "transition never_falls breaks in 3 steps"),
        ("DIFFERENCE-7", Verdict.HOLDS, "other states are seen in two, and nothing breaks"),
        ("DIFFERENCE-8", Verdict.VIOLATED, "'other states' is not seen in two"),
    ],
)
def test_a_difference_shows_what_is_new_and_breaks_nothing(
    context: Context, name: str, verdict: Verdict, note: str
) -> None:
    row = only(variation(context, "difference", OTHERWISE, name))
    assert (row.verdict, row.note) == (verdict, note)


def test_the_lock_keeps_what_a_difference_shows(context: Context) -> None:
    row = only(variation(context, "difference", OTHERWISE, "DIFFERENCE-1"))
    entry = msgspec.convert(row.data["lock"], lock.Lock)["otherwise"].variations["DIFFERENCE-1"]
    assert (entry.breaks, entry.shows, entry.configuration, entry.depth) == ("", "witness one_alone", "two", 1)


def test_a_leads_to_that_holds_is_locked(context: Context) -> None:
    row = only(check(context, "check", f"{endless_recovery.__name__}:RANKED", "two"))
    assert (row.verdict, row.note) == (Verdict.HOLDS, "within recoveries 5")
    assert locked_properties(row) == {"closes": "holds", "nothing_from_the_future": "holds"}


def test_a_leads_to_that_breaks_has_its_lasso_written(context: Context) -> None:
    row = only(check(context, "check", f"{endless_recovery.__name__}:OPEN", "one"))
    assert (row.verdict, row.note) == (Verdict.VIOLATED, "leads-to closes breaks by 1 step and a cycle of 3")
    assert "and again from step 2, with higher numbers" in row.story
    text, itf = (context.directory / file for file in row.files)
    assert text.read_text().splitlines() == list(row.story)
    assert json.loads(itf.read_text())["#meta"]["violated"] == "closes"
    assert locked_properties(row)["closes"] == "violated by a lasso"


def test_a_leads_to_that_is_open_is_no_pass(context: Context) -> None:
    row = only(check(context, "check", f"{endless_recovery.__name__}:CROWDED", "one"))
    assert row.verdict is Verdict.UNDETERMINED
    assert row.note.startswith("closes is undetermined: what happens beyond limit")
    assert locked_properties(row)["closes"] == "undetermined"


def test_a_bug_may_break_a_leads_to(context: Context) -> None:
    row = only(variation(context, "bug", f"{endless_recovery.__name__}:RANKED", "HDFS-11576"))
    assert row.verdict is Verdict.HOLDS
    assert row.note.startswith("closes breaks by 1 step and a cycle of ")
    entry = msgspec.convert(row.data["lock"], lock.Lock)["endless_recovery_ranked"].variations["HDFS-11576"]
    assert (entry.breaks, entry.configuration, entry.depth) == ("closes", "two", 0)


@pytest.mark.slow
def test_proofs_say_what_was_proved(context: Context) -> None:
    row = only(proofs(context, "prove", COUNTER, ["two", "one", "again"]))
    assert row.verdict is Verdict.HOLDS
    assert "never_negative" in row.data["lock"]["counter"]["proved"]
    # Proofs ask for sizes, so that configurations of the same sizes need one proof.
    assert row.note.endswith("each for 2 Client; 1 Client")


@pytest.mark.slow
def test_proofs_ask_for_the_places_of_sequences_too(context: Context) -> None:
    row = only(proofs(context, "prove", f"{small_system.__name__}:QUEUE", ["short", "again", "long"]))
    assert row.verdict is Verdict.HOLDS
    assert row.note.endswith("each for room for 1 places; room for 2 places")


@pytest.mark.slow
def test_a_proof_that_fails_is_told(context: Context) -> None:
    row = only(proofs(context, "prove", WRONG, ["two", "one"]))
    assert row.verdict is Verdict.VIOLATED
    assert row.note == "not proved for 2 Client: never_falls"
    assert any("reset" in line for line in row.story)
    assert "never_falls" not in row.data["lock"]["wrong"]["proved"]


@pytest.mark.slow
def test_a_proof_for_any_size_is_locked(context: Context) -> None:
    row = only(any_size(context, "prove", COUNTER))
    assert row.verdict is Verdict.HOLDS
    assert row.note.endswith("properties, any number of Client")
    assert row.data["lock"]["counter"]["for_any_size"]["never_falls"] == []


@pytest.mark.slow
def test_a_proof_for_any_size_that_fails_is_told(context: Context) -> None:
    row = only(any_size(context, "prove", WRONG))
    assert row.verdict is Verdict.VIOLATED
    assert any("reset" in line for line in row.story)
    assert "never_falls" not in row.data["lock"]["wrong"]["for_any_size"]


@pytest.mark.slow
def test_what_no_proof_can_say_for_any_size_is_skipped(context: Context) -> None:
    row = only(any_size(context, "prove", f"{small_system.__name__}:QUEUE"))
    assert row.verdict is Verdict.SKIPPED
    assert row.note.startswith("not for any size: ")
    assert row.data["lock"]["queue"]["for_any_size"] == {}


COVERAGE: dict[str, Any] = {
    "taken": {"add": 3},
    "refused": {"add, AgainException: once": True},
    "witnessed": {"all": 2},
}
NOTHING: dict[str, Any] = {
    "taken": {"add": 0},
    "refused": {"add, AgainException: once": False},
    "witnessed": {"all": None},
}


def searched(claim: str, coverage: dict[str, Any] | None) -> Row:
    return Row(claim=claim, verdict=Verdict.HOLDS, data={} if coverage is None else {"coverage": coverage})


def test_coverage_is_that_of_all_configurations_together() -> None:
    row = summing.coverage("coverage", [searched("a", NOTHING), searched("b", COVERAGE)], ["a", "b"])
    assert (row.verdict, row.count) == (Verdict.HOLDS, 3)


@pytest.mark.parametrize("kind", ["taken", "refused", "witnessed"])
def test_what_no_configuration_covers_is_named(kind: str) -> None:
    found = COVERAGE | {kind: NOTHING[kind]}
    row = summing.coverage("coverage", [searched("a", NOTHING), searched("b", found)], ["a", "b"])
    assert row.verdict is Verdict.VIOLATED
    assert len(row.story) == 1


def test_coverage_of_searches_that_did_not_end_is_undetermined() -> None:
    row = summing.coverage("coverage", [searched("a", COVERAGE), searched("b", None)], ["a", "b"])
    assert (row.verdict, row.note) == (Verdict.UNDETERMINED, "not searched to the end: b")


def test_coverage_asks_only_configurations_that_count() -> None:
    row = summing.coverage("coverage", [searched("a", NOTHING), searched("other", COVERAGE)], ["a"])
    assert row.verdict is Verdict.VIOLATED


def saying(first_after: int | None, *, always: bool = False, declared: str = "") -> dict[str, Any]:
    """What a search knows of a system with one property, of one part."""
    part = {"where": "held", "first_after": first_after, "steps": None, "always": always}
    claim = {"kind": "invariant", "declared": declared, "parts": [part]}
    return {"properties": {"claim": claim}, "variables": {}, "actions": {}, "labels": {}, "witnesses": {}}


def vacuity(*found: dict[str, Any] | None) -> Row:
    rows = [
        Row(claim=str(i), verdict=Verdict.HOLDS, data={} if one is None else {"vacuity": one})
        for i, one in enumerate(found)
    ]
    return summing.vacuity("vacuity", rows, [row.claim for row in rows])


def test_a_property_needs_one_configuration_in_which_it_could_fail() -> None:
    for row in (vacuity(saying(None), saying(3)), vacuity(saying(3), saying(None))):
        assert (row.verdict, row.looked_at) == (Verdict.HOLDS, "1 parts of properties")


def test_a_property_that_could_fail_nowhere_is_named() -> None:
    row = vacuity(saying(None), saying(None))
    assert (row.verdict, row.story) == (Verdict.VIOLATED, ("invariant claim is vacuous: no reached state has held",))


def test_a_property_that_no_value_breaks_is_named() -> None:
    [line] = vacuity(saying(0, always=True)).story
    assert line == "invariant claim is vacuous: no value of its variables could break it"
    assert vacuity(saying(0, always=True), saying(0)).verdict is Verdict.HOLDS


def test_a_vacuous_property_may_be_declared_and_the_declaration_must_be_true() -> None:
    row = vacuity(saying(None, declared="it is never held"))
    assert (row.verdict, "claim: it is never held" in row.note) == (Verdict.HOLDS, True)
    assert vacuity(saying(3, declared="it is never held")).verdict is Verdict.VIOLATED


def test_vacuity_of_searches_that_did_not_end_is_undetermined() -> None:
    assert vacuity(saying(3), None).verdict is Verdict.UNDETERMINED
    assert vacuity().verdict is Verdict.UNDETERMINED


@pytest.mark.slow
def test_a_search_gives_what_it_knows_of_vacuity(context: Context) -> None:
    rows = [only(check(context, f"check {name}", COUNTER, name)) for name in ("two", "one")]
    row = summing.vacuity("vacuity counter", rows, [row.claim for row in rows])
    assert row.verdict is Verdict.VIOLATED
    assert row.story == ("invariant never_negative is vacuous: no value of its variables could break it",)


ENTRY = lock.VariationEntry(breaks="one_lease", configuration="small", depth=3, distinct=9, digest="00")


def bug_row(claim: str, entry: lock.VariationEntry | None) -> Row:
    found = (
        {} if entry is None else {"lock": msgspec.to_builtins({"leases": lock.SystemEntry(variations={claim: entry})})}
    )
    return Row(claim=claim, verdict=Verdict.HOLDS, data=found)


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        (ENTRY, ENTRY, Verdict.HOLDS),
        (msgspec.structs.replace(ENTRY, depth=4), ENTRY, Verdict.VIOLATED),
        (ENTRY, None, Verdict.UNDETERMINED),
        (msgspec.structs.replace(ENTRY, depth=4), None, Verdict.VIOLATED),
    ],
)
def test_what_was_found_is_compared_with_the_lock(
    tmp_path: Path, first: lock.VariationEntry, second: lock.VariationEntry | None, verdict: Verdict
) -> None:
    path = tmp_path / "spec.lock"
    lock.write(path, summing.found_in([bug_row("a", ENTRY), bug_row("b", ENTRY)]))
    row = summing.locked("lock", [bug_row("a", first), bug_row("b", second)], ["a", "b"], path, {})
    assert row.verdict is verdict
    assert row.story == (("leases, a: depth: 3 in the lock, 4 found",) if verdict is Verdict.VIOLATED else ())


def test_what_was_left_out_is_not_missed(tmp_path: Path) -> None:
    path = tmp_path / "spec.lock"
    search = lock.SearchEntry(sizes={}, limits={}, distinct=1, generated=1, depth=0, cut={}, properties={})
    semantics = {"good": lock.SemanticsEntry(digest="00", searches={"large": search})}
    lock.write(path, {"leases": lock.SystemEntry(semantics=semantics)})
    found = {"leases": lock.SystemEntry(semantics={"good": lock.SemanticsEntry(digest="00")})}
    rows = [Row(claim="a", verdict=Verdict.HOLDS, data={"lock": msgspec.to_builtins(found)})]
    assert summing.locked("lock", rows, ["a"], path, {"leases": [("good", "large")]}).verdict is Verdict.HOLDS
    assert summing.locked("lock", rows, ["a"], path, {}).verdict is Verdict.VIOLATED


def test_without_a_lock_nothing_holds(tmp_path: Path) -> None:
    row = summing.locked("lock", [bug_row("a", ENTRY)], ["a"], tmp_path / "spec.lock", {})
    assert row.verdict is Verdict.FAILURE


def claims(plan: Plan) -> list[str]:
    return [claim for job in plan.jobs for claim in job.claims]


def test_everything_declared_is_planned(tmp_path: Path) -> None:
    plan = searches(tmp_path / summing.LOCK, systems=[COUNTER])
    assert claims(plan) == [
        "check counter:two",
        "known counter:two old",
        "check counter:one",
        "bug counter BUG-1",
        "bug counter BUG-2",
        "bug counter BUG-3",
        "bug counter BUG-4",
        "hole counter resets",
        "prove counter",
    ]
    assert [row.claim for row in plan.rows([])] == ["coverage counter", "vacuity counter", "lock spec.lock"]


def lock_states(repository: Path, two: int, one: int) -> None:
    """Write a lock in which both versions of the counter have so many states."""

    def search(states: int) -> lock.SearchEntry:
        return lock.SearchEntry(sizes={}, limits={}, distinct=states, generated=0, depth=0, cut={}, properties={})

    searched = {"two": search(two), "one": search(one)}
    semantics = {name: lock.SemanticsEntry(digest="", searches=searched) for name in ("good", "old")}
    (repository / "spec").mkdir()
    lock.write(repository / "spec" / "spec.lock", {"counter": lock.SystemEntry(semantics=semantics)})


def test_large_searches_begin_first(tmp_path: Path) -> None:
    lock_states(tmp_path, two=6_000_000, one=3_000_000)
    seconds = {job.name: job.seconds for job in searches(tmp_path / summing.LOCK, systems=[COUNTER]).jobs}
    names = ("known_counter_two_old", "check_counter_two", "check_counter_one", "prove_counter")
    assert sorted(names, key=lambda name: -seconds[name]) == list(names)


def test_what_is_on_demand_is_planned_on_demand(tmp_path: Path) -> None:
    assert not any("again" in claim for claim in claims(whole(tmp_path, systems=[COUNTER])))
    assert "check counter:again" in claims(whole(tmp_path, on_demand=True, systems=[COUNTER]))


def test_what_is_locked_for_any_size_is_proved_every_time(tmp_path: Path) -> None:
    claim = "prove counter for any size"
    assert claim not in claims(searches(tmp_path / summing.LOCK, systems=[COUNTER]))
    assert claim in claims(searches(tmp_path / summing.LOCK, on_demand=True, systems=[COUNTER]))
    (tmp_path / "spec").mkdir()
    entry = lock.SystemEntry(for_any_size={"never_negative": []})
    lock.write(tmp_path / "spec" / "spec.lock", {"counter": entry})
    assert claim in claims(searches(tmp_path / summing.LOCK, systems=[COUNTER]))


def test_what_a_proof_for_any_size_implies_is_proved_in_one_size(tmp_path: Path) -> None:
    (tmp_path / "spec").mkdir()
    for proved, configurations in (("one",), ["two"]), (("one", "other"), ["two", "one"]):
        entry = lock.SystemEntry(proved={name: [] for name in proved}, for_any_size={"one": []})
        lock.write(tmp_path / "spec" / "spec.lock", {"counter": entry})
        (job,) = (
            job for job in searches(tmp_path / summing.LOCK, systems=[COUNTER]).jobs if job.name == "prove_counter"
        )
        assert job.arguments["configurations"] == configurations


def test_a_large_search_of_a_released_version_is_planned_on_demand(tmp_path: Path) -> None:
    lock_states(tmp_path, two=6_000_001, one=3)
    every_time = claims(searches(tmp_path / summing.LOCK, systems=[COUNTER]))
    assert "check counter:two" in every_time
    assert "known counter:two old" not in every_time
    assert "known counter:two old" in claims(searches(tmp_path / summing.LOCK, on_demand=True, systems=[COUNTER]))


def test_two_systems_have_jobs_of_their_own(tmp_path: Path) -> None:
    plan = whole(tmp_path, systems=[COUNTER, UNTRUE])
    names = [job.name for job in plan.jobs]
    assert len(set(names)) == len(names)
    assert len(set(claims(plan))) == len(claims(plan))


def test_a_system_that_cannot_be_loaded_is_a_row(tmp_path: Path) -> None:
    plan = whole(tmp_path, systems=["nowhere:AT_ALL"])
    (row,) = plan.failed
    assert (row.claim, row.verdict) == ("load nowhere:AT_ALL", Verdict.FAILURE)
    assert "nowhere" in row.note
    assert "diagrams lifecycles, bugs" in claims(plan)


def test_every_system_of_the_command_line_is_verified() -> None:
    assert [system_at(place) for place in PLACES.values()] == list(every_system())
    assert [system.name for system in every_system()] == list(PLACES)
    assert [place_of(system.name) for system in every_system()] == list(PLACES.values())
