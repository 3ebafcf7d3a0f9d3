"""The verb `bmc`: bounded model checking with bit-vectors; shows a shortest counterexample within N steps.

The result says nothing about longer paths. `check` searches all states, and is faster where that is possible.
"""

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from genstamp.cli.check.report import plain_part, told_violation
from genstamp.cli.choosing import completed, limited, to_search
from genstamp.cli.interrupting import each
from genstamp.report import Case, Format, document, verdict
from genstamp.report.of_model import broken_case, group_of, left_out, rule_named, search_rule, stages
from genstamp_model.explore import INTERRUPTED
from genstamp_model.language import Instance
from genstamp_model.path import Path
from genstamp_model.prove import Bounded, Reached, reach
from genstamp_model.prove import bmc as judge


def bmc(
    system: Annotated[
        str,
        typer.Argument(
            metavar="SYSTEM[:CONFIGURATION]",
            autocompletion=completed,
            help="By default all configurations that are not large.",
        ),
    ],
    steps: Annotated[int, typer.Option(min=1, help="Search paths of at most N steps.")] = 10,
    property_: Annotated[
        list[str] | None,
        typer.Option("--property", help="Check only this one; may be repeated. By default all, errors and deadlock."),
    ] = None,
    witness: Annotated[str | None, typer.Option(help="Only look for a state that reaches this witness.")] = None,
    semantics: Annotated[str | None, typer.Option(help="Semantics; by default the default of the system.")] = None,
    bug: Annotated[list[str] | None, typer.Option(help="A bug or hole to add; may be repeated.")] = None,
    max_seconds: Annotated[float | None, typer.Option(min=0, help="Give up after this time.")] = None,
    set_limit: Annotated[
        list[str] | None, typer.Option("--limit", metavar="NAME=N", help="Change a limit of the configuration.")
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.TEXT,
) -> None:
    """Look for a violation within N steps of an initial state, the shortest first.

    Exit code: 0 there is none within these steps, 11 deadlock, 12 a property is violated or the witness is not reached,
    75 a step fails, 3 undetermined (no step is possible, for example), or Ctrl-C.
    """
    if witness is not None and property_:
        raise typer.BadParameter("choose either --witness or --property", param_hint="--witness")
    bugs = tuple(bug or ())
    declared, configurations = to_search(system, bugs)
    model = declared.model(semantics, bugs)
    instances = [Instance(model, limited(one, set_limit or ())) for one in configurations]

    def one(instance: Instance) -> Bounded | Reached:
        if witness is None:
            result: Bounded | Reached = judge(instance, steps, properties=property_, max_seconds=max_seconds)
        else:
            result = reach(instance, witness, steps, max_seconds=max_seconds)
        if form is Format.TEXT:
            for line in told(result):
                typer.echo(line)
        return result

    results, left = each("bmc", instances, one, lambda result: result.undetermined == INTERRUPTED)
    cases = [*(one for result in results for one in _cases(result)), *(one.case() for one in left)]
    if form is Format.TEXT:
        for open_ in left:
            typer.echo(open_.told())
    else:
        plain_ = [*map(plain, results), *(one.plain() for one in left)]
        typer.echo(document(form, "genstamp bmc", lambda: plain_, cases), nl=False)
    raise typer.Exit(verdict(cases).exit_code)


def told(result: Bounded | Reached) -> Iterator[str]:
    """The result, in lines."""
    model, configuration = result.instance.model, result.instance.configuration
    bugs = f" with {', '.join(model.bugs)}" if model.bugs else ""
    limits = ", ".join(f"{name} {bound}" for name, bound in sorted(configuration.limits.items()))
    within = f" (limits: {limits})" if limits else ""
    yield f"{model.system}:{configuration.name} ({model.semantics}{bugs}): {result.claim}{within}"
    if isinstance(result, Bounded):
        violation = result.violation
        properties = [name for name in result.looked_at if name not in ("errors", "deadlock")]
        everything = f"; errors; deadlock: {model.looks_for_deadlock}" if "errors" in result.looked_at else ""
        yield f"  judged: {len(properties)} properties{everything}"
        yield f"  {len(result.milliseconds)} depths in {sum(result.milliseconds) / 1000:.2f} s"
        if violation is not None:
            yield from told_violation(violation, "a shortest path")
    elif result.path is not None:
        yield f"  a shortest path, {len(result.path)} steps:"
        yield from (f"  {line}" for line in result.path.lines())


def _path(result: Bounded | Reached) -> Path | None:
    """The path, if one was found."""
    if isinstance(result, Reached):
        return result.path
    return None if result.violation is None else result.violation.path


def plain(result: Bounded | Reached) -> dict[str, Any]:
    """A result as JSON; the path in the Informal Trace Format."""
    model, path = result.instance.model, _path(result)
    found: dict[str, Any] = {
        "system": model.system,
        "configuration": result.instance.configuration.name,
        "semantics": model.semantics,
        "bugs": list(model.bugs),
        "limits": dict(result.instance.limits),
        "claim": result.claim,
        "steps": result.asked,
        "settled": result.settled,
        "deepest": result.deepest,
        "undetermined": result.undetermined,
        "exit_code": verdict([case(result)]).exit_code,
        "trace": None if path is None else path.to_itf(),
    }
    if isinstance(result, Reached):
        return {**found, "witness": result.witness, "reached_in": None if path is None else len(path)}
    violation = result.violation
    return {
        **found,
        "verdict": result.verdict.value,
        "judged": list(result.looked_at),
        "milliseconds": [round(time, 1) for time in result.milliseconds],
        "violation": None
        if violation is None
        else {
            "kind": violation.kind,
            "name": violation.name,
            "message": violation.message,
            "false_part": plain_part(violation.part),
            "steps": violation.steps,
        },
    }


def _cases(result: Bounded | Reached) -> tuple[Case, ...]:
    one = case(result)
    is_about_all = isinstance(result, Bounded) and "errors" in result.looked_at
    return (one, *(left_out(one.group, one.name, result.instance.model) if is_about_all else ()))


def case(result: Bounded | Reached) -> Case:
    """A result as a test case."""
    model = result.instance.model
    group, name = group_of("bmc", model), f"{result.instance.configuration.name} within {result.asked} steps"
    if isinstance(result, Reached):
        return _reached(result, group, name)
    seconds = sum(result.milliseconds) / 1000
    if result.violation is not None:
        return broken_case(group, name, seconds, result.instance, result.violation)
    rule, judged = search_rule(model), tuple(rule_named(model, one) for one in result.looked_at)
    if result.undetermined:
        return Case(group, name, seconds, "undetermined", "undetermined", result.claim, rule=rule, judged=judged)
    return Case(group, name, seconds, rule=rule, judged=judged)


def _reached(result: Reached, group: str, name: str) -> Case:
    rule, steps = rule_named(result.instance.model, result.witness), () if result.path is None else stages(result.path)
    if result.path is not None:
        return Case(group, name, 0.0, rule=rule, steps=steps)
    if result.undetermined:
        return Case(group, name, 0.0, "undetermined", "undetermined", result.claim, rule=rule)
    return Case(group, name, 0.0, "failure", "witness", result.claim, rule=rule)
