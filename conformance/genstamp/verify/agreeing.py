"""The jobs that ask other checkers: each peer finds in a configuration what our own search finds.

Leaves out how that is compared (`genstamp.agree`).
"""

import os
from collections.abc import Iterator, Sequence

from genstamp.agree.compare import Comparison, Outcome
from genstamp.agree.peer import Peer
from genstamp.agree.run import PEERS, agreement
from genstamp.systems import system_at
from genstamp.verify.job import Context
from genstamp.verify.row import Row, Verdict

REQUIRED = "GENSTAMP_REQUIRE_PEERS"
"""Set to 1, a peer that is absent is a failure; otherwise it is skipped."""

_VERDICTS = {
    Outcome.AGREE: Verdict.HOLDS,
    Outcome.DISAGREE: Verdict.VIOLATED,
    Outcome.UNDETERMINED: Verdict.UNDETERMINED,
}


def agree(context: Context, claim: str, system: str, configuration: str, peer: str, limit_s: float) -> Iterator[Row]:
    """One peer in one configuration under the default semantics."""
    yield asked(claim, system, configuration, [one for one in PEERS if one.name == peer], limit_s)


def asked(claim: str, system: str, configuration: str, peers: Sequence[Peer], limit_s: float) -> Row:
    """The row of what a peer finds."""
    result = agreement(system_at(system).instance(configuration), peers, limit_s)
    [comparison] = result.comparisons
    if comparison.outcome is Outcome.ABSENT:
        return absent(claim, f"{comparison.peer} is not on this machine")
    found = comparison.found
    assert found is not None
    return Row(
        claim=claim,
        verdict=_VERDICTS[comparison.outcome],
        count=found.distinct,
        unit="states",
        note=_note(comparison),
        story=comparison.differences,
        data={"agree": {"version": comparison.version, "compared": list(comparison.compared)}},
    )


def _note(comparison: Comparison) -> str:
    if comparison.differences:
        return f"{len(comparison.differences)} differences"
    rest = f"; not compared: {', '.join(comparison.unknown)}" if comparison.unknown else ""
    return comparison.reason or f"{comparison.version}, in {len(comparison.compared)} answers{rest}"


def absent(claim: str, reason: str) -> Row:
    """The row of a peer that cannot be asked."""
    is_required = os.environ.get(REQUIRED) == "1"
    return Row(claim=claim, verdict=Verdict.FAILURE if is_required else Verdict.SKIPPED, note=reason)
