"""The job that looks whether the pages made from the specification are current, and leave no gap."""

from collections.abc import Iterator

from genstamp import lock
from genstamp.cli.tables import PAGES, not_current
from genstamp.systems import every_system
from genstamp.tables.coverage_page import gaps
from genstamp.verify.job import Context
from genstamp.verify.row import Row, Verdict
from genstamp.verify.summing import LOCK


def pages(context: Context, claim: str) -> Iterator[Row]:
    """Every page is current, and every place of the notes is stated somewhere or left out for a reason.

    What the page of a hole says that a search found is compared where the hole is searched for (`searching.variation`).
    """
    outdated = not_current(context.repository, searches=False)
    unstated = gaps(every_system(), lock.read(context.repository / LOCK))
    notes = [f"not current: {', '.join(outdated)}; write them with: genstamp tables"] if outdated else []
    notes += [f"nothing states {', '.join(unstated)}"] if unstated else []
    verdict = Verdict.VIOLATED if notes else Verdict.HOLDS
    yield Row(claim=claim, verdict=verdict, count=len(PAGES), unit="pages", note="; ".join(notes))
