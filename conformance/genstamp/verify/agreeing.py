"""The jobs that ask other checkers: each peer finds in a configuration what our own search finds.

Leaves out how that is compared (`genstamp.agree`).
"""

import os
from collections.abc import Iterator, Mapping

from genstamp.agree.compare import Comparison, Outcome
from genstamp.agree.ours import found_here
from genstamp.agree.peer import Peer
from genstamp.agree.run import PEERS, asked
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


def agree(
    context: Context, claims: Mapping[str, str], system: str, configuration: str, limit_s: float
) -> Iterator[Row]:
    """Some peers in one configuration under the default semantics.

    Args:
        context: not needed.
        claims: of the rows, by name of the peer.
        system: where it is declared.
        configuration: its name.
        limit_s: seconds for each peer.
    """
    known = {peer.name: peer for peer in PEERS}
    yield from rows({claim: known[name] for name, claim in claims.items()}, system, configuration, limit_s)


def rows(peers: Mapping[str, Peer], system: str, configuration: str, limit_s: float) -> Iterator[Row]:
    """What each peer finds, by claim; our own search is made once."""
    instance = system_at(system).instance(configuration)
    ours = found_here(instance)
    for claim, peer in peers.items():
        yield _row(claim, asked(peer, instance, ours, limit_s))


def _row(claim: str, comparison: Comparison) -> Row:
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
