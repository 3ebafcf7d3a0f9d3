"""Makes docs/twins.md: `python -m tests.conformance.twins.page` at the root of the repository.

Runs all twins. A test compares all columns but the seconds, which are of the run on the day that the page names.
"""

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from tests.conformance.twins.all_twins import TWINS, notice
from tests.conformance.twins.judging import STEPS_SEED, Judge, Noticed, Twin

PAGE = Path("docs/twins.md")

_BEGINNING = """# Twins

{count} bugs of Hadoop's past, put back one by one into the implementation, as small as the fix that they undo, and what
noticed each of them. The implementation itself passes all the same plans. They live in `tests/conformance/twins/`; this
page is made by `python -m tests.conformance.twins.page`, and a test compares it.

The judges know of no bug:

- `hdfs.recovery`, step by step: the implementation is driven by `genstamp conform hdfs.recovery`, seed {seed}, and each
  step has to be one of the specification's;
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


def main() -> None:
    """Write the page; a twin that nothing notices stops it."""
    rows = []
    for twin in TWINS:
        noticed = notice(twin)
        assert noticed is not None, f"nothing notices {twin.jira}"
        rows.append((twin, noticed))
    PAGE.write_text(page(rows, datetime.now(UTC).date().isoformat()))


if __name__ == "__main__":
    main()
