"""The fast path, with tables and compiled code, answers as the oracle does, with running machines."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conformance.logs.oracle import Judgment, judge

from genstamp.events import KINDS, Kind
from genstamp.logs.automaton import Automaton, automaton
from genstamp.logs.kernel import MISSING, run
from genstamp.logs.registers import Registers, Values
from genstamp.logs.sources.declared import unseen_steps
from genstamp.logs.unseen import all_steps

_NUMBERS = st.none() | st.integers(min_value=1001, max_value=1004)
_VALUES = st.builds(Values, _NUMBERS, _NUMBERS, _NUMBERS)

_LOGS = ["hdfs-namenode-log", "hdfs-datanode-log"]

_UNSEEN: Mapping[str, Callable[[Kind], frozenset[str]]] = {
    "any line may be missing": all_steps,
    "nothing goes unseen": lambda _: frozenset[str](),
    "a whole edit log": lambda kind: unseen_steps(kind, ["hdfs-edits"], ["hdfs-edits"]),
    "whole logs of namenode and datanodes": lambda kind: unseen_steps(kind, _LOGS, _LOGS),
}


def _columns(histories: list[list[tuple[int, Values]]]) -> tuple[Any, Any, list[Any]]:
    """Histories as the arrays that the fast path takes."""
    events = [event for history in histories for event in history]
    columns = [
        np.array([MISSING if values[column] is None else values[column] for _, values in events], np.int64)
        for column in range(3)
    ]
    return np.cumsum([0, *map(len, histories)]), np.array([rule for rule, _ in events], np.int32), columns


def _fast(of: Automaton, histories: list[list[tuple[int, Values]]]) -> list[Judgment]:
    """What the fast path says of each history, in the oracle's words."""
    tables = of.tables()
    starts, rules, columns = _columns(histories)
    runs = run(tables, starts, rules, *columns)
    judgments = []
    for entity, start in enumerate(starts[:-1]):
        shown = tables.sets[runs.shown[entity]]
        over, going_on = shown & of.graph.ends, shown & ~of.graph.ends
        if runs.rejected_at[entity] >= 0:
            judgments.append(Judgment("violated", "unknown", int(runs.rejected_at[entity] - start)))
        elif not runs.began[entity] or (over and going_on):
            judgments.append(Judgment("conformant", "unknown", None))
        else:
            judgments.append(Judgment("conformant", "complete" if over else "unfinished", None))
    return judgments


@st.composite
def _histories(draw: st.DrawFn, of: Automaton) -> list[tuple[int, Values]]:
    """Events of which most are accepted: each is drawn among those that are possible after those before."""
    possible, registers = of.start, Registers()
    history: list[tuple[int, Values]] = []
    for _ in range(draw(st.integers(0, 7))):
        values = draw(_VALUES)
        letter = registers.letter(values)
        accepted = [n for n, rule in enumerate(of.rules) if of.possible(possible, rule, of.needs(rule, letter))]
        anything = draw(st.integers(0, 9)) == 0 or not accepted
        number = draw(st.integers(0, len(of.rules) - 1) if anything else st.sampled_from(accepted))
        history.append((number, values))
        rule = of.rules[number]
        possible = of.possible(possible, rule, of.needs(rule, letter))
        registers = registers.after(rule, values)
        if not possible:
            break
    return history


@pytest.mark.slow
@pytest.mark.parametrize(
    ("unseen", "begins_later"), [*((unseen, False) for unseen in _UNSEEN), ("a whole edit log", True)]
)
@pytest.mark.parametrize("kind", KINDS)
def test_fast_path_answers_as_the_oracle(kind: Kind, unseen: str, begins_later: bool) -> None:
    steps = _UNSEEN[unseen](kind)
    of = automaton(kind, steps, begins_later)

    @settings(max_examples=60)
    @given(st.lists(_histories(of), min_size=1, max_size=4))
    def answers_alike(histories: list[list[tuple[int, Values]]]) -> None:
        assert [judge(kind, steps, history, begins_later) for history in histories] == _fast(of, histories)

    answers_alike()


@pytest.mark.slow
def test_registers_end_as_they_do_one_event_at_a_time() -> None:
    of = automaton("replica", all_steps("replica"))

    @settings(max_examples=60)
    @given(_histories(of))
    def end_alike(history: list[tuple[int, Values]]) -> None:
        judgment = judge("replica", all_steps("replica"), history)
        registers = Registers()
        for number, values in history[: judgment.rejected_at]:
            registers = registers.after(of.rules[number], values)
        starts, rules, columns = _columns([history])
        runs = run(of.tables(), starts, rules, *columns)
        known = [int(held) if runs.known[0] >> bit & 1 else None for bit, held in enumerate(runs.held[0])]
        loose = sum(1 << bit for bit in range(3) if registers.loose >> bit & 1 and known[bit] is not None)
        assert tuple(known) == registers.held
        assert sum(1 << bit for bit in range(3) if runs.loose[0] >> bit & 1 and known[bit] is not None) == loose

    end_alike()


def _granting(of: Automaton) -> int:
    """The rule of an event whose stamp has to be above all before."""
    return next(n for n, rule in enumerate(of.rules) if rule.event == "set_generation_stamp" and not rule.when)


def test_first_rejected_event_is_the_one_that_is_told() -> None:
    of = automaton("node", frozenset())
    stamps = [(_granting(of), Values(stamp)) for stamp in (5, 4, 6, 1)]
    assert [judgment.rejected_at for judgment in _fast(of, [stamps])] == [1]


def test_entities_do_not_disturb_each_other() -> None:
    of = automaton("block", all_steps("block"))
    number = next(n for n, rule in enumerate(of.rules) if rule.event == "add_block" and not rule.role and not rule.when)
    once, twice = [(number, Values(1001))], [(number, Values(1001)), (number, Values(1002))]
    assert [judgment.rejected_at for judgment in _fast(of, [once, twice, once])] == [None, 1, None]


def test_number_as_large_as_a_column_holds_is_compared() -> None:
    of = automaton("node", frozenset())
    rises = [(_granting(of), Values(stamp)) for stamp in (2**63 - 2, 2**63 - 1)]
    assert [judgment.rejected_at for judgment in _fast(of, [rises, rises[::-1]])] == [None, 1]
