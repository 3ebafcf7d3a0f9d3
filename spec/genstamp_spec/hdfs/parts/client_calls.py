"""Clients as the edit log sees them: calls that change something, their answers, and what happens if these are lost.

A call and its execution are one step of the other parts; its answer is a step of its own here, and comes after the
sync. A client whose connection broke calls again, the same call: the retry cache answers it where it can (@AtMostOnce),
the call itself must be harmless where there is none (@Idempotent).

Coarser than HDFS: data do not exist; a client has written one byte at least when it completes a block, and datanodes
finalize what it has written; a client has one call under way; calls that are refused, renewLease and recoverLease are
answered at once. Blocks that an append would go on with are never full.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.edit_log import EditLog
from genstamp_spec.hdfs.parts.journal_state import Call, CallKind, CallStage, Opcode, Path, Service
from genstamp_spec.hdfs.parts.state import Client, Datanode, File


def only_client(client: Client) -> Members[Client]:
    """The set of one client."""
    return those(Client, lambda other: other == client)


def only_file(file: File) -> Members[File]:
    """The set of one file."""
    return those(File, lambda other: other == file)


AT_MOST_ONCE = (CallKind.CREATE, CallKind.APPEND, CallKind.UPDATE_PIPELINE, CallKind.RENAME, CallKind.DELETE)
"""Calls that the retry cache remembers (facts E.0)."""


class ClientCalls(EditLog, lane="namenode"):
    """Who may call, what an answer tells, the retry cache."""

    # Checks before everything else (E.0).

    def may_call(s, client: Client) -> None:
        """Checks: the NameNode is active and not in safe mode, and the client waits for no answer (facts E.0, I.4)."""
        super().may_call(client)
        require(~s.call[client].stage.at(CallStage.WAITING), "the client waits for no answer")
        require(~s.service.at(Service.STARTING), "the NameNode is active", "StandbyException")
        require(~s.is_cached(client), "the retry cache does not know the call")
        require(~s.service.at(Service.SAFE_MODE), "the NameNode is not in safe mode", "SafeModeException")

    def may_work(s) -> None:
        """Checks: the NameNode is active and not in safe mode."""
        require(s.service.at(Service.ACTIVE), "the NameNode is active and not in safe mode")

    def is_cached(s, client: Client) -> Bool:
        """The client calls again, and the cache has the answer (RetryCache#waitForCompletion)."""
        call = s.call[client]
        again = call.stage.at(CallStage.LOST) & call.kind.at(*AT_MOST_ONCE)
        return again & (s.cached[client] == call.call_id)

    # A call is executed.

    def called(s, client: Client, kind: CallKind, file: File, stamp: Ordered | int) -> None:
        """The client waits for the answer. A client whose last call was lost makes it again, or another one."""
        call = s.call[client]
        remembered = kind in AT_MOST_ONCE
        call_id = s.next_call_id(client) if remembered else call.call_id
        s.call[client] = Call(stage=CallStage.WAITING, kind=kind, file=file, stamp=stamp, call_id=call_id)
        if remembered:
            s.cached[client] = call_id
        s.done_calls.add(client)
        others = s.synced_calls - only_client(client)
        s.synced_calls = when(s.all_synced(), others | only_client(client), others)

    def open_stream(s, client: Client, file: File) -> None:
        """A created file gets a path; OP_ADD names its caller, so that the retry cache can be rebuilt."""
        s.link(file)
        s.log(Opcode.ADD, file, caller=client)
        s.called(client, CallKind.CREATE, file, 0)

    def link(s, file: File) -> None:
        """The file is put into the tree."""
        s.path[file] = choose(Path, lambda path: ~s.is_taken(path))
        s.in_tree.add(file)

    def is_taken(s, path: Path) -> Bool:
        """Some file of the tree is there."""
        return exists(File, lambda file: s.in_tree.has(file) & (s.path[file] == path))

    def give_block(s, client: Client, file: File) -> None:
        """OP_ADD_BLOCK; the client learns of the block by the answer."""
        s.log_under(s.path_of_new_block(file), Opcode.ADD_BLOCK, file)
        s.called(client, CallKind.ADD_BLOCK, file, s.last_stamp)

    def path_of_new_block(s, file: File) -> Path:
        """INode#getFullPathName: from the names of the file and its parents, as they are now (HDFS-6622)."""
        return s.path[file]

    def ready_to_complete(s, client: Client, file: File) -> Bool:
        """The client has the file open, as far as it knows, and knows its last block."""
        knows = s.known_stamp[client][file] == s.block_stamp[file]
        return s.opened[client].has(file) & (knows | ~s.known(file))

    def passes_no_block(s, client: Client, file: File) -> Bool:
        """The client was given no block, or does not know of it."""
        return s.known_stamp[client][file] == 0

    def passed_stamp(s, client: Client, file: File) -> Ordered:
        """The stamp that the client was told."""
        return s.known_stamp[client][file]

    def passed_bytes(s, client: Client, file: File) -> Number:
        """At least one byte was written to a block, and what was synced before."""
        return largest(s.block_bytes[file], when(s.passes_no_block(client, file), s.block_bytes[file], 1))

    def block_matches(s, client: Client, file: File) -> Bool:
        """The file's last block is the client's in id and stamp, or neither has one (Block#matchingIdAndGenStamp)."""
        same = s.known(file) & (s.block_stamp[file] == s.known_stamp[client][file])
        return s.opened[client].has(file) & (same | (s.passes_no_block(client, file) & ~s.known(file)))

    def close_stream(s, client: Client, file: File) -> None:
        """The client learns by the answer that the file is closed."""
        s.called(client, CallKind.COMPLETE, file, 0)

    def reported(s, file: File, datanode: Datanode) -> tuple[Ordered, Number]:
        """A datanode of the block finalizes its replica when the client is done, and reports just that."""
        require(s.running.has(datanode), "the datanode is running")
        require(s.known(file) & s.service.at(Service.ACTIVE, Service.SAFE_MODE), "the NameNode knows the block")
        require(~s.stored[file].has(datanode), "the replica is not known yet")
        return s.block_stamp[file], s.block_bytes[file]

    # Answers.

    @action(caller=None)
    def answer_arrives(s, client: Client) -> None:
        """The client learns that the call was executed. The NameNode has synced before it answered.

        Source  FSNamesystem#startFile and its like: logSync after the lock was released, Hadoop 3.4.1; facts E.0, H.5.
        """
        call = s.call[client]
        file = call.file
        require(call.stage.at(CallStage.WAITING), "the client waits for an answer")
        require(s.synced_calls.has(client), "what the call did is synced")
        opens, ends = call.kind.at(CallKind.CREATE, CallKind.APPEND), call.kind.at(CallKind.COMPLETE)
        stamped = call.kind.at(CallKind.APPEND, CallKind.ADD_BLOCK, CallKind.UPDATE_PIPELINE)
        was_open = s.opened[client]
        s.opened[client] = when(opens, was_open | only_file(file), when(ends, was_open - only_file(file), was_open))
        known = s.known_stamp[client][file]
        s.known_stamp[client][file] = when(stamped, call.stamp, when(opens | ends, 0, known))
        installed = call.kind.at(CallKind.UPDATE_PIPELINE)
        new = when(installed | opens | ends, 0, s.new_stamp[client])
        s.new_stamp[client] = when(call.kind.at(CallKind.BLOCK_FOR_PIPELINE), call.stamp, new)
        s.promised[file] = when(call.kind.at(CallKind.FSYNC), s.block_bytes[file], s.promised[file])
        s.given = when(call.stamp > s.given, call.stamp, s.given)
        s.end_call(client)

    def end_call(s, client: Client) -> None:
        """Nothing is under way; the last call id is kept."""
        s.call[client] = Call(
            stage=CallStage.IDLE, kind=CallKind.CREATE, file=none, stamp=0, call_id=s.call[client].call_id
        )
        s.synced_calls.remove(client)
        s.done_calls.remove(client)

    @action(hidden=True)
    def answer_is_lost(s, client: Client) -> None:
        """The connection breaks before the answer; the client calls again, and again."""
        require(s.call[client].stage.at(CallStage.WAITING), "the client waits for an answer")
        s.call[client].stage = CallStage.LOST
        s.lost_answers = s.lost_answers + 1

    @action
    def retry_cache_answers(s, client: Client) -> None:
        """The call was executed before: the answer is given again, and nothing is done.

        Source  RetryCache#waitForCompletion, Hadoop 3.4.1; facts E.0 (step 2).
        """
        require(s.service.at(Service.ACTIVE), "the NameNode is active and not in safe mode")
        require(s.is_cached(client), "the retry cache knows the call")
        s.call[client].stage = CallStage.WAITING

    @action(hidden=True)
    def client_gives_up(s, client: Client) -> None:
        """What the lost call did is not there, and to repeat it makes no sense any more."""
        require(s.call[client].stage.at(CallStage.LOST), "the call was lost")
        require(~s.done_calls.has(client), "what it did is not there")
        s.end_call(client)
