"""Draws calls at a namenode, from a seed and from what the answers so far have shown.

Most calls are those that a client or a datanode would make next; the others have a wrong client, file, block, stamp,
length or path.

Not drawn: what our namenode does not have (permissions, quotas, snapshots, storage policies, lazy persistence, erasure
coding), and what
Apache's namenode decides at random: a replication below the number of datanodes.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from differential_sides import DATANODES, Answer, Call

CLIENTS = ("c1", "c2", "c3")
BLOCK_SIZE = 2048
FLAGS = ("CREATE", "OVERWRITE", "APPEND", "SYNC_BLOCK", "NEW_BLOCK", "SHOULD_REPLICATE")
FILES = ("/f", "/g", "/d/f", "/d/g", "/d/e/f", "/d/e/g")
DIRECTORIES = ("/d", "/d/e", "/e", "/f", "/d/f")
ODD_PATHS = (
    "",
    "/",
    "relative",
    "//d/f",
    "/d//f",
    "/d/",
    "/f/",
    "/d/./f",
    "/d/../f",
    "/d/a:b",
    "/f/below",
    "/d/f/below/deep",
    "/missing/f",
    "/missing/deep/f",
    "/.reserved",
    "/.reserved/x",
    "/.reserved/raw",
    "/.reserved/raw/d/f",
    "/.reserved/raw/f",
    "/.reserved/.inodes",
    "/.reserved/.inodes/",
    "/.reserved/.inodes/x",
    "/.reserved/.inodes/1",
    "/.reserved/.inodes/16385",
    "/.reserved/.inodes/16385/d/f",
    "/d/.snapshot",
    "/d/.snapshot/s",
    "/f/.snapshot",
    "/.snapshot",
    "/d/.reserved",
    "/" + "n" * 300,
    "/d/" + "ä" * 200,
    "/x" * 1001,
    "/" + "long/" * 1700,
)


@dataclass
class Written:
    """A block of a file, as its writer knows it: names, bytes, and the stamp that a new pipeline was given."""

    block: str
    stamp: str
    bytes: int
    fresh: str | None = None

    def named(self, bytes_: int | None = None) -> dict[str, Any]:
        """As calls name it."""
        return {"id": self.block, "stamp": self.stamp, "bytes": self.bytes if bytes_ is None else bytes_}


@dataclass
class File:
    """A file that a client has opened."""

    file: str
    client: str | None
    block_size: int = BLOCK_SIZE
    blocks: list[Written] = field(default_factory=list)


class Drawing:
    """Draws the calls of one run.

    Args:
        seed: of the run.
    """

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._files: dict[str, File] = {}
        self._gone: list[File] = []
        self._recoveries: list[dict[str, Any]] = []
        self._replicas: dict[str, dict[str, tuple[dict[str, Any], str]]] = {one: {} for one in DATANODES}
        self._last_of_client: Call | None = None
        self._safe_mode = False

    # -- what the answers show ----------------------------------------------------------------------------------

    def learn(self, call: Call, answer: Answer) -> None:
        """Takes in what a call was answered, at both namenodes."""
        if call["call"] not in ("heartbeat", "received", "report", "commit", "pass", "scrub"):
            self._last_of_client = call
        learner = getattr(self, f"_learn_{call['call']}", None)
        if "gives" in answer and learner is not None and not call.get("again"):
            learner(call, answer["gives"])

    def _learn_create(self, call: Call, gives: Any) -> None:
        self._forget(call["path"])
        self._files[call["path"]] = File(gives["file"], call["client"], gives["block_size"])

    def _learn_append(self, call: Call, gives: Any) -> None:
        file = self._files.setdefault(call["path"], File(gives["status"]["file"], None))
        file.client = call["client"]
        block = gives["block"]
        if block is not None and not (file.blocks and file.blocks[-1].block == block["block"]):
            file.blocks.append(Written(block["block"], block["stamp"], block["bytes"]))
        elif block is not None:
            file.blocks[-1].stamp, file.blocks[-1].bytes = block["stamp"], block["bytes"]

    def _learn_addBlock(self, call: Call, gives: Any) -> None:
        file = self._files.get(call["path"])
        if file is not None and not (file.blocks and file.blocks[-1].block == gives["block"]):
            bytes_ = min(file.block_size, self._chance.choice((1, 300, 512, 1024, 2048, 2048, 4096)))
            file.blocks.append(Written(gives["block"], gives["stamp"], bytes_))

    def _learn_abandonBlock(self, call: Call, gives: Any) -> None:
        for file in self._files.values():
            file.blocks = [one for one in file.blocks if one.block != call["block"]["id"]]

    def _learn_updateBlockForPipeline(self, call: Call, gives: Any) -> None:
        for one in self._written():
            if one.block == gives["block"]:
                one.fresh = gives["stamp"]

    def _learn_updatePipeline(self, call: Call, gives: Any) -> None:
        for one in self._written():
            if one.block == call["new"]["id"]:
                one.stamp, one.bytes, one.fresh = call["new"]["stamp"], call["new"]["bytes"], None

    def _learn_complete(self, call: Call, gives: Any) -> None:
        file = self._files.get(call["path"])
        if gives and file is not None:
            file.client = None

    def _learn_recoverLease(self, call: Call, gives: Any) -> None:
        self._learn_complete(call, gives)

    def _learn_delete(self, call: Call, gives: Any) -> None:
        if gives:
            self._forget(call["path"])

    def _learn_rename(self, call: Call, gives: Any) -> None:
        if gives is not False:
            for path in [one for one in self._files if _is_at_or_below(one, call["path"])]:
                file = self._files.pop(path)
                self._files[call["to_path"] + path[len(call["path"]) :]] = file

    _learn_rename2 = _learn_rename

    def _learn_concat(self, call: Call, gives: Any) -> None:
        for source in call["sources"]:
            moved = self._files.pop(source, None)
            if moved is not None and call["path"] in self._files:
                self._files[call["path"]].blocks += moved.blocks

    def _learn_setSafeMode(self, call: Call, gives: Any) -> None:
        self._safe_mode = bool(gives)

    def _learn_heartbeat(self, call: Call, gives: Any) -> None:
        self._recoveries += [one for one in gives if "recovery" in one]
        for one in gives:
            if "deletes" in one and self._is(0.7):
                self._replicas[one["deletes"]].pop(one["block"], None)

    def _learn_received(self, call: Call, gives: Any) -> None:
        replicas = self._replicas[call["datanode"]]
        if call["status"] == "DELETED":
            replicas.pop(call["block"]["id"], None)
        else:
            replicas[call["block"]["id"]] = (call["block"], "RBW" if call["status"] == "RECEIVING" else "FINALIZED")

    def _learn_commit(self, call: Call, gives: Any) -> None:
        for one in self._written():
            if one.block == call["block"]["id"]:
                one.stamp, one.bytes = call["stamp"], call["bytes"]
        if call["close"]:
            for file in self._files.values():
                if any(one.block == call["block"]["id"] for one in file.blocks):
                    file.client = None
        for datanode in call["targets"]:
            block = {"id": call["block"]["id"], "stamp": call["stamp"], "bytes": call["bytes"]}
            self._replicas[datanode][call["block"]["id"]] = (block, "FINALIZED")

    def _forget(self, path: str) -> None:
        for one in [each for each in self._files if _is_at_or_below(each, path)]:
            self._gone.append(self._files.pop(one))

    def _written(self) -> list[Written]:
        return [one for file in self._files.values() for one in file.blocks]

    # -- drawing ------------------------------------------------------------------------------------------------

    def draw(self) -> Call:
        """The next call."""
        if self._safe_mode and self._is(0.3):
            return {"call": "setSafeMode", "action": "SAFEMODE_LEAVE"}
        if self._last_of_client is not None and self._is(0.03):
            return {**self._last_of_client, "again": True}
        makers = list(_WEIGHTS)
        while True:
            (maker,) = self._chance.choices(makers, list(_WEIGHTS.values()))
            call: Call | None = maker(self)
            if call is not None:
                return call

    def _is(self, probability: float) -> bool:
        return self._chance.random() < probability

    def _path(self, usual: tuple[str, ...] = FILES) -> str:
        if self._is(0.12):
            if self._is(0.3) and self._known():
                return f"/.reserved/.inodes/{{{self._chance.choice(self._known()).file}}}"
            return self._chance.choice(ODD_PATHS)
        return self._chance.choice(usual if self._is(0.85) else FILES + DIRECTORIES)

    def _known(self) -> list[File]:
        return [*self._files.values(), *self._gone]

    def _existing(self, *, is_open: bool | None = None) -> tuple[str, File | None]:
        """A path, mostly of a file that is there, and open or closed as it is wanted."""
        fitting = [
            (path, file)
            for path, file in self._files.items()
            if is_open is None or (file.client is not None) == is_open
        ]
        if fitting and self._is(0.9):
            return self._chance.choice(fitting)
        path = self._path()
        return path, self._files.get(path)

    def _client(self, file: File | None = None) -> str:
        if file is not None and file.client is not None and self._is(0.92):
            return file.client
        return self._chance.choice(CLIENTS)

    def _file_id(self, file: File | None) -> str | int:
        if file is not None and self._is(0.8):
            return file.file
        if self._known() and self._is(0.3):
            return self._chance.choice(self._known()).file
        return 0

    def _block(self, file: File | None, *, may_be_none: bool = False) -> dict[str, Any] | None:
        """The last block of the file, or another one, or with a wrong stamp or length."""
        last = file.blocks[-1] if file is not None and file.blocks else None
        if self._is(0.9):
            if last is not None:
                return last.named()
            if may_be_none:
                return None
        chosen = [one for each in self._known() for one in each.blocks]
        if not chosen or (may_be_none and self._is(0.3)):
            return None if may_be_none else {"id": 7, "stamp": 7, "bytes": 0}
        one = self._chance.choice([last] if last is not None and self._is(0.5) else chosen)
        named = one.named()
        if self._is(0.4):
            named["stamp"] = self._chance.choice(chosen).stamp
        if self._is(0.4):
            named["bytes"] = self._chance.choice((0, 1, 512, 4096))
        return named

    def _nodes(self) -> list[str]:
        return [one for one in DATANODES if self._is(0.3)]

    def _create(self) -> Call:
        flags = ["CREATE", "OVERWRITE"] if self._is(0.5) else ["CREATE"]
        if self._is(0.15):
            flags = [one for one in FLAGS if self._is(0.35)]
        return {
            "call": "create",
            "path": self._path(),
            "client": self._client(),
            "flags": flags,
            "parents": self._is(0.8),
            "replication": 3 if self._is(0.9) else self._chance.choice((0, -1, 4, 513)),
            "block_size": BLOCK_SIZE if self._is(0.9) else self._chance.choice((0, 512, 1024, 4096)),
        }

    def _append(self) -> Call:
        path, _ = self._existing(is_open=False)
        flags = ["APPEND", "NEW_BLOCK"] if self._is(0.2) else ["APPEND"]
        if self._is(0.1):
            flags = [one for one in FLAGS if self._is(0.35)]
        return {"call": "append", "path": path, "client": self._client(), "flags": flags}

    def _add_block(self) -> Call:
        path, file = self._existing(is_open=True)
        return {
            "call": "addBlock",
            "path": path,
            "client": self._client(file),
            "previous": self._block(file, may_be_none=True),
            "excluded": self._nodes() if self._is(0.1) else [],
            "file": self._file_id(file),
        }

    def _abandon_block(self) -> Call:
        path, file = self._existing(is_open=True)
        return {
            "call": "abandonBlock",
            "path": path,
            "client": self._client(file),
            "block": self._block(file),
            "file": self._file_id(file),
        }

    def _get_additional_datanode(self) -> Call:
        path, file = self._existing(is_open=True)
        existing = self._nodes()
        return {
            "call": "getAdditionalDatanode",
            "path": path,
            "client": self._client(file),
            "block": self._block(file),
            "file": self._file_id(file),
            "existing": existing,
            "excluded": self._nodes() if self._is(0.3) else [],
            "number": max(1, 3 - len(existing)) if self._is(0.8) else self._chance.choice((0, 3, 4)),
        }

    def _update_block_for_pipeline(self) -> Call:
        _, file = self._existing(is_open=True)
        return {"call": "updateBlockForPipeline", "client": self._client(file), "block": self._block(file)}

    def _update_pipeline(self) -> Call | None:
        waiting = [file for file in self._files.values() if file.blocks and file.blocks[-1].fresh is not None]
        if not waiting:
            return None
        file = self._chance.choice(waiting)
        last = file.blocks[-1]
        new = {"id": last.block, "stamp": last.fresh, "bytes": last.bytes}
        if self._is(0.2):
            new["stamp"] = last.stamp if self._is(0.5) else new["stamp"]
            new["bytes"] = self._chance.choice((0, last.bytes + 100))
        return {
            "call": "updatePipeline",
            "client": self._client(file),
            "block": self._block(file),
            "new": new,
            "nodes": list(DATANODES) if self._is(0.5) else self._nodes(),
        }

    def _complete(self) -> Call:
        path, file = self._existing(is_open=True)
        return {
            "call": "complete",
            "path": path,
            "client": self._client(file),
            "last": self._block(file, may_be_none=True),
            "file": self._file_id(file),
        }

    def _fsync(self) -> Call:
        path, file = self._existing(is_open=True)
        last = file.blocks[-1].bytes if file is not None and file.blocks else 0
        return {
            "call": "fsync",
            "path": path,
            "client": self._client(file),
            "file": self._file_id(file),
            "bytes": last if self._is(0.7) else self._chance.choice((-1, 0, 1, 5000)),
        }

    def _truncate(self) -> Call:
        path, file = self._existing(is_open=False)
        total = sum(one.bytes for one in file.blocks) if file is not None else 0
        number = self._chance.randrange(total + 1) if self._is(0.6) else self._chance.choice((0, total, BLOCK_SIZE))
        if self._is(0.1):
            number = self._chance.choice((-1, total + 1, total - 1))
        return {"call": "truncate", "path": path, "client": self._client(), "bytes": number}

    def _recover_lease(self) -> Call:
        path, file = self._existing(is_open=True)
        client = self._chance.choice(CLIENTS) if self._is(0.7) else self._client(file)
        return {"call": "recoverLease", "path": path, "client": client}

    def _delete(self) -> Call:
        path = self._path(DIRECTORIES) if self._is(0.3) else self._path()
        return {"call": "delete", "path": path, "recursive": self._is(0.5)}

    def _mkdirs(self) -> Call:
        return {"call": "mkdirs", "path": self._path(DIRECTORIES), "parents": self._is(0.7)}

    def _rename(self) -> Call:
        return {"call": "rename", "path": self._source(), "to_path": self._path(FILES + DIRECTORIES)}

    def _rename2(self) -> Call:
        call = {"call": "rename2", "path": self._source(), "to_path": self._path(FILES + DIRECTORIES)}
        return {**call, "overwrite": self._is(0.6)}

    def _source(self) -> str:
        return self._existing()[0] if self._is(0.7) else self._path(FILES + DIRECTORIES)

    def _concat(self) -> Call:
        path, _ = self._existing(is_open=False)
        sources = [self._existing(is_open=False)[0] for _ in range(self._chance.choice((0, 1, 1, 1, 1, 2, 2)))]
        return {"call": "concat", "path": path, "sources": sources}

    def _set_replication(self) -> Call:
        path = self._existing()[0]
        return {"call": "setReplication", "path": path, "replication": self._chance.choice((3, 3, 4, 5, 0, -1, 513))}

    def _set_times(self) -> Call:
        path = self._existing()[0]
        times = [self._chance.choice((-1, 0, 1, 12345)) for _ in range(2)]
        return {"call": "setTimes", "path": path, "modification": times[0], "access": times[1]}

    def _get_listing(self) -> Call:
        after = self._chance.choice(("", "", "d", "f", "zzz"))
        return {"call": "getListing", "path": self._path((*DIRECTORIES, "/")), "after": after}

    def _get_block_locations(self) -> Call:
        path, _ = self._existing()
        offset = 0 if self._is(0.6) else self._chance.choice((-1, 1, 2048, 2049, 100_000))
        length = 1 << 40 if self._is(0.6) else self._chance.choice((-1, 0, 1, 2048))
        return {"call": "getBlockLocations", "path": path, "offset": offset, "length": length}

    def _reads(self, name: str) -> Call:
        return {"call": name, "path": self._existing()[0] if self._is(0.6) else self._path(FILES + DIRECTORIES)}

    def _set_safe_mode(self) -> Call:
        action = self._chance.choice(("SAFEMODE_ENTER", "SAFEMODE_LEAVE", "SAFEMODE_GET"))
        return {"call": "setSafeMode", "action": action}

    def _pass(self) -> Call:
        return {"call": "pass", "ms": self._chance.choice((1_000, 30_000, 61_000, 61_000, 100_000, 1_201_000))}

    # -- what datanodes do --------------------------------------------------------------------------------------

    def _heartbeat(self) -> Call:
        return {"call": "heartbeat"}

    def _received(self) -> Call | None:
        """A datanode tells of a replica; mostly of one that no report has shown as it is now."""
        files = [file for file in self._files.values() if file.blocks]
        if not files:
            return None
        file = self._chance.choice([one for one in files if one.client is not None] or files)
        one = file.blocks[-1] if self._is(0.85) else self._chance.choice(file.blocks)
        block, status = one.named(), "RECEIVED" if self._is(0.75) else "RECEIVING"
        if self._is(0.06):
            block = self._block(file)
        if self._is(0.04):
            status = "DELETED"
        waiting = [each for each in DATANODES if self._replicas[each].get(one.block) != (block, "FINALIZED")]
        if not waiting and self._is(0.9):
            return None
        datanode = self._chance.choice(waiting or DATANODES)
        return {"call": "received", "datanode": datanode, "block": block, "status": status}

    def _report(self) -> Call:
        datanode = self._chance.choice(DATANODES)
        replicas = [
            {"block": block, "state": state}
            for block, state in self._replicas[datanode].values()
            if self._is(0.95) and isinstance(block["id"], str)
        ]
        return {"call": "report", "datanode": datanode, "replicas": replicas}

    def _commit(self) -> Call | None:
        if not self._recoveries:
            return None
        one = self._chance.choice(self._recoveries)
        if self._is(0.8):
            self._recoveries.remove(one)
        cut = one["cut_to"]
        known = [each.bytes for each in self._written() if each.block == one["block"]]
        bytes_ = cut["bytes"] if cut is not None else (known or [one["bytes"]])[0]
        if self._is(0.1):
            bytes_ = self._chance.choice((0, 1, 512, 2048))
        targets = one["nodes"] if self._is(0.8) else [self._chance.choice(one["nodes"])]
        block = {"id": one["block"], "stamp": one["stamp"], "bytes": one["bytes"]}
        deletes = self._is(0.08)
        return {
            "call": "commit",
            "block": block,
            "stamp": one["recovery"] if self._is(0.95) else one["stamp"],
            "bytes": 0 if deletes else bytes_,
            "close": True,  # As every primary does.
            "delete": deletes,
            "targets": [] if deletes else targets,
        }


def _is_at_or_below(path: str, ancestor: str) -> bool:
    return path == ancestor or path.startswith(ancestor.rstrip("/") + "/")


def _reading(name: str) -> Callable[[Drawing], Call]:
    return lambda drawing: drawing._reads(name)


_WEIGHTS: dict[Callable[[Drawing], Call | None], float] = {
    Drawing._create: 10,
    Drawing._append: 7,
    Drawing._add_block: 11,
    Drawing._abandon_block: 2,
    Drawing._get_additional_datanode: 2,
    Drawing._update_block_for_pipeline: 3,
    Drawing._update_pipeline: 4,
    Drawing._complete: 9,
    Drawing._fsync: 3,
    lambda drawing: {"call": "renewLease", "client": drawing._client()}: 1,
    Drawing._recover_lease: 3,
    Drawing._truncate: 5,
    Drawing._delete: 3,
    Drawing._mkdirs: 5,
    Drawing._rename: 4,
    Drawing._rename2: 5,
    Drawing._concat: 3,
    Drawing._set_replication: 2,
    Drawing._set_times: 2,
    Drawing._get_listing: 2,
    Drawing._get_block_locations: 4,
    _reading("getFileInfo"): 2,
    _reading("getLocatedFileInfo"): 2,
    _reading("getContentSummary"): 1,
    _reading("isFileClosed"): 2,
    Drawing._set_safe_mode: 0.5,
    Drawing._pass: 2,
    Drawing._heartbeat: 5,
    Drawing._received: 30,
    Drawing._report: 2,
    Drawing._commit: 6,
}
"""By what draws a call, how often it does."""
