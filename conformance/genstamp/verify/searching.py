"""Jobs that search: every configuration, what a released version is known to break, every bug and hole.

Leaves out what is compared with the lock (`summing`): a row here says what was found, and what that means by itself.
"""

import importlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import msgspec

from genstamp.lock import VIOLATED, Lock, SearchEntry, SemanticsEntry, SystemEntry, VariationEntry
from genstamp.verify.job import Context
from genstamp.verify.row import Row, Verdict
from genstamp_model.explore import Progress, Result, Violation, explore
from genstamp_model.explore import Verdict as Found
from genstamp_model.language.model import Instance
from genstamp_model.language.system import System

_EVERY_S: Final = 5.0


def system_at(place: str) -> System:
    """The system that "module:NAME" names."""
    module, _, name = place.partition(":")
    system = getattr(importlib.import_module(module), name)
    assert isinstance(system, System), f"{place} is {system!r}"
    return system


def check(context: Context, claim: str, system: str, configuration: str) -> Iterator[Row]:
    """The default semantics in one configuration: every property holds."""
    instance = system_at(system).instance(configuration)
    result = explore(instance, progress=_printer())
    violations = [result.violation] if result.violation else []
    data = {"lock": _searched(instance, result, violations), "coverage": coverage(result)}
    yield _row(claim, result, data) if not violations else _broken(context, claim, result, violations[0], data)


def known(context: Context, claim: str, system: str, configuration: str, semantics: str) -> Iterator[Row]:
    """A released version in one configuration: all that breaks there, each property by a shortest way.

    Which ones do is pinned in the lock; here it holds if the search came to its end.
    """
    instance = system_at(system).instance(configuration, semantics)
    result, violations = search_on(instance)
    if result.violation is not None:
        yield _broken(context, claim, result, result.violation, {})
        return
    files: list[str] = []
    for violation in violations:
        files += written(context, f"{semantics}_{configuration}_{violation.name}", violation)
    told = ", ".join(f"{violation.name} breaks in {steps(len(violation.path))}" for violation in violations)
    row = _row(claim, result, {"lock": _searched(instance, result, violations)})
    yield msgspec.structs.replace(row, note=f"{row.note}; {told or 'nothing breaks'}", files=tuple(files))


def variation(context: Context, claim: str, system: str, name: str) -> Iterator[Row]:
    """A bug or a hole is caught: one of the properties that it must break is the first to break."""
    declared = system_at(system)
    fault = declared.bug(name)
    instance = declared.instance(fault.configuration, bugs=[name])
    result = explore(instance, progress=_printer())
    violation = result.violation
    counts: dict[str, Any] = {"count": result.states, "unit": "states"}
    if violation is None:
        is_undetermined = result.verdict is Found.UNDETERMINED
        verdict = Verdict.UNDETERMINED if is_undetermined else Verdict.VIOLATED
        note = result.undetermined or f"nothing breaks in {fault.configuration}: it is not caught"
        yield Row(claim=claim, verdict=verdict, note=note, **counts)
        return
    entry = VariationEntry(
        breaks=violation.name,
        configuration=fault.configuration,
        depth=len(violation.path),
        digest=instance.model.digest,
    )
    data = {"lock": _plain({declared.name: SystemEntry(variations={name: entry})})}
    if violation.name not in fault.breaks:
        told = _broken(context, claim, result, violation, data)
        note = f"{told.note}, and not {' or '.join(fault.breaks)}"
        yield msgspec.structs.replace(told, note=note)
        return
    note = f"{violation.name} breaks in {steps(len(violation.path))} in {fault.configuration}"
    verdict = Verdict.HOLDS
    if fault.depth and fault.depth != len(violation.path):
        verdict, note = Verdict.VIOLATED, f"{note}, declared are {fault.depth}"
    files = written(context, name, violation)
    yield Row(claim=claim, verdict=verdict, note=note, files=files, data=data, **counts)


def search_on(instance: Instance) -> tuple[Result, list[Violation]]:
    """Search an instance to the end although it breaks properties: those that broke are left out, one after the other.

    Returns:
        What the last search found, and the violations in the order in which they were found. That search has a
        violation only if something breaks that is no property: no step is possible, or a step goes wrong.
    """
    violations: list[Violation] = []
    model = instance.model
    while True:
        result = explore(Instance(model, instance.configuration), progress=_printer())
        violation = result.violation
        if violation is None or violation.kind not in ("invariant", "transition"):
            return result, violations
        violations.append(violation)
        model = replace(model, properties=tuple(claim for claim in model.properties if claim.name != violation.name))


def coverage(result: Result) -> dict[str, Any]:
    """What a search has seen: steps by action, refusals that are not merely defensive, and witnesses."""
    return {
        "taken": dict(result.taken),
        "refused": {
            f"{refusal.action}, {refusal.refuses}: {refusal.label}": refusal.seen
            for refusal in result.refusals
            if not refusal.defensive
        },
        "witnessed": dict(result.witnesses),
    }


def steps(number: int) -> str:
    """`1 step`, `7 steps`."""
    return f"{number} step{'' if number == 1 else 's'}"


def written(context: Context, name: str, violation: Violation) -> tuple[str, ...]:
    """Write a counterexample as text and in the Informal Trace Format; gives the files."""
    directory = context.directory / "counterexamples"
    directory.mkdir(exist_ok=True)
    text = "".join(f"{line}\n" for line in violation.path.lines())
    (directory / f"{name}.txt").write_text(text, encoding="utf-8")
    trace = violation.path.to_itf(violated=violation.name or violation.kind)
    (directory / f"{name}.itf.json").write_bytes(msgspec.json.encode(trace))
    return f"counterexamples/{name}.txt", f"counterexamples/{name}.itf.json"


def _row(claim: str, result: Result, data: Mapping[str, Any]) -> Row:
    """The row of a search that found nothing wrong."""
    limits = ", ".join(f"{name} {bound}" for name, bound in sorted(result.instance.limits.items()))
    note = f"within {limits}" if limits else "without limits"
    if result.not_judged:
        note = f"{note}; not judged: {', '.join(result.not_judged)}"
    is_undetermined = result.verdict is Found.UNDETERMINED
    return Row(
        claim=claim,
        verdict=Verdict.UNDETERMINED if is_undetermined else Verdict.HOLDS,
        count=result.states,
        unit="states",
        note=result.undetermined or note,
        data={"search": _figures(result)} if is_undetermined else {"search": _figures(result), **data},
    )


def _broken(context: Context, claim: str, result: Result, violation: Violation, data: Mapping[str, Any]) -> Row:
    """The row of a search that found something wrong."""
    model = result.instance.model
    name = "_".join(
        [model.semantics, *model.bugs, result.instance.configuration.name, violation.name or violation.kind]
    )
    what = f"{violation.kind} {violation.name} breaks" if not violation.message else violation.message
    return Row(
        claim=claim,
        verdict=Verdict.VIOLATED,
        count=result.states,
        unit="states",
        note=f"{what} in {steps(len(violation.path))}",
        story=tuple(violation.path.lines()),
        files=written(context, name, violation),
        data=dict(data),
    )


def _figures(result: Result) -> dict[str, float]:
    """What the machine has to do with, and so is not locked."""
    return {
        "words": result.words,
        "bytes_a_state": round(result.bytes_a_state, 1),
        "states_a_second": round(result.states_a_second),
        "search_seconds": round(result.seconds, 3),
        "compile_seconds": round(result.compile_seconds, 3),
    }


def _searched(instance: Instance, result: Result, violations: list[Violation]) -> dict[str, Any]:
    """What the lock keeps of a search."""
    model = instance.model
    broken = {violation.name: f"{VIOLATED} in {steps(len(violation.path))}" for violation in violations}
    verdicts = {claim.name: "holds" for claim in model.properties if claim.kind in ("invariant", "transition")}
    for name, length in result.witnesses.items():
        verdicts[name] = "not seen" if length is None else f"seen after {steps(length)}"
    entry = SearchEntry(
        sizes=dict(instance.configuration.sizes),
        limits=dict(instance.limits),
        distinct=result.states,
        generated=result.generated,
        depth=result.depth,
        cut=dict(result.cuts),
        properties=verdicts | broken | dict.fromkeys(result.not_judged, "not judged"),
    )
    semantics = SemanticsEntry(digest=model.digest, searches={instance.configuration.name: entry})
    return _plain({model.system: SystemEntry(semantics={model.semantics: semantics})})


def _plain(lock: Lock) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(lock)
    return plain


def _printer() -> Callable[[Progress], None]:
    """Prints how far a search is, every few seconds."""
    last = time.monotonic()

    def printed(progress: Progress) -> None:
        nonlocal last
        if time.monotonic() - last >= _EVERY_S:
            last = time.monotonic()
            print(f"{progress.states:,} states, {progress.waiting:,} waiting", flush=True)

    return printed
