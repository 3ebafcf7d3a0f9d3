"""hdfs.reports_progress: a committed block is completed only by reports that have to go out."""

import pytest

from genstamp_model.explore import Verdict
from genstamp_model.language import System, leads_to
from genstamp_model.language.values import Bool
from genstamp_model.liveness import judge
from genstamp_spec.hdfs.parts.state import File
from genstamp_spec.hdfs.systems.reports_progress import REPORTS_PROGRESS, ReportsProgress
from genstamp_spec.lifecycles.block import BlockLifecycle


class NothingIsSent(ReportsProgress):
    """What waits to be reported may wait for ever."""

    @leads_to(fair=("block_receiving", "block_received", "block_deleted", "block_report"))
    def committed_blocks_become_complete(s, file: File) -> tuple[Bool, Bool]:
        """Nobody has to send anything."""
        committed = s.block[file].at(BlockLifecycle.committed)
        return committed & s.has_good_replicas(file), s.block[file].at(BlockLifecycle.complete)


@pytest.mark.slow
def test_a_block_stays_committed_where_nobody_has_to_report() -> None:
    silent = System(
        "silent", parts=[*REPORTS_PROGRESS.parts, NothingIsSent], configurations=REPORTS_PROGRESS.configurations
    )
    [judged] = judge(silent.instance("one_is_enough"))
    assert judged.verdict is Verdict.VIOLATED
