"""Runs of hdfs.reports written out by hand: steps by event, as in the runs of hdfs.recovery."""

import re
from functools import cache

from tests.spec.recovery_runs import Run

from genstamp_model.evaluate import Evaluator
from genstamp_model.language import Configuration, Instance
from genstamp_spec.hdfs.systems.reports import REPORTS, sizes

ENOUGH = dict.fromkeys(REPORTS.limits, 100)


@cache
def evaluator(datanodes: int, wanted: int, minimal: int) -> Evaluator:
    """One for all runs of these sizes: tracing the model takes its time."""
    configuration = Configuration("run", sizes=sizes(datanodes, wanted, minimal), limits=ENOUGH)
    return Evaluator(Instance(MODEL, configuration))


MODEL = REPORTS.model()


class ReportsRun(Run):
    """A run of hdfs.reports from the initial state."""

    def __init__(self, datanodes: int = 2, wanted: int = 2, minimal: int = 1) -> None:
        self.evaluator = evaluator(datanodes, wanted, minimal)
        self.instance = self.evaluator.instance
        self.state = self.evaluator.initial()

    def write_file(self, *datanodes: int, left_out: int | None = None) -> None:
        """The client writes a byte to these datanodes and sends the last packet; every replica is FINALIZED."""
        self.do("add_block", client=0, file=0, left_out=left_out)
        for datanode in datanodes:
            self.do("create_rbw", client=0, file=0, datanode=datanode)
        self.do("receive_packet", client=0, file=0)
        self.do("last_packet", client=0, file=0)
        for datanode in datanodes:
            self.do("finalize_replica", client=0, file=0, datanode=datanode)

    def report(self, datanode: int) -> dict[str, str]:
        """The datanode sends what it has to report, and it arrives."""
        self.do("send_incremental_report", datanode=datanode, file=0)
        found = re.search(rf"datanode{datanode + 1}: {{file1: \(kind (\w+)", self.shown("sent"))
        assert found is not None
        return self.do(f"block_{found[1].lower()}", file=0, datanode=datanode)

    def full_report(self, datanode: int) -> dict[str, str]:
        """The datanode reports in full, and the report arrives."""
        self.do("send_full_report", datanode=datanode, file=0)
        return self.do("block_report", file=0, datanode=datanode)

    def close(self) -> None:
        """The client commits, and closes the file."""
        self.do("complete", action="complete", client=0, file=0)
        self.do("complete", action="complete_closes", client=0, file=0)
