"""Runs of hdfs.pipeline written out by hand."""

from genstamp_model.evaluate import Evaluator
from genstamp_model.language import Configuration, Instance
from genstamp_model.language.types import show
from genstamp_spec.hdfs.systems.pipeline import PIPELINE

LIMITS = dict.fromkeys(PIPELINE.limits, 100)


class PipelineRun:
    """A run from the initial state; datanodes are numbered from 0, along the chain."""

    def __init__(self, datanodes: int = 3, semantics: str = "repaired", bugs: tuple[str, ...] = ()) -> None:
        model = PIPELINE.model(semantics, bugs)
        self.instance = Instance(model, Configuration("run", sizes={"Client": 1, "Datanode": datanodes}, limits=LIMITS))
        self.evaluator = Evaluator(self.instance)
        self.state = self.evaluator.initial()

    def do(self, action: str, *arguments: int) -> None:
        """Take a step; an assertion tells why it is not possible."""
        step = self.instance.model.action(action)
        failing = self.evaluator.first_failing(step, arguments, self.state)
        assert failing is None, f"{action}{arguments} is not possible unless {failing.label}"
        self.state = self.evaluator.apply(step, arguments, self.state)

    def why_not(self, action: str, *arguments: int) -> str | None:
        """The label of the first check that fails."""
        failing = self.evaluator.first_failing(self.instance.model.action(action), arguments, self.state)
        return None if failing is None else failing.label

    def shown(self, variable: str) -> str:
        """A variable of the state as reports show it."""
        value = self.evaluator.named(self.state)[variable]
        return show(value, self.instance.model.types[variable], self.instance.sizes)

    def holds(self, name: str) -> bool:
        """Whether an invariant or witness holds now."""
        return self.evaluator.holds(self.instance.model.property(name), self.state)

    # Stretches that many tests share.

    def stream(self, last: int = 2) -> None:
        """Set the first pipeline up, to the node that is named last."""
        self.do("add_block", last, 0)
        for datanode in range(last + 1):
            self.do("set_up_create", datanode)
        self.do("start_streaming")

    def packet(self, *datanodes: int) -> None:
        """Send a packet down to these nodes."""
        self.do("send_packet")
        for datanode in datanodes:
            self.do("receive_packet", datanode)

    def acked(self, *datanodes: int) -> None:
        """These nodes acknowledge, from the last to the first; then the client has the ack."""
        for datanode in reversed(datanodes):
            self.do("raise_bytes_acked", datanode)
            self.do("send_ack", datanode)
        self.do("receive_ack")
