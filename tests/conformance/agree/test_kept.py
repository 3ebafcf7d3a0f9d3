"""What the lock keeps of other checkers' answers is about what it has itself: the same models and the same counts."""

from pathlib import Path

from genstamp import lock
from genstamp.agree.run import PEERS

LOCK = Path(__file__).parents[3] / "spec" / "spec.lock"


def test_kept_agreement_is_about_what_is_locked() -> None:
    kept = 0
    for system in lock.read(LOCK).values():
        for entry in system.semantics.values():
            for configuration, agreed in entry.agreed.items():
                assert (agreed.digest, agreed.distinct) == (entry.digest, entry.searches[configuration].distinct)
                assert set(agreed.peers) == {peer.name for peer in PEERS}
                kept += 1
    assert kept
