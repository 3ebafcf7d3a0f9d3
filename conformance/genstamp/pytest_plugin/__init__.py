"""The plugin for pytest: systems of one's own as tests, and a cluster of HDFS as a fixture.

pytest loads it where genstamp is installed. It adds

- the setting `genstamp_files`: patterns of files whose systems are checked, one test for each property of each
  configuration (`genstamp.pytest_plugin.systems`);
- the fixture `hdfs_cluster`, and `hdfs_cluster_factory` for a cluster with other settings
  (`genstamp.pytest_plugin.hdfs`).

Every run of pytest loads this package, so it imports the rest of genstamp only when that is used.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from genstamp.pytest_plugin.hdfs import hdfs_cluster, hdfs_cluster_factory

if TYPE_CHECKING:
    from genstamp.pytest_plugin.systems import SystemsFile

__all__ = ["hdfs_cluster", "hdfs_cluster_factory", "pytest_addoption", "pytest_collect_file"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the setting `genstamp_files`."""
    parser.addini(
        "genstamp_files",
        "patterns of files whose systems genstamp checks, such as *_protocol.py or protocols/*.py",
        type="args",
        default=[],
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "SystemsFile | None":
    """Collect the systems of a file that matches a pattern of `genstamp_files`."""
    patterns = parent.config.getini("genstamp_files")
    if not any(file_path.match(pattern) for pattern in patterns):
        return None
    from genstamp.pytest_plugin.systems import SystemsFile

    found: SystemsFile = SystemsFile.from_parent(parent, path=file_path)
    return found
