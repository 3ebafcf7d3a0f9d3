"""Random calls of several clients at a NameNode that writes audit lines, and those of closed files, after other lines.

The calls follow the protocol, and the line of a call stands before the next call of the same client.
"""

import random
from collections.abc import Callable

CLIENTS = ("c1", "c2", "c3")
_CHANGE = "StateChange: "
_NAMESYSTEM = "server.namenode.FSNamesystem"


class _File:
    def __init__(self, holder: str) -> None:
        self.holder = holder
        self.blocks: list[tuple[int, int]] = []


class LateNameNode:
    """A NameNode with two paths below a directory.

    Args:
        random: chooses all.
        directory: of the paths.
        number: gives numbers that rise, for blocks and stamps.

    Attributes:
        lines: without time and package.
    """

    def __init__(self, random: random.Random, directory: str, number: Callable[[], int]) -> None:
        self.lines: list[str] = []
        self._random, self._number = random, number
        self._paths = [f"{directory}/{name}" for name in "fg"]
        self._files: dict[str, _File] = {}
        self._late: list[tuple[str, str]] = []

    def step(self) -> None:
        """One call of a client, or none where it would be refused."""
        client, path = self._random.choice(CLIENTS), self._random.choice(self._paths)
        self.write(client)
        held = [(at, file) for at, file in self._files.items() if file.holder == client]
        file = self._files.get(path)
        call = self._random.choice(["create", "create", "add", "add", "close", "close", "append", "truncate", "delete",
                                    "rename", "recover"])  # fmt: skip
        if call == "create" and (file is None or not file.holder):
            self._files[path] = _File(client)
            self._audit(client, call, path)
        elif call == "add" and held:
            self._add_block(*held[0])
        elif call == "close" and held:
            held[0][1].holder = ""
            self._log(client, f"{_CHANGE}DIR* completeFile: {held[0][0]} is closed by {client}")
        elif call in ("append", "truncate", "delete") and file is not None and not (file.holder and call != "delete"):
            file.holder = client if call == "append" else ""
            self._files = {at: each for at, each in self._files.items() if (at, call) != (path, "delete")}
            self._audit(client, call, path)
        elif call == "rename" and file is not None:
            (other,) = {*self._paths} - {path}
            if other not in self._files or not self._files[other].holder:
                self._files = {other: file}
                self._audit(client, call, path, other)
        elif call == "recover" and file is not None and file.holder and file.blocks:
            self._recover(path, file)

    def write(self, client: str = "") -> None:
        """Writes the lines of a client that are late, and some others; all if no client is named."""
        for each in list(self._late):
            if client in ("", each[0]) or self._random.random() < 0.2:
                self._late.remove(each)
                self.lines.append(each[1])

    def _log(self, client: str, line: str) -> None:
        if self._random.random() < 0.5:
            self._late.append((client, line))
        else:
            self.lines.append(line)

    def _audit(self, client: str, call: str, path: str, destination: str = "null") -> None:
        asked = f"allowed=true\tugi=u\tip=/127.0.0.1\tcmd={call}\tsrc={path}\tdst={destination}\tperm=null"
        self._log(client, f"{_NAMESYSTEM}.audit: {asked}")

    def _add_block(self, path: str, file: _File) -> None:
        block, stamp = self._number(), self._number()
        self.lines.append(f"{_CHANGE}BLOCK* allocate blk_{block}_{stamp}, replicas=127.0.0.1:9866 for {path}")
        if self._random.random() < 0.3:
            old, stamp = stamp, self._number()
            update = f"updatePipeline(blk_{block}_{old} => blk_{block}_{stamp}) success"
            self.lines.append(f"{_NAMESYSTEM}: {update}")
        file.blocks.append((block, stamp))

    def _recover(self, path: str, file: _File) -> None:
        (block, stamp), new = file.blocks.pop(), self._number()
        file.blocks.append((block, new))
        file.holder = ""
        self.lines.append(
            f"{_CHANGE}DIR* NameSystem.internalReleaseLease: File {path} has not been closed. Lease recovery is in"
            f" progress. RecoveryId = {new} for block blk_{block}_{stamp}"
        )
        self.lines.append(
            f"{_NAMESYSTEM}: commitBlockSynchronization(oldBlock=BP-1-10.0.0.9-1700000000001:blk_{block}_{stamp},"
            f" file={path}, newgenerationstamp={new}, newlength=5, newtargets=[127.0.0.1:9866]) successful"
        )
