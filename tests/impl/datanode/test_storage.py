"""Which directories become a datanode's storage, and that others are left as they were."""

import random
from copy import deepcopy

import pytest
from tests.impl.memory_disk import MemoryDisk

from genstamp_dfs.errors import StorageError
from genstamp_dfs.hdfs.datanode.storage import StorageIdentity, open_storage
from genstamp_dfs.hdfs.messages.datanode_protocol import NamespaceInfo
from genstamp_dfs.simulation.disk import DiskOfLife, SimulatedDisk
from genstamp_dfs.simulation.loop import Life, ProcessCrashedError

CLUSTER = NamespaceInfo("BP-1", "CID-1", 17)
VERSION = "current/VERSION"
POOL_VERSION = "current/BP-1/current/VERSION"


def opened(disk: MemoryDisk, namespace: NamespaceInfo = CLUSTER, seed: int = 1) -> StorageIdentity:
    return open_storage(disk, namespace, "datanode1", random.Random(seed))


def formatted() -> MemoryDisk:
    disk = MemoryDisk()
    opened(disk)
    return disk


def refused(disk: MemoryDisk, match: str, namespace: NamespaceInfo = CLUSTER) -> None:
    before = deepcopy((disk.files, disk.directories))
    with pytest.raises(StorageError, match=match):
        opened(disk, namespace)
    assert (disk.files, disk.directories) == before


def change(disk: MemoryDisk, path: str, old: str, new: str) -> MemoryDisk:
    text = bytes(disk.files[path]).decode()
    assert old in text
    disk.files[path] = bytearray(text.replace(old, new).encode())
    return disk


def test_an_empty_directory_is_formatted_and_keeps_its_identity() -> None:
    disk = MemoryDisk()
    identity = opened(disk, seed=1)
    assert opened(disk, seed=2) == identity
    assert bytes(disk.files["in_use.lock"]) == b"datanode1"
    assert f"datanodeUuid={identity.datanode_uuid}\n" in bytes(disk.files[VERSION]).decode()
    assert "layoutVersion=-57\n" in bytes(disk.files[VERSION]).decode()
    assert {"current/BP-1/current/rbw", "current/BP-1/current/finalized", "current/BP-1/tmp"} <= disk.directories


def test_a_second_block_pool_of_the_same_cluster_has_its_own_place() -> None:
    disk = formatted()
    opened(disk, NamespaceInfo("BP-2", "CID-1", 18))
    assert "current/BP-2/current/VERSION" in disk.files
    opened(disk)


def test_a_directory_with_other_files_is_refused() -> None:
    disk = MemoryDisk()
    disk.create("thesis.txt")
    refused(disk, "thesis.txt and no current/VERSION")


def test_replicas_without_a_version_file_are_refused() -> None:
    disk = formatted()
    disk.create("current/BP-1/current/rbw/blk_1")
    disk.remove(POOL_VERSION)
    refused(disk, "holds replicas but no VERSION")
    disk.remove(VERSION)
    refused(disk, "has current/BP-1 and no current/VERSION")


@pytest.mark.parametrize("path", [VERSION, POOL_VERSION])
@pytest.mark.parametrize("layout", ["-58", "-56", "x"])
def test_a_newer_or_older_layout_is_refused(path: str, layout: str) -> None:
    refused(change(formatted(), path, "=-57", f"={layout}"), f"layoutVersion {layout}, accepted: -57")


def test_the_directory_of_another_cluster_is_refused() -> None:
    refused(formatted(), "clusterID CID-1, accepted: CID-2", NamespaceInfo("BP-1", "CID-2", 17))
    refused(formatted(), "namespaceID 17, accepted: 18", NamespaceInfo("BP-1", "CID-1", 18))
    refused(change(formatted(), VERSION, "DATA_NODE", "NAME_NODE"), "storageType NAME_NODE")


@pytest.mark.parametrize("text", [b"", b"\xff\xfe", b"nonsense"])
def test_a_corrupt_version_file_is_refused(text: bytes) -> None:
    disk = formatted()
    disk.files[VERSION] = bytearray(text)
    refused(disk, "not a properties file")


def test_a_format_that_was_cut_short_at_any_effect_is_brought_to_its_end() -> None:
    for crash_at in range(1, 40):
        disk = SimulatedDisk()
        first = DiskOfLife(disk, Life("datanode1"), random.Random(crash_at), crash_at)
        try:
            open_storage(first, CLUSTER, "datanode1", random.Random(1))
        except ProcessCrashedError:
            disk.lose_power(random.Random(crash_at))
            open_storage(DiskOfLife(disk, Life("datanode1"), random.Random(0)), CLUSTER, "datanode1", random.Random(2))
            assert disk.files.keys() >= {VERSION, POOL_VERSION}
        else:
            assert crash_at > 10
            return
    pytest.fail("formatting has no end")
