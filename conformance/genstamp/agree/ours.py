"""Our own search, in the form in which peers say what they found."""

import time
from dataclasses import replace

from genstamp.agree.peer import RANGES, STOPS, Found, Verdict, claims
from genstamp_model.explore import INTERRUPTED, Result, explore
from genstamp_model.explore import Verdict as Searched
from genstamp_model.language.model import Instance
from genstamp_model.liveness import judge


def found_here(instance: Instance, max_states: int | None = None, max_seconds: float | None = None) -> Found:
    """Search an instance to the end despite violations: a violated property is omitted from the next search.

    Args:
        instance: what to search.
        max_states, max_seconds: as in `explore`, for each search.
    """
    began = time.monotonic()
    model, check_deadlock = instance.model, True
    verdicts = dict.fromkeys(claims(instance.model), Verdict.UNDETERMINED)
    while True:
        result = explore(
            Instance(model, instance.configuration),
            max_states=max_states,
            max_seconds=max_seconds,
            check_deadlock=check_deadlock,
        )
        if result.undetermined == INTERRUPTED:
            raise KeyboardInterrupt
        violation = result.violation
        if violation is None:
            break
        if violation.kind == "error":
            verdicts[RANGES] = Verdict.VIOLATED
            reason = f"a number leaves its range: {violation.message}"
            return Found(None, None, None, verdicts, time.monotonic() - began, reason)
        if violation.kind == "deadlock":
            verdicts[STOPS] = Verdict.VIOLATED
            check_deadlock = False
        else:
            verdicts[violation.name] = Verdict.VIOLATED
            kept = tuple(claim for claim in model.properties if claim.name != violation.name)
            model = replace(model, properties=kept)
    verdicts |= {name: Verdict.SEEN for name, length in result.witnesses.items() if length is not None}
    if result.verdict is Searched.UNDETERMINED:
        return Found(None, None, None, verdicts, time.monotonic() - began, result.undetermined)
    verdicts |= {name: held for name, held in _held(result).items() if verdicts[name] is Verdict.UNDETERMINED}
    verdicts |= _leads_to(instance, max_states)
    return Found(result.states, result.depth, result.generated, verdicts, time.monotonic() - began)


def _leads_to(instance: Instance, max_states: int | None) -> dict[str, Verdict]:
    """The known results of the leads-to properties.

    One that only holds with numbers replaced by their ranks is broken by no behaviour within the limits, and that is
    what peers look at. One that is violated then may need numbers that rise for ever, which a peer would not see.
    """
    return {
        one.claim.name: Verdict.UNDETERMINED
        if one.renumbered and one.verdict is Searched.VIOLATED
        else Verdict(one.verdict.value)
        for one in judge(instance, max_states=max_states)
    }


def _held(result: Result) -> dict[str, Verdict]:
    """The results of properties that a finished search did not see to fail, and of witnesses that it did not reach."""
    model = result.instance.model
    found = {RANGES: Verdict.HOLDS}
    if model.may_stop is not None:
        found[STOPS] = Verdict.HOLDS
    for claim in model.properties:
        if claim.kind in ("invariant", "transition"):
            found[claim.name] = Verdict.HOLDS
        elif claim.kind == "witness":
            found[claim.name] = Verdict.NOT_SEEN
    return found
