"""The jobs that ask other checkers: each peer finds in a configuration what our own search finds.

A peer is not run again on a model with a recorded agreement while the exported text is the same, down to the last
character: its answer would be the same too, and the lock compares our own search every time.

Not here: how that is compared (`genstamp.agree`).
"""

import os
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from genstamp.agree.compare import Comparison, Outcome
from genstamp.agree.ours import found_here
from genstamp.agree.peer import Peer, digest
from genstamp.agree.run import PEERS, asked
from genstamp.lock import AgreedEntry
from genstamp.systems import system_at
from genstamp.verify.job import Context
from genstamp.verify.row import Row, Verdict
from genstamp_model.language.model import Instance

REQUIRED = "GENSTAMP_REQUIRE_PEERS"
"""Set to 1, a peer that is absent is a failure; otherwise it is skipped."""

_VERDICTS = {
    Outcome.AGREE: Verdict.HOLDS,
    Outcome.DISAGREE: Verdict.VIOLATED,
    Outcome.UNDETERMINED: Verdict.UNDETERMINED,
}


def agree(
    context: Context,
    claims: Mapping[str, str],
    system: str,
    configuration: str,
    limit_s: float,
    recorded: Mapping[str, Any] | None = None,
) -> Iterator[Row]:
    """Some peers in one configuration under the default semantics.

    Args:
        context: not needed.
        claims: of the rows, by name of the peer.
        system: where it is declared.
        configuration: its name.
        limit_s: seconds for each peer.
        recorded: what the lock has of the configuration, where that may do.
    """
    entry = None if recorded is None else msgspec.convert(recorded, AgreedEntry)
    known = {peer.name: peer for peer in PEERS}
    yield from rows({claim: known[name] for name, claim in claims.items()}, system, configuration, limit_s, entry)


def rows(
    peers: Mapping[str, Peer], system: str, configuration: str, limit_s: float, recorded: AgreedEntry | None = None
) -> Iterator[Row]:
    """The result of each peer, by claim, new or recorded; our own search is made at most once."""
    instance = system_at(system).instance(configuration)
    ours = None
    for claim, peer in peers.items():
        if recorded is not None and is_still_said(peer, instance, recorded):
            note = f"{recorded.peers[peer.name]}, recorded: it was given the same text; not run here"
            yield Row(claim=claim, verdict=Verdict.HOLDS, count=recorded.distinct, unit="states", note=note)
            continue
        ours = ours or found_here(instance)
        yield _row(claim, asked(peer, instance, ours, limit_s))


def is_still_said(peer: Peer, instance: Instance, recorded: AgreedEntry) -> bool:
    """Whether what was recorded of a peer is about this model and this text, under the configuration's own limits."""
    is_about_it = recorded.digest == instance.model.digest and not recorded.limits and peer.name in recorded.peers
    return is_about_it and recorded.texts.get(peer.name) == digest(peer, instance)


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
