"""The cluster that clients are tried on: what is done to it, and what it tells."""

import os
import signal
from pathlib import Path

from tests.impl.server.processes import QUICK, Processes

from genstamp.logs.local import check_locally
from genstamp_dfs.events import Event, decode_lines

SOFT_LIMIT_MS = 15_000
"""Longer than a client takes to start on a busy machine."""

SETTINGS = [*QUICK, f"limits.soft_limit_ms={SOFT_LIMIT_MS}"]


def wait_for_safe_mode(processes: Processes) -> None:
    """Our own client waits for its end."""
    processes.run("mkdir", "/ready")


def kill_datanode_of(processes: Processes, replica: Path, *, waits: bool = False) -> None:
    """kill -9 of the datanode that has a replica; it comes back by itself."""
    name = replica.relative_to(processes.directory).parts[0]
    if waits:
        processes.kill(name)
    else:
        os.kill(processes.book()[name]["pid"], signal.SIGKILL)


def names_of_events(processes: Processes) -> list[str]:
    """The names of all that the namenode has told of."""
    return [event.event for event in _events(processes)]


def replica_of(processes: Processes, path: str, blocks: int | None = None) -> Path | None:
    """A replica that is being written, of the last block of a file; None where it has no bytes yet.

    Args:
        path: of the file; of a directory where it ends in a slash.
        blocks: how many the file must have.
    """
    added = [event for event in _events(processes) if event.event == "add_block" and _is_at(event.entity, path)]
    if not added or (blocks is not None and len(added) != blocks):
        return None
    replicas = processes.directory.glob(f"datanode*/**/rbw/blk_{added[-1].arguments['block']}")
    return next((replica for replica in replicas if replica.stat().st_size), None)


def check_events(directory: Path) -> None:
    """What the servers tell of all that happened keeps the specification, as `genstamp logs check` judges it.

    Args:
        directory: of the cluster.
    """
    checked = check_locally([directory / "events"])
    assert checked.rejects.num_rows == 0
    answers = set(zip(checked.verdicts["kind"].to_pylist(), checked.verdicts["safety"].to_pylist(), strict=True))
    assert {safety for _, safety in answers} == {"conformant"}
    assert {kind for kind, _ in answers} >= {"file", "block", "lease", "replica"}


def _events(processes: Processes) -> list[Event]:
    return decode_lines((processes.directory / "events" / "namenode.jsonl").read_bytes())


def _is_at(entity: str, path: str) -> bool:
    return entity.startswith(path) if path.endswith("/") else entity == path
