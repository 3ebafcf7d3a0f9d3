"""hdfs.replica, run by hand: where Hadoop's semantics differ, and what would be harmless."""

from dataclasses import replace

import pytest

from genstamp_model.evaluate import Evaluator
from genstamp_model.explore import Verdict, explore
from genstamp_model.language import Bool, Bug, Configuration, Instance, Ordered, System
from genstamp_model.language.types import ArrayType, RecordType, show
from genstamp_spec.hdfs.bugs.replica import PIPELINES_BRING_A_NEW_STAMP
from genstamp_spec.hdfs.parts.replica_recovery import ReplicaRecovery
from genstamp_spec.hdfs.parts.replica_state import DetailedReplica
from genstamp_spec.hdfs.systems.replica import REPLICA
from genstamp_spec.lifecycles.replica import ReplicaLifecycle

LIMITS = dict.fromkeys(REPLICA.configuration().limits, 9)


class Run:
    """A run of one datanode from the initial state; generations are named by their stamps, 1 to 3."""

    def __init__(self, semantics: str = "repaired", system: System = REPLICA) -> None:
        configuration = Configuration("run", {"Datanode": 1, "Generation": 3}, LIMITS)
        self.evaluator = Evaluator(Instance(system.model(semantics), configuration))
        self.state = self.evaluator.initial()
        for _ in range(3):
            self.do("give_out_stamp")

    def do(self, name: str, **given: int) -> dict[str, object]:
        """Take a step, and give what it shows."""
        assert self.refusal(name, **given) is None
        action, arguments = self.evaluator.model.action(name), self.arguments(name, given)
        shown = self.evaluator.observed(action, arguments, self.state)
        self.state = self.evaluator.apply(action, arguments, self.state)
        types = {label: expr.type for label, expr in action.observations}
        return {label: show(value, types[label], self.evaluator.sizes) for label, value in shown.items()}

    def refusal(self, name: str, **given: int) -> str | None:
        """Why a step cannot be taken: the exception, or else what does not hold."""
        failing = self.evaluator.first_failing(
            self.evaluator.model.action(name), self.arguments(name, given), self.state
        )
        return None if failing is None else failing.refuses or failing.label

    def arguments(self, name: str, given: dict[str, int]) -> tuple[int, ...]:
        generations = {"old", "new", "generation"}
        known = {"datanode": 0, **{role: value - (role in generations) for role, value in given.items()}}
        return tuple(known[parameter.name] for parameter in self.evaluator.model.action(name).parameters)

    def replica(self, *fields: str) -> list[str]:
        """Fields of the replica, as reports show them."""
        return self.fields("replica", *fields)

    def fields(self, variable: str, *fields: str) -> list[str]:
        """Fields of the record that the datanode has in a variable."""
        array = self.evaluator.model.types[variable]
        assert isinstance(array, ArrayType) and isinstance(array.element, RecordType)
        [value] = self.evaluator.named(self.state)[variable]  # type: ignore[misc]
        kinds = dict(array.element.fields)
        positions = [array.element.position(field) for field in fields]
        return [
            show(value[position], kinds[field], self.evaluator.sizes)  # type: ignore[index]
            for field, position in zip(fields, positions, strict=True)
        ]

    def write(self, received: int = 2, on_disk: int = 2, acked: int = 2) -> None:
        """A replica of generation 1 is created and written."""
        self.do("serve_create_rbw", generation=1)
        for step, times in (("serve_packet", received), ("write_to_disk", on_disk), ("serve_ack", acked)):
            for _ in range(times):
                self.do(step)

    def stop_writer(self) -> None:
        self.do("stop_writer")
        self.do("writer_has_ended")


@pytest.mark.parametrize(("semantics", "acked"), [("repaired", "1"), ("hadoop-3.4", "2")])
def test_planned_restart_keeps_an_rbw_and_what_of_it_was_acknowledged(semantics: str, acked: str) -> None:
    run = Run(semantics)
    run.write(acked=1)
    run.do("datanode_stops_for_upgrade")
    run.do("datanode_restarts")
    assert run.replica("state", "num_bytes", "bytes_acked", "writer") == ["rbw", "2", acked, "NONE"]


class EqualIdIsTaken(ReplicaRecovery):
    """A recovery that has the id of the one before is let in: > where Hadoop has >=."""

    def is_younger(s, replica: DetailedReplica, recovery_id: Ordered) -> Bool:
        """The replica takes part in a recovery of a later id."""
        return replica.state.at(ReplicaLifecycle.rur) & (replica.recovery_id > recovery_id)


@pytest.mark.slow
def test_a_second_recovery_of_one_id_would_be_harmless_at_one_datanode() -> None:
    """The replica is frozen: the second answer is the first one, and nothing changes by it."""
    bug = Bug("equal-id", "a recovery id is let in twice", parts=(EqualIdIsTaken,))
    lenient = replace(REPLICA, bugs=[bug])
    for configuration in ("requests", "generations"):
        found = explore(lenient.instance(configuration, bugs=["equal-id"]))
        strict = explore(REPLICA.instance(configuration))
        assert found.verdict is Verdict.HOLDS
        assert found.states == strict.states, "no state is reached that the check kept out"


def test_one_id_is_answered_twice_in_any_case_if_the_datanode_restarts_in_between() -> None:
    """The first answer is void then: an update must name the length that was answered."""
    run = Run()
    run.write()
    run.stop_writer()
    assert run.do("serve_init_replica_recovery", old=1, new=2)["num_bytes"] == "2"
    assert run.refusal("serve_init_replica_recovery", old=1, new=2) == "RecoveryInProgressException"
    run.do("datanode_stops")
    run.do("datanode_restarts_losing_a_chunk")
    assert run.do("serve_init_replica_recovery", old=1, new=2)["num_bytes"] == "1"
    assert run.refusal("serve_update", generation=2, old_bytes=2, new_bytes=2) == "IOException", (
        "the first answer is void"
    )


def test_hadoop_2_7_sets_no_pipeline_up_again_over_a_replica() -> None:
    """HDFS-17299 came later."""
    run = Run("hadoop-2.7")
    assert run.refusal("serve_create_rbw_again", generation=2) is None, "nothing is in the way"
    run.do("serve_create_rbw", generation=1)
    assert run.refusal("serve_create_rbw_again", generation=2) == "ReplicaAlreadyExistsException"
    assert run.refusal("serve_create_rbw_again", generation=1) == "ReplicaAlreadyExistsException"


def test_hadoop_answers_for_a_replica_whose_files_a_refused_create_has_deleted() -> None:
    run = Run("hadoop-3.4")
    run.write()
    run.do("writer_finalizes")
    run.do("disk_fills")
    run.do("serve_create_rbw_again_without_room", generation=2)
    assert run.replica("state", "stamp", "num_bytes") == ["finalized", "1", "2"]
    assert run.do("serve_init_replica_recovery", old=1, new=2)["num_bytes"] == "2"
    assert run.refusal("serve_update", generation=2, old_bytes=2, new_bytes=2) == "FileNotFoundException"
    run.do("datanode_stops")
    run.do("datanode_restarts_without_files")
    assert run.replica("state", "stamp", "num_bytes") == ["absent", "0", "0"]


@pytest.mark.parametrize(("copy", "is_written"), [("serve_transfer", False), ("serve_create_temporary", True)])
@pytest.mark.parametrize("semantics", ["hadoop-3.4", "hadoop-2.7"])
def test_hadoop_deletes_a_replica_for_a_copy_that_it_has_no_room_for(
    semantics: str, copy: str, *, is_written: bool
) -> None:
    run = Run(semantics)
    run.write()
    if is_written:
        run.stop_writer()
    else:
        run.do("writer_finalizes")
    run.do("disk_fills")
    run.do(f"{copy}_without_room", generation=2)
    assert run.replica("state", "stamp", "num_bytes") == ["absent", "0", "0"]
    assert run.refusal("serve_transfer_without_room", generation=3) == "the replica is one that such a copy replaces"


@pytest.mark.parametrize("copy", ["serve_transfer", "serve_create_temporary_over_existing"])
def test_a_copy_without_room_is_refused(copy: str) -> None:
    run = Run()
    run.write()
    run.stop_writer()
    run.do("disk_fills")
    assert run.refusal(copy, generation=2) == "DiskOutOfSpaceException"


APPEND_ALONE = replace(PIPELINES_BRING_A_NEW_STAMP, name="append-alone", drops=PIPELINES_BRING_A_NEW_STAMP.drops[1:])
"""What the patches proposed for HDFS-17850 leave open (apache/hadoop pull requests 8320, 8334)."""


def idle(state: str, semantics: str = "repaired", system: System = REPLICA) -> Run:
    """A replica of generation 1 that has two bytes and that no thread writes."""
    run = Run(semantics, system)
    run.write()
    if state == "finalized":
        run.do("writer_finalizes")
    else:
        run.stop_writer()
    return run


def lengths(step: str) -> dict[str, int]:
    """What a request must name of a replica of two bytes."""
    return {"min_bytes": 2, "max_bytes": 2} if step == "serve_recover_rbw" else {"expected_bytes": 2}


TAKEN_UP = [
    ("serve_recover_append", "finalized"),
    ("serve_recover_append", "rbw"),
    ("serve_recover_close", "finalized"),
    ("serve_recover_close", "rbw"),
    ("serve_recover_rbw", "rbw"),
]


@pytest.mark.parametrize(("step", "state"), [("serve_append", "finalized"), *TAKEN_UP])
def test_hdfs_17850_the_blocks_own_stamp_is_no_new_one(step: str, state: str) -> None:
    """Hadoop 3.4.1 takes it in all four; the patches proposed upstream change append alone."""
    asked = lengths(step)
    assert idle(state).refusal(step, old=1, new=1, **asked) == "IOException"
    assert idle(state, "hadoop-3.4").refusal(step, old=1, new=1, **asked) is None
    upstream = replace(REPLICA, semantics={"upstream": (APPEND_ALONE,)}, default_semantics="upstream")
    refused = idle(state, "upstream", upstream).refusal(step, old=1, new=1, **asked)
    assert refused == ("IOException" if step == "serve_append" else None)


@pytest.mark.parametrize(("step", "state"), TAKEN_UP)
def test_a_replica_that_an_earlier_request_gave_the_new_stamp_is_taken_up(step: str, state: str) -> None:
    """The client knows the old stamp still: what it asks for is above that, and equal to what is here."""
    run = idle(state)
    earlier = {"rbw": "serve_recover_append", "finalized": "serve_recover_close"}[state]
    run.do(earlier, old=1, new=2, expected_bytes=2)
    if state == "rbw":
        run.stop_writer()
    assert run.replica("state", "stamp") == [state, "2"]
    run.do(step, old=1, new=2, **lengths(step))
    assert run.replica("stamp") == ["2"]
