"""Makes docs/twins.md: `python -m tests.conformance.twins.page` at the root of the repository.

Runs all twins. A test compares all columns but events and seconds, which are of the run on the day that the page
names: what a driver draws differently changes them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from tests.conformance.twins.all_twins import TWINS, notice, notice_by_walk
from tests.conformance.twins.holes import HOLES, Hole
from tests.conformance.twins.judging import STEPS_SEED, WALKS, Judge, Noticed, Twin

PAGE = Path("docs/twins.md")

_BEGINNING = """# Twins

A twin is the implementation with one of {count} bugs of Hadoop's past put back; each change is as small as the fix
that it undoes. This page shows which check noticed each twin. The implementation itself passes all the same plans.
The twins are in `tests/conformance/twins/`; `python -m tests.conformance.twins.page` makes this page, and a test
compares it.

No check knows the bugs:

- `hdfs.recovery`, step by step: `genstamp conform hdfs.recovery`, seed {seed}, drives the implementation, and each step
  must be a step of the specification;
- a walk: the same without randomness, in several systems: the implementation is driven by shortest paths to each
  abstract transition of small configurations, as by `genstamp conform --walk`; first {walks};
- `hdfs.lease`, in lockstep: a tracker (`genstamp.lockstep`) follows each file of a simulated run, and the namenode's
  answers must be those of the specification;
- an invariant: checked after each step of the namenode and at steps of datanodes of a simulated run
  (`genstamp_dfs.simulation.invariants`; the ids are those of section J of the protocol facts);
- promised bytes: at the end of the run, bytes that hflush, hsync or close acknowledged are missing or different;
- a job that was due: a write, an append or a takeover fails, in a plan with no other faults than those it names;
- an error: a node dies of an exception that is not a refusal.

*Events* counts the protocol events of all runs until the twin was noticed; a run without a broken invariant is counted
to its end. *Plan* is the number of the plan in the scenario, and the number of plans. *Walk* names the walk that also
notices the twin, if one does. Events and seconds were measured on {date}; seconds are processor time on one core,
without the time to find the states of the walks.

| bug | what is wrong | noticed by | what it said | scenario | plan | walk | events | seconds |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""


def cells(twin: Twin, noticed: Noticed) -> list[str]:
    """The row of a twin, but for events and seconds."""
    scenario = "chosen by the model" if twin.scenario is None else twin.scenario.name
    plan = "" if twin.scenario is None else f"{noticed.plan} of {len(twin.scenario.plans)}"
    said = noticed.sentence.replace("|", "\\|")
    return [twin.jira, twin.wrong, noticed.judge.value, said, scenario, plan]


def page(rows: Sequence[tuple[Twin, Noticed, Noticed | None]], date: str) -> str:
    """The page.

    Args:
        rows: each twin, how it was noticed, and how the walk noticed it, if it did.
        date: of events and seconds.
    """
    lines = [
        f"| {' | '.join([*cells(twin, noticed), walk_cell(by_walk)])} | {noticed.events} | {noticed.seconds:.2f} |"
        for twin, noticed, by_walk in rows
    ]
    counts = Counter(noticed.judge for _, noticed, _ in rows)
    summary = ", ".join(f"{judge.value} {counts[judge]}" for judge in Judge if counts[judge])
    by_walk = sum(by_walk is not None for _, _, by_walk in rows)
    beginning = _BEGINNING.format(count=len(rows), seed=STEPS_SEED, date=date, walks=", then ".join(_walks()))
    return f"{beginning}{chr(10).join(lines)}\n\nNoticed by: {summary}. A walk notices {by_walk} of all.\n"


def walk_cell(by_walk: Noticed | None) -> str:
    """Which walk notices a twin; empty if none does."""
    return "" if by_walk is None else f"`{WALKS[by_walk.plan - 1][0].name}`"


def _walks() -> Iterator[str]:
    """The walks, each with what it goes through."""
    for system, configuration in WALKS:
        sizes = [*configuration.sizes.items(), *((name, top) for name, top in configuration.limits.items() if top)]
        yield f"`{system.name}` ({', '.join(f'{name} {number}' for name, number in sizes)})"


_HOLES = """
## Holes of hadoop-3.4

Not all bugs are of the past. With `hadoop-3.4` the implementation has the [holes of Hadoop 3.4.1](holes.md); these are
shown by simulated runs made for them, with the hole open and all others closed, and with `hadoop-3.4` as well.
`repaired` passes the same plans. *Acknowledged bytes* are those that an hflush or hsync had acknowledged and that
cannot be read in the end, while HDFS promises nothing (no datanode that took part in the last recovery has lived on,
hsync was not asked to force the blocks before the last, or the client brought no new stamp): the plans are such that
`repaired` loses none of them either.

| hole | what it lets happen | noticed by | what it said | scenario | plan | events | seconds |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""


def hole_cells(hole: Hole, noticed: Noticed) -> list[str]:
    """The row of a hole, but for events and seconds."""
    plan = f"{noticed.plan} of {len(hole.scenario.plans)}"
    name, does = f"`{hole.name}`", hole.does
    return [name, does, noticed.judge.value, noticed.sentence, hole.scenario.name, plan]


def holes(rows: Iterable[tuple[Hole, Noticed]]) -> str:
    """The part of the page on holes."""
    lines = [
        f"| {' | '.join(hole_cells(hole, noticed))} | {noticed.events} | {noticed.seconds:.2f} |\n"
        for hole, noticed in rows
    ]
    return _HOLES + "".join(lines)


def main() -> None:
    """Write the page; a twin or hole that nothing notices stops it."""
    rows = []
    for twin in TWINS:
        noticed = notice(twin)
        assert noticed is not None, f"nothing notices {twin.jira}"
        rows.append((twin, noticed, notice_by_walk(twin)))
    open_holes = []
    for hole in HOLES:
        noticed = hole.notice(hole.alone())
        assert noticed is not None, f"nothing shows {hole.name}"
        open_holes.append((hole, noticed))
    PAGE.write_text(page(rows, datetime.now(UTC).date().isoformat()) + holes(open_holes))


if __name__ == "__main__":
    main()
