"""Our own search, in the form in which peers say what they found."""

import time
from dataclasses import replace

from genstamp.agree.peer import RANGES, STOPS, Found, Verdict, claims
from genstamp_model.errors import ConfigurationError
from genstamp_model.explore import INTERRUPTED, Result, explore
from genstamp_model.explore import Verdict as Searched
from genstamp_model.language.model import Instance
from genstamp_model.liveness import judge


def found_here(instance: Instance, max_states: int | None = None, max_seconds: float | None = None) -> Found:
    """Search an instance to the end, whatever it breaks: what broke is left out of the next search.

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
    """What is known of the leads-to properties.

    What limits leave open is judged once more with numbers replaced by their ranks. If it holds then, no behaviour
    within the limits breaks it, and that is what peers look at. If it is violated then, numbers may rise for ever, and
    a peer would not see it.
    """
    found = judge(instance, max_states=max_states)
    verdicts = {one.claim.name: Verdict(one.verdict.value) for one in found}
    if all(one.cut is None for one in found):
        return verdicts
    try:
        ranked = judge(instance, renumber=True, max_states=max_states)
    except ConfigurationError:
        return verdicts
    settled = {one.claim.name for one in ranked if one.verdict is Searched.HOLDS}
    left = {one.claim.name for one in found if one.cut is not None}
    return verdicts | dict.fromkeys(settled & left, Verdict.HOLDS)


def _held(result: Result) -> dict[str, Verdict]:
    """What is known of the properties that were not seen to break, or to be seen, in a search that came to its end."""
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
