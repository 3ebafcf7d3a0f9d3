"""One file written through pipelines that fail at chosen points, and what came of it.

The worlds are those of Hadoop's fault-injection tests: `ONE_BYTE` writes one byte, so that its pipeline has two
packets; `PACKETS` some kilobytes in packets of 1024 bytes; `FLUSHED` the same with an hflush after each packet, so that
the default policy replaces whoever fails. Time limits of silence are 5 s, and 5 s more for each node further down.

Not here: which faults; see `pipeline_faults` for how one is written.

Source: TestFiDataTransferProtocol, TestFiDataTransferProtocol2, TestFiPipelineClose, TestFiHFlush of Hadoop 0.23;
    facts X.2.
"""

from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.hdfs.client import DFSClient
from genstamp_dfs.hdfs.messages.data_transfer import BlockConstructionStage
from genstamp_dfs.hdfs.protocol import Limits, Semantics
from genstamp_dfs.simulation.ledger import pattern
from genstamp_dfs.simulation.pipeline_faults import PipelineFault
from genstamp_dfs.simulation.scenario import Scenario, small_options
from genstamp_dfs.world.times import SECOND_US

PATH: Final = "/file"
PACKET_BYTES: Final = 1024
PACKETS: Final = 5
SILENCE_MS: Final = 5_000
"""S of facts X.1.15: what `dfs.client.socket-timeout` is in these tests."""

REPORT_INTERVAL_MS: Final = 60_000
LIMITS: Final = Limits(soft_limit_ms=60_000, hard_limit_ms=300_000)
WRITE_LIMIT_S: Final = 1_000.0
CLOSE_LIMIT_S: Final = 2_000.0


class World(StrEnum):
    """What is written."""

    ONE_BYTE = "one byte"
    PACKETS = "packets"
    FLUSHED = "flushed packets"


@dataclass(frozen=True)
class Reaction:
    """A pipeline after the first.

    Attributes:
        stage: for what it was set up.
        left_out: positions in the pipeline before of the nodes that are not in this one.
        joined: how many nodes are in this one alone.
        after_s: virtual seconds since the first fault.
    """

    stage: BlockConstructionStage
    left_out: tuple[int, ...]
    joined: int
    after_s: float


@dataclass(frozen=True)
class Outcome:
    """What came of a run.

    Attributes:
        scenario: the nodes as they are now.
        written: what the client wanted to write.
        acknowledged: how many bytes of it hflush or close have promised.
        failure: what the client was told; None if all went well.
        seconds: how long the client took.
        reactions: the pipelines after the first.
    """

    scenario: Scenario
    written: bytes
    acknowledged: int
    failure: HdfsIOException | None
    seconds: float
    reactions: tuple[Reaction, ...]

    @property
    def left_out(self) -> tuple[int, ...]:
        """Positions of all nodes that were left out, in order."""
        return tuple(position for reaction in self.reactions for position in reaction.left_out)

    def problems(self) -> list[str]:
        """What must not be, one sentence each, once the file was given the time to be closed."""
        scenario = self.scenario
        close(scenario)
        problems = [] if scenario.is_closed(PATH) else [f"{PATH} stayed open"]
        data = scenario.read(PATH)
        if not self.written.startswith(data):
            problems.append(f"{len(data)} bytes were read, and they are not those that were written")
        if len(data) < self.acknowledged:
            problems.append(f"{len(data)} bytes are left of {self.acknowledged} that were acknowledged")
        return problems + replica_problems(scenario) + ack_problems(scenario)


def run_pipeline_scenario(
    world: World,
    *faults: PipelineFault,
    datanodes: int = 5,
    seed: int = 0,
    semantics: Semantics = Semantics.REPAIRED,
    replace_best_effort: bool = False,
    silence_ms: int = SILENCE_MS,
) -> Outcome:
    """Write one file, with the faults given.

    Args:
        world: what is written.
        faults: what fails.
        datanodes: how many there are; pipelines have three.
        seed: of all dice.
        semantics: of all nodes.
        replace_best_effort: whether the client goes on when nobody can take the place of a node that failed.
        silence_ms: how long a silent connection is waited for, without what is added for each node.

    Raises:
        TimeoutError: the client has neither succeeded nor failed within 1000 virtual seconds.
    """
    silence = {"socket_timeout_ms": silence_ms}
    # 33 bytes of header, and two chunks of 512 bytes with their checksums.
    client = {"packet_size": 33 + 2 * 516, "replace_best_effort": replace_best_effort, **silence}
    # Replicas that a pipeline has left behind are found by full reports alone.
    datanode = {"block_report_interval_ms": REPORT_INTERVAL_MS, **silence}
    options = small_options(semantics, LIMITS, datanode=datanode, client=client)
    scenario = Scenario(datanodes, seed=seed, options=options, faults=faults)
    writer = scenario.client("writer")
    written = pattern(1, 0, 1 if world is World.ONE_BYTE else PACKETS * PACKET_BYTES - 100)
    promised = [0]
    began_s = scenario.now_s
    failure: HdfsIOException | None = None
    try:
        scenario.run(writer, _write(writer, written, world, promised), WRITE_LIMIT_S)
    except HdfsIOException as problem:
        failure = problem
    return Outcome(scenario, written, promised[0], failure, scenario.now_s - began_s, _reactions(scenario))


def close(scenario: Scenario) -> None:
    """End the writer, and wait until its file is closed and has all its replicas, or it is too late."""
    for name in list(scenario.cluster.clients):
        scenario.crash(name)
    try:
        scenario.until(lambda: _is_settled(scenario), CLOSE_LIMIT_S)
    except TimeoutError:
        return


def replica_problems(scenario: Scenario) -> list[str]:
    """Replicas of the file's block that are not as the namenode knows it, and finalized replicas of no block."""
    problems = []
    for number, block in enumerate(scenario.file(PATH).blocks):
        for node, replica in scenario.replicas(PATH, number=number).items():
            if replica.generation_stamp != block.generation_stamp or replica.num_bytes != block.num_bytes:
                problems.append(f"{node} has {replica.block()}, the namenode {block.as_block()}")
    return problems


def ack_problems(scenario: Scenario) -> list[str]:
    """Bytes that the client was told of as acknowledged while a node of the pipeline did not have them."""
    received: dict[tuple[str, str], int] = {}
    problems = []
    for event in scenario.cluster.log.events:
        if event.kind == "replica" and event.refused_with is None:
            block_id, _, node = event.entity.partition("@")
            if event.node == node:  # and not the namenode, which hears of it later
                received[block_id, node] = event.num_bytes or 0
        elif event.kind == "block" and event.event == "receive_ack":
            problems += [
                f"{event.num_bytes} bytes of {event.entity} are acknowledged, not all by {node}"
                for node in event.observed["locations"].split(",")
                if received.get((event.entity, node), 0) < (event.num_bytes or 0)
            ]
    return problems


async def _write(client: DFSClient, data: bytes, world: World, promised: list[int]) -> None:
    """Write and close; what is promised meanwhile is noted."""
    stream = await client.create(PATH)
    if world is World.FLUSHED:
        for start in range(0, len(data), PACKET_BYTES):
            await stream.write(data[start : start + PACKET_BYTES])
            await stream.hflush()
            promised[0] = stream.position
    else:
        await stream.write(data)
    await stream.close()
    promised[0] = len(data)


def _reactions(scenario: Scenario) -> tuple[Reaction, ...]:
    attempts, fired = scenario.faults.attempts, scenario.faults.fired
    first_us = fired[0].time_us if fired else 0
    return tuple(
        Reaction(
            now.stage,
            tuple(position for position, node in enumerate(before.nodes) if node not in now.nodes),
            len(set(now.nodes) - set(before.nodes)),
            (now.time_us - first_us) / SECOND_US,
        )
        for before, now in pairwise(attempts)
    )


def _is_settled(scenario: Scenario) -> bool:
    """Whether the file is closed, and every replica is one that the namenode counts."""
    file = scenario.file(PATH)
    if file.is_under_construction:
        return False
    wanted = min(file.replication, len(scenario.datanodes))
    return not replica_problems(scenario) and all(
        len(scenario.replicas(PATH, number=number)) == wanted for number in range(len(file.blocks))
    )
