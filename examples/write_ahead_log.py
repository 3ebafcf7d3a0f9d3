"""A write-ahead log whose writer dies, or only seems to, and is fenced by recoverLease: what HBase does with its logs.

A region server writes edits and syncs each of them. When the master thinks it dead, somebody else calls recoverLease on
its log until the file is closed, and replays it. What was synced is there. A server that was only cut off and comes
back cannot write another edit: the block has a new generation stamp by now, and the file another owner.

    python examples/write_ahead_log.py
"""

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.hdfs.client import DFSClient, DFSOutputStream
from genstamp_dfs.hdfs.protocol import NAMENODE
from genstamp_dfs.simulation.scenario import Scenario

LOG = "/WALs/server1/log"
RECOVER_EVERY_S = 4


async def append_edit(log: DFSOutputStream, number: int) -> None:
    """Write one edit; it counts when this returns."""
    await log.write(f"edit {number}\n".encode())
    await log.hsync()


def recover(scenario: Scenario, master: DFSClient) -> int:
    """recoverLease until the log is closed; gives how many calls that took."""
    calls = 1
    while not scenario.run(master, master.recover_lease(LOG)):
        scenario.advance(RECOVER_EVERY_S)
        calls += 1
    return calls


def story(seed: int = 0) -> list[str]:
    """What happens, line by line."""
    scenario = Scenario(seed=seed)
    server, master = scenario.client("server1"), scenario.client("master")
    lines: list[str] = []
    log = scenario.run(server, server.create(LOG))
    for number in range(1, 4):
        scenario.run(server, append_edit(log, number))
    lines.append("server1 writes and syncs edits 1 to 3")

    for node in (NAMENODE, "master"):
        scenario.cluster.network.part("server1", node)
    scenario.run(server, append_edit(log, 4))
    stamp = scenario.last_block(LOG).generation_stamp
    lines.append("server1 is cut off from the master and the namenode, and syncs edit 4 all the same")

    calls = recover(scenario, master)
    lines.append(f"the master takes the log by {calls} calls of recoverLease")
    rises = scenario.last_block(LOG).generation_stamp > stamp
    lines.append(f"the block has a {'new' if rises else 'stale'} generation stamp")

    scenario.cluster.network.heal()
    try:
        scenario.run(server, append_edit(log, 5))
        lines.append("server1 comes back and writes edit 5")
    except HdfsIOException as refusal:
        lines.append(f"server1 comes back and cannot write edit 5: {refusal.hadoop_name}")
    edits = scenario.read(LOG).decode().splitlines()
    lines.append(f"the master replays: {', '.join(edits)}")
    return lines


if __name__ == "__main__":
    print("\n".join(story()))
