"""Random calls, from a seed: whatever happens, the disk says what the memory says, and the books agree.

- S19: a restart brings back the state of the moment before it, and replay never fails.
- S9: no stamp and no block id is given out twice.
- S15: only the last two blocks of an open file are incomplete, and the one before the last is committed at least.
- S16, S17: a closed file has complete blocks and no lease; an open one is in exactly one lease, that of its client.
"""

import random
from typing import Any

import msgspec
import pytest

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.hdfs.messages import client_protocol as client
from genstamp_dfs.hdfs.messages.datanode_protocol import CommitBlockSynchronization, ReceivedStatus
from genstamp_dfs.hdfs.namenode.namespace import INodeDirectory
from genstamp_dfs.hdfs.protocol import Block, BlockUCState, Semantics

PATHS = ("/f", "/d/f", "/d/g", "/e")
CLIENTS = ("client1", "client2")


class History:
    """A bench, and dice that say what comes next."""

    def __init__(self, bench: Any, seed: int) -> None:
        self.bench = bench
        self.dice = random.Random(seed)
        self.seen: set[int] = set()

    def path(self) -> str:
        return self.dice.choice(PATHS)

    def last_block(self, path: str) -> Block | None:
        """The last block of the file as a client may have written it."""
        inode = self.bench.namesystem.directory.get(path)
        if inode is None or isinstance(inode, INodeDirectory) or not inode.blocks:
            return None
        block: Block = inode.blocks[-1].as_block()
        return msgspec.structs.replace(block, num_bytes=max(block.num_bytes, self.dice.choice((3, 7, 10))))

    def client(self, path: str) -> str:
        """Mostly the one who writes the file."""
        inode = self.bench.namesystem.directory.get(path)
        owner = None if inode is None or isinstance(inode, INodeDirectory) else inode.client_name
        return owner if owner is not None and self.dice.random() < 0.7 else self.dice.choice(CLIENTS)

    def request(self) -> Any:
        """Some call of some client, or of a primary."""
        path = self.path()
        who = self.client(path)
        last = self.last_block(path)
        block = last or Block(7, 7, 7)
        older = Block(block.block_id, block.generation_stamp, 0)
        stored = self.bench.blocks.get_stored_block(block.block_id)
        recovery_id = 5 if stored is None else stored.block_recovery_id
        overwrite = self.dice.choice((client.CreateFlag.CREATE, client.CreateFlag.CREATE | client.CreateFlag.OVERWRITE))
        append = self.dice.choice((client.CreateFlag.APPEND, client.CreateFlag.APPEND | client.CreateFlag.NEW_BLOCK))
        newer = Block(block.block_id, self.bench.blocks.block_ids.generation_stamp, block.num_bytes)
        choices: list[Any] = [
            client.Create(path, who, overwrite, block_size=10),
            client.Append(path, who, append),
            client.AddBlock(path, who, last),
            client.AddBlock(path, who, last),
            client.Complete(path, who, last),
            client.Complete(path, who, last),
            client.Fsync(path, who, self.dice.choice((-1, 2, 5))),
            client.AbandonBlock(block, path, who),
            client.UpdateBlockForPipeline(older, who),
            client.UpdatePipeline(who, older, newer, ("a", "b")),
            client.RecoverLease(path, who),
            client.Truncate(path, self.dice.randrange(25), who),
            client.Delete(self.dice.choice((path, "/d")), self.dice.random() < 0.5),
            client.Rename(path, self.path()),
            client.Rename2(path, self.path(), self.dice.random() < 0.5),
            client.Concat(path, (self.path(),)),
            client.Mkdirs(self.dice.choice(("/d", "/e", "/x/y"))),
            client.SetReplication(path, self.dice.choice((1, 2, 3))),
            client.RenewLease(who),
            CommitBlockSynchronization(older, recovery_id, block.num_bytes, True, self.dice.random() < 0.2, ("a", "c")),
        ]
        return self.dice.choice(choices)

    def step(self) -> None:
        """One call, report, or passage of time."""
        bench, kind = self.bench, self.dice.random()
        last = self.last_block(self.path())
        if kind < 0.25 and last is not None:
            bench.received(last, self.dice.choice("abc"), self.dice.choice(list(ReceivedStatus)))
        elif kind < 0.35:
            bench.pass_ms(self.dice.choice((1, 100, 61_000, 91_000, 1_300_000)))
        elif kind < 0.4:
            bench.heartbeat(self.dice.choice("abc"))
        else:
            request = self.request()
            try:
                if isinstance(request, client.UpdatePipeline):
                    bench.ask(client.UpdateBlockForPipeline(request.old_block, request.client_name))
                    stamp = bench.blocks.block_ids.generation_stamp
                    renewed = msgspec.structs.replace(request.new_block, generation_stamp=stamp)
                    request = msgspec.structs.replace(request, new_block=renewed)
                bench.ask(request, "client1", b"c" * 16, bench.clock.us)
            except HdfsIOException:
                bench.clock.us += 1
        bench.clock.us += 1

    def check_books(self) -> None:
        """What must hold at all times."""
        bench = self.bench
        leases = bench.namesystem.lease_manager
        for inode in bench.namesystem.directory.all_files():
            holders = [lease.holder for lease in leases.leases.values() if inode.file_id in lease.files]
            assert holders == ([inode.client_name] if inode.is_under_construction else [])
            states = [block.state for block in inode.blocks]
            if not inode.is_under_construction:
                assert set(states) <= {BlockUCState.COMPLETE}
            assert set(states[:-2]) <= {BlockUCState.COMPLETE}
            assert set(states[:-1]) <= {BlockUCState.COMPLETE, BlockUCState.COMMITTED}
            assert all(block.file_id == inode.file_id for block in inode.blocks)
        for lease in leases.leases.values():
            assert all(file in bench.namesystem.directory.inodes for file in lease.files)
        for datanode in bench.namesystem.datanode_manager.datanodes.values():
            known = {
                each.block_id
                for each in bench.blocks.blocks.values()
                if {*each.stored, *each.corrupt} & {datanode.name}
            }
            assert datanode.blocks == known

    def check_stamps(self) -> None:
        """Every stamp that an answer or a command has told is a new one."""
        for event in self.bench.events.hand_over():
            if event.refused_with is None and event.event in ("add_block", "update_block_for_pipeline"):
                is_repeated = event.event == "add_block" and event.generation_stamp in self.seen
                assert event.generation_stamp is not None
                assert is_repeated or event.generation_stamp not in self.seen
                self.seen.add(event.generation_stamp)

    def check_restart(self, *, saves: bool) -> None:
        """A restart changes nothing that is to last."""
        bench = self.bench
        if saves:
            bench.namenode.checkpointer.finish(bench.namesystem, bench.namenode.retry_cache)
        before, holders = bench.durable(), bench.holders()
        bench.start()
        assert comparable(bench.durable()) == comparable(before)
        assert bench.holders() == holders
        for datanode in bench.datanodes:
            bench.register(datanode)
        bench.blocks.safe_mode.leave()


def comparable(image: Any) -> Any:
    """An image without what no edit tells of the last block of an open file: the length if it is COMMITTED, and the
    stamp of a further attempt at a truncate."""
    return msgspec.structs.replace(
        image,
        answers=(),
        inodes=tuple(
            each
            if each.client_name is None
            else msgspec.structs.replace(
                each,
                blocks=(*each.blocks[:-1], *(Block(last.block_id, 0, 0) for last in each.blocks[-1:])),
                truncate_block=None,
            )
            for each in image.inodes
        ),
    )


@pytest.mark.parametrize("seed", range(12))
def test_a_restart_at_any_time_brings_all_back(new_bench: Any, seed: int) -> None:
    history = History(new_bench(copy_on_truncate=seed % 4 == 3), seed)
    for number in range(1, 301):
        history.step()
        history.check_books()
        history.check_stamps()
        if number % 50 == 0:
            history.check_restart(saves=number % 100 == 0)


@pytest.mark.slow
def test_histories_reach_what_they_are_for(new_bench: Any) -> None:
    """Most calls succeed somewhere; recoveries end, leases expire."""
    succeeded: set[str] = set()
    for seed in range(20):
        bench = new_bench(semantics=Semantics.REPAIRED)
        history = History(bench, seed)
        for _ in range(300):
            history.step()
        succeeded |= {event.event for event in bench.events.events if event.refused_with is None}
    missing = {"create", "append", "add_block", "complete", "fsync", "abandon_block", "update_pipeline", "truncate"}
    missing |= {"recover_lease", "commit_block_synchronization", "release_expired_lease", "rename", "rename2", "delete"}
    assert missing - succeeded == set()
