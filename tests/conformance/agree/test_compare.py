"""What two checkers found, held against each other; the verb that tells it; the lock that keeps it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from msgspec import structs
from tests.conformance.verify import small_system
from tests.model.systems.endless_recovery import RANKED
from typer.testing import CliRunner

from genstamp import lock as locks
from genstamp import systems
from genstamp.agree.compare import Outcome, compared
from genstamp.agree.ours import found_here
from genstamp.agree.peer import RANGES, Found, Peer, Verdict, digest
from genstamp.agree.run import PEERS, agreement
from genstamp.cli import agree as verb
from genstamp.cli.export import Language, exported
from genstamp.cli.verbs import app
from genstamp.errors import LockError
from genstamp.verify import agreeing, plan
from genstamp.verify import jobs as makers
from genstamp.verify import row as rows
from genstamp_model.language import Instance
from genstamp_spec.hdfs.systems.recovery import RECOVERY

AGREE = "genstamp.verify.agreeing:agree"
COUNTER = f"{small_system.__name__}:COUNTER"
HERE = Found(6, 3, 20, {RANGES: Verdict.HOLDS, "safe": Verdict.HOLDS, "shown": Verdict.SEEN}, 0.1)


@dataclass(frozen=True)
class Pretended:
    """A peer that says what it was told to say; by default, what our search says."""

    name: str = "echo"
    says: Found | None = None
    is_here: bool = True

    def version(self) -> str | None:
        return "Echo 1" if self.is_here else None

    def text(self, instance: Instance) -> str:
        return instance.model.digest

    def run(self, instance: Instance, directory: Path, limit_s: float) -> Found:
        assert directory.is_dir()
        assert limit_s > 0
        return self.says or found_here(instance)


def outcome(theirs: Found, ours: Found = HERE) -> tuple[Outcome, tuple[str, ...]]:
    comparison = compared("echo", "Echo 1", ours, theirs)
    return comparison.outcome, comparison.differences


def test_what_both_know_must_be_the_same() -> None:
    assert outcome(HERE) == (Outcome.AGREE, ())
    assert outcome(replace(HERE, distinct=7)) == (Outcome.DISAGREE, ("distinct states: 6 here, 7 by echo",))
    assert outcome(replace(HERE, depth=4)) == (Outcome.DISAGREE, ("depth: 3 here, 4 by echo",))
    wrong = replace(HERE, verdicts={**HERE.verdicts, "shown": Verdict.NOT_SEEN})
    assert outcome(wrong) == (Outcome.DISAGREE, ("shown: seen here, not seen by echo",))


def test_generated_states_are_never_compared() -> None:
    assert outcome(replace(HERE, generated=1)) == (Outcome.AGREE, ())


def test_what_a_peer_does_not_judge_is_told_but_no_difference() -> None:
    comparison = compared("echo", "Echo 1", HERE, replace(HERE, depth=None, verdicts={RANGES: Verdict.HOLDS}))
    assert comparison.outcome is Outcome.AGREE
    assert comparison.unknown == ("safe", "shown")
    assert comparison.compared == ("distinct states", RANGES)


def test_a_search_that_did_not_end_is_undetermined_unless_it_differs() -> None:
    unfinished = replace(HERE, distinct=None, depth=None, undetermined="too slow", verdicts={})
    comparison = compared("echo", "Echo 1", HERE, unfinished)
    assert (comparison.outcome, comparison.reason) == (Outcome.UNDETERMINED, "too slow")
    assert outcome(replace(unfinished, verdicts={"safe": Verdict.VIOLATED}))[0] is Outcome.DISAGREE


def test_a_property_that_a_peer_gives_up_is_no_agreement() -> None:
    given_up = replace(HERE, verdicts={**HERE.verdicts, "safe": Verdict.UNDETERMINED})
    comparison = compared("echo", "Echo 1", HERE, given_up)
    assert (comparison.outcome, comparison.reason) == (Outcome.UNDETERMINED, "echo gave up safe")
    # Where limits leave it open here, the peer has done what it can.
    assert outcome(HERE, given_up)[0] is Outcome.AGREE


def test_a_number_out_of_range_ends_every_search_alike() -> None:
    out = Found(None, None, None, {RANGES: Verdict.VIOLATED, "safe": Verdict.UNDETERMINED}, 0.1, "a number")
    assert outcome(out, out) == (Outcome.AGREE, ())
    assert outcome(HERE, out)[0] is Outcome.DISAGREE


def test_an_absent_peer_leaves_the_agreement_undetermined() -> None:
    result = agreement(small_system.COUNTER.instance("two"), [Pretended(), Pretended("other", is_here=False)])
    assert [comparison.outcome for comparison in result.comparisons] == [Outcome.AGREE, Outcome.ABSENT]
    assert result.outcome is Outcome.UNDETERMINED


def test_nobody_is_asked_about_what_is_too_large_here() -> None:
    result = agreement(small_system.COUNTER.instance("two"), [Pretended(says=HERE)], max_states=2)
    [comparison] = result.comparisons
    assert (comparison.outcome, comparison.compared) == (Outcome.UNDETERMINED, ())


def test_what_limits_leave_open_is_settled_by_rank_where_it_holds() -> None:
    """Numbers that rise for ever break it beyond all limits, where no peer looks: that is not known here."""
    assert found_here(RANKED.instance("one")).verdicts["closes"] is Verdict.HOLDS
    broken = found_here(RANKED.instance("two", bugs=["HDFS-11576"]))
    assert broken.verdicts["closes"] is Verdict.UNDETERMINED
    assert broken.verdicts["nothing_from_the_future"] is Verdict.HOLDS


@dataclass(frozen=True)
class Listening(Pretended):
    """A peer that keeps the names of what it was asked."""

    heard: list[str] = field(default_factory=list)

    def run(self, instance: Instance, directory: Path, limit_s: float) -> Found:
        self.heard.extend(claim.name for claim in instance.model.properties)
        return super().run(instance, directory, limit_s)


@pytest.mark.parametrize(("bugs", "heard"), [([], ["closes"]), (["HDFS-11576"], [])])
def test_nobody_is_asked_what_is_not_known_here(bugs: list[str], heard: list[str]) -> None:
    peer = Listening()
    result = agreement(RANKED.instance("two", bugs=bugs), [peer])
    assert sorted(peer.heard) == [*heard, "nothing_from_the_future"]
    assert result.outcome is Outcome.AGREE
    assert ("closes" in result.comparisons[0].unknown) == (not heard)


# The verb.


def ask(monkeypatch: pytest.MonkeyPatch, peers: Sequence[Peer], *arguments: str) -> tuple[int, str]:
    monkeypatch.setattr(verb, "PEERS", tuple(peers))
    result = CliRunner().invoke(app, ["agree", "hdfs.recovery:takeover", *arguments])
    return result.exit_code, result.stdout


@pytest.fixture
def searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What our search says is pretended, so that a test is quick."""
    monkeypatch.setattr("genstamp.agree.run.found_here", lambda instance, max_states: HERE)


@pytest.mark.usefixtures("searched_once")
def test_exit_codes_tell_disagreement_from_not_knowing(monkeypatch: pytest.MonkeyPatch) -> None:
    same, other = Pretended("same", HERE), Pretended("other", replace(HERE, distinct=7))
    absent = Pretended("gone", is_here=False)
    assert ask(monkeypatch, [same])[0] == 0
    assert ask(monkeypatch, [same, absent])[0] == 3
    assert ask(monkeypatch, [same, absent, other])[0] == 12
    assert ask(monkeypatch, [same, absent], "--peer", "same")[0] == 0
    assert ask(monkeypatch, [same], "--peer", "nobody")[0] == 2


@pytest.mark.usefixtures("searched_once")
def test_both_values_of_a_difference_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    other, absent = Pretended("other", replace(HERE, distinct=7)), Pretended("gone", is_here=False)
    _, told = ask(monkeypatch, [other, absent])
    assert told.splitlines() == [
        "hdfs.recovery:takeover (repaired): disagree",
        "  here  6 distinct states, depth 3, 0.1 s",
        "  other 7 distinct states, depth 3, 0.1 s; disagree in 1 of 5 answers (Echo 1)",
        "    differs: distinct states: 6 here, 7 by other",
        "  gone  absent",
    ]
    _, plain = ask(monkeypatch, [other, absent], "--format", "json")
    [result] = json.loads(plain)
    assert result["peers"]["other"]["differences"] == ["distinct states: 6 here, 7 by other"]
    assert result["peers"]["gone"]["outcome"] == "absent"
    _, xml = ask(monkeypatch, [other, absent], "--format", "junit")
    suite = ElementTree.fromstring(xml.encode())
    assert [(case.get("classname"), [part.tag for part in case]) for case in suite] == [
        ("genstamp.agree.other", ["failure"]),
        ("genstamp.agree.gone", ["error"]),
    ]


@pytest.mark.slow
def test_exports_are_named_after_the_system() -> None:
    instance = RECOVERY.instance("takeover")
    assert list(exported(Language.TLA, instance)) == ["hdfs_recovery.tla", "hdfs_recovery.cfg"]
    assert list(exported(Language.PROMELA, instance)) == ["hdfs_recovery.pml"]


# What is kept, and what is asked every time.


def locked(digest: str, distinct: int = 6) -> locks.Lock:
    search = locks.SearchEntry(sizes={}, limits={}, distinct=distinct, generated=9, depth=3, cut={}, properties={})
    entry = locks.SemanticsEntry(digest=digest, searches={"takeover": search})
    return {"hdfs.recovery": locks.SystemEntry(semantics={"repaired": entry})}


@pytest.mark.usefixtures("searched_once")
def test_agreement_is_kept_until_the_model_changes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "spec").mkdir()
    path = tmp_path / "spec" / "spec.lock"
    before = locked(RECOVERY.model().digest)
    locks.write(path, before)
    assert ask(monkeypatch, [Pretended("same", HERE)], "--keep", "--repository", str(tmp_path))[0] == 0
    after = locks.read(path)
    assert after["hdfs.recovery"].semantics["repaired"].agreed["takeover"].peers == {"same": "Echo 1"}
    assert set(after["hdfs.recovery"].semantics["repaired"].agreed["takeover"].texts) == {"same"}
    # The same model found again carries it on; another model, or another count, does not.
    assert locks.differences(after, locks.carrying(before, after)) == []
    for changed in (locked("another"), locked(RECOVERY.model().digest, 7)):
        lines = locks.differences(after, locks.carrying(changed, after))
        assert any("agreement in" in line and line.endswith("nothing found") for line in lines)


@pytest.mark.usefixtures("searched_once")
def test_limits_other_than_the_configurations_are_kept_with_what_is_found_under_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "spec").mkdir()
    path = tmp_path / "spec" / "spec.lock"
    before = locked(RECOVERY.model().digest, 99)
    locks.write(path, before)
    asked = ["--keep", "--limit", "stamps=2", "--repository", str(tmp_path)]
    assert ask(monkeypatch, [Pretended("same", HERE)], *asked)[0] == 0
    after = locks.read(path)
    agreed = after["hdfs.recovery"].semantics["repaired"].agreed["takeover"]
    assert (agreed.limits, agreed.distinct) == ({"stamps": 2}, HERE.distinct)
    assert RECOVERY.configuration("takeover").limits["stamps"] != 2
    # What is found in the configuration itself says nothing of it; another model does.
    assert locks.differences(after, locks.carrying(before, after)) == []
    assert locks.differences(after, locks.carrying(locked("another", 99), after))


@pytest.mark.usefixtures("searched_once")
def test_what_disagrees_or_is_about_another_model_is_not_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "spec").mkdir()
    path = tmp_path / "spec" / "spec.lock"
    locks.write(path, locked("another"))
    other = Pretended("other", replace(HERE, distinct=7))
    assert ask(monkeypatch, [other], "--keep", "--repository", str(tmp_path))[0] == 12
    assert locks.read(path) == locked("another")
    monkeypatch.setattr(verb, "PEERS", (Pretended("same", HERE),))
    result = CliRunner().invoke(app, ["agree", "hdfs.recovery:takeover", "--keep", "--repository", str(tmp_path)])
    assert isinstance(result.exception, LockError)


def test_every_peer_is_asked_about_the_smallest_configuration() -> None:
    assert set(makers.PEERS) == {peer.name for peer in PEERS}
    entry = locked("")["hdfs.recovery"].semantics["repaired"]
    [found] = entry.searches.values()
    names = {"outages": 5, "restarts": 3, "two_clients": 1, "gone": 0}
    searches = {name: structs.replace(found, distinct=states) for name, states in names.items()}
    known = {"hdfs.recovery": locks.SystemEntry(semantics={"repaired": structs.replace(entry, searches=searches)})}
    # One is on demand, and one is a configuration no longer.
    job = makers.agreement(systems.place_of("hdfs.recovery"), RECOVERY, known)
    assert job.claims == ("agree hdfs.recovery:restarts tlc", "agree hdfs.recovery:restarts spin")
    assert makers.smallest(RECOVERY, {}) == RECOVERY.configuration().name


@pytest.mark.parametrize("on_demand", [True, False])
def test_every_system_is_asked_about(on_demand: bool, tmp_path: Path) -> None:
    """A lock that cannot be read has a row of its own; the plan goes on without, and takes nothing as recorded."""
    jobs = [job for job in plan.whole(tmp_path, on_demand=on_demand).jobs if job.does == AGREE]
    assert [job.arguments["system"] for job in jobs] == list(systems.PLACES.values())
    assert all(job.arguments["recorded"] is None for job in jobs)


def test_what_is_recorded_is_not_asked_again_but_of_a_few_systems_and_on_demand(repository: Path) -> None:
    jobs = [job for job in plan.whole(repository).jobs if job.does == AGREE]
    asked = {systems.system_at(job.arguments["system"]).name for job in jobs if job.arguments["recorded"] is None}
    assert asked == plan.ASKED_EVERY_TIME
    jobs = [job for job in plan.whole(repository, on_demand=True).jobs if job.does == AGREE]
    assert all(job.arguments["recorded"] is None for job in jobs)


def test_text_is_the_same_where_only_lines_that_its_comments_name_have_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    instance, peer = small_system.COUNTER.instance("two"), Pretended()

    def of(text: str) -> str:
        monkeypatch.setattr(Pretended, "text", lambda self, instance: text)
        return digest(peer, instance)

    assert of("Add == n + 1  \\* parts.py:7, an outcome") == of("Add == n + 1  \\* more_parts.py:812, an outcome")
    assert of("Add == n + 1  \\* parts.py:7") != of("Add == n + 2  \\* parts.py:7")


def test_only_the_same_answer_to_the_same_text_is_taken_as_recorded() -> None:
    instance, wrong = small_system.COUNTER.instance("two"), Pretended(says=replace(HERE, distinct=1))
    model = instance.model.digest
    texts = {"echo": digest(wrong, instance)}
    said = locks.AgreedEntry(digest=model, distinct=7, peers={"echo": "Echo 1"}, texts=texts)
    [row] = agreeing.rows({"agree": wrong}, COUNTER, "two", 1.0, said)
    assert (row.verdict, row.count) == (rows.Verdict.HOLDS, 7)
    assert row.note == "Echo 1, recorded: it was given the same text; not run here"
    changes: list[dict[str, object]] = [
        {"digest": "another"},
        {"texts": {}},
        {"texts": {"echo": "another"}},
        {"peers": {}},
        {"limits": {"counts": 3}},
    ]
    for change in changes:
        [row] = agreeing.rows({"agree": wrong}, COUNTER, "two", 1.0, structs.replace(said, **change))
        assert row.verdict is rows.Verdict.VIOLATED, change


@pytest.mark.parametrize(
    ("peer", "verdict"),
    [
        (Pretended(), rows.Verdict.HOLDS),
        (Pretended(says=replace(HERE, distinct=1)), rows.Verdict.VIOLATED),
        (Pretended(says=Found(None, None, None, {}, 0.0, "too slow")), rows.Verdict.UNDETERMINED),
        (Pretended(is_here=False), rows.Verdict.SKIPPED),
    ],
)
def test_rows_of_a_verification(peer: Pretended, verdict: rows.Verdict, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(agreeing.REQUIRED, raising=False)
    [row] = agreeing.rows({"agree": peer}, COUNTER, "two", 1.0)
    assert row.verdict is verdict
    assert row.note


def test_where_peers_are_required_absence_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(agreeing.REQUIRED, "1")
    [row] = agreeing.rows({"agree": Pretended(is_here=False)}, COUNTER, "two", 1.0)
    assert row.verdict is rows.Verdict.FAILURE
