"""What the lock keeps of other checkers' answers is about what it has itself: the same models and the same counts."""

from dataclasses import replace
from pathlib import Path

import pytest

from genstamp import lock
from genstamp.agree.run import PEERS
from genstamp.systems import system_named
from genstamp_model.explore import explore
from genstamp_model.language import Instance

LOCK = Path(__file__).parents[3] / "spec" / "spec.lock"


def test_kept_agreement_is_about_what_is_locked() -> None:
    kept = 0
    for system in lock.read(LOCK).values():
        for entry in system.semantics.values():
            for configuration, agreed in entry.agreed.items():
                assert agreed.digest == entry.digest
                if not agreed.limits:
                    assert agreed.distinct == entry.searches[configuration].distinct
                assert set(agreed.peers) == {peer.name for peer in PEERS}
                kept += 1
    assert kept


@pytest.mark.slow
def test_what_was_kept_under_other_limits_is_what_is_found_under_them() -> None:
    for name, system in lock.read(LOCK).items():
        for semantics, entry in system.semantics.items():
            for configuration, agreed in entry.agreed.items():
                declared = system_named(name).configuration(configuration)
                assert set(agreed.limits) <= set(declared.limits)
                if agreed.limits:
                    smaller = replace(declared, limits={**declared.limits, **agreed.limits})
                    found = explore(Instance(system_named(name).model(semantics), smaller))
                    assert found.states == agreed.distinct
