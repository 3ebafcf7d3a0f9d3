"""gfs.progress: what each fault keeps waiting, and that success cannot be promised before faults cease."""

from dataclasses import replace

import pytest

from genstamp_model.explore import Verdict
from genstamp_model.language import System, action, require
from genstamp_model.liveness import judge
from genstamp_spec.gfs.parts.lease_state import Chunkserver
from genstamp_spec.gfs.parts.progress_steps import WrittenReplicas
from genstamp_spec.gfs.systems.progress import PROGRESS, ProgressProperties

OWED = {
    "revoked-lease-is-extended": {"revocation_ends", "retried_write_succeeds"},
    "dead-secondary-is-waited-for": {"write_ends"},
    "lease-lost-in-silence": {"write_ends", "retried_write_succeeds"},
    "lease-of-a-dead-primary-never-expires": {"revocation_ends", "retried_write_succeeds"},
    "dead-secondary-keeps-its-lease": {"retried_write_succeeds"},
    "write-answered-before-all-have-it": set(),
}


def never_done(system: System, configuration: str, bugs: list[str]) -> set[str]:
    """What is owed and never done."""
    judged = judge(system.instance(configuration, bugs=bugs))
    return {one.claim.name for one in judged if one.verdict is not Verdict.HOLDS}


@pytest.mark.parametrize("bug", OWED)
def test_what_is_owed_is_not_done(bug: str) -> None:
    assert set(OWED) == {one.name for one in PROGRESS.bugs}
    assert never_done(PROGRESS, PROGRESS.bug(bug).configuration, [bug]) == OWED[bug]


class CrashesForEver(WrittenReplicas, lane=Chunkserver):
    """Nothing is ever calm."""

    @action
    def crash(s, chunkserver: Chunkserver) -> None:
        """Another replica is left."""
        require(s.up.has(chunkserver), "the chunkserver is up")
        require((s.up & s.current).size() > 1, "another current replica is up")
        s.dies(chunkserver)


def test_success_cannot_be_promised_while_chunkservers_go_on_to_die() -> None:
    system = replace(PROGRESS, parts=[ProgressProperties, CrashesForEver])
    assert never_done(system, "two_chunkservers", []) == {"retried_write_succeeds"}
