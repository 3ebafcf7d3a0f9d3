"""`genstamp check --witness NAME`: a shortest path to a state that shows a witness, which is a run that goes well.

The name of another property asks for a state, or a step, in which it could have failed; with a number after a point, of
that part of it. `--scenario` asks for a shortest run that takes some steps in order.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from genstamp.cli.check.report import told_violation
from genstamp.cli.check.searches import Options, search
from genstamp.report import Case
from genstamp.report import Verdict as Worst
from genstamp.report import verdict as worst
from genstamp.report.of_model import broken_case, group_of, rule_named, stages
from genstamp_model import scenario
from genstamp_model.evaluate import Evaluator
from genstamp_model.explore import Result
from genstamp_model.language import Instance
from genstamp_model.path import Path
from genstamp_model.reaching import never_shown


@dataclass(frozen=True)
class Looked:
    """A search for a witness or a scenario.

    Attributes:
        instance: what was searched.
        witness: what was looked for, in words.
        result: of the search for a state that breaks the claim that nothing ever shows it.
        path: a shortest path to it; None where none was found.
    """

    instance: Instance
    witness: str
    result: Result
    path: Path | None

    @property
    def verdict(self) -> str:
        """Reached, never reached, undetermined, or that a step fails before it is reached."""
        if self.path is not None:
            return f"reached in {len(self.path)} steps"
        if self.result.violation is not None:
            return "a step fails before it is reached"
        return "undetermined" if self.unsettled else "never reached"

    @cached_property
    def unsettled(self) -> str:
        """Why this says nothing, or not all, of what was looked for; empty where it does.

        Where a scenario keeps each step out that is possible at first, it is never reached.
        """
        if self.result.undetermined or any(self.result.cuts.values()) or not self.result.unsettled:
            return self.result.unsettled
        evaluator = Evaluator(self.instance)
        is_possible = any(any(evaluator.steps(start)) for start in evaluator.initials)
        return "" if is_possible else self.result.unsettled


def look_for(instances: Sequence[Instance], witness: str, options: Options) -> list[Looked]:
    """Search the instances, one after the other, until one reaches a witness.

    Returns:
        The searches; only the last one can have a path.

    Raises:
        ConfigurationError: there is no witness or other property of this name, or no such part of it.
    """

    def whole(path: Path, instance: Instance) -> Path:
        return Path(instance, path.initial, path.steps)

    return _first(instances, witness, lambda instance: never_shown(instance, witness), whole, options)


def look_for_run(instances: Sequence[Instance], text: str, options: Options) -> list[Looked]:
    """Search the instances, one after the other, until one has a run that shows a scenario.

    Returns:
        The searches; only the last one can have a path.

    Raises:
        ConfigurationError: the text is no scenario, or names a step that the system does not have.
    """
    stages = scenario.read(text)
    return _first(
        instances, "the scenario", lambda one: scenario.never(one, stages), scenario.without_progress, options
    )


def _first(
    instances: Sequence[Instance],
    sought: str,
    never: Callable[[Instance], Instance],
    whole: Callable[[Path, Instance], Path],
    options: Options,
) -> list[Looked]:
    """Searches until one breaks the claim that nothing shows what is sought; `whole` gives a path of the instance."""
    found: list[Looked] = []
    for instance in instances:
        result = search(never(instance), options)
        violation = result.violation
        is_shown = violation is not None and violation.kind in ("invariant", "transition")
        path = whole(violation.path, instance) if violation is not None and is_shown else None
        found.append(Looked(instance, sought, result, path))
        if path is not None:
            break
    return found


def verdict_of(found: Sequence[Looked]) -> Worst:
    """The witness is reached if one search reaches it; otherwise the worst verdict counts."""
    return worst(cases(found))


def told(found: Sequence[Looked]) -> list[str]:
    """The result, in lines."""
    lines = []
    for one in found:
        model, configuration = one.instance.model, one.instance.configuration
        limits = ", ".join(f"{name} {bound}" for name, bound in sorted(configuration.limits.items()))
        within = f" within these limits: {limits}" if one.verdict == "never reached" and limits else ""
        lines.append(f"{model.system}:{configuration.name} ({model.semantics}): {one.witness} is {one.verdict}{within}")
        lines.append(f"  {one.result.states:,} distinct states, {one.result.seconds:.2f} s")
        if one.unsettled:
            lines.append(f"  undetermined: {one.unsettled}")
        if one.path is not None:
            lines += [f"  {line}" for line in one.path.lines()]
        elif one.result.violation is not None:
            lines += told_violation(one.result.violation)
    return lines


def plain(found: Sequence[Looked]) -> list[dict[str, Any]]:
    """The result as JSON; the path in the Informal Trace Format."""
    return [
        {
            "system": one.instance.model.system,
            "configuration": one.instance.configuration.name,
            "semantics": one.instance.model.semantics,
            "bugs": list(one.instance.model.bugs),
            "witness": one.witness,
            "verdict": one.verdict,
            "exit_code": verdict_of(found).exit_code,
            "undetermined": one.unsettled,
            "states": one.result.states,
            "steps": None if one.path is None else len(one.path),
            "trace": None if one.path is None else trace(one.path, one.witness),
        }
        for one in found
    ]


def trace(path: Path, witness: str) -> dict[str, Any]:
    """The path in the Informal Trace Format."""
    return path.to_itf(shows=witness)


def cases(found: Sequence[Looked]) -> list[Case]:
    """A test case for the witness where it is reached, else one for each search that does not reach it."""
    return [_case(one) for one in (found[-1:] if found[-1].path is not None else found)]


def _case(one: Looked) -> Case:
    model, result = one.instance.model, one.result
    group, name = group_of("check", model), f"{one.instance.configuration.name} {one.witness}"
    rule = rule_named(model, one.witness.partition(".")[0])
    if one.path is not None:
        return Case(group, name, result.seconds, rule=rule, steps=stages(one.path))
    if result.violation is not None:
        return broken_case(group, name, result.seconds, one.instance, result.violation)
    if one.unsettled:
        return Case(group, name, result.seconds, "undetermined", "undetermined", one.unsettled, rule=rule)
    return Case(group, name, result.seconds, "failure", "witness", "never reached", rule=rule)
