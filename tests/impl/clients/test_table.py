"""docs/clients.md has what the tests of clients have come to, and no client is said to lack what it has."""

import os
from pathlib import Path

import pytest
from hdfs_native import Client as HdfsNative
from pyspark.sql import DataFrameWriter
from tests.impl.clients.file_system import FileSystemClient
from tests.impl.clients.native import NativeClient
from tests.impl.clients.operations import Operation
from tests.impl.clients.shell import ShellClient
from tests.impl.clients.spark import SparkClient
from tests.impl.clients.table import NOT_RUN, YES, Cell, expected, marked_text, render, with_table

LACKS = {kind.title: kind.cannot for kind in (FileSystemClient, ShellClient, SparkClient, NativeClient)}


def test_the_page_has_what_the_tests_have_come_to(repository: Path, passed: set[Cell]) -> None:
    missing = expected(LACKS) - passed
    if missing:
        pytest.skip(f"{len(missing)} cells of the table were not run here, or have failed")
    path = repository / "docs" / "clients.md"
    page = path.read_text(encoding="utf-8")
    table = render(LACKS, passed, marked_text(page))
    if os.environ.get("GENSTAMP_WRITE_CLIENTS") == "1":
        path.write_text(with_table(page, table), encoding="utf-8")
    assert marked_text(path.read_text(encoding="utf-8")) == table, "GENSTAMP_WRITE_CLIENTS=1 writes it"


def test_a_cell_says_yes_only_where_its_test_has_passed() -> None:
    lacks = {"one": {Operation.TRUNCATE: "it has none"}, "two": {}}
    passed = {(Operation.WRITE, "two"), (Operation.TRUNCATE, "two")}
    rows = {line.split(" | ")[0]: line for line in render(lacks, passed, "").splitlines()}
    assert rows[f"| {Operation.WRITE.value}"].endswith(f"| {NOT_RUN} | {YES} |")
    assert rows[f"| {Operation.TRUNCATE.value}"].endswith(f"| no (1) | {YES} |")
    assert "1. it has none" in rows


def test_what_takes_long_stays_as_it_was_where_it_is_not_run() -> None:
    lacks: dict[str, dict[Operation, str]] = {"one": {}, "two": {}}
    page = render(lacks, {(Operation.DATANODE_100, "two"), (Operation.WRITE, "two")}, "")
    again = render(lacks, set(), page)
    assert [line for line in again.splitlines() if YES in line] == [
        f"| {Operation.DATANODE_100.value} | {NOT_RUN} | {YES} |"
    ]


def test_what_a_client_is_said_to_lack_it_lacks() -> None:
    for name in ("truncate", "get_file_checksum", "checksum"):
        assert not hasattr(HdfsNative, name)
    for name in ("hflush", "truncate", "rename", "recoverLease"):
        assert not hasattr(DataFrameWriter, name)
