"""The NameNode: what each step appends to the edit log, and the sync.

The steps are those of the other parts: here their effects are followed by an edit, at the place where Hadoop logs it.
Coarser than HDFS: a sync writes all that was logged before it, at one go; what an edit tells, `journal_state.py` says.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.journal_state import CallStage, CallState, Edit, Opcode, Path, Service
from genstamp_spec.hdfs.parts.namenode_blocks import Blocks
from genstamp_spec.hdfs.parts.state import Client, File, Holder


class EditLog(Blocks, CallState, lane="namenode"):
    """Edits by kind, logSync."""

    def log(s, opcode: Opcode, file: File, *, caller: Maybe[Client] = none, new_path: Maybe[Path] = none) -> None:
        """FSEditLog#logEdit: the file as it is after the step, as far as this kind of edit tells (facts I.5)."""
        s.log_under(s.path[file], opcode, file, caller=caller, new_path=new_path)

    def log_under(
        s, path: Path, opcode: Opcode, file: File, *, caller: Maybe[Client] = none, new_path: Maybe[Path] = none
    ) -> None:
        """The same under a path that may not be the file's."""
        tells_holder = opcode in (Opcode.ADD, Opcode.APPEND, Opcode.REASSIGN_LEASE)
        tells_blocks = opcode not in (Opcode.REASSIGN_LEASE, Opcode.RENAME, Opcode.DELETE)
        s.done_calls = s.done_calls - those(Client, lambda other: s.call[other].file == file)
        s.edits.append(
            Edit(
                opcode=opcode,
                file=file,
                path=path,
                new_path=new_path,
                holder=s.client_name[file] if tells_holder else none,
                has_block=s.known(file) if tells_blocks else False,
                stamp=s.block_stamp[file] if tells_blocks else 0,
                num_bytes=s.block_bytes[file] if tells_blocks else 0,
                earlier_stamp=s.earlier[file].stamp if tells_blocks else 0,
                earlier_bytes=s.earlier[file].num_bytes if tells_blocks else 0,
                caller=caller,
                call_id=0 if caller is none else s.next_call_id(caller),
            )
        )

    def next_call_id(s, client: Maybe[Client]) -> Number:
        """Of two calls in a row the ids differ; that is all that is needed of them."""
        last = s.call[client].call_id
        return when(last == 1, last + 1, 1)

    # Where steps that are shared with other systems log.

    def close(s, file: File) -> None:
        """OP_CLOSE with the blocks as they are (facts A.5 step 5)."""
        super().close(file)
        s.log(Opcode.CLOSE, file)

    def reassign(s, file: File, new_holder: Holder) -> None:
        """OP_REASSIGN_LEASE, before anybody can act on it (HDFS-1149, facts F.4 step 4)."""
        super().reassign(file, new_holder)
        s.log_reassignment(file)

    def log_reassignment(s, file: File) -> None:
        """OP_REASSIGN_LEASE."""
        s.log(Opcode.REASSIGN_LEASE, file)

    def all_synced(s) -> Bool:
        """The buffer is empty."""
        return (s.synced == s.edits.size()) & (s.synced_stamp == s.last_stamp)

    @action(hidden=True)
    def log_sync(s) -> None:
        """What was logged so far is written to disk, in order; calls whose edits are among it may be answered.

        A sync that is torn by a crash is one that came earlier. One that fails stops the NameNode (`namenode_stops`).

        Source  FSEditLog#logSync, Hadoop 3.4.1; facts E.0, I.5.
        """
        require(s.service.at(Service.ACTIVE, Service.SAFE_MODE), "the NameNode is up")
        require(~s.all_synced(), "something is not synced")
        s.synced = s.edits.size()
        s.synced_stamp = s.last_stamp
        s.synced_holder.update(lambda file: s.client_name[file])
        s.synced_calls = those(Client, lambda client: ~s.call[client].stage.at(CallStage.IDLE))
