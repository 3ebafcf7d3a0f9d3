"""Runs of hdfs.journal written out by hand: a call, its sync and its answer are steps of their own."""

from genstamp_model.evaluate import Evaluator
from genstamp_model.language import Configuration, Instance
from genstamp_model.language.types import show
from genstamp_spec.hdfs.systems.journal import JOURNAL

SIZES = {"Client": 2, "File": 2, "Datanode": 1, "Path": 2}
LIMITS = dict.fromkeys(JOURNAL.limits, 100) | {"edits": 6}


class JournalRun:
    """A run from the initial state; members of index sets are numbered from 0, the NameNode as a holder comes last."""

    def __init__(self, semantics: str = "repaired", bugs: tuple[str, ...] = ()) -> None:
        model = JOURNAL.model(semantics, bugs)
        self.instance = Instance(model, Configuration("run", sizes=SIZES, limits=LIMITS))
        self.evaluator = Evaluator(self.instance)
        self.state = self.evaluator.initial()

    def do(self, action: str, *arguments: int | None) -> None:
        """Take a step; an assertion tells why it is not possible."""
        step = self.instance.model.action(action)
        failing = self.evaluator.first_failing(step, arguments, self.state)
        assert failing is None, f"{action}{arguments} is not possible unless {failing.label}"
        self.state = self.evaluator.apply(step, arguments, self.state)

    def why_not(self, action: str, *arguments: int | None) -> str | None:
        """The label of the first check that fails."""
        failing = self.evaluator.first_failing(self.instance.model.action(action), arguments, self.state)
        return None if failing is None else failing.label

    def shown(self, variable: str) -> str:
        """A variable of the state as reports show it."""
        value = self.evaluator.named(self.state)[variable]
        return show(value, self.instance.model.types[variable], self.instance.sizes)

    def holds(self, name: str) -> bool:
        """Whether an invariant holds now."""
        return self.evaluator.holds(self.instance.model.property(name), self.state)

    # Stretches that many tests share.

    def call(self, action: str, client: int, *arguments: int) -> None:
        """A call that is executed, synced and answered."""
        self.do(action, client, *arguments)
        self.sync()
        self.do("answer_arrives", client)

    def sync(self) -> None:
        """What was logged is written to disk, if anything was."""
        if self.why_not("log_sync") is None:
            self.do("log_sync")

    def replay(self) -> None:
        """The standby replays all that is on disk."""
        kinds = [action.name for action in self.instance.model.actions if action.event == "replay"]
        while possible := [kind for kind in kinds if self.why_not(kind) is None]:
            self.do(possible[0])

    def fail_over(self) -> None:
        """The active stops, the standby catches up and becomes active."""
        self.do("namenode_stops")
        self.replay()
        self.do("start_active_services")

    def write(self, client: int = 0, file: int = 0) -> None:
        """A file with one block, of which one byte was promised."""
        self.call("create", client, file)
        self.call("add_block", client, file)
        self.call("fsync", client, file)
        self.replay()
