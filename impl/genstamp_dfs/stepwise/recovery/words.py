"""The events of the cores in the words of hdfs.recovery: a file has one block, a length is a number of chunks.

Not here: which steps there are.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from genstamp_dfs.errors import GenstampDfsError
from genstamp_dfs.events import Event
from genstamp_dfs.hdfs.messages.data_transfer import CHUNK_BYTES
from genstamp_dfs.hdfs.protocol import NAMENODE

Words = dict[str, Any]

_NO_STEP: Final = frozenset(
    {
        "receive_ack",
        "set_up_create",
        "start_streaming",
        "end_block",
        "close",
        "fsync",
        "report_back",
        "restart",
        "register_datanode",
        "version_request",
        "send_heartbeat",
        "block_report",
        "block_receiving",
        "block_deleted",
        "abandon_block",
        "unfinalize_block",
        "update_block_for_pipeline",
        "get_additional_datanode",
    }
)
"""Events of the cores that are no step of hdfs.recovery."""


class UnknownCoreEventError(GenstampDfsError):
    """A core recorded an event for which there is no word here."""


def words_of(event: Event, files: Mapping[int, str]) -> Words | None:
    """What an event of a core is; None if nothing.

    Args:
        event: the core's.
        files: by id, the files of the blocks that were given out.

    Raises:
        UnknownCoreEventError: nothing is known of such an event.
    """
    if event.event in _NO_STEP:
        return None
    words = _WORDS.get(event.event)
    if words is None:
        raise UnknownCoreEventError(f"{event.node} recorded {event.event} ({event.kind}), which is no step of recovery")
    return {
        "node": event.node,
        "kind": event.kind,
        "entity": event.entity,
        "event": event.event,
        "refused_with": event.refused_with,
        **words(event, files),
    }


def _of_file(event: Event, _files: Mapping[int, str]) -> Words:
    return {"arguments": {name: event.arguments[name] for name in ("client", "file") if name in event.arguments}}


def _add_block(event: Event, _files: Mapping[int, str]) -> Words:
    arguments = {"client": event.arguments["client"], "file": event.arguments["file"]}
    if event.refused_with is not None:
        return {"arguments": arguments}
    locations = ",".join(sorted(event.observed["locations"].split(",")))
    return {
        "kind": "block",
        "entity": event.arguments["block"],
        "arguments": arguments,
        "generation_stamp": event.generation_stamp,
        "observed": {"locations": locations},
    }


def _closing(event: Event, files: Mapping[int, str]) -> Words:
    words = _of_file(event, files)
    if event.refused_with is not None:
        return words
    observed = {name: event.observed[name] for name in ("closed", "block_state") if name in event.observed}
    recovery_id = event.recovery_id if event.event == "recover_lease" else None
    return {**words, "observed": observed, "recovery_id": recovery_id}


def _release_expired_lease(event: Event, _files: Mapping[int, str]) -> Words:
    return {
        "arguments": {"holder": event.arguments["holder"], "file": event.arguments["file"]},
        "observed": event.observed,
        "recovery_id": event.recovery_id,
    }


def _hflush(event: Event, files: Mapping[int, str]) -> Words:
    (block,) = (number for number, path in files.items() if path == event.entity)
    return {
        "kind": "block",
        "entity": str(block),
        "arguments": event.arguments,
        "generation_stamp": event.generation_stamp,
        "num_bytes": _chunks(event.num_bytes),
    }


def _of_replica(event: Event, files: Mapping[int, str]) -> Words:
    """A step on a replica; of one that is refused nothing is shown but the recovery's id."""
    block, _, datanode = event.entity.partition("@")
    named = {name: event.arguments[name] for name in ("client", "primary") if name in event.arguments}
    is_shown = event.refused_with is None
    is_found = event.event == "init_replica_recovery" and is_shown
    # Without a replica there is neither a stamp nor a length.
    has_replica = is_shown and event.generation_stamp is not None
    return {
        "arguments": {**named, "file": files[int(block)], "datanode": datanode},
        "generation_stamp": event.generation_stamp if is_shown else None,
        "recovery_id": event.recovery_id,
        "num_bytes": _chunks(event.num_bytes) if has_replica and event.event in _SHOW_A_LENGTH else None,
        "observed": {"replica_state": event.observed["replica_state"]} if is_found else None,
    }


_SHOW_A_LENGTH: Final = frozenset(
    {"receive_packet", "finalize_replica", "init_replica_recovery", "update_replica_under_recovery"}
)


def _block_received(event: Event, files: Mapping[int, str]) -> Words:
    block, _, datanode = event.entity.partition("@")
    state = event.observed.get("block_state", "")
    return {
        "arguments": {"file": files[int(block)], "datanode": datanode},
        "generation_stamp": event.generation_stamp,
        "num_bytes": _chunks(event.num_bytes),
        "observed": {"block_state": "removed" if state == "REMOVED" else state},
    }


def _of_primary(event: Event, files: Mapping[int, str]) -> Words:
    file, primary = files[int(event.entity)], event.arguments["primary"]
    if event.event == "receive_recovery_command":
        return {
            "arguments": {"file": file, "datanode": primary},
            "generation_stamp": event.generation_stamp,
            "recovery_id": event.recovery_id,
        }
    words: Words = {
        "arguments": {"primary": primary, "file": file},
        "recovery_id": event.recovery_id,
        "num_bytes": _chunks(event.num_bytes),
        "observed": {name: event.observed[name] for name in ("participants", "delete") if name in event.observed},
    }
    if event.node == NAMENODE:
        words["observed"] = {name: event.observed[name] for name in ("closed", "deleted") if name in event.observed}
    if "datanode" in event.arguments:
        datanode = event.arguments["datanode"]
        words |= {"kind": "replica", "entity": f"{event.entity}@{datanode}", "num_bytes": None}
        words["arguments"] = {"primary": primary, "file": file, "datanode": datanode}
    return words


def _chunks(num_bytes: int | None) -> int | None:
    return None if num_bytes is None else num_bytes // CHUNK_BYTES


_WORDS: Final[Mapping[str, Callable[[Event, Mapping[int, str]], Words]]] = {
    "create": _of_file,
    "add_block": _add_block,
    "complete": _closing,
    "renew_lease": _of_file,
    "recover_lease": _closing,
    "release_expired_lease": _release_expired_lease,
    "hflush": _hflush,
    "create_rbw": _of_replica,
    "receive_packet": _of_replica,
    "finalize_replica": _of_replica,
    "init_replica_recovery": _of_replica,
    "update_replica_under_recovery": _of_replica,
    "invalidate_replica": _of_replica,
    "block_received": _block_received,
    "receive_recovery_command": _of_primary,
    "init_replica_recovery_failed": _of_primary,
    "update_replica_failed": _of_primary,
    "sync_block": _of_primary,
    "abandon_recovery": _of_primary,
    "commit_block_synchronization": _of_primary,
}
