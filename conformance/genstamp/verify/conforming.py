"""The jobs that check the reference implementation against the specification: step by step, in process and as a child
process, led to each abstract transition, and in simulated runs.
"""

import shlex
import sys
from collections.abc import Iterator

from genstamp.adapters import Adapter, ChildAdapter, ReferenceAdapter
from genstamp.lockstep import LOCKSTEPS, Held, hold_seeds
from genstamp.stateful import Report, driving_of
from genstamp.stateful import conform as hold
from genstamp.systems import system_at
from genstamp.verify.job import Context
from genstamp.verify.row import Row, Verdict
from genstamp.walk import configurations_of, walk

CHILD = shlex.join([sys.executable, "-m", "genstamp_dfs.adapter"])

_VERDICTS = {"conforms": Verdict.HOLDS, "rejected": Verdict.VIOLATED, "undetermined": Verdict.UNDETERMINED}


def conform(context: Context, claim: str, system: str, as_child: bool, semantics: str, examples: int) -> Iterator[Row]:
    """The reference implementation conforms in some driven runs."""
    print(f"seed {context.seed}", flush=True)
    adapter: Adapter = ChildAdapter(CHILD) if as_child else ReferenceAdapter()
    report = hold(adapter, system_at(system), semantics, examples=examples, seed=context.seed)
    yield Row(
        claim=claim,
        verdict=_VERDICTS[report.verdict],
        count=report.figures.events,
        unit="events",
        note=_note(report),
        story=report.failure.lines if report.failure is not None else (),
        data={"seed": report.seed, "largest_set": report.figures.largest_set, "never_seen": list(report.never_seen)},
    )


def _note(report: Report) -> str:
    figures = report.figures
    runs = f"{figures.examples} runs with seed {report.seed}"
    if report.failure is not None:
        return f"{runs}: {report.failure.problem}"
    if figures.undetermined:
        return f"{runs}, of which {figures.undetermined} were given up: too many states were possible"
    if figures.unsettled:
        return f"{runs}: {figures.unsettled}"
    missing = f", {len(report.never_seen)} kinds of answers not seen" if report.never_seen else ""
    return f"{runs}, at most {figures.largest_set:,} possible states{missing}"


def walked(context: Context, claim: str, system: str, certain: int | None) -> Iterator[Row]:
    """The reference implementation is led to the abstract transitions of the first configuration that is walked.

    Args:
        certain: how many of them it was led to when that was kept; None if nothing is kept.
    """
    declared = system_at(system)
    adapter, configuration = ReferenceAdapter(), configurations_of(declared, driving_of(declared.name))[0]
    report = walk(adapter, declared, configuration)
    verdict, note = _VERDICTS[report.verdict], f"{report.share:.1%} of {len(report.transitions):,}"
    if report.failure is not None:
        note = report.failure.problem
    elif certain is None or len(report.certain) < certain:
        verdict, note = Verdict.VIOLATED, f"{note}; kept in spec/walks are {certain or 'none'}"
    yield Row(
        claim=claim,
        verdict=verdict,
        count=len(report.certain),
        unit="transitions",
        note=note,
        story=report.failure.lines if report.failure is not None else (),
        data={"states": report.states, "transitions": len(report.transitions), "possible": len(report.possible)},
    )


def lockstep(context: Context, claim: str, system: str, seeds: int) -> Iterator[Row]:
    """Simulated runs with faults conform; their seeds are 0 and up, so that one that fails, fails again."""
    declared = system_at(system)
    held = hold_seeds(declared, range(seeds))
    yield Row(
        claim=claim,
        verdict=_VERDICTS[held.verdict],
        count=held.judged,
        unit="events",
        note=_note_of_held(held, LOCKSTEPS[declared.name].entities),
        story=tuple(line for one in held.rejections[:1] for line in one.lines()),
        data={
            "largest_set": held.largest,
            "entities": held.entities,
            "left_out": dict(held.left_out),
            "ended": dict(held.ended),
            "lived": dict(held.lived),
        },
    )


def _note_of_held(held: Held, entities: str) -> str:
    runs = f"{held.runs} runs"
    if held.rejections:
        return f"{runs}: {held.rejections[0].rejected.problem}"
    if not held.judged:
        return f"{runs}: no event was checked"
    ended = sum(held.ended.values())
    if held.undetermined:
        return f"{runs}: {held.undetermined} of {held.entities} {entities} were given up: too many states were possible"
    return f"{runs}: {held.entities:,} {entities}, {ended:,} of them not to their end"
