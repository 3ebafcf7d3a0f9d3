"""Writes a path as a pytest file, so that a counterexample becomes a regression test."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from genstamp_model.errors import TraceError
from genstamp_model.path import Path
from genstamp_model.traces.itf import steps
from genstamp_model.traces.replaying import replay
from genstamp_model.traces.told import tell

_TEMPLATE: Final = '''"""{title}, found once: it must stay {outcome}."""

from typing import Final

from genstamp_model.traces import replay, steps
from {module} import {name}

STEPS: Final = [
{calls}]


def test_{test}() -> None:
    instance = {name}.instance({configuration}, semantics={semantics}, bugs={bugs})
    found = replay(instance, steps(STEPS{begins}))
    assert found.rejection is None, found.rejection
    assert [name for name, _ in found.broken] == {broken}
'''


def pytest_file(path: Path, system: str) -> str:
    """A test that replays a path, and asserts that the specification allows it and which properties it violates.

    Args:
        path: the path to replay.
        system: the system to import, as "module:NAME".

    Raises:
        TraceError: `system` does not have that form.
    """
    module, _, name = system.partition(":")
    if not (all(part.isidentifier() for part in module.split(".")) and name.isidentifier()):
        raise TraceError(f"'{system}' is not a system; expected module:NAME")
    calls = called(path)
    model, configuration = path.instance.model, path.instance.configuration.name
    begins = chosen(path)
    broken = [name for name, _ in replay(path.instance, steps(calls, begins)).broken]
    what = f"A run of {model.system}:{configuration} in {len(path)} steps"
    return _TEMPLATE.format(
        title=f"{what} that breaks {', '.join(broken)}" if broken else what,
        outcome="broken so" if broken else "possible",
        module=module,
        name=name,
        calls="".join(f"    ({literal(action)}, {literal(picks)}),\n" for action, picks in calls),
        begins=f", initially={literal(begins)}" if begins else "",
        test=re.sub(r"\W+", "_", "_".join([model.system, configuration, *broken])).lower(),
        configuration=literal(configuration),
        semantics=literal(model.semantics),
        bugs=literal(list(model.bugs)),
        broken=literal(broken),
    )


def chosen(path: Path) -> dict[str, Any]:
    """What the initial state of a path has chosen, by variable, as JSON."""
    variables, sizes = path.instance.model.variables, path.instance.sizes
    return {
        variable.name: tell(value, variable.type, sizes)
        for variable, value in zip(variables, path.initial, strict=True)
        if variable.choice is not None
    }


def called(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """The steps of a path, each as the action's name and its arguments as JSON."""
    sizes = path.instance.sizes
    return [
        (
            step.action.name,
            {
                parameter.name: tell(value, parameter.type, sizes)
                for parameter, value in zip(step.action.parameters, step.arguments, strict=True)
            },
        )
        for step in path.steps
    ]


def literal(value: Any) -> str:
    """A JSON value as Python source, with texts in double quotes."""
    match value:
        case str():
            return json.dumps(value, ensure_ascii=False)
        case dict():
            return "{" + ", ".join(f"{literal(name)}: {literal(part)}" for name, part in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(literal, value)) + "]"
        case _:
            return repr(value)
