"""Reads traces of models in the Informal Trace Format: counterexamples that this project exports, and Apalache's.

Such a trace is checked against the system that it is of, as the specification has it: without the bugs that it may have
been found with. Each step that is followed is an event, by the name that the system's action gives it, except hidden
ones, which are unobservable. Whether all of them are steps of the system is one more event, and that one is judged: a
trace is one document, and whole or damaged, so no step of it can be missing.

Not here: the limits of configurations, which say how far a search went and nothing of the protocol.
"""

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

import msgspec

from genstamp.errors import GenstampError
from genstamp.events import Event, Place
from genstamp.logs.readers.sighting import TEXT_MAX, Concern, Counts, Reject, Sighting, Unit
from genstamp.logs.sources import MODEL_TRACE
from genstamp.systems import PLACES, system_named
from genstamp_model.errors import ModelError
from genstamp_model.evaluate import Evaluator, State, Step
from genstamp_model.export.tla_names import clean
from genstamp_model.language.model import Instance
from genstamp_model.language.types import IndexSet, RefType, Value, show
from genstamp_model.traces import Replay, Trace, read, replay

STATES_MAX = 2_000
"""Longer traces are not followed: no search of ours gives one."""

SIZE_MAX = 8 << 20
"""Bytes of a trace, which become some hundred times as many when they are parsed; ours have a few thousand a state."""

_NUMBERS = ("generation_stamp", "recovery_id", "num_bytes")
_INT64 = 2**63


class _StateMeta(msgspec.Struct):
    index: int | None = None


class _State(msgspec.Struct, rename={"meta": "#meta"}):
    meta: _StateMeta | None = None


class _Document(msgspec.Struct):
    states: list[_State]


class ItfReader:
    """Reads the files of a unit, a trace each.

    Args:
        unit: whose files these are.
        counts: where hidden steps are counted.
    """

    def __init__(self, unit: Unit, counts: Counts) -> None:
        self._unit = unit
        self._counts = counts
        self._order = 0

    def sightings(self, file: str, chunks: Iterator[bytes]) -> Iterator[Sighting | Reject]:
        """The events of a trace, given its text; their places are numbers of states, from 0."""
        text = bytearray()
        for chunk in chunks:
            text += chunk
            if len(text) > SIZE_MAX:
                yield Reject(Place(file, 0), f"the trace is longer than {SIZE_MAX} bytes")
                return
        try:
            trace = read(bytes(text))
            instance = self._instance(bytes(text), trace)
            if isinstance(instance, str):
                yield Reject(Place(file, 0), instance)
                return
            followed = replay(instance, trace)
        except (ModelError, GenstampError) as error:
            yield Reject(Place(file, 0), _cut(str(error)))
            return
        except (TypeError, ValueError, AttributeError, KeyError, IndexError, RecursionError, OverflowError) as error:
            # Values come from anywhere, and need not have the types of the model's variables.
            yield Reject(Place(file, 0), _cut(f"a value of the trace is not a value of the model: {error}"))
            return
        yield from self._steps(file, followed)
        yield self._verdict(file, followed, len(trace.moments))

    def _instance(self, text: bytes, trace: Trace) -> Instance | str:
        """The system that a trace is of; else why it cannot be judged."""
        if len(trace.moments) > STATES_MAX:
            return f"the trace has {len(trace.moments)} states; at most {STATES_MAX} are followed"
        gap = _gap(text)
        if gap is not None:
            return f"state {gap} is missing from the trace"
        name = trace.meta.get("system") or _named_by_module(trace.meta.get("source", ""))
        if name not in PLACES:
            told = f"is of {name[:80]!r}, which is not a known system" if name else "does not name its system"
            return f"the trace {told}; known are {', '.join(PLACES)}"
        configuration = trace.meta.get("configuration", "").partition("*")[0]
        return system_named(name).instance(configuration or None, trace.meta.get("semantics"), ())

    def _steps(self, file: str, followed: Replay) -> Iterator[Sighting]:
        path = followed.path
        evaluator = Evaluator(path.instance)
        for number, (before, step) in enumerate(zip(path.states, path.steps, strict=False), 1):
            if step.action.hidden:
                self._counts.lines[file, f"hidden step {step.action.name}"] += 1
            else:
                yield self._seen(self._event(Place(file, number), evaluator, before, step))

    def _event(self, place: Place, evaluator: Evaluator, before: State, step: Step) -> Event:
        action, sizes = step.action, evaluator.sizes
        named = {
            parameter.name: show(value, parameter.type, sizes)
            for parameter, value in zip(action.parameters, step.arguments, strict=True)
        }
        node = action.lane if isinstance(action.lane, str) else _member(step, action.lane, named)
        observed = evaluator.observed(action, step.arguments, before)
        numbers = {name: _number(observed.get(name)) for name in _NUMBERS}
        return Event(
            source=MODEL_TRACE,
            node=(node or "system").lower(),
            node_sequence=place.line,
            kind="file" if "file" in named else "node",
            namespace=self._unit.namespace,
            entity=named.get("file") or next(iter(named.values()), evaluator.model.system),
            event=action.event,
            refused_with=action.refuses,
            arguments=named,
            observed={name: str(value) for name, value in observed.items() if name not in numbers},
            place=place,
            **numbers,
        )

    def _verdict(self, file: str, followed: Replay, states: int) -> Sighting:
        """Whether the trace is one of the system; its place is where it leaves it or breaks what it promises."""
        model, rejection = followed.path.instance.model, followed.rejection
        number, refused, reason = states - 1, None, ""
        if followed.broken:
            name, number = min(followed.broken, key=lambda one: one[1])
            refused, reason = "PropertyBroken", name
        if rejection is not None and (refused is None or rejection.number <= number):
            number, refused = rejection.number, "NoSuchStep"
            reason = f"{rejection.call}: {'; '.join(rejection.reasons)}"
        entity = f"{model.system} ({model.semantics})"
        return self._seen(
            Event(
                source=MODEL_TRACE,
                node="system",
                node_sequence=states,
                kind="node",
                namespace=self._unit.namespace,
                entity=entity,
                event="replay_trace",
                refused_with=refused,
                observed={"reason": _cut(reason)} if reason else {},
                place=Place(file, number),
            ),
            Concern("node", entity),
        )

    def _seen(self, event: Event, *concerns: Concern) -> Sighting:
        self._order += 1
        return Sighting(self._order, event, concerns)


def _gap(text: bytes) -> int | None:
    """The first number of a state that is missing, where states have numbers."""
    try:
        states = msgspec.json.decode(text, type=_Document).states
    except (msgspec.DecodeError, RecursionError):
        return None
    numbers = [state.meta.index for state in states if state.meta is not None and state.meta.index is not None]
    if len(numbers) < len(states):
        return None
    return next((number for number, told in enumerate(numbers) if told != number), None)


def _named_by_module(source: str) -> str:
    """The system whose export to TLA+ a trace of Apalache names as its source."""
    stem = PurePath(source).stem
    return next((name for name in PLACES if clean(name) == stem), "")


def _member(step: Step, lane: IndexSet | None, named: dict[str, str]) -> str | None:
    """The member of a set at which a step happens."""
    for parameter in step.action.parameters:
        if lane is not None and isinstance(parameter.type, RefType) and parameter.type.index.base == lane.base:
            return named[parameter.name]
    return None


def _number(value: Value) -> int | None:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and -_INT64 <= value < _INT64 else None  # type: ignore[operator, return-value]


def _cut(text: Any) -> str:
    return str(text)[:TEXT_MAX]
