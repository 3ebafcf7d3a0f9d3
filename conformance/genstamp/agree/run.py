"""Asks every peer about one configuration, and compares what they say with our own search."""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from genstamp.agree.compare import Agreement, Comparison, compared
from genstamp.agree.ours import found_here
from genstamp.agree.peer import RANGES, Found, Peer, Verdict
from genstamp.agree.spin import Spin
from genstamp.agree.tlc import Tlc
from genstamp_model.errors import ConfigurationError
from genstamp_model.language.model import Instance

PEERS: Final[tuple[Peer, ...]] = (Tlc(), Spin())
"""Every peer there is."""

LIMIT_S: Final = 600.0
"""The default time limit of each peer, in seconds."""


def agreement(
    instance: Instance, peers: Sequence[Peer], limit_s: float = LIMIT_S, max_states: int | None = None
) -> Agreement:
    """Search an instance here and with each peer that is on this machine.

    Args:
        instance: what to search.
        peers: whom to ask.
        limit_s: seconds for each of them.
        max_states: beyond this many states our search gives up, and no peer is asked.
    """
    ours = found_here(instance, max_states)
    return Agreement(instance, ours, tuple(asked(peer, instance, ours, limit_s) for peer in peers))


def asked(peer: Peer, instance: Instance, ours: Found, limit_s: float) -> Comparison:
    """A peer's results, compared with the results of our search; a peer is not asked about properties that are not
    decided here.

    Args:
        peer: whom to ask; it may be absent.
        instance: what to search.
        ours: what `found_here` gave for it.
        limit_s: seconds for the peer.
    """
    version = peer.version()
    if version is None:
        return Comparison(peer.name, None, None)
    if ours.distinct is None and ours.verdicts[RANGES] is not Verdict.VIOLATED:
        nothing = Found(None, None, None, {}, 0.0, ours.undetermined)
        return compared(peer.name, version, ours, nothing)
    with tempfile.TemporaryDirectory(prefix="genstamp-agree-") as directory:
        try:
            found = peer.run(_without_open(instance, ours), Path(directory), limit_s)
        except ConfigurationError as problem:
            found = Found(None, None, None, {}, 0.0, str(problem))
        return compared(peer.name, version, ours, found)


def _without_open(instance: Instance, ours: Found) -> Instance:
    """An instance without the leads-to properties that limits leave open here: each costs a peer a search."""
    kept = tuple(
        claim
        for claim in instance.model.properties
        if claim.kind != "leads_to" or ours.verdicts[claim.name] is not Verdict.UNDETERMINED
    )
    return Instance(replace(instance.model, properties=kept), instance.configuration)
