"""Runs of hdfs.recovery written out by hand: steps by event, as a caller sees them.

A run keeps one state; where an event has several outcomes in that state, the test says which action it means.
"""

from typing import ClassVar

from genstamp_model.evaluate import Evaluator
from genstamp_model.language import Configuration, Instance
from genstamp_model.language.types import show
from genstamp_spec.hdfs.systems.recovery import RECOVERY

SIZES = {"Client": 2, "File": 2, "Datanode": 3}
LIMITS = {"stamps": 100, "bytes": 100, "crashes": 100}


class Run:
    """A run from the initial state; a system of the same steps has a class of its own."""

    system = RECOVERY
    sizes: ClassVar = SIZES
    limits: ClassVar = LIMITS

    def __init__(self, semantics: str = "repaired", bugs: tuple[str, ...] = ()) -> None:
        model = self.system.model(semantics, bugs)
        self.instance = Instance(model, Configuration("run", sizes=self.sizes, limits=self.limits))
        self.evaluator = Evaluator(self.instance)
        self.state = self.evaluator.initial()

    def do(self, event: str, *, action: str | None = None, **arguments: int | None) -> dict[str, str]:
        """Take the only step that fits, and give what it shows; an assertion tells why there is none, or several."""
        found = []
        reasons = []
        for candidate in self.instance.model.actions:
            if candidate.event != event or action not in (None, candidate.name):
                continue
            names = [parameter.name for parameter in candidate.parameters]
            for choice in self.evaluator.choices(candidate, self.state):
                given = dict(zip(names, choice, strict=True))
                if any(given.get(name) != value for name, value in arguments.items() if name in given):
                    continue
                failing = self.evaluator.first_failing(candidate, choice, self.state)
                if failing is None:
                    found.append((candidate, choice))
                else:
                    reasons.append(f"{candidate.name}: {failing.label}")
        assert len(found) == 1, f"{event} fits {[a.name for a, _ in found]}; refused because {reasons}"
        taken, choice = found[0]
        observed = self.evaluator.observed(taken, choice, self.state)
        self.state = self.evaluator.apply(taken, choice, self.state)
        types = {name: expr.type for name, expr in taken.observations}
        self.refused_with = taken.refuses
        return {name: show(value, types[name], self.instance.sizes) for name, value in observed.items()}

    def refusal(self, event: str, **arguments: int) -> str | None:
        """The exception with which the call is refused; None where it is not refused or the step cannot happen."""
        for candidate in self.instance.model.actions:
            if candidate.event != event:
                continue
            names = [parameter.name for parameter in candidate.parameters]
            if set(names) != set(arguments):
                continue
            failing = self.evaluator.first_failing(candidate, tuple(arguments[name] for name in names), self.state)
            if failing is not None and failing.refuses is not None:
                return failing.refuses
            if failing is None and candidate.refuses is not None:
                return candidate.refuses
        return None

    def shown(self, variable: str) -> str:
        """A variable of the state as reports show it."""
        value = self.evaluator.named(self.state)[variable]
        return show(value, self.instance.model.types[variable], self.instance.sizes)

    def holds(self, name: str) -> bool:
        """Whether an invariant or witness holds now."""
        return self.evaluator.holds(self.instance.model.property(name), self.state)

    # Stretches of a run that many tests share.

    def write(self, client: int = 0, file: int = 0, lengths: tuple[int, int, int] = (1, 1, 1)) -> None:
        """Create a file, set its pipeline up, and let each of the three datanodes receive so many bytes."""
        self.do("create", client=client, file=file)
        self.do("add_block", client=client, file=file)
        for datanode in range(len(lengths)):
            self.do("create_rbw", client=client, file=file, datanode=datanode)
        for datanode, length in enumerate(lengths):
            for _ in range(length):
                self.do("receive_packet", client=client, file=file, datanode=datanode)

    def close_pipeline(self, client: int = 0, file: int = 0) -> None:
        """Send the last packet and finalize everywhere."""
        self.do("last_packet", client=client, file=file)
        for datanode in range(3):
            self.do("finalize_replica", client=client, file=file, datanode=datanode)

    def recover(self, primary: int = 0, file: int = 0, client: int = 1) -> None:
        """Start a recovery by recoverLease and bring the command to its primary."""
        self.do("recover_lease", client=client, file=file, primary=primary)
        self.do("receive_recovery_command", file=file, datanode=primary)

    def collect(self, primary: int = 0, file: int = 0) -> None:
        """Ask all three datanodes."""
        for datanode in range(3):
            self.do("init_replica_recovery", primary=primary, file=file, datanode=datanode)

    def synchronize(self, primary: int = 0, file: int = 0) -> dict[str, str]:
        """Agree, update the participants, commit; what the agreement shows."""
        agreed = self.do("sync_block", primary=primary, file=file)
        for datanode in range(3):
            if f"datanode{datanode + 1}" in agreed["participants"]:
                self.do("update_replica_under_recovery", primary=primary, file=file, datanode=datanode)
        self.do("commit_block_synchronization", primary=primary, file=file)
        return agreed
