"""Disks that fill up or fail under a writer, at a datanode and at the namenode, as users of a cluster see it.

HDFS' own tests have disk errors in a pipeline (`test_fi_data_transfer_protocol`); these are of what comes after it.
"""

import pytest

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.hdfs.messages.client_protocol import Delete, GetFileInfo, Mkdirs
from genstamp_dfs.hdfs.protocol import NAMENODE
from genstamp_dfs.simulation.ledger import pattern
from genstamp_dfs.simulation.scenario import Scenario

PATH = "/file"
HALF = 3_000


def datanodes_of(scenario: Scenario) -> list[str]:
    return sorted(scenario.replicas(PATH))


@pytest.mark.parametrize("power_loss", [False, True])
@pytest.mark.parametrize("room", [0, 1, 1_000])
def test_a_writer_goes_on_without_a_full_datanode(room: int, power_loss: bool) -> None:
    scenario = Scenario(4)
    writer = scenario.client("writer")
    stream = scenario.run(writer, writer.create(PATH))
    scenario.run(writer, stream.write(pattern(1, 0, HALF)))
    scenario.run(writer, stream.hsync())
    full = datanodes_of(scenario)[1]
    scenario.cluster.fill_disk(full, room)
    scenario.run(writer, stream.write(pattern(1, HALF, HALF)))
    scenario.run(writer, stream.hsync())
    scenario.run(writer, stream.close())
    assert scenario.cluster.is_up(full), "a full disk has not failed"
    assert scenario.read(PATH) == pattern(1, 0, 2 * HALF)
    scenario.cluster.fill_disk(full, None)
    for name in list(scenario.cluster.datanodes):
        scenario.crash(name, power_loss=power_loss)
        scenario.restart_datanode(name)
    assert scenario.read(PATH) == pattern(1, 0, 2 * HALF)


@pytest.mark.parametrize("number", [1, 2])
def test_hsync_counts_on_no_datanode_whose_disk_has_failed(number: int) -> None:
    """It ends, the namenode hears of it, and all that was acknowledged survives the power of the others."""
    scenario = Scenario(4)
    writer = scenario.client("writer")
    stream = scenario.run(writer, writer.create(PATH))
    scenario.run(writer, stream.write(pattern(1, 0, HALF)))
    scenario.run(writer, stream.hflush())
    bad = datanodes_of(scenario)[1]
    scenario.cluster.fail_sync(bad, number)
    scenario.run(writer, stream.hsync())
    assert not scenario.cluster.is_up(bad)
    assert bad not in scenario.namesystem.datanode_manager.live_datanodes()
    assert scenario.cluster.failed_syncs() == 1
    scenario.run(writer, stream.close())
    others = [name for name in scenario.cluster.machines if name.startswith("datanode")]
    for name in others:
        scenario.crash(name, power_loss=True)
        scenario.restart_datanode(name)
    assert scenario.read(PATH) == pattern(1, 0, HALF)
    assert scenario.cluster.false_syncs() == []


@pytest.mark.parametrize("is_full", [True, False])
@pytest.mark.parametrize("power_loss", [False, True])
def test_a_namenode_without_a_log_answers_nobody(power_loss: bool, is_full: bool) -> None:
    """A full log has nothing of the call; of a sync that has failed nobody knows, and nobody was told."""
    scenario = Scenario(1)
    client = scenario.client("client")
    for path in ("/kept", "/there"):
        scenario.run(client, client.ask(Mkdirs(path)))
    for request in (Mkdirs("/new"), Delete("/kept", recursive=True)):
        if is_full:
            scenario.cluster.fill_disk(NAMENODE, 5)
        else:
            scenario.cluster.fail_sync(NAMENODE, 1)
        with pytest.raises(HdfsIOException):
            scenario.run(client, client.ask(request))
        assert not scenario.cluster.is_up(NAMENODE)
        scenario.cluster.fill_disk(NAMENODE, None)
        if power_loss:
            scenario.cluster.crash(NAMENODE, power_loss=True)
        scenario.restart_namenode()
    found = {path for path in ("/kept", "/there", "/new") if scenario.run(client, client.ask(GetFileInfo(path)))}
    if is_full:
        assert found == {"/kept", "/there"}
    assert "/there" in found
    assert scenario.cluster.false_syncs() == []
