"""Why a state of the model does not fit an event: the first check that failed or the observation that differed.

Not here: the search for the states that came closest, which is the tracker's.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from genstamp.track.names import Names
from genstamp_model.errors import Source
from genstamp_model.evaluate import Arguments, Evaluator, State
from genstamp_model.false_part import reads
from genstamp_model.language import ir
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.model import Action
from genstamp_model.language.types import RecordType


@dataclass(frozen=True)
class Miss:
    """How one step of the model, in one state, fails to be what an event shows.

    Attributes:
        action: the model's action.
        call: the action with its arguments, in the run's words.
        rank: how close it came; larger is closer.
        problem: the obstacle, as text.
        label: of the check that failed, if one did.
        refuses: the exception with which the model refuses there, if it does.
        source: the line of the check, or of the action where no check failed.
        values: what the check read, as (expression, value).
    """

    action: str
    call: str
    rank: tuple[int, int]
    problem: str
    label: str | None
    refuses: str | None
    source: Source
    values: tuple[tuple[str, str], ...] = ()

    def lines(self) -> list[str]:
        """The miss as a reader sees it."""
        head = f"{self.call}: {self.problem} [{self.source}]"
        return [head, *(f"    {text} = {value}" for text, value in self.values)]


def closest(misses: Iterable[Miss]) -> list[tuple[Miss, int]]:
    """The misses that came closest, each with the number of states in which it did; the commonest first."""
    counted = Counter(misses)
    best = max((miss.rank for miss in counted), default=(0, 0))
    return [(miss, count) for miss, count in counted.most_common() if miss.rank == best]


def call_text(action: Action, arguments: Arguments, names: Names) -> str:
    """The step in the run's words: `complete(client client1, file /a)`."""
    shown = (
        f"{parameter.name} {names.text(value, parameter.type, parameter.name)}"
        for parameter, value in zip(action.parameters, arguments, strict=True)
    )
    return f"{action.name}({', '.join(shown)})"


def values_in(
    condition: Expr, action: Action, arguments: Arguments, state: State, evaluator: Evaluator, names: Names
) -> tuple[tuple[str, str], ...]:
    """The parts of the state that a condition reads, as (expression, value), each once, in order."""
    bound = {parameter.name: value for parameter, value in zip(action.parameters, arguments, strict=True)}
    found: dict[str, str] = {}
    for read in reads(condition, frozenset(bound)):
        field = _field_name(read)
        found[ir.text(read)] = names.text(evaluator.value(read, state, bound=bound), read.type, field)
    return tuple(found.items())


def _field_name(node: Expr) -> str:
    """The name by which a stamp is known where its type does not say that it is one."""
    if node.op is Op.FIELD:
        record = node.args[0].type
        assert isinstance(record, RecordType)
        return str(record.fields[node.data][0])
    return ""
