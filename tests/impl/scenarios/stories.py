"""What several of Hadoop's tests do first, or again and again."""

from genstamp_dfs.hdfs.client import DFSOutputStream
from genstamp_dfs.simulation.ledger import pattern
from genstamp_dfs.simulation.scenario import Scenario


def begin(
    scenario: Scenario, path: str, num_bytes: int, *, flushes: bool = True, closes: bool = False
) -> DFSOutputStream:
    """A client writes; without a flush, nothing leaves it; unless it closes, it keeps the file open."""
    writer = scenario.cluster.clients.get("writer") or scenario.client("writer")

    async def story() -> DFSOutputStream:
        stream = await writer.create(path)
        await stream.write(pattern(1, 0, num_bytes))
        if flushes:
            await stream.hflush()
        if closes:
            await stream.close()
        return stream

    return scenario.run(writer, story())


def recover_lease(scenario: Scenario, path: str, tries: int = 60, pause_s: float = 1.0) -> int:
    """Another client calls recoverLease until the file is closed; gives how many calls that took."""
    other = scenario.client()
    for number in range(1, tries + 1):
        if scenario.run(other, other.recover_lease(path)):
            return number
        scenario.advance(pause_s)
    raise AssertionError(f"{path} was not closed by {tries} calls")
