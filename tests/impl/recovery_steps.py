"""What stories of hdfs.recovery are made of, step by step."""

from genstamp_dfs.events import Event
from genstamp_dfs.hdfs.datanode.replicas import Replica
from genstamp_dfs.hdfs.protocol import BlockUCState, ReplicaState
from genstamp_dfs.stepwise.recovery.driver import RecoveryDriver

FILE = "/a"
DATANODES = ("datanode1", "datanode2", "datanode3")
BLOCK_ID = 2**30 + 1


MADE: list[RecoveryDriver] = []
"""Drivers that a test has made and not closed."""


def new_driver(semantics: str = "repaired", datanodes: tuple[str, ...] = DATANODES) -> RecoveryDriver:
    """A driver for one file and two clients."""
    MADE.append(RecoveryDriver([FILE], ["client1", "client2"], datanodes, semantics))
    return MADE[-1]


def do(driver: RecoveryDriver, event: str, **arguments: str) -> Event:
    """Make one step, and give its event."""
    (recorded,) = driver.call(event, arguments)
    return recorded


def open_file(driver: RecoveryDriver) -> None:
    """client1 creates the file, gets a block, and sets the pipeline up."""
    do(driver, "create", client="client1", file=FILE)
    do(driver, "add_block", client="client1", file=FILE)
    for datanode in driver.datanodes:
        do(driver, "create_rbw", client="client1", file=FILE, datanode=datanode)


def send_packet(driver: RecoveryDriver, reach: int | None = None) -> None:
    """One packet down the pipeline, to its end or only to its first `reach` datanodes."""
    for datanode in driver.datanodes[:reach]:
        do(driver, "receive_packet", client="client1", file=FILE, datanode=datanode)


def write_file(driver: RecoveryDriver, packets: int = 2) -> None:
    """Open the file, write some packets, hflush."""
    open_file(driver)
    for _ in range(packets):
        send_packet(driver)
    do(driver, "hflush", client="client1", file=FILE)


def finalize_all(driver: RecoveryDriver) -> None:
    """Send the last packet and have each datanode finalize, the farthest first."""
    do(driver, "last_packet", client="client1", file=FILE)
    for datanode in reversed(driver.datanodes):
        do(driver, "finalize_replica", client="client1", file=FILE, datanode=datanode)


def is_up(driver: RecoveryDriver, datanode: str) -> bool:
    """Whether a datanode lives."""
    return driver.cluster.cluster.is_up(datanode)


def ask_all(driver: RecoveryDriver, primary: str) -> None:
    """The primary asks every datanode, whether it is up or not."""
    for datanode in driver.datanodes:
        event = "init_replica_recovery" if is_up(driver, datanode) else "init_replica_recovery_failed"
        do(driver, event, primary=primary, file=FILE, datanode=datanode)


def begin_recovery(driver: RecoveryDriver, primary: str = "datanode1") -> None:
    """client2 has the file recovered, and a datanode gets the order."""
    do(driver, "recover_lease", client="client2", file=FILE)
    driver.call("receive_recovery_command", {"file": FILE, "datanode": primary})


def agree(driver: RecoveryDriver, primary: str = "datanode1") -> Event:
    """All are asked, and the primary decides; gives the event of the decision."""
    ask_all(driver, primary)
    return do(driver, "sync_block", primary=primary, file=FILE)


def update(driver: RecoveryDriver, primary: str, agreed: Event) -> None:
    """The primary has all participants updated, whether they are up or not."""
    for datanode in filter(None, agreed.observed["participants"].split(",")):
        event = "update_replica_under_recovery" if is_up(driver, datanode) else "update_replica_failed"
        do(driver, event, primary=primary, file=FILE, datanode=datanode)


def lead_recovery(driver: RecoveryDriver, primary: str = "datanode1") -> Event:
    """The primary does its whole recovery; gives the event of the commit."""
    update(driver, primary, agree(driver, primary))
    return do(driver, "commit_block_synchronization", primary=primary, file=FILE)


def replica_at(driver: RecoveryDriver, datanode: str) -> Replica | None:
    """The replica of the block at a datanode that is up."""
    return driver.cluster.replica(datanode, BLOCK_ID)


def replicas(driver: RecoveryDriver) -> dict[str, tuple[ReplicaState, int, int]]:
    """By datanode that is up: state, stamp and length in packets of its replica."""
    found = {name: replica_at(driver, name) for name in driver.datanodes if is_up(driver, name)}
    return {
        name: (replica.state, replica.generation_stamp, replica.num_bytes // 512)
        for name, replica in found.items()
        if replica is not None
    }


def closed_with(driver: RecoveryDriver) -> tuple[int, int]:
    """Stamp and length in packets of the block of the file, which must be closed and free of leases."""
    namesystem = driver.cluster.namenode.namesystem
    inode = namesystem.directory.file_at(FILE)
    block = inode.last_block()
    assert not inode.is_under_construction and block is not None
    assert block.state is BlockUCState.COMPLETE
    assert namesystem.lease_manager.leases == {}
    return block.generation_stamp, block.num_bytes // 512
