"""hdfs.standby_reports: after a failover a replica counts whatever was read when it was reported.

That each fault breaks its promise is the job of `genstamp verify`.
"""

import pytest

from genstamp_model.evaluate import Evaluator
from genstamp_model.language.types import show
from genstamp_spec.hdfs.systems.standby_reports import STANDBY_REPORTS

# TestDNFencing#testRBWReportArrivesAfterEdits and #testQueueingWithAppend, and what HDFS-14941 is about.
WRITTEN = ("add_block", "replica_is_written", "replica_is_finalized")
CLOSED = (*WRITTEN, "close_block")


@pytest.mark.parametrize(
    "steps",
    [
        (*CLOSED, "report_arrives", "replay_edit", "replay_edit", "replay_edit", "take_over"),
        (*CLOSED, "replay_edit", "report_arrives", "replay_edit", "replay_edit", "take_over"),
        (*CLOSED, "replay_edit", "replay_edit", "report_arrives", "replay_edit", "take_over"),
        (*CLOSED, "replay_edit", "replay_edit", "replay_edit", "report_arrives", "take_over"),
        (*CLOSED, "replay_edit", "replay_edit", "replay_edit", "take_over", "report_arrives"),
    ],
    ids=["before every edit", "after its stamp", "after its block", "after every edit", "after the failover"],
)
def test_a_replica_counts_after_a_failover_whenever_its_report_came(steps: tuple[str, ...]) -> None:
    evaluator = Evaluator(STANDBY_REPORTS.instance("failover"))
    state = evaluator.initial()
    for step in steps:
        action = evaluator.model.action(step)
        [arguments] = evaluator.choices(action, state)
        assert evaluator.first_failing(action, arguments, state) is None, step
        state = evaluator.apply(action, arguments, state)
    named = evaluator.named(state)
    assert (
        show(named["stored_stamp"], evaluator.model.types["stored_stamp"], evaluator.instance.sizes) == "{datanode1: 1}"
    )
    assert show(named["corrupt"], evaluator.model.types["corrupt"], evaluator.instance.sizes) == "{}"
