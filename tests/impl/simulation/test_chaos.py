"""What a plan says goes wrong, and that each of it ends by itself."""

from genstamp_dfs.simulation.faults import Fault, FaultKind
from genstamp_dfs.simulation.network import NetworkFaults
from genstamp_dfs.simulation.plan import Plan
from genstamp_dfs.simulation.run import Run
from genstamp_dfs.world.times import SECOND_US

ONE, TWO, THREE = DATANODES = ("datanode1", "datanode2", "datanode3")


def started(*faults: Fault) -> Run:
    """A run without clients in which only this goes wrong."""
    run = Run(Plan(0, DATANODES, (), {}, faults, 100 * SECOND_US))
    run.start()
    return run


def parted(run: Run, at_s: int) -> set[tuple[str, str]]:
    """The pairs that do not hear each other at a time, each once."""
    run.cluster.loop.run(at_s * SECOND_US)
    return {(one, other) for one, other in run.cluster.network.parted if one < other}


def partition(at_s: int, node: str, other: str, lasts_s: int) -> Fault:
    return Fault(at_s * SECOND_US, FaultKind.PARTITION, node, lasts_s * SECOND_US, others=(other,))


def test_a_partition_ends_by_itself() -> None:
    run = started(partition(10, ONE, TWO, 10), partition(15, TWO, THREE, 30), partition(16, TWO, ONE, 10))
    seen = [parted(run, at_s) for at_s in (12, 18, 21, 27, 46)]
    assert seen == [{(ONE, TWO)}, {(ONE, TWO), (TWO, THREE)}, {(ONE, TWO), (TWO, THREE)}, {(TWO, THREE)}, set()]


def test_a_bad_network_ends_by_itself() -> None:
    first, second = NetworkFaults(slow=0.1), NetworkFaults(slow=0.2)
    run = started(
        Fault(10 * SECOND_US, FaultKind.BAD_NETWORK, ONE, 10 * SECOND_US, network=first),
        Fault(15 * SECOND_US, FaultKind.BAD_NETWORK, ONE, 10 * SECOND_US, network=second),
    )
    seen = []
    for at_s in (12, 17, 22, 27):
        run.cluster.loop.run(at_s * SECOND_US)
        seen.append(run.cluster.network.faults)
    assert seen == [first, second, second, NetworkFaults()]
