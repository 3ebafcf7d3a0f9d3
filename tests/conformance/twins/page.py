"""Makes docs/twins.md: `python -m tests.conformance.twins.page` at the root of the repository.

Runs all twins. A test compares all columns but the seconds, which are of the run on the day that the page names.
"""

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from tests.conformance.twins.all_twins import TWINS, notice
from tests.conformance.twins.holes import HOLES, Hole
from tests.conformance.twins.judging import STEPS_SEED, Judge, Noticed, Twin

PAGE = Path("docs/twins.md")

_BEGINNING = """# Twins

{count} bugs of Hadoop's past, put back one by one into the implementation, as small as the fix that they undo, and what
noticed each of them. The implementation itself passes all the same plans. They live in `tests/conformance/twins/`; this
page is made by `python -m tests.conformance.twins.page`, and a test compares it.

The judges know of no bug:

- `hdfs.recovery`, step by step: the implementation is driven by `genstamp conform hdfs.recovery`, seed {seed}, and each
  step has to be one of the specification's;
- `hdfs.lease`, in lockstep: each file of a simulated run is followed by a tracker of its own
  (`genstamp.lockstep`), and what the namenode answers has to be what the specification does;
- an invariant: looked at after each step of the namenode and at steps of datanodes of a simulated run
  (`genstamp_dfs.simulation.invariants`; the ids are those of section J of the protocol facts);
- promised bytes: what hflush, hsync or close acknowledged is not there in the end, or something else is;
- a job that was due: in a plan in which at most what it says goes wrong, a write, an append or a takeover fails;
- an error: a node dies of an exception that is no refusal.

*Events* are the protocol events of all runs until the twin was noticed; those of a run without an invariant that broke
are counted to its end. They are the same each time. *Plan* says which plan of the scenario it was, and of how many.
*Seconds* are processor time on {date}, one core.

| bug | what is wrong | noticed by | what it said | scenario | plan | events | seconds |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""


def cells(twin: Twin, noticed: Noticed) -> list[str]:
    """The row of a twin, but for the seconds."""
    scenario = "chosen by the model" if twin.scenario is None else twin.scenario.name
    plan = "" if twin.scenario is None else f"{noticed.plan} of {len(twin.scenario.plans)}"
    said = noticed.sentence.replace("|", "\\|")
    return [twin.jira, twin.wrong, noticed.judge.value, said, scenario, plan, str(noticed.events)]


def page(rows: Iterable[tuple[Twin, Noticed]], date: str) -> str:
    """The page.

    Args:
        rows: each twin, and how it was noticed.
        date: of the seconds.
    """
    rows = list(rows)
    lines = [f"| {' | '.join(cells(twin, noticed))} | {noticed.seconds:.2f} |" for twin, noticed in rows]
    counts = Counter(noticed.judge for _, noticed in rows)
    summary = ", ".join(f"{judge.value} {counts[judge]}" for judge in Judge if counts[judge])
    beginning = _BEGINNING.format(count=len(rows), seed=STEPS_SEED, date=date)
    return f"{beginning}{chr(10).join(lines)}\n\nNoticed by: {summary}.\n"


_HOLES = """
## Holes of hadoop-3.4

Not all bugs are of the past. With `hadoop-3.4` the implementation has the [holes of Hadoop 3.4.1](holes.md); these are
shown by simulated runs made for them, with the hole open and all others closed, and with `hadoop-3.4` as well.
`repaired` passes the same plans. *Acknowledged bytes* are those that an hflush or hsync had acknowledged and that
cannot be read in the end, while HDFS promises nothing (no datanode that took part in the last recovery has lived on, or
hsync was not asked to force the blocks before the last): the plans are such that `repaired` loses none of them either.

| hole | what it lets happen | noticed by | what it said | scenario | plan | events | seconds |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""


def hole_cells(hole: Hole, noticed: Noticed) -> list[str]:
    """The row of a hole, but for the seconds."""
    plan = f"{noticed.plan} of {len(hole.scenario.plans)}"
    name, does = f"`{hole.name}`", hole.does
    return [name, does, noticed.judge.value, noticed.sentence, hole.scenario.name, plan, str(noticed.events)]


def holes(rows: Iterable[tuple[Hole, Noticed]]) -> str:
    """The part of the page on holes."""
    lines = [f"| {' | '.join(hole_cells(hole, noticed))} | {noticed.seconds:.2f} |\n" for hole, noticed in rows]
    return _HOLES + "".join(lines)


def main() -> None:
    """Write the page; a twin or hole that nothing notices stops it."""
    rows = []
    for twin in TWINS:
        noticed = notice(twin)
        assert noticed is not None, f"nothing notices {twin.jira}"
        rows.append((twin, noticed))
    open_holes = []
    for hole in HOLES:
        noticed = hole.notice(hole.alone())
        assert noticed is not None, f"nothing shows {hole.name}"
        open_holes.append((hole, noticed))
    PAGE.write_text(page(rows, datetime.now(UTC).date().isoformat()) + holes(open_holes))


if __name__ == "__main__":
    main()
