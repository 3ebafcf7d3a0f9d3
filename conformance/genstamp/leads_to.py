"""Reports leads-to properties: their verdicts, and a lasso for one that is violated.

Not here: how they are judged (`genstamp_model.liveness`).
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from genstamp.progress import each_minute
from genstamp.report import Case
from genstamp.report.of_model import claim_rule, stages
from genstamp_model.explore import Result, Verdict
from genstamp_model.liveness import Lasso, Liveness, judge
from genstamp_model.path import Path


def judged(result: Result, max_states: int | None = None, renumber: bool = False) -> tuple[Liveness, ...]:
    """Judge the leads-to properties of a searched instance.

    Args:
        result: the search; unless it holds, nothing is judged.
        max_states: give up above this number of states.
        renumber: keep only the order of ordered numbers.
    """
    if result.verdict is not Verdict.HOLDS:
        return ()
    name = result.instance.configuration.name
    return judge(result.instance, max_states=max_states, renumber=renumber, progress=_each_minute(name))


def not_judged(result: Result, judged: Sequence[Liveness]) -> list[str]:
    """The names of the properties that neither the search nor the judge of leads-to properties has judged."""
    names = {found.claim.name for found in judged}
    return [name for name in result.not_judged if name not in names]


def _each_minute(name: str) -> Callable[[str, int], None]:
    show = each_minute()
    return lambda doing, states: show(f"{name}, leads-to: {doing}, {states:,} states")


def told(found: Liveness) -> Iterator[str]:
    """The result for a leads-to property in lines of text."""
    ranked = ", with ordered numbers by rank" if found.renumbered else ""
    yield (
        f"  {found.claim.name}: {found.verdict.value}{ranked}, {found.pending:,} states in which it is owed, "
        f"{found.components:,} components, {found.seconds:.2f} s"
    )
    if found.verdict is Verdict.UNDETERMINED:
        yield f"  undetermined: {found.reason}"
    if found.cut is not None:
        yield f"  where that is first, after {len(found.cut)} steps:"
        yield from (f"  {line}" for line in found.cut.lines())
    if found.lasso is not None:
        yield f"  a behaviour that never does what it owes, {size(found.lasso)}:"
        yield from (f"  {line}" for line in found.lasso.lines())


def size(lasso: Lasso) -> str:
    """The size of a lasso, as `7 steps and a cycle of 3`."""
    cycle = f"a cycle of {len(lasso.cycle)}" if len(lasso.cycle) else "then nothing more"
    return f"{len(lasso.prefix)} step{'' if len(lasso.prefix) == 1 else 's'} and {cycle}"


def whole(lasso: Lasso) -> Path:
    """The lasso as one path, which takes the cycle once."""
    return Path(lasso.prefix.instance, lasso.prefix.initial, lasso.prefix.steps + lasso.cycle.steps)


def itf(lasso: Lasso, claim: str) -> dict[str, Any]:
    """A lasso in the Informal Trace Format, whose `loop` is the index of the state in which the cycle starts."""
    rise = {"loop_closes": "up to the ranks of ordered numbers"} if lasso.renumbered else {}
    return whole(lasso).to_itf(loop=len(lasso.prefix), violated=claim, **rise)


def plain(found: Liveness) -> dict[str, Any]:
    """The result for a leads-to property as JSON; the lasso is in the Informal Trace Format."""
    lasso = found.lasso
    return {
        "name": found.claim.name,
        "verdict": found.verdict.value,
        "undetermined": found.reason,
        "renumbered": found.renumbered,
        "fair": list(found.claim.fair),
        "strongly_fair": list(found.claim.strongly_fair),
        "pending": found.pending,
        "components": found.components,
        "seconds": round(found.seconds, 3),
        "lasso": None
        if lasso is None
        else {
            "prefix": len(lasso.prefix),
            "cycle": len(lasso.cycle),
            "numbers_rise": lasso.renumbered,
            "trace": itf(lasso, found.claim.name),
        },
    }


def case(found: Liveness, group: str) -> Case:
    """The result for a leads-to property as a test case of a group."""
    name = f"{found.instance.configuration.name} {found.claim.name}"
    rule = claim_rule(found.instance.model, found.claim)
    if found.verdict is Verdict.HOLDS:
        return Case(group, name, found.seconds, rule=rule)
    if found.lasso is None:
        cut = () if found.cut is None else stages(found.cut)
        kind = found.verdict.value
        return Case(group, name, found.seconds, "undetermined", kind, found.reason, rule=rule, steps=cut)
    message = f"leads-to {found.claim.name}: {size(found.lasso)}"
    story, steps = "\n".join(found.lasso.lines()), stages(whole(found.lasso))
    return Case(group, name, found.seconds, "failure", "leads_to", message, story, rule=rule, steps=steps)
