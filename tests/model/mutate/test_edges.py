"""A step moves an entity along an edge of its lifecycle, and takes each edge that it took."""

import pytest
from statemachine import State, StateMachine

from genstamp_model.language import Configuration, Index, Part, System, action, lifecycle, per
from genstamp_model.mutate import baseline, judge, mutants
from genstamp_model.mutate.edges import edges, off_edges


class LetterLifecycle(StateMachine):
    """A letter is written, sent and read; it may be torn up before it is read."""

    blank = State("blank", initial=True)
    written = State("written")
    sent = State("sent")
    gone = State("gone", final=True)

    write = blank.to(written)
    send = written.to(sent)
    tear_up = gone.from_(written, sent)


class Letter(Index):
    """One of some letters."""


class Desk(Part):
    """What becomes of letters."""

    letter = per(Letter, lifecycle(LetterLifecycle))

    @action
    def write(s, letter: Letter) -> None:
        """A blank one."""
        s.letter[letter].fire(LetterLifecycle.write)

    @action
    def send(s, letter: Letter) -> None:
        """One that is written."""
        s.letter[letter].fire(LetterLifecycle.send)

    @action
    def tear_up(s, letter: Letter) -> None:
        """Whether it is sent or not."""
        s.letter[letter].fire(LetterLifecycle.tear_up)


DESK = System("desk", parts=[Desk], configurations=[Configuration("one", sizes={"Letter": 1})])


def test_there_is_a_witness_for_each_edge_and_one_for_all_that_are_none() -> None:
    names = [one.name for one in edges(DESK.model(), "send")]
    assert sorted(names) == [
        "send moves letter: blank to written",
        "send moves letter: sent to gone",
        "send moves letter: written to gone",
        "send moves letter: written to sent",
    ]
    assert [one.name for one in off_edges(DESK.model(), "send")] == ["send moves letter as its lifecycle does not"]


@pytest.mark.parametrize(
    ("change", "judge_", "seen"),
    [
        (
            "tear_up: check 'letter[letter] is sent or written to tear_up': written becomes sent",
            "effects",
            "one: no more: tear_up moves letter: written to gone",
        ),
        (
            "send: check 'letter[letter] is written to send': dropped",
            "effects",
            "one: send leaves everything as it is",
        ),
        (
            "tear_up: effect on letter: gone becomes blank",
            "lifecycles",
            "one: tear_up moves letter as its lifecycle does not",
        ),
    ],
)
def test_a_mutant_that_leaves_the_lifecycle_is_noticed(change: str, judge_: str, seen: str) -> None:
    model = DESK.model()
    found = [one for one in mutants(model) if str(one).startswith(change)]
    assert found, [str(one) for one in mutants(model)]
    assert judge(found[0], baseline(model, DESK.configurations), every=True).noticed[judge_] == seen
