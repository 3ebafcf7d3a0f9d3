"""The fast path once more, as one expression of Spark SQL: `aggregate()` over the events of each key.

Takes the automata's tables as numbers and says anew, in SQL, what is done with them: how values compare with registers,
what a register holds afterwards, when an event is rejected. For logs of which any line may be missing, and namespaces
that nobody had to separate.
"""

import json
from functools import reduce

from pyspark.sql import DataFrame, functions

from genstamp.events import KINDS, Kind
from genstamp.logs.automaton import LETTERS, automaton
from genstamp.logs.sources.declared import unseen_steps

_BEGINNING = (
    "named_struct('states', 0, 'rejected', false, 'unruled', 0, 'r0', cast(null as bigint), 'r1', cast(null as bigint),"
    " 'r2', cast(null as bigint), 'l0', false, 'l1', false, 'l2', false)"
)
_VALUES = ("generation_stamp", "recovery_id", "num_bytes")
_COMPARED = ((0, 0), (1, 0), (1, 1), (2, 2))
"""Value and register."""


def sql_verdicts(concerns: DataFrame) -> DataFrame:
    """For each key of a table of concerns whether the order given is accepted.

    Args:
        concerns: with the columns of `tables.CONCERNS`.

    Returns:
        `namespace`, `kind`, `entity`, `safety`: "conformant", "violated" where the fast path
        rejects, or "undetermined".
    """
    event = ", ".join(("unit", "sequence", "rule", *_VALUES))
    keys = concerns.groupBy("namespace", "kind", "entity")
    grouped = keys.agg(functions.expr(f"array_sort(collect_list(struct({event})))").alias("events"))
    return reduce(lambda one, other: one.unionByName(other), (_of_kind(grouped, kind) for kind in KINDS))


def _of_kind(grouped: DataFrame, kind: Kind) -> DataFrame:
    of = automaton(kind, unseen_steps(kind, (), ()))
    tables = of.tables()
    action, possible = _array(tables.action.ravel().tolist()), _array(tables.possible.ravel().tolist())
    assigns = _array(tables.assigns.ravel().tolist())
    late = _array(tables.late.astype(int).tolist())
    letter = " + ".join(f"{4**place} * {_order(value, register)}" for place, (value, register) in enumerate(_COMPARED))
    act = f"{action}[e.rule * {LETTERS} + {letter}]"
    after = f"{possible}[s.states * {tables.possible.shape[1]} + {act}]"
    is_late = f"({late}[e.rule] = 1 and {_order(1, 0)} = 1)"
    held = [f"'r{register}', if({is_late}, s.r{register}, {_held(register, assigns)})" for register in range(3)]
    loose = [f"'l{register}', if({is_late}, s.l{register}, {_loose(register, assigns)})" for register in range(3)]
    step = (
        "case when s.rejected then s"
        f" when e.rule < 0 then {_with('s.states', 'false', 's.unruled + 1')}"
        f" else transform(array({after}), a -> if(a < 0, {_with('s.states', 'true', 's.unruled')},"
        f" named_struct('states', a, 'rejected', false, 'unruled', s.unruled, {', '.join([*held, *loose])})))[0] end"
    )
    end = "case when s.rejected then 'violated' when s.unruled > 0 then 'undetermined' else 'conformant' end"
    verdict = f"aggregate(events, {_BEGINNING}, (s, e) -> {step}, s -> {end}) as safety"
    return grouped.where(f"kind = '{kind}'").selectExpr("namespace", "kind", "entity", verdict)


def _array(numbers: list[int]) -> str:
    return f"from_json('{json.dumps(numbers)}', 'array<int>')"


def _order(value: int, register: int) -> str:
    """0 unknown, 1 lower, 2 equal, 3 higher."""
    given, held = f"e.{_VALUES[value]}", f"s.r{register}"
    return (
        f"(case when {given} is null or {held} is null then 0 when {given} < {held} then 1"
        f" when s.l{register} then 0 when {given} = {held} then 2 else 3 end)"
    )


def _held(register: int, assigns: str) -> str:
    """What a register holds after an event, by the numbers of `automaton.Assignment`."""
    given = " ".join(f"when {how} then coalesce(e.{value}, s.r{register})" for how, value in enumerate(_VALUES, 1))
    return f"case {assigns}[e.rule * 3 + {register}] {given} when 4 then null when 6 then 0L else s.r{register} end"


def _loose(register: int, assigns: str) -> str:
    """Whether only a lower bound of a register is known after an event."""
    given = " ".join(f"when {how} then e.{value} is null and s.l{register}" for how, value in enumerate(_VALUES, 1))
    return (
        f"case {assigns}[e.rule * 3 + {register}] {given} when 4 then false when 5 then true when 6 then false"
        f" else s.l{register} end"
    )


def _with(states: str, rejected: str, unruled: str) -> str:
    """The state as it was, but for these."""
    kept = ", ".join(f"'{name}', s.{name}" for name in ("r0", "r1", "r2", "l0", "l1", "l2"))
    return f"named_struct('states', {states}, 'rejected', {rejected}, 'unruled', {unruled}, {kept})"
