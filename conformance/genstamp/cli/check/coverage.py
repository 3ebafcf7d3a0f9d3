"""Reports the coverage and the vacuous properties of the verb `check` over all default configurations.

Not here: the report of each search (`report`).
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from genstamp import coverage, vacuity
from genstamp.cli.check.report import Searched
from genstamp.forgotten import Forgotten
from genstamp.report import Case, Rule, verdict
from genstamp.report.case import Outcome
from genstamp.report.of_model import beginning, group_of, rule_named
from genstamp.report.places import place
from genstamp.vacuity import Finding, Vacuity
from genstamp_model.explore import Verdict
from genstamp_model.language import Configuration, System
from genstamp_model.language.model import Model


@dataclass(frozen=True)
class Covered:
    """The coverage of several searches together.

    Attributes:
        model: the model that was searched.
        configurations: the names of the configurations.
        is_whole: whether all searches ended without a violation; otherwise a missing item is undetermined.
        missing: the items that no search reached, as `coverage` names them.
        vacuities: the vacuity of each search; empty unless `is_whole`.
        forgotten: what the system's file declares and nothing uses.
        strict: whether a vacuous property or an unused variable is a failure instead of a warning.
    """

    model: Model
    configurations: tuple[str, ...]
    is_whole: bool
    missing: tuple[str, ...]
    vacuities: tuple[Vacuity, ...]
    forgotten: tuple[Forgotten, ...]
    strict: bool

    @property
    def findings(self) -> list[Finding]:
        """The vacuous properties and the unused variables."""
        return vacuity.findings(self.vacuities)

    @property
    def where(self) -> str:
        """The names of the configurations as text."""
        number = len(self.configurations)
        return "in the only configuration" if number == 1 else f"over all {number} configurations"


def is_claimed(
    system: System,
    chosen: Sequence[Configuration],
    semantics: str | None,
    bugs: Collection[str],
    limits: Collection[str],
) -> bool:
    """Whether coverage is judged: all default configurations are searched as declared, in the default semantics.

    Args:
        system: the system.
        chosen: the configurations that are searched.
        semantics: the semantics that the user chose; None for the default.
        bugs, limits: the bugs and the limits that the user added.
    """
    default = {one.name for one in system.configurations if not one.on_demand}
    is_as_declared = not bugs and not limits and semantics in (None, system.default_semantics)
    return is_as_declared and bool(chosen) and {one.name for one in chosen} == default


def over(found: Sequence[Searched], *, strict: bool, forgotten: Sequence[Forgotten] = ()) -> Covered:
    """The coverage of some searches of one model together.

    Args:
        found: the searches.
        strict: whether a vacuous property or an unused variable is a failure.
        forgotten: what the system's file declares and nothing uses.
    """
    results = [one.result for one in found]
    is_whole = all(result.verdict is Verdict.HOLDS for result in results)
    return Covered(
        model=results[0].instance.model,
        configurations=tuple(result.instance.configuration.name for result in results),
        is_whole=is_whole,
        missing=tuple(coverage.missing(coverage.together(coverage.of(result) for result in results))),
        vacuities=tuple(vacuity.of(result) for result in results) if is_whole else (),
        forgotten=tuple(forgotten),
        strict=strict,
    )


def told(covered: Covered) -> Iterator[str]:
    """The coverage and the vacuous properties in lines of text."""
    missing = "; ".join(map(coverage.worded, covered.missing))
    word = "violated" if covered.strict else "warning"
    yield from (f"{word}: {one.source}: {one.message}" for one in covered.forgotten)
    if not covered.is_whole:
        if missing:
            yield f"not all is searched; {covered.where} never reached so far: {missing}"
        return
    if missing:
        yield f"violated: {covered.where} never reached: {missing}"
    else:
        yield f"{covered.where} every action, refusal and witness is reached"
    met, parts = vacuity.counted(covered.vacuities)
    if parts:
        yield f"{covered.where} {met} of {parts} parts of properties could have failed; first of each property:"
    named = list(zip(covered.configurations, covered.vacuities, strict=True))
    yield from (f"  {line}" for line in vacuity.witnesses(named))
    yield from (f"declared to say nothing: {line}" for line in vacuity.declared(covered.vacuities))
    yield from (f"{word}: {finding}" for finding in covered.findings)


def plain(covered: Covered | None) -> dict[str, Any] | None:
    """The coverage and the vacuous properties as JSON; None if coverage is not judged."""
    if covered is None:
        return None
    found = verdict(cases(covered))
    return {
        "verdict": found.word,
        "exit_code": found.exit_code,
        "configurations": list(covered.configurations),
        "searched_to_the_end": covered.is_whole,
        "never_reached": list(covered.missing),
        "says_nothing": [finding.message for finding in covered.findings],
        "never_used": [f"{one.source}: {one.message}" for one in covered.forgotten],
        "declared_to_say_nothing": vacuity.declared(covered.vacuities),
    }


def cases(covered: Covered, seconds: float = 0.0) -> Iterator[Case]:
    """The test cases of coverage, one for each missing item or one that passes, and one for each vacuous property."""
    model = covered.model
    group, name = group_of("check", model), f"coverage of {len(covered.configurations)} configurations"
    text = "every action, refusal and witness is reached in some configuration"
    rule = Rule(f"{model.system}/coverage", text, beginning(model))
    if not covered.missing:
        yield Case(group, name, seconds, rule=rule)
    elif not covered.is_whole:
        missing = "; ".join(map(coverage.worded, covered.missing))
        why = f"not all is searched, and so far never reached: {missing}"
        yield Case(group, name, seconds, "undetermined", "coverage", why, rule=rule)
    for missed in covered.missing if covered.is_whole else ():
        where = coverage.place_of(model, missed)
        why = f"never reached in any configuration: {coverage.worded(missed)}"
        yield Case(group, f"coverage of {missed}", seconds, "failure", "coverage", why, rule=rule, place=where)
    worse: Outcome = "failure" if covered.strict else "warning"
    for one in covered.forgotten:
        yield Case(
            group, f"use of {one.name}", seconds, worse, "never used", one.message, rule=rule, place=place(one.source)
        )
    for finding in covered.findings:
        where, about = vacuity.place_of(model, finding.name), rule_named(model, finding.name)
        yield Case(
            group, f"vacuity of {finding.name}", seconds, worse, "vacuity", finding.message, rule=about, place=where
        )
