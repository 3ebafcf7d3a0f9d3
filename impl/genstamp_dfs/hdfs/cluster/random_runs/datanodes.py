"""What the datanodes of a simulation do, beside answering: heartbeats, reports, and leading recoveries.

Leaves out: replication.
"""

from genstamp_dfs.hdfs.cluster.random_runs.clients import report
from genstamp_dfs.hdfs.cluster.random_runs.scheduler import Process
from genstamp_dfs.hdfs.cluster.random_runs.world import World
from genstamp_dfs.hdfs.datanode.recovery_task import RecoveryTask
from genstamp_dfs.world.times import SECOND_US

HEARTBEAT_US = 3 * SECOND_US
"""dfs.heartbeat.interval"""

BLOCK_REPORT_US = 120 * SECOND_US
"""Period of full block reports; Hadoop's is six hours, shorter here so that a run sees some."""


def start_datanode(world: World, datanode: str) -> None:
    """Start the processes of a datanode that has just registered."""
    world.scheduler.spawn(datanode, send_heartbeats(world, datanode))
    world.scheduler.spawn(datanode, send_block_reports(world, datanode))
    for block_id in sorted(world.cluster.datanodes[datanode].pending_reports):
        world.scheduler.spawn(datanode, report(world, world.cluster.file_of_block[block_id], datanode))


def send_heartbeats(world: World, datanode: str) -> Process:
    """Heartbeats; their answers bring the recoveries that this datanode shall lead."""
    yield world.rng.randrange(HEARTBEAT_US)
    while True:
        world.cluster.heartbeat(datanode)
        for block_id in world.cluster.queued_recoveries(datanode):
            file = world.cluster.file_of_block[block_id]
            if world.step("receive_recovery_command", file=file, datanode=datanode):
                world.scheduler.spawn(datanode, recover_block(world, datanode, file))
        yield HEARTBEAT_US


def send_block_reports(world: World, datanode: str) -> Process:
    """Full block reports; their answers bring the orders to delete what is stale."""
    while True:
        yield world.about_us(BLOCK_REPORT_US)
        for reported in world.cluster.datanodes[datanode].dataset.block_report():
            if world.cluster.is_to_be_invalidated(reported):
                file = world.cluster.file_of_block[reported.block_id]
                world.step("invalidate_replica", file=file, datanode=datanode)


def recover_block(world: World, primary: str, file: str) -> Process:
    """One attempt at a recovery, from the first question to the commit; ends early if a younger one takes its place."""
    tasks, block_id = world.cluster.datanodes[primary].tasks, world.cluster.block_of_file[file]
    task = tasks[block_id]
    while tasks.get(block_id) is task:
        yield world.network_delay_us()
        if tasks.get(block_id) is task:
            take_recovery_step(world, task, primary, file)


def take_recovery_step(world: World, task: RecoveryTask, primary: str, file: str) -> None:
    """Whatever comes next in the attempt: a question, the agreement, an update, the commit, or giving up."""
    leader = {"primary": primary, "file": file}
    if to_ask := task.locations_to_ask():
        datanode = world.rng.choice(to_ask)
        if world.step("init_replica_recovery", **leader, datanode=datanode) is None:
            world.step("init_replica_recovery_failed", **leader, datanode=datanode)
    elif to_update := task.participants_to_update():
        datanode = world.rng.choice(to_update)
        if world.succeeds("update_replica_under_recovery", **leader, datanode=datanode):
            world.scheduler.spawn(datanode, report(world, file, datanode))
        else:
            world.step("update_replica_failed", **leader, datanode=datanode)
    elif task.reason_to_abandon() is not None:
        world.step("abandon_recovery", **leader)
    elif task.agreement is None:
        world.step("sync_block", **leader)
    else:
        world.step("commit_block_synchronization", **leader)
