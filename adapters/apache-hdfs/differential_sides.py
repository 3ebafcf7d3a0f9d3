"""The two namenodes that are compared: Apache's in a Java process, and ours as a server in this one.

Clients of both are Hadoop's: the Java process makes the calls of ClientProtocol at either. Datanodes are registrations,
heartbeats and reports, made here for our namenode, as its DatanodeProtocol is its own.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from building import java_command

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.hdfs.messages import datanode_protocol as dn
from genstamp_dfs.hdfs.namenode.configuration import NameNodeConfiguration
from genstamp_dfs.hdfs.protocol import Block, ReplicaState, ReportedReplica, Semantics
from genstamp_dfs.server.addresses import AddressBook
from genstamp_dfs.server.event_file import NoEvents
from genstamp_dfs.server.namenode_server import NameNodeServer
from genstamp_dfs.server.rpc_client import RpcClient
from genstamp_dfs.server.wire.convert import Converter
from genstamp_dfs.server.wire.exceptions import java_name
from genstamp_dfs.world.request import Caller, Request

DATANODES = ("dn1", "dn2", "dn3")
NEVER_MS = 10**12

Call = dict[str, Any]
Answer = dict[str, Any]

SETTINGS: dict[str, Any] = {
    "minimal_block_size": 1024,
    "max_blocks_per_file": 6,
    "stale_interval_ms": NEVER_MS,
    "heartbeat_recheck_ms": NEVER_MS,
    "redundancy_interval_ms": NEVER_MS,
    "safe_mode_min_datanodes": 1000,
}
"""As ApacheNameNode.java configures Apache's."""


class Java:
    """The Java process."""

    def __init__(self, release: str, directory: Path) -> None:
        command = java_command("differential", release, "genstamp.differential.Main")
        self._process = subprocess.Popen(
            [*command, str(directory)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._read()

    def call(self, to: str, call: Call) -> Answer:
        """Makes a call at the namenode of this name."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"to": to, **call}) + "\n")
        self._process.stdin.flush()
        return self._read()

    def stop(self) -> None:
        """Ends the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _read(self) -> Answer:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise AssertionError(f"the Java process ended with {self._process.wait()}")
        answer: Answer = json.loads(line)
        return answer


class StandingClock:
    """Time that passes only when `pass_ms` says so; the wall clock goes on."""

    def __init__(self) -> None:
        self._now_us = time.monotonic_ns() // 1000

    def now_us(self) -> int:
        """The monotonic clock."""
        return self._now_us

    def time_ms(self) -> int:
        """The wall clock."""
        return time.time_ns() // 1_000_000

    def pass_ms(self, number: int) -> None:
        """Lets milliseconds pass."""
        self._now_us += 1000 * number


class Ours:
    """Our namenode, which listens on a port of its own."""

    def __init__(self, directory: Path, semantics: Semantics, java: Java) -> None:
        self._clock = StandingClock()
        configuration = NameNodeConfiguration(semantics=semantics, **SETTINGS)
        self._server = NameNodeServer(directory, configuration, NoEvents(), clock=self._clock, ticks=False)
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        ready = self._run(self._server.start())
        self._port: int = ready["port"]
        self._pool: str = ready["block_pool_id"]
        converter = Converter(self._pool, AddressBook())
        self._nodes = {name: RpcClient(converter, name, name) for name in DATANODES}
        java.call("ours", {"call": "connect", "port": self._port, "pool": self._pool})
        self._calls: dict[str, Callable[[Call], Any]] = {
            "register": self._register,
            "heartbeat": self._heartbeat,
            "received": self._received,
            "report": self._report,
            "commit": self._commit,
            "pass": self._pass,
            "scrub": lambda call: self._run(self._tick()),
        }

    def has(self, name: str) -> bool:
        """Whether a call of this name is made here, and not by the Java process."""
        return name in self._calls

    def call(self, call: Call) -> Answer:
        """Makes a call of a datanode."""
        try:
            return {"gives": self._calls[call["call"]](call)}
        except HdfsIOException as refusal:
            return {"refused": java_name(refusal), "message": str(refusal)}

    def stop(self) -> None:
        """Ends the server."""
        for client in self._nodes.values():
            self._loop.call_soon_threadsafe(client.close)
        self._run(self._server.stop())
        self._loop.call_soon_threadsafe(self._loop.stop)

    def _run(self, what: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(what, self._loop).result()

    def _ask(self, datanode: str, request: Request[Any]) -> Any:
        client = self._nodes[datanode]
        return self._run(client.call("127.0.0.1", self._port, request, Caller("127.0.0.1", call_id=1), 10_000_000))

    def _register(self, call: Call) -> None:
        name = call["datanode"]
        port = 20_000 + 100 * int(name[2:])
        self._ask(name, dn.RegisterDatanode(name, self._pool, "127.0.0.1", port, port + 20, name))

    def _heartbeat(self, call: Call) -> list[Any]:
        capacity = 1 << 44
        answer = self._ask(call["datanode"], dn.SendHeartbeat(call["datanode"], capacity, 0, capacity))
        return [order for command in answer for order in _orders(command, call["datanode"])]

    def _received(self, call: Call) -> None:
        line = dn.ReceivedDeletedBlock(_block(call["block"]), dn.ReceivedStatus(call["status"].lower()))
        self._ask(call["datanode"], dn.BlockReceivedAndDeleted(call["datanode"], (line,)))

    def _report(self, call: Call) -> None:
        replicas = tuple(
            ReportedReplica(
                one["block"]["id"], one["block"]["stamp"], one["block"]["bytes"], ReplicaState[one["state"]]
            )
            for one in call["replicas"]
        )
        self._ask(call["datanode"], dn.BlockReport(call["datanode"], replicas))

    def _commit(self, call: Call) -> None:
        request = dn.CommitBlockSynchronization(
            _block(call["block"]), call["stamp"], call["bytes"], call["close"], call["delete"], tuple(call["targets"])
        )
        self._ask(DATANODES[0], request)

    def _pass(self, call: Call) -> None:
        self._clock.pass_ms(call["ms"])
        self._run(self._tick())

    async def _tick(self) -> None:
        self._server.namenode.tick()


def _orders(command: dn.Command, datanode: str) -> list[dict[str, Any]]:
    """As ApacheNameNode.java shows them."""
    match command:
        case dn.RecoverBlocks(blocks=recoveries):
            return [
                {
                    **_shown(one.block),
                    "recovery": one.recovery_id,
                    "cut_to": None if one.new_block is None else _shown(one.new_block),
                    "nodes": sorted(one.locations),
                }
                for one in recoveries
            ]
        case dn.InvalidateBlocks(blocks=blocks):
            return [{"block": one.block_id, "stamp": one.generation_stamp, "deletes": datanode} for one in blocks]
        case _:
            return []


def _block(block: dict[str, int]) -> Block:
    return Block(block["id"], block["stamp"], block["bytes"])


def _shown(block: Block) -> dict[str, int]:
    return {"block": block.block_id, "stamp": block.generation_stamp, "bytes": block.num_bytes}


def orders(at: Callable[[Call], Answer]) -> Answer:
    """What all datanodes are to do, until nothing is left.

    Which of them leads a recovery goes by the order of the locations, which is drawn at random; and who leads one is
    told of deletions with the next heartbeat.
    """
    found: list[dict[str, Any]] = []
    for name in DATANODES:
        while True:
            answer = at({"call": "heartbeat", "datanode": name})
            if "refused" in answer:
                return answer
            if not answer["gives"]:
                break
            found += answer["gives"]
    return {"gives": sorted(found, key=_place)}


def _place(order: dict[str, Any]) -> tuple[int, int, str]:
    return order["block"], order.get("recovery", 0), order.get("deletes", "")


class Sides:
    """Both namenodes; each call is made at both, after its names were replaced by what each side calls them."""

    def __init__(self, release: str, semantics: Semantics, directory: Path) -> None:
        self.java = Java(release, directory / "apache")
        (directory / "ours").mkdir()
        self.ours = Ours(directory / "ours", semantics, self.java)
        for name in DATANODES:
            self.both({"call": "register", "datanode": name})
            self.both({"call": "heartbeat", "datanode": name})
            self.both({"call": "report", "datanode": name, "replicas": []})
        self.both({"call": "setSafeMode", "action": "SAFEMODE_LEAVE"})

    def at_apache(self, call: Call) -> Answer:
        """Makes a call at Apache's."""
        return self.java.call("apache", call)

    def at_ours(self, call: Call) -> Answer:
        """Makes a call at ours."""
        return self.ours.call(call) if self.ours.has(call["call"]) else self.java.call("ours", call)

    def both(self, call: Call) -> None:
        """Makes a call at both that neither refuses."""
        for answer in (self.at_apache(call), self.at_ours(call)):
            assert "gives" in answer, f"{call} was refused: {answer}"

    def clear(self) -> None:
        """Deletes all files at both, and drains what datanodes are to do."""
        for at in (self.at_apache, self.at_ours):
            at({"call": "setSafeMode", "action": "SAFEMODE_LEAVE"})
            for entry in at({"call": "getListing", "path": "/", "after": ""})["gives"]["entries"]:
                at({"call": "delete", "path": f"/{entry['name']}", "recursive": True})
            at({"call": "scrub"})
            for name in DATANODES:
                at({"call": "report", "datanode": name, "replicas": []})
            orders(at)

    def stop(self) -> None:
        """Ends both."""
        self.ours.stop()
        self.java.stop()
