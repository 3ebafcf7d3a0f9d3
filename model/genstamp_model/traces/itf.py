"""Reads the Informal Trace Format (Apalache's ADR 015), as our own judges, Apalache and Quint write it.

Gives the variables of each state, and the action and arguments that lead to it. Not here: whether the specification
allows the trace (`replaying`), and writing (`Path.to_itf`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from itf_py import trace_from_json

from genstamp_model.errors import TraceError
from genstamp_model.path import ACTION_TAKEN, NONDET_PICKS

MOST_BYTES: Final = 64 * 1024 * 1024
"""The most bytes of a trace; a longer one is rejected before it is parsed."""


@dataclass(frozen=True)
class Moment:
    """One state of a trace, and the step that led to it.

    Attributes:
        values: the values of the variables that the trace shows, as `itf_py` reads them.
        action: the name of the action; None if the trace does not show it.
        picks: the arguments of the action by parameter, as far as the trace shows them.
    """

    values: Mapping[str, Any]
    action: str | None
    picks: Mapping[str, Any]


@dataclass(frozen=True)
class Trace:
    """A trace as it was written.

    Attributes:
        meta: further information by the writer; ours has `system`, `semantics`, `bugs` and `configuration`.
        moments: the states; the first one is the initial state.
        loop: the index of the state to which the last one loops back, if the trace is a lasso.
    """

    meta: Mapping[str, str]
    moments: Sequence[Moment]
    loop: int | None = None


def read(text: bytes) -> Trace:
    """Read a trace.

    Raises:
        TraceError: the text is too long, is not JSON, is not in the format, or has no state.
    """
    if len(text) > MOST_BYTES:
        raise TraceError(f"the trace has {len(text)} bytes; at most {MOST_BYTES} are read")
    try:
        document = msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError) as problem:
        raise TraceError(f"the trace is not a JSON object: {problem}") from problem
    try:
        found = trace_from_json(document)
        moments = [_moment(state.values) for state in found.states]
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as problem:
        raise TraceError(
            f"the trace is not in the Informal Trace Format: {type(problem).__name__} {problem}"
        ) from problem
    if not moments:
        raise TraceError("the trace has no state; the first one should be the initial state")
    meta = {str(name): str(value) for name, value in found.meta.items()} if isinstance(found.meta, dict) else {}
    loop = found.loop
    if loop is not None and (type(loop) is not int or not 0 <= loop < len(moments)):
        raise TraceError(f"the trace loops back to state {loop!r}; it has states 0 to {len(moments) - 1}")
    return Trace(meta, moments, loop)


def steps(calls: Iterable[tuple[str, Mapping[str, Any]]], initially: Mapping[str, Any] | None = None) -> Trace:
    """A trace that shows only steps, and where it begins if there are several initial states.

    Args:
        calls: the name of each action, and its arguments by parameter, as JSON.
        initially: values of variables in the initial state, likewise.
    """
    return Trace({}, [Moment(initially or {}, None, {}), *(Moment({}, action, picks) for action, picks in calls)])


def _moment(values: Mapping[str, Any]) -> Moment:
    action = values.get(ACTION_TAKEN)
    if action is not None and not isinstance(action, str):
        raise TypeError(f"{ACTION_TAKEN} is not text but {action!r}")
    picks = values.get(NONDET_PICKS)
    return Moment(
        values={name: value for name, value in values.items() if name not in (ACTION_TAKEN, NONDET_PICKS)},
        action=action,
        picks={name: _plain_option(value) for name, value in _fields(picks).items()},
    )


def _fields(record: Any) -> Mapping[str, Any]:
    """The fields of a record; `itf_py` reads one as a named tuple."""
    if record is None:
        return {}
    if isinstance(record, Mapping):
        return {str(name): value for name, value in record.items()}
    fields: Mapping[str, Any] = record._asdict()
    return fields


def _plain_option(value: Any) -> Any:
    """Quint wraps a pick in `Some`."""
    return value.value if type(value).__name__ == "Some" and hasattr(value, "value") else value
