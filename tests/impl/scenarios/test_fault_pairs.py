"""Two faults, at two points or two nodes: pairs of the classes of facts X.8, generated, against general promises.

Whatever the pair: the client ends, in success or with an exception; what hflush or close acknowledged is readable; the
bytes that are read are those that were written; the file closes after the client is gone; no replica is left that the
namenode takes for another; and no byte was acknowledged that a node of the pipeline did not have.

The classes are numbered as there. Where a first fault takes a node away, the second counts positions in the pipeline of
the others. With five datanodes there is always one in reserve, so every client succeeds.

Class 8 is both faults in one pass of one pipeline, class 9 a hard fault beside a node that is slow, which may be left
out as well. Class 14 is `test_a_thread_that_wakes_up_late_changes_nothing`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, cycle, product
from typing import Any

import pytest

from genstamp_dfs.hdfs.protocol import Semantics
from genstamp_dfs.simulation.pipeline_faults import FaultAction, FaultPoint, PipelineFault
from genstamp_dfs.simulation.pipeline_scenarios import PATH, World, run_pipeline_scenario

HANG, DIE = FaultAction.HANG, FaultAction.DIE
Pair = tuple[PipelineFault, PipelineFault]


def set_up(nodes: int, attempt: int) -> list[PipelineFault]:
    """S on three nodes, R on those of a later attempt."""
    points = [(FaultPoint.REQUEST, position) for position in range(nodes)]
    points += [(FaultPoint.SET_UP_ACK, position) for position in range(nodes - 1)]
    return [PipelineFault(point, position, action, attempt) for action in (HANG, DIE) for point, position in points]


def streaming(nodes: int, attempt: int, nth: int = 1) -> list[PipelineFault]:
    """D."""
    disk = [
        PipelineFault(FaultPoint.DISK_WRITE, position, FaultAction.DISK_ERROR, attempt, nth)
        for position in range(nodes)
    ]
    acks = product((HANG, DIE), range(nodes - 1))
    return disk + [PipelineFault(FaultPoint.ACK, position, action, attempt, nth) for action, position in acks]


def closing(nodes: int, attempt: int) -> list[PipelineFault]:
    """C."""
    packets = product((HANG, DIE), range(nodes))
    acks = product((HANG, DIE), range(nodes - 1))
    return [
        *(PipelineFault(FaultPoint.CLOSE_PACKET, position, action, attempt) for action, position in packets),
        *(PipelineFault(FaultPoint.CLOSE_ACK, position, action, attempt) for action, position in acks),
        *(PipelineFault(FaultPoint.FILE_CLOSE, position, FaultAction.DISK_ERROR, attempt) for position in range(nodes)),
    ]


def transfers() -> list[PipelineFault]:
    """T: the node that copies, or the one that is copied to."""
    points = (FaultPoint.TRANSFER_REQUEST, FaultPoint.TRANSFER_TARGET)
    return [PipelineFault(point, 0, action) for point, action in product(points, (HANG, DIE))]


def in_turn(firsts: Sequence[PipelineFault], seconds: Sequence[PipelineFault]) -> Iterator[Pair]:
    """Each first fault with as many of the second ones, which come in turn, as it takes for each to be in some pair."""
    turn = cycle(seconds)
    return ((first, next(turn)) for first in firsts for _ in range(-(-len(seconds) // len(firsts))))


def named(number: int, pairs: Iterable[Pair]) -> list[Any]:
    """Parameters of tests, each with a name that says what fails."""
    return [pytest.param(*pair, id=f"{number}: {pair[0]}; {pair[1]}") for pair in pairs]


PLAIN = [
    *named(1, in_turn(set_up(3, 1), set_up(3, 2))),
    *named(2, in_turn(set_up(3, 1), streaming(3, 2))),
    *named(3, in_turn(set_up(3, 1), closing(3, 2))),
    *named(4, in_turn(streaming(3, 1, nth=3), set_up(2, 2))),
    *named(5, in_turn(streaming(3, 1, nth=2), streaming(2, 2))),
    *named(6, in_turn(streaming(3, 1, nth=2), closing(2, 2))),
    *named(7, in_turn(closing(3, 1), set_up(2, 2))),
]
"""Pairs of classes 1 to 7."""

TOGETHER = named(
    8,
    [
        (first, second)
        for kind in (set_up(3, 1), streaming(3, 1, nth=3), closing(3, 1))
        for first, second in combinations(kind, 2)
        if first.position != second.position
    ][::3],
)
"""Two faults of one kind at two nodes in one pass; whether both can happen depends on the order."""

ONE = [*set_up(3, 1), *streaming(3, 1, nth=3), *closing(3, 1)]

SLOW = named(
    9,
    in_turn(
        [PipelineFault(FaultPoint.PACKET, position, FaultAction.DELAY, delay_ms=1_000) for position in range(3)],
        ONE,
    ),
)

REPLACED = [
    *named(10, in_turn(streaming(3, 1, nth=3), transfers())),
    *named(11, in_turn(streaming(3, 1, nth=3), set_up(3, 2))),
    *named(12, in_turn(streaming(3, 1, nth=3), streaming(3, 2))),
    *named(13, in_turn(streaming(3, 1, nth=3), closing(3, 2))),
]
"""Those where every node that fails is replaced."""


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second"), PLAIN)
def test_two_faults_one_after_the_other(first: PipelineFault, second: PipelineFault) -> None:
    outcome = run_pipeline_scenario(World.PACKETS, first, second)
    fired = [one.fault for one in outcome.scenario.faults.fired]
    # A node that has all bytes from the pipeline before writes nothing, so its disk cannot fail.
    writes_nothing = second.point is FaultPoint.DISK_WRITE and first.action is not FaultAction.DISK_ERROR
    assert fired == [first, second] or (fired == [first] and writes_nothing)
    assert outcome.failure is None
    assert len(outcome.left_out) >= len(fired)
    assert outcome.problems() == []
    assert outcome.scenario.read(PATH) == outcome.written


@pytest.mark.parametrize(("first", "second"), REPLACED)
def test_two_faults_with_replacement(first: PipelineFault, second: PipelineFault) -> None:
    outcome = run_pipeline_scenario(World.FLUSHED, first, second)
    assert [fired.fault for fired in outcome.scenario.faults.fired] == [first, second]
    assert outcome.reactions[0].joined == 1
    assert outcome.failure is None
    assert outcome.problems() == []
    assert outcome.scenario.read(PATH) == outcome.written


@pytest.mark.parametrize(("first", "second"), TOGETHER)
def test_two_faults_in_one_pass(first: PipelineFault, second: PipelineFault) -> None:
    outcome = run_pipeline_scenario(World.PACKETS, first, second)
    assert outcome.scenario.faults.fired
    assert outcome.failure is None
    assert len(outcome.left_out) >= 1
    assert outcome.problems() == []
    assert outcome.scenario.read(PATH) == outcome.written


@pytest.mark.slow
@pytest.mark.parametrize(("slow", "hard"), SLOW)
def test_a_fault_beside_a_slow_node(slow: PipelineFault, hard: PipelineFault) -> None:
    outcome = run_pipeline_scenario(World.PACKETS, slow, hard)
    assert hard in [fired.fault for fired in outcome.scenario.faults.fired]
    assert outcome.failure is None
    assert len(outcome.left_out) >= 1
    assert outcome.problems() == []
    assert outcome.scenario.read(PATH) == outcome.written


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second"), [one for one in PLAIN if not str(one.id).startswith(("1", "2", "3"))])
def test_two_faults_without_a_node_in_reserve(first: PipelineFault, second: PipelineFault) -> None:
    """The last node of three cannot be joined by another: the client is told, or the file closed with what there is."""
    outcome = run_pipeline_scenario(World.PACKETS, first, second, datanodes=3)
    if outcome.failure is not None:
        assert "failed to replace a bad datanode" in str(outcome.failure)
    assert outcome.problems() == []
    if outcome.failure is None:
        assert outcome.scenario.read(PATH) == outcome.written


@pytest.mark.parametrize(("fault", "world"), zip(ONE, cycle(World), strict=False), ids=str)
def test_one_fault_under_the_semantics_of_hadoop(fault: PipelineFault, world: World) -> None:
    """The holes of Hadoop need more than one node at fault."""
    if world is World.ONE_BYTE and fault.nth > 1:
        fault = replace(fault, nth=1)
    outcome = run_pipeline_scenario(world, fault, semantics=Semantics.HADOOP_3_4)
    assert [fired.fault for fired in outcome.scenario.faults.fired] == [fault]
    assert outcome.failure is None
    assert len(outcome.reactions) == 1
    assert outcome.problems() == []
    assert outcome.scenario.read(PATH) == outcome.written
