"""The job that looks whether the diagrams are those of the specification."""

from collections.abc import Iterator

from genstamp.cli.diagram import BUGS, LIFECYCLES, not_current
from genstamp.verify.job import Context
from genstamp.verify.row import Row, Verdict


def diagrams(context: Context, claim: str) -> Iterator[Row]:
    """Every diagram in the repository is current."""
    outdated = not_current(context.repository / "diagrams")
    yield Row(
        claim=claim,
        verdict=Verdict.VIOLATED if outdated else Verdict.HOLDS,
        count=len(LIFECYCLES) + len(BUGS),
        unit="pictures",
        note=f"not current: {', '.join(outdated)}; write them with: genstamp diagram" if outdated else "",
    )
