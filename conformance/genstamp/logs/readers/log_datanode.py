"""Reads what a datanode's log lines say: replicas written, finalized, recovered, deleted.

Not here: reads, scans, moves by the balancer, and how a pipeline ended that did not finalize a replica. Messages are
those of Hadoop 0.20 to 3.4.
"""

import re
from collections.abc import Iterator
from typing import Any

from genstamp.logs.readers.log_message import Message, Patterns
from genstamp.logs.readers.log_state import UNKNOWN, Recovery
from genstamp.logs.readers.sighting import Concern, Sighting

PATTERNS = Patterns()
"""Patterns of datanodes' messages that report a step, each with its meaning."""

_ADDRESS = re.compile(rb"\[([\w.-]+:\d+)[,\]]")


@PATTERNS.says(rb"Receiving ", rb"Receiving (?:block )?%(pooled)b src: /\S+ dest: /(?P<datanode>\S+)")
def _receiving(message: Message) -> Iterator[Sighting]:
    yield from told_at(message, "write_block", message.text("datanode"), generation_stamp=message.number("stamp"))


PATTERNS.ignores(rb"Receiving ", rb"Receiving (?!(?:block )?(?:BP-|blk_))")


@PATTERNS.says(
    rb"src: ",
    rb"src: /\S+, dest: /(?P<datanode>[^,]+), (?:volume: [^,]*, )?bytes: (?P<length>\d+), op: HDFS_WRITE,"
    rb" cliID: (?P<holder>[^,]+), offset: -?\d+, srvID: [^,]+, blockid: %(pooled)b",
)
def _finalized(message: Message) -> Iterator[Sighting]:
    yield from told_at(
        message,
        "finalize_replica",
        message.text("datanode"),
        generation_stamp=message.number("stamp"),
        num_bytes=message.number("length"),
        client=message.text("holder"),
    )


PATTERNS.ignores(rb"src: ", rb"src: .* op: (?!HDFS_WRITE)")


@PATTERNS.says(
    rb"Received ",
    rb"Received (?:block )?%(pooled)b src: /\S+ dest: /(?P<datanode>\S+) (?:volume: \S+ )?of size (?P<length>\d+)",
    rb"Received (?:block )?%(pooled)b (?:of )?size (?P<length>\d+) from ",
)
def _received(message: Message) -> Iterator[Sighting]:
    """A copy has come from another datanode, or a pipeline was closed in recovery."""
    yield from told_at(
        message,
        "finalize_replica",
        message.text("datanode"),
        generation_stamp=message.number("stamp"),
        num_bytes=message.number("length"),
        outcome="unknown",
    )


PATTERNS.ignores(rb"Received ", rb"Received (?!(?:block )?(?:BP-|blk_))")


@PATTERNS.says(
    rb"BlockRecoveryWorker: ",
    rb"BlockRecoveryWorker: NameNode at \S+ calls recoverBlock\(%(pooled)b, targets=\[(?P<targets>.*)\],"
    rb" newGenerationStamp=(?P<recovery_id>\d+)",
)
@PATTERNS.says(
    rb"NameNode at ",
    rb"NameNode at \S+ calls recoverBlock\(%(pooled)b, targets=\[(?P<targets>.*)\],"
    rb" newGenerationStamp=(?P<recovery_id>\d+)",
)
def _recovery_command(message: Message) -> Iterator[Sighting]:
    block_id, namespace = message.text("block"), _namespace(message)
    recovery_id = message.number("recovery_id")
    targets = [address.decode() for address in _ADDRESS.findall(message.match["targets"])]
    message.state.recoveries[namespace, f"{block_id}/{recovery_id}"] = Recovery(targets, set())
    yield message.seen(
        "receive_recovery_command",
        "block",
        block_id,
        namespace=namespace,
        node=_node(message),
        generation_stamp=message.number("stamp"),
        recovery_id=recovery_id,
        locations=",".join(sorted(targets)),
    )


@PATTERNS.says(
    rb"initReplicaRecovery: ", rb"initReplicaRecovery: %(pooled)b, recoveryId=(?P<recovery_id>\d+), %(replica)b"
)
def _init_called(message: Message) -> Iterator[Sighting]:
    block_id, namespace = message.text("block"), _namespace(message)
    recovery_id = message.text("recovery_id")
    call = f"initReplicaRecovery {block_id}"
    # Two calls at once, of threads that the layout does not name: which of them goes on, no line tells.
    is_one_of_two = not message.line.thread and message.state.is_asked(message.line, call)
    message.state.ask(message.line, call, recovery_id=None if is_one_of_two else message.number("recovery_id"))
    datanode = message.state.datanode(message.line)
    recovery = message.state.recoveries.get((namespace, f"{block_id}/{recovery_id}"))
    if recovery is not None and datanode != UNKNOWN:
        recovery.answered.add(datanode)
    yield from told_at(
        message,
        "init_replica_recovery_called",
        datanode,
        concerns=[Concern("block", block_id)],
        generation_stamp=message.number("replica_stamp"),
        recovery_id=message.number("recovery_id"),
        observed={"replica_state": message.text("replica_state") or "none"},
    )


@PATTERNS.says(
    rb"initReplicaRecovery: ",
    rb"initReplicaRecovery: changing replica state for %(pooled)b from (?P<replica_state>\w+) to",
    rb"initReplicaRecovery: update recovery id for %(pooled)b from (?P<former_id>\d+) to (?P<recovery_id>\d+)",
)
def _init(message: Message) -> Iterator[Sighting]:
    block_id = message.text("block")
    asked = message.state.answered(message.line, f"initReplicaRecovery {block_id}")
    recovery_id = message.number("recovery_id")
    if recovery_id is None:
        recovery_id = asked.recovery_id
    # The replica has the stamp of the block, or a higher one.
    floor = max(message.number("stamp") or 0, message.number("former_id") or 0)
    is_above = recovery_id is None or recovery_id > floor
    yield from told_at(
        message,
        "init_replica_recovery" if is_above else "init_replica_recovery_under_old_id",
        message.state.datanode(message.line),
        concerns=[Concern("block", block_id)],
        generation_stamp=message.number("stamp"),
        recovery_id=recovery_id,
        observed={"replica_state": message.text("replica_state") or "RUR"},
    )


@PATTERNS.says(
    rb"updateReplica: ",
    rb"updateReplica: %(pooled)b(?:\[[^\]]*\])?, recoveryId=(?P<recovery_id>\d+), (?:newBlockId=-?\d+, )?"
    rb"length=(?P<length>\d+), %(replica)b",
)
def _update(message: Message) -> Iterator[Sighting]:
    """Written before the checks: no line tells that they passed."""
    yield from told_at(
        message,
        "update_replica_under_recovery",
        message.state.datanode(message.line),
        concerns=[Concern("block", message.text("block"))],
        recovery_id=message.number("recovery_id"),
        num_bytes=message.number("length"),
        outcome="unknown",
        replica_state_before=message.text("replica_state") or "none",
    )


@PATTERNS.says(
    rb"BlockRecoveryWorker: ",
    rb"BlockRecoveryWorker: block=%(pooled)b \(length=\d+\), bestState=\w+, newBlock=(?:BP-[\w.:-]+:)?"
    rb"blk_-?\d+_(?P<recovery_id>\d+) \(length=(?P<length>\d+)\), participatingList=(?P<participants>.*)",
)
def _synchronized(message: Message) -> Iterator[Sighting]:
    block_id = message.text("block")
    participants = [address.decode() for address in _ADDRESS.findall(message.match["participants"])]
    yield message.seen(
        "sync_block",
        "block",
        block_id,
        namespace=_namespace(message),
        node=_node(message),
        recovery_id=message.number("recovery_id"),
        num_bytes=message.number("length"),
        observed={"participants": ",".join(sorted(participants)), "delete": "false"},
    )


PATTERNS.ignores(rb"BlockRecoveryWorker: ", rb"BlockRecoveryWorker: block=.* syncList=")
PATTERNS.ignores(rb"NameNode at ", rb"NameNode at (?!.* calls recoverBlock)")


@PATTERNS.says(rb"Failed to recover block (", rb"Failed to recover block \(block=%(pooled)b, datanode=%(datanode)b")
@PATTERNS.says(rb"Failed to updateBlock (", rb"Failed to updateBlock \(newblock=%(pooled)b, datanode=%(datanode)b")
def _failed(message: Message) -> Iterator[Sighting]:
    """The primary reports that a call failed; it cannot know whether the call arrived."""
    event = "update_replica_failed" if message.line.message.startswith(b"Failed to updateBlock") else ""
    datanode = message.text("datanode")
    entity = f"{message.text('block')}@{datanode}"
    yield message.seen(
        event or "init_replica_recovery_failed",
        "replica",
        entity,
        namespace=_namespace(message),
        node=_node(message),
        datanode=datanode,
    )


@PATTERNS.says(rb"recoverBlocks FAILED: ", rb"recoverBlocks FAILED: RecoveringBlock\{%(pooled)b")
def _abandoned(message: Message) -> Iterator[Sighting]:
    block_id = message.text("block")
    concerns = [Concern("block", block_id)]
    yield message.seen(
        "abandon_recovery", "block", block_id, concerns, namespace=_namespace(message), node=_node(message)
    )


@PATTERNS.says(rb"Scheduling blk_", rb"Scheduling %(pooled)b (?:file|replica|URI) ")
@PATTERNS.says(rb"Scheduling block ", rb"Scheduling block %(pooled)b file .* for deletion")
@PATTERNS.says(rb"Deleting block ", rb"Deleting block %(pooled)b file ")
def _deleting(message: Message) -> Iterator[Sighting]:
    """The replica has left the datanode's map; its files go later, up to 0.20 at once."""
    datanode = message.state.datanode(message.line)
    yield from told_at(message, "invalidate_replica", datanode, generation_stamp=message.number("stamp"))


def told_at(
    message: Message,
    event: str,
    datanode: str,
    *,
    concerns: list[Concern] | None = None,
    recovery_id: int | None = None,
    **told: Any,
) -> Iterator[Sighting]:
    """An event of a replica on the datanode that logged it, which may not be known yet."""
    block_id, datanode = message.text("block"), datanode or message.state.datanode(message.line)
    if datanode != UNKNOWN:
        message.state.saw_datanode(datanode)
    at, namespace = f"{block_id}@{datanode}", _namespace(message)
    sighting = message.seen(
        event, "replica", at, concerns or [], namespace=namespace, node=datanode, recovery_id=recovery_id, **told
    )
    yield from message.state.at_replica(sighting, block_id, f"{block_id}/{recovery_id}")


def _namespace(message: Message) -> str:
    named = message.text("pool")
    return named or message.state.namespace_of_block(message.line, message.text("block"), message.number("stamp") or 0)


def _node(message: Message) -> str:
    """The datanode that logged; by its thread where nothing else tells, so that events of two are not taken for
    one's.
    """
    datanode = message.state.datanode(message.line)
    return datanode if datanode != UNKNOWN else message.line.thread[:100].decode(errors="backslashreplace") or UNKNOWN
