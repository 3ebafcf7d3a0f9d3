"""The events of the cores in the words of one block's pipeline: what each of them is there.

A packet is one chunk, and is known by its place in the block; lengths are counted in packets. An event that the steps
tell of themselves, or that is about no pipeline, is left out.

Not here: which steps there are.
"""

from collections.abc import Mapping
from typing import Final, Required, TypedDict

from genstamp_dfs.errors import GenstampDfsError
from genstamp_dfs.events import Event
from genstamp_dfs.hdfs.messages.data_transfer import CHUNK_BYTES

_SET_UP: Final = {
    "create_rbw": "set_up_create",
    "append_finalized": "set_up_append",
    "recover_append": "set_up_append_recovery",
    "recover_rbw": "set_up_streaming_recovery",
    "recover_close": "set_up_close_recovery",
}
"""What a datanode does to a replica, and the step of the set-up that asks for it."""

_UNTOLD: Final = frozenset(
    {
        "create",
        "abandon_block",
        "fsync",
        "create_temporary",
        "convert_temporary_to_rbw",
        "transfer_replica",
        "get_additional_datanode",
        "get_block_locations",
        "recover_lease",
        "register_datanode",
        "version_request",
        "send_heartbeat",
        "block_report",
        "block_receiving",
        "block_deleted",
        "restart",
        "close",
        "unfinalize_block",
        "start_streaming",
        "retry_cache_answers",
        "renew_lease",
    }
)
"""Events of cores that are no step of a pipeline, or are told by the step that brings them about."""

LEASE_LOST: Final = "LeaseExpiredException"


class UnknownCoreEventError(GenstampDfsError):
    """A core tells of something that has no word here."""


class Words(TypedDict, total=False):
    """An event in the words of a pipeline, as `EventSink.record` takes it."""

    event: Required[str]
    arguments: Required[Mapping[str, str]]
    refused_with: str | None
    generation_stamp: int | None
    num_bytes: int | None
    observed: Mapping[str, str] | None


def words_of(event: Event, said: Mapping[str, Mapping[str, str]], step: str) -> Words | None:
    """What an event of a core is; None if nothing.

    Args:
        event: the core's.
        said: what the step that is made adds, by event.
        step: the step that is made.

    Raises:
        UnknownCoreEventError: nothing is known of such an event.
    """
    name, where = event.event, {"datanode": event.arguments.get("datanode", "")}
    if step in ("add_datanode", "transfer_fails") and event.kind == "replica":
        return None  # parts of a copy
    if event.kind == "replica" and name in _SET_UP:
        # Who refuses closes the connection; what the writer makes of that is a step of its own.
        return (
            None
            if event.refused_with
            else Words(event=_SET_UP[name], arguments=where, generation_stamp=event.generation_stamp)
        )
    if event.kind == "replica" and name == "receive_packet":
        return Words(event=name, arguments=where, observed=said[name])
    if event.kind == "replica" and name == "receive_ack":
        acked = {"bytes_acked": str((event.num_bytes or 0) // CHUNK_BYTES)}
        return Words(event="raise_bytes_acked", arguments=where, observed=acked)
    if event.kind == "replica" and name == "finalize_replica":
        return Words(event=name, arguments=where, refused_with=event.refused_with)
    if event.kind == "replica" and name == "block_received":
        return Words(event=name, arguments=where, refused_with=event.refused_with, observed=event.observed)
    if name == "block_report" and name in said:
        return Words(event="block_received", arguments=where, observed=said[name])
    if event.kind == "block" and name == "set_up_create":
        return None if step == "update_pipeline" else Words(event="start_streaming", arguments={})
    if event.kind == "block" and name == "end_block":
        # Closing again ends the block by the set-up itself.
        return None if step == "update_pipeline" else Words(event=name, arguments={})
    if event.kind == "block" and name == "receive_ack":
        return Words(event=name, arguments={})
    if name == "hflush":
        return Words(event=name, arguments={}, num_bytes=(event.num_bytes or 0) // CHUNK_BYTES)
    if name in ("add_block", "update_block_for_pipeline", "update_pipeline", "complete", "append"):
        return _of_namenode(event, said, step)
    if name in _UNTOLD:
        return None
    raise UnknownCoreEventError(f"{event.node} tells of {name} ({event.kind}), which is no word of a pipeline")


def _of_namenode(event: Event, said: Mapping[str, Mapping[str, str]], step: str) -> Words:
    """A call of the writer at the namenode.

    A writer that has lost its lease is refused with LeaseExpiredException, which is an IOException.
    """
    name = event.event
    refused = "IOException" if event.refused_with == LEASE_LOST else event.refused_with
    observed = {"block_state": event.observed["block_state"]} if name == "complete" and not refused else None
    stamp = event.generation_stamp if name in ("add_block", "update_block_for_pipeline") else None
    told = step if name == "update_pipeline" and step == "late_update_pipeline" else name
    return Words(
        event=told,
        arguments=said.get(name, {}),
        refused_with=refused,
        generation_stamp=stamp,
        observed=observed,
    )
