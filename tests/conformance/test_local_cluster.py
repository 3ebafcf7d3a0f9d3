"""The fixture `hdfs_cluster`, which anybody's tests can use, and the cluster behind it."""

from collections.abc import Callable
from pathlib import Path

import hdfs_native
import pytest
from defusedxml import ElementTree

from genstamp.dfs.local_cluster import ClusterError, HdfsCluster
from genstamp.dfs.local_cluster import hdfs_cluster as running
from genstamp.logs.local import check_locally

pytestmark = pytest.mark.slow

MESSAGE = b"bytes that a client writes\n" * 1000


def test_cluster_takes_a_file_at_once_and_keeps_it_when_a_datanode_is_killed(hdfs_cluster: HdfsCluster) -> None:
    client = hdfs_native.Client(hdfs_cluster.uri)
    with client.create("/kept") as file:
        file.write(MESSAGE)
    hdfs_cluster.kill("datanode1")
    assert client.read("/kept").read() == MESSAGE
    checked = check_locally([hdfs_cluster.directory / "events"])
    assert set(checked.verdicts["safety"].to_pylist()) == {"conformant"}


def test_settings_of_clients_name_the_cluster(hdfs_cluster: HdfsCluster) -> None:
    site = ElementTree.parse(hdfs_cluster.conf / "core-site.xml").getroot()
    settings = {one.findtext("name"): one.findtext("value") for one in site}
    assert settings == hdfs_cluster.settings
    assert settings["fs.defaultFS"] == f"{hdfs_cluster.uri}/"
    assert hdfs_cluster.spark_settings["spark.hadoop.fs.defaultFS"] == f"{hdfs_cluster.uri}/"


def test_node_that_is_not_there_is_refused(hdfs_cluster: HdfsCluster) -> None:
    with pytest.raises(ClusterError, match="there is no node 'datanode4', only namenode, datanode1"):
        hdfs_cluster.kill("datanode4")


def test_factory_takes_settings(hdfs_cluster_factory: Callable[..., HdfsCluster]) -> None:
    cluster = hdfs_cluster_factory(datanodes=1, settings={"default_replication": "1"})
    assert cluster.nodes == ("namenode", "datanode1")


def test_cluster_that_does_not_start_says_why(tmp_path: Path) -> None:
    with (
        pytest.raises(ClusterError, match="has the setting 'semantic', accepted: "),
        running(tmp_path / "cluster", settings={"semantic": "hadoop-3.4"}),
    ):
        pass


def test_directory_keeps_its_files_for_the_next_cluster(tmp_path: Path) -> None:
    with running(tmp_path / "cluster", datanodes=1, settings={"default_replication": "1"}) as cluster:
        options = hdfs_native.WriteOptions(replication=1)
        with hdfs_native.Client(cluster.uri).create("/kept", options) as file:
            file.write(MESSAGE)
    with running(tmp_path / "cluster", datanodes=1) as cluster:
        assert hdfs_native.Client(cluster.uri).read("/kept").read() == MESSAGE
