"""What the clients of a simulation do: write files, renew, and take over the files of others.

A writer whose pipeline breaks gives the file up: it leaves it open, or asks for its recovery. A client ends by
crashing, for there is no other end in the protocol.

Leaves out: readers.
"""

from genstamp_dfs.hdfs.cluster.random_runs.scheduler import Process, Task
from genstamp_dfs.hdfs.cluster.random_runs.world import World
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND, SECOND_US

COMPLETE_RETRIES = 5
"""dfs.client.block.write.locateFollowingBlock.retries"""

COMPLETE_FIRST_DELAY_US = 400 * MICROSECONDS_A_MILLISECOND
"""dfs.client.block.write.locateFollowingBlock.initial.delay.ms; doubles with each retry."""


def write_files(world: World, client: str, count: int, packets: int) -> Process:
    """Write some files one after the other, each of 1 to `packets` packets."""
    for number in range(count):
        yield world.about_us(10 * SECOND_US)
        file = f"/{client}/{number}"
        written = yield from write_file(world, client, file, world.rng.randint(1, packets))
        if not written and world.rng.random() < 0.5:
            yield from recover_until_closed(world, client, file)


def write_file(world: World, client: str, file: str, packets: int) -> Task:
    """Create, write with a hflush now and then, close; says whether the file was closed by this client."""
    yield world.network_delay_us()
    if not world.succeeds("create", client=client, file=file):
        return False
    yield world.network_delay_us()
    if not world.succeeds("add_block", client=client, file=file):
        return False
    pipeline = world.cluster.clients[client].streams[file].pipeline
    for datanode in pipeline:
        yield world.network_delay_us()
        if not world.succeeds("create_rbw", client=client, file=file, datanode=datanode):
            return False
    for _ in range(packets):
        yield world.about_us(2 * SECOND_US)
        if not world.succeeds("receive_packet", client=client, file=file, datanode=pipeline[0]):
            return False
        world.scheduler.spawn("network", forward_packet(world, client, file, pipeline[1:]))
        if world.rng.random() < 0.5 and not (yield from wait_for(world, "hflush", client, file)):
            return False
    if not (yield from wait_for(world, "last_packet", client, file)):
        return False
    for datanode in reversed(pipeline):
        yield world.network_delay_us()
        if not world.succeeds("finalize_replica", client=client, file=file, datanode=datanode):
            return False
        world.scheduler.spawn(datanode, report(world, file, datanode))
    return (yield from complete(world, client, file))


def forward_packet(world: World, client: str, file: str, downstream: tuple[str, ...]) -> Process:
    """A packet goes down the rest of the pipeline; it is lost where the pipeline is broken."""
    for datanode in downstream:
        yield world.network_delay_us()
        if not world.succeeds("receive_packet", client=client, file=file, datanode=datanode):
            return


def wait_for(world: World, event: str, client: str, file: str) -> Task:
    """Wait for what all of the pipeline must acknowledge, up to some ten seconds."""
    for attempt in range(11):
        yield (5 << attempt) * MICROSECONDS_A_MILLISECOND
        if world.succeeds(event, client=client, file=file):
            return True
    return False


def report(world: World, file: str, datanode: str) -> Process:
    """A datanode's report of a finalized replica travels to the namenode."""
    yield world.network_delay_us()
    world.step("block_received", file=file, datanode=datanode)


def complete(world: World, client: str, file: str) -> Task:
    """complete(), repeated while the namenode knows too few replicas."""
    for attempt in range(COMPLETE_RETRIES + 1):
        yield world.network_delay_us()
        answer = world.step("complete", client=client, file=file)
        if answer is None or answer.refused_with is not None:
            return False
        if answer.observed["closed"] == "true":
            return True
        yield COMPLETE_FIRST_DELAY_US << attempt
    return False


def recover_until_closed(world: World, client: str, file: str) -> Process:
    """recoverLease() again and again, as applications do it, until the file is closed."""
    for _ in range(20):
        yield world.network_delay_us()
        answer = world.step("recover_lease", client=client, file=file)
        if answer is None or answer.refused_with is not None or answer.observed["closed"] == "true":
            return
        yield world.about_us(15 * SECOND_US)


def renew_leases(world: World, client: str) -> Process:
    """Renew at half the soft limit (CL/client/impl/LeaseRenewer)."""
    while True:
        yield world.cluster.limits.soft_limit_ms * MICROSECONDS_A_MILLISECOND // 2
        yield world.network_delay_us()
        world.step("renew_lease", client=client)


def take_over_files(world: World, client: str) -> Process:
    """Now and then want a file that exists: by create, which waits for the soft limit, or by force."""
    while True:
        yield world.about_us(60 * SECOND_US)
        files = sorted(inode.path for inode in world.cluster.namesystem.directory.all_files())
        if not files:
            continue
        file = world.rng.choice(files)
        if world.rng.random() < 0.5:
            world.step("create", client=client, file=file)
        else:
            yield from recover_until_closed(world, client, file)
