"""Jobs that search: every configuration, what a released version is known to break, every bug, hole and difference.

Not here: what is compared with the lock (`summing`): a row here gives a result and its meaning without the lock.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import msgspec

from genstamp import coverage, leads_to, vacuity
from genstamp.lock import Lock, SearchEntry, SemanticsEntry, SystemEntry, VariationEntry
from genstamp.progress import each_minute
from genstamp.report.of_model import stages
from genstamp.systems import system_at
from genstamp.tables import holes_page
from genstamp.verify.breaking import Break, breaks, steps, undetermined, written
from genstamp.verify.job import Context
from genstamp.verify.row import Row, Verdict
from genstamp_model.evaluate import Evaluator
from genstamp_model.explore import Compiled, Progress, Result, Search, explore
from genstamp_model.explore import Verdict as Found
from genstamp_model.explore.violation import of_property
from genstamp_model.language import OTHER_STATES, Difference, Hole, System
from genstamp_model.language.ir import negation
from genstamp_model.language.model import Instance
from genstamp_model.liveness import Liveness
from genstamp_model.path import Path

_EVERY_S: Final = 5.0


def check(context: Context, claim: str, system: str, configuration: str) -> Iterator[Row]:
    """The default semantics in one configuration: every property holds."""
    instance = system_at(system).instance(configuration)
    result = explore(instance, progress=_printer())
    judged = leads_to.judged(result)
    found = breaks(result.violation, judged)
    data = {
        "lock": _searched(instance, result, found, judged),
        "coverage": coverage.of(result),
        "vacuity": vacuity.of(result),
    }
    yield _row(claim, result, data, judged) if not found else _broken(context, claim, result, found[0], data)


def known(context: Context, claim: str, system: str, configuration: str, semantics: str) -> Iterator[Row]:
    """A released version in one configuration: all that breaks there, each property by a shortest way.

    Which ones do is pinned in the lock; here it holds if the search finished. Where something breaks, leads-to
    properties may be undetermined beside it, which the lock says too.
    """
    instance = system_at(system).instance(configuration, semantics)
    result, found = search_on(instance)
    if result.violation is not None:
        yield _broken(context, claim, result, breaks(result.violation)[0], {})
        return
    judged = leads_to.judged(result)
    found += breaks(None, judged)
    files: list[str] = []
    for broken in found:
        files += written(context, f"{semantics}_{configuration}_{broken.name}", broken)
    data = {"lock": _searched(instance, result, found, judged)}
    told = ", ".join(f"{broken.name} breaks {broken.how}" for broken in found)
    if found and (left := undetermined(judged)):
        told = f"{told}; {left}"
        judged = tuple(one for one in judged if one.verdict is not Found.UNDETERMINED)
    row = _row(claim, result, data, judged)
    yield msgspec.structs.replace(row, note=f"{row.note}; {told or 'nothing breaks'}", files=tuple(files))


def sample(context: Context, claim: str, system: str, configuration: str, names: Mapping[str, str]) -> Iterator[Row]:
    """One configuration of a system, and some of its faults."""
    yield from check(context, claim, system, configuration)
    yield from variations(context, system, names)


def variations(context: Context, system: str, names: Mapping[str, str]) -> Iterator[Row]:
    """Some bugs, holes and differences of a system, by claim."""
    for claim, name in names.items():
        print(claim, flush=True)
        yield from variation(context, claim, system, name)


def variation(context: Context, claim: str, system: str, name: str) -> Iterator[Row]:
    """A bug or a hole is caught: one of the properties that it must break is the first to break.

    A difference breaks nothing, and what it shows is seen.
    """
    declared = system_at(system)
    fault = declared.bug(name)
    instance = declared.instance(fault.configuration, bugs=[name])
    result = explore(instance, progress=_printer())
    if isinstance(fault, Difference):
        yield _different(context, claim, declared, fault, result)
        return
    judged = leads_to.judged(result)
    found = breaks(result.violation, judged)
    counts: dict[str, Any] = {"count": result.states, "unit": "states"}
    if not found:
        open_ = result.undetermined or undetermined(judged)
        verdict = Verdict.UNDETERMINED if open_ else Verdict.VIOLATED
        note = open_ or f"nothing breaks in {fault.configuration}: it is not caught"
        yield Row(claim=claim, verdict=verdict, note=note, **counts)
        return
    broken = next((one for one in found if one.name in fault.breaks), found[0])
    entry = VariationEntry(
        breaks=broken.name,
        configuration=fault.configuration,
        depth=broken.depth,
        distinct=result.states,
        digest=instance.model.digest,
    )
    data = {"lock": _plain({declared.name: SystemEntry(variations={name: entry})})}
    if broken.name not in fault.breaks:
        told = _broken(context, claim, result, broken, data)
        note = f"{told.note}, and not {' or '.join(fault.breaks)}"
        yield msgspec.structs.replace(told, note=note)
        return
    note = f"{broken.name} breaks {broken.how} in {fault.configuration}"
    verdict = Verdict.HOLDS
    if fault.depth and fault.depth != broken.depth:
        verdict, note = Verdict.VIOLATED, f"{note}, declared are {fault.depth}"
    if isinstance(fault, Hole) and not _is_told(context, declared, fault, broken):
        verdict, note = Verdict.VIOLATED, f"{note}, and docs/holes/{name}.md has another story: genstamp tables"
    files = written(context, name, broken)
    yield Row(claim=claim, verdict=verdict, note=note, files=files, data=data, **counts)


def _is_told(context: Context, declared: System, hole: Hole, broken: Break) -> bool:
    """Whether the page of a hole, if it shows this system's story, agrees with the present result."""
    said = holes_page.kept(context.repository / "docs" / "holes")(declared, hole)
    return said in ("", holes_page.found(declared, hole, broken))


def _different(context: Context, claim: str, declared: System, fault: Difference, result: Result) -> Row:
    """What a release did otherwise is seen, the system does not have it without, and nothing breaks."""
    judged = leads_to.judged(result)
    if found := breaks(result.violation, judged):
        return _broken(context, claim, result, found[0], {})
    if open_ := result.unsettled or undetermined(judged):
        return Row(claim=claim, verdict=Verdict.UNDETERMINED, count=result.states, unit="states", note=open_)
    if fault.shows == OTHER_STATES:
        seen = result.states != explore(declared.instance(fault.configuration), progress=_printer()).states
    else:
        seen = coverage.reached(coverage.of(result)).get(fault.shows, False)
    if coverage.has(declared.model(), fault.shows) or not seen:
        what = "is in the system without it" if seen else f"is not seen in {fault.configuration}"
        note = f"'{fault.shows}' {what}"
        return Row(claim=claim, verdict=Verdict.VIOLATED, count=result.states, unit="states", note=note)
    depth = result.witnesses.get(fault.shows.removeprefix("witness ")) or 0
    entry = VariationEntry(
        breaks="",
        shows=fault.shows,
        configuration=fault.configuration,
        depth=depth,
        distinct=result.states,
        digest=result.instance.model.digest,
    )
    data = {"lock": _plain({declared.name: SystemEntry(variations={fault.name: entry})})}
    note = f"{fault.shows} {'are' if fault.shows == OTHER_STATES else 'is'} seen in {fault.configuration}"
    note = f"{note}, and nothing breaks"
    return Row(claim=claim, verdict=Verdict.HOLDS, count=result.states, unit="states", note=note, data=data)


def search_on(instance: Instance) -> tuple[Result, list[Break]]:
    """Search an instance to the end although it breaks properties, and find a shortest way to break each.

    A transition property that breaks ends the search, which then begins anew without it. For invariants one search is
    enough: each is asked for as a witness of its opposite.

    Returns:
        The result of the last search, and what broke, what breaks soonest first. That search has a violation only if
        something breaks that is no property: no step is possible, or a step fails.
    """
    model, configuration, found = instance.model, instance.configuration, list[Break]()
    invariants = {f"not {claim.name}": claim for claim in model.properties if claim.kind == "invariant"}
    opposites = [
        replace(claim, name=name, kind="witness", parameters=(), condition=negation(claim.closed))
        for name, claim in invariants.items()
    ]
    asked = replace(model, properties=(*(claim for claim in model.properties if claim.kind != "invariant"), *opposites))
    while True:
        search = Search(Compiled(Instance(asked, configuration)))
        result = search.run(progress=_printer())
        violation = result.violation
        if violation is None or violation.kind != "transition":
            break
        found += breaks(violation)
        asked = replace(asked, properties=tuple(one for one in asked.properties if one.name != violation.name))
    evaluator = Evaluator(instance)
    for name, claim in invariants.items():
        if (path := search.witness(name)) is not None:
            found += breaks(of_property(evaluator, claim, Path(instance, path.initial, path.steps)))
    seen = {name: depth for name, depth in result.witnesses.items() if name not in invariants}
    return replace(result, witnesses=seen), sorted(found, key=lambda one: len(one.path))


def _row(claim: str, result: Result, data: Mapping[str, Any], judged: tuple[Liveness, ...]) -> Row:
    """The row of a search that found nothing wrong."""
    limits = ", ".join(f"{name} {bound}" for name, bound in sorted(result.instance.limits.items()))
    note = f"within {limits}" if limits else "without limits"
    if left := leads_to.not_judged(result, judged):
        note = f"{note}; not judged: {', '.join(left)}"
    is_undetermined = result.verdict is Found.UNDETERMINED
    open_ = result.unsettled or undetermined(judged)
    return Row(
        claim=claim,
        verdict=Verdict.UNDETERMINED if open_ else Verdict.HOLDS,
        count=result.states,
        unit="states",
        note=open_ or note,
        data={"search": _figures(result)} if is_undetermined else {"search": _figures(result), **data},
    )


def _broken(context: Context, claim: str, result: Result, broken: Break, data: Mapping[str, Any]) -> Row:
    """The row of a search that found something wrong."""
    model = result.instance.model
    name = "_".join([model.semantics, *model.bugs, result.instance.configuration.name, broken.name or broken.kind])
    what = f"{broken.kind} {broken.name} breaks" if not broken.message else broken.message
    return Row(
        claim=claim,
        verdict=Verdict.VIOLATED,
        count=result.states,
        unit="states",
        note=f"{what} {broken.how}",
        story=broken.story,
        files=written(context, name, broken),
        place=broken.place,
        steps=stages(broken.path),
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


def _searched(instance: Instance, result: Result, found: list[Break], judged: tuple[Liveness, ...]) -> dict[str, Any]:
    """The lock's entry for a search."""
    model = instance.model
    broken = {one.name: one.locked for one in found}
    verdicts = {claim.name: "holds" for claim in model.properties if claim.kind in ("invariant", "transition")}
    verdicts |= {one.claim.name: one.verdict.value for one in judged}
    for name, length in result.witnesses.items():
        verdicts[name] = "not seen" if length is None else f"seen after {steps(length)}"
    entry = SearchEntry(
        sizes=dict(instance.configuration.sizes),
        limits=dict(instance.limits),
        distinct=result.states,
        generated=result.generated,
        depth=result.depth,
        cut=dict(result.cuts),
        properties=verdicts | broken | dict.fromkeys(leads_to.not_judged(result, judged), "not judged"),
        missing=[
            name
            for name in coverage.missing(coverage.reached(coverage.of(result)))
            if not name.startswith(("witness ", "effect "))
        ],
    )
    semantics = SemanticsEntry(digest=model.digest, searches={instance.configuration.name: entry})
    return _plain({model.system: SystemEntry(semantics={model.semantics: semantics})})


def _plain(lock: Lock) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(lock)
    return plain


def _printer() -> Callable[[Progress], None]:
    """Prints how far a search is, every few seconds."""
    show = each_minute(lambda line: print(line, flush=True), _EVERY_S)
    return lambda progress: show(f"{progress.states:,} states, {progress.waiting:,} waiting")
