"""Reports of `prove --search`: the supporting invariants as text to paste, as JSON, and as test cases."""

from collections.abc import Iterator

from genstamp.report import Case
from genstamp.report.of_model import rule_named, search_rule
from genstamp_model.prove import Strengthening


def told(found: Strengthening) -> Iterator[str]:
    """The goals, the invariants found, and their declarations to paste."""
    yield f"{found.instance.model.system}:{found.instance.configuration.name}: {found.verdict}"
    yield from (f"  {line}" if line else "" for line in found.lines())


def plain(found: Strengthening) -> dict[str, object]:
    """The result as JSON."""
    return {
        "system": found.instance.model.system,
        "configuration": found.instance.configuration.name,
        "verdict": found.verdict.value,
        "goals": list(found.goals),
        "proved": {name: list(given) for name, given in found.proved.items()},
        "supporting": [
            {"name": one.declared.name, "given": list(one.declared.given), "declaration": "\n".join(one.lines())}
            for one in found.supporting
        ],
        "candidates": found.candidates,
        "candidates_cut": found.cut,
        "inductive_candidates": found.inductive,
        "undetermined": found.undetermined,
        "seconds": round(found.seconds, 3),
    }


def cases(found: Strengthening) -> Iterator[Case]:
    """A test case for each goal and one for the search; a property that was not proved may still hold."""
    model = found.instance.model
    group = f"genstamp.prove.{model.system}.{found.instance.configuration.name}"
    search = ("the search for supporting invariants", found.seconds)
    if found.undetermined:
        yield Case(group, *search, "undetermined", "not proved", found.undetermined, rule=search_rule(model))
    elif not found.goals:
        yield Case(group, *search, rule=search_rule(model))
    for name in found.goals:
        rule = rule_named(model, name)
        if name in found.proved:
            yield Case(group, name, 0.0, rule=rule)
        else:
            why = found.undetermined or "no supporting invariants were found"
            yield Case(group, name, 0.0, "undetermined", "not proved", why, rule=rule)
