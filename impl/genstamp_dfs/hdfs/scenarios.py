"""Whole stories told through a `Driver`: a file is written and closed, or lost by its writer and recovered.

The functions on top are the building blocks; `SCENARIOS` has complete stories by name, each a function that makes its
own driver and gives it back when all is done, so that `driver.cluster.log.events` is the record.

Leaves out: chance. The simulation has that.
"""

from collections.abc import Callable
from typing import Final

from genstamp_dfs.events import Event
from genstamp_dfs.hdfs.driver import Driver

FILE: Final = "/a"
CLIENTS: Final = ("client1", "client2")
DATANODES: Final = ("datanode1", "datanode2", "datanode3")


def new_driver(semantics: str = "repaired", seed: int = 0) -> Driver:
    """A driver for one file, two clients and three datanodes."""
    return Driver([FILE], CLIENTS, DATANODES, semantics, seed)


# -- building blocks ------------------------------------------------------------------------------------------------


def do(driver: Driver, event: str, **arguments: str) -> Event:
    """Make one step, and give its event."""
    (recorded,) = driver.call(event, arguments)
    return recorded


def pipeline_of(driver: Driver, client: str, file: str = FILE) -> tuple[str, ...]:
    """The datanodes of the client's stream, nearest first."""
    return driver.cluster.clients[client].streams[file].pipeline


def open_file(driver: Driver, client: str = "client1", file: str = FILE) -> tuple[str, ...]:
    """Create the file, get a block, set the pipeline up; gives the pipeline."""
    do(driver, "create", client=client, file=file)
    do(driver, "add_block", client=client, file=file)
    pipeline = pipeline_of(driver, client, file)
    for datanode in pipeline:
        do(driver, "create_rbw", client=client, file=file, datanode=datanode)
    return pipeline


def send_packet(driver: Driver, client: str = "client1", file: str = FILE, reach: int | None = None) -> None:
    """One packet down the pipeline, to its end or only to its first `reach` datanodes."""
    for datanode in pipeline_of(driver, client, file)[:reach]:
        do(driver, "receive_packet", client=client, file=file, datanode=datanode)


def write_file(driver: Driver, client: str = "client1", file: str = FILE, packets: int = 2) -> tuple[str, ...]:
    """Open the file, write some packets, hflush; gives the pipeline."""
    pipeline = open_file(driver, client, file)
    for _ in range(packets):
        send_packet(driver, client, file)
    do(driver, "hflush", client=client, file=file)
    return pipeline


def finalize_all(driver: Driver, client: str = "client1", file: str = FILE) -> None:
    """Send the last packet and have each datanode finalize, the farthest first."""
    do(driver, "last_packet", client=client, file=file)
    for datanode in reversed(pipeline_of(driver, client, file)):
        do(driver, "finalize_replica", client=client, file=file, datanode=datanode)


def queued_primaries(driver: Driver, file: str = FILE) -> list[str]:
    """The datanodes in whose queue a recovery of the file's block waits."""
    block_id = driver.cluster.block_of_file[file]
    return [dn for dn in driver.cluster.datanodes if block_id in driver.cluster.queued_recoveries(dn)]


def receive_command(driver: Driver, file: str = FILE) -> str:
    """Deliver the recovery command that waits; gives the primary."""
    (primary,) = queued_primaries(driver, file)
    do(driver, "receive_recovery_command", file=file, datanode=primary)
    return primary


def ask_all(driver: Driver, primary: str, file: str = FILE) -> None:
    """The primary asks every location that it has not asked, whether it is up or not."""
    task = driver.cluster.datanodes[primary].tasks[driver.cluster.block_of_file[file]]
    for datanode in task.locations_to_ask():
        up = driver.cluster.datanodes[datanode].is_up
        event = "init_replica_recovery" if up else "init_replica_recovery_failed"
        do(driver, event, primary=primary, file=file, datanode=datanode)


def update_all(driver: Driver, primary: str, file: str = FILE) -> None:
    """The primary updates every participant that it has not updated, whether it is up or not."""
    task = driver.cluster.datanodes[primary].tasks[driver.cluster.block_of_file[file]]
    for datanode in task.participants_to_update():
        up = driver.cluster.datanodes[datanode].is_up
        event = "update_replica_under_recovery" if up else "update_replica_failed"
        do(driver, event, primary=primary, file=file, datanode=datanode)


def lead_recovery(driver: Driver, primary: str, file: str = FILE) -> Event:
    """The primary does its whole recovery; gives the event of the commit."""
    ask_all(driver, primary, file)
    do(driver, "sync_block", primary=primary, file=file)
    update_all(driver, primary, file)
    return do(driver, "commit_block_synchronization", primary=primary, file=file)


# -- stories --------------------------------------------------------------------------------------------------------


def write_and_close() -> Driver:
    """A file is written and closed; the first complete() comes before any report and has to be repeated."""
    driver = new_driver()
    pipeline = write_file(driver)
    finalize_all(driver)
    do(driver, "complete", client="client1", file=FILE)
    for datanode in pipeline:
        do(driver, "block_received", file=FILE, datanode=datanode)
    do(driver, "complete", client="client1", file=FILE)
    return driver


def recovered_by_recover_lease() -> Driver:
    """The writer dies, another client asks for recovery, and asks again when it is done."""
    driver = new_driver()
    write_file(driver)
    do(driver, "client_crash", client="client1")
    do(driver, "recover_lease", client="client2", file=FILE)
    lead_recovery(driver, receive_command(driver))
    do(driver, "recover_lease", client="client2", file=FILE)
    return driver


def recovered_by_soft_limit() -> Driver:
    """The writer dies, and create() by another client is refused until the soft limit, then starts the recovery."""
    driver = new_driver()
    write_file(driver)
    do(driver, "client_crash", client="client1")
    do(driver, "create", client="client2", file=FILE)
    driver.tick(60_001)
    do(driver, "create", client="client2", file=FILE)
    lead_recovery(driver, receive_command(driver))
    do(driver, "create", client="client2", file=FILE)
    return driver


def recovered_by_hard_limit() -> Driver:
    """The writer dies, nobody asks, and the lease monitor takes the file at the hard limit."""
    driver = new_driver()
    write_file(driver)
    do(driver, "client_crash", client="client1")
    driver.tick(1_202_000)
    lead_recovery(driver, receive_command(driver))
    return driver


def late_complete_is_refused() -> Driver:
    """A writer that loses the file past the soft limit completes it during the recovery and after it (HDFS-10240)."""
    driver = new_driver()
    write_file(driver)
    finalize_all(driver)
    driver.tick(60_001)
    do(driver, "create", client="client2", file=FILE)
    do(driver, "complete", client="client1", file=FILE)
    lead_recovery(driver, receive_command(driver))
    do(driver, "complete", client="client1", file=FILE)
    return driver


def older_recovery_is_preempted() -> Driver:
    """Two recoveries overlap; the older one's updates and its commit come too late."""
    driver = new_driver()
    write_file(driver)
    do(driver, "recover_lease", client="client2", file=FILE)
    older = receive_command(driver)
    ask_all(driver, older)
    do(driver, "sync_block", primary=older, file=FILE)
    do(driver, "update_replica_under_recovery", primary=older, file=FILE, datanode=older)
    driver.tick(90_001)
    do(driver, "recover_lease", client="client2", file=FILE)
    younger = receive_command(driver)
    ask_all(driver, younger)
    update_all(driver, older)
    do(driver, "commit_block_synchronization", primary=older, file=FILE)
    lead_recovery(driver, younger)
    return driver


def stale_replica_is_deleted() -> Driver:
    """A datanode restarts while its replica is written, is left out of the recovery, and loses the stale replica."""
    driver = new_driver()
    restarted = write_file(driver)[0]
    do(driver, "datanode_crash", datanode=restarted)
    do(driver, "datanode_restart_losing_bytes", datanode=restarted)
    do(driver, "recover_lease", client="client1", file=FILE)
    lead_recovery(driver, receive_command(driver))
    do(driver, "invalidate_replica", file=FILE, datanode=restarted)
    return driver


SCENARIOS: Final[dict[str, Callable[[], Driver]]] = {
    story.__name__: story
    for story in (
        write_and_close,
        recovered_by_recover_lease,
        recovered_by_soft_limit,
        recovered_by_hard_limit,
        late_complete_is_refused,
        older_recovery_is_preempted,
        stale_replica_is_deleted,
    )
}
"""The stories by name."""
