"""The reference implementation behind the adapter protocol, version 2: `python -m genstamp_dfs.adapter`.

One request a line on standard input, one answer a line on standard output, both JSON objects:

    {"op": "start", "version": 2, "system": "hdfs.recovery", "files": [...], "clients": [...], "datanodes": [...],
     "semantics": "repaired", "seed": 0}      -> {"ok": true, "version": 2, "first_generation_stamp": 1001,
                                                  "events": []}
    {"op": "call", "event": "create", "arguments": {"client": "client1", "file": "/a"}}
                                              -> {"ok": true, "events": [...]}
    {"op": "tick", "ms": 60000}               -> {"ok": true, "events": [...]}
    {"op": "fault", "event": "datanode_crash", "arguments": {"datanode": "datanode1"}}
                                              -> {"ok": true, "events": [...]}
    {"op": "events"}                          -> {"ok": true, "events": [...]}
    {"op": "stop"}                            -> {"ok": true}

`system` says whose steps are asked for, one of `DRIVERS`. Where the answer to `start` has "takes_times", the next one
may name other times than Hadoop's in "times_ms", by their names in `Limits`. A refusal is an event. A step that cannot
happen now is answered by {"ok": false, "why": "..."}, and nothing has happened. A request that is wrong in itself is
answered by {"ok": false, "error": "..."}, and nothing has happened either. A `start` while a run is on begins a new
one. The process ends with exit code 0 after `stop` or at the end of its input.

Not here: everything else that a server has; there is one caller, and it waits for each answer.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any, Final, TypeAlias

import msgspec

from genstamp_dfs.errors import AdapterRequestError, GenstampDfsError, StepNotPossibleError
from genstamp_dfs.hdfs.leases.driver import LeaseDriver
from genstamp_dfs.hdfs.protocol import LAST_RESERVED_STAMP, Limits
from genstamp_dfs.stepwise.pipeline.driver import PipelineDriver
from genstamp_dfs.stepwise.recovery.driver import RecoveryDriver

VERSION: Final = 2

FIRST_GENERATION_STAMP: Final = LAST_RESERVED_STAMP + 1
"""Stamp of the first block of a run."""

AnyDriver: TypeAlias = RecoveryDriver | LeaseDriver | PipelineDriver

DRIVERS: Final[dict[str, type[AnyDriver]]] = {
    "hdfs.lease": LeaseDriver,
    "hdfs.recovery": RecoveryDriver,
    "hdfs.pipeline": PipelineDriver,
}
"""Who makes the steps of a system."""


class Start(msgspec.Struct, tag_field="op", tag="start"):
    version: int
    system: str
    files: list[str]
    clients: list[str]
    datanodes: list[str]
    semantics: str = "repaired"
    seed: int = 0
    times_ms: dict[str, int] = {}


class Call(msgspec.Struct, tag_field="op", tag="call"):
    event: str
    arguments: dict[str, str]


class Tick(msgspec.Struct, tag_field="op", tag="tick"):
    ms: int


class Fault(msgspec.Struct, tag_field="op", tag="fault"):
    event: str
    arguments: dict[str, str]


class Events(msgspec.Struct, tag_field="op", tag="events"):
    pass


class Stop(msgspec.Struct, tag_field="op", tag="stop"):
    pass


Request = Start | Call | Tick | Fault | Events | Stop
Answer = dict[str, Any]

_DECODER: Final[msgspec.json.Decoder[Request]] = msgspec.json.Decoder(Request)
_ENCODER: Final = msgspec.json.Encoder()


class Adapter:
    """Answers requests, one after the other."""

    def __init__(self) -> None:
        self.driver: AnyDriver | None = None
        self.stopped = False

    def answer(self, line: bytes) -> bytes:
        """The answer line to a request line; a wrong request is answered, not raised."""
        try:
            answer = self._handle(_DECODER.decode(line))
        except StepNotPossibleError as not_now:
            answer = {"ok": False, "why": not_now.why}
        except msgspec.MsgspecError as problem:
            answer = {"ok": False, "error": f"not a request: {problem}"}
        except GenstampDfsError as problem:
            answer = {"ok": False, "error": str(problem)}
        return _ENCODER.encode(answer) + b"\n"

    def _handle(self, request: Request) -> Answer:
        match request:
            case Start():
                return self._start(request)
            case Call(event, arguments):
                return {"ok": True, "events": self._running().call(event, arguments)}
            case Tick(ms):
                return {"ok": True, "events": self._running().tick(ms)}
            case Fault(event, arguments):
                return {"ok": True, "events": self._running().fault(event, arguments)}
            case Events():
                return {"ok": True, "events": self._running().events()}
            case Stop():
                self.stopped = True
                self.close()
                return {"ok": True}

    def _start(self, request: Start) -> Answer:
        if request.version != VERSION:
            raise AdapterRequestError(f"version is {request.version}, accepted: {VERSION}")
        if request.system not in DRIVERS:
            raise AdapterRequestError(f"system is {request.system!r}, accepted: {', '.join(DRIVERS)}")
        chosen = DRIVERS[request.system]
        driver = chosen(
            request.files,
            request.clients,
            request.datanodes,
            request.semantics,
            request.seed,
            **_limits(request.times_ms, chosen),
        )
        self.close()
        self.driver = driver
        return {
            "ok": True,
            "version": VERSION,
            "first_generation_stamp": FIRST_GENERATION_STAMP,
            "takes_times": isinstance(driver, RecoveryDriver),
            "events": driver.events(),
        }

    def close(self) -> None:
        """End the run, if there is one."""
        if self.driver is not None:
            self.driver.close()
        self.driver = None

    def _running(self) -> AnyDriver:
        if self.driver is None:
            raise AdapterRequestError("nothing runs yet, accepted: start")
        return self.driver


def _limits(times_ms: Mapping[str, int], driver: type[AnyDriver]) -> dict[str, Limits]:
    if not times_ms:
        return {}
    if not issubclass(driver, RecoveryDriver):
        raise AdapterRequestError("only hdfs.recovery goes by other times than Hadoop's, accepted: no times_ms")
    known = [field.name for field in fields(Limits)]
    if unknown := sorted(times_ms.keys() - set(known)):
        raise AdapterRequestError(f"times_ms names {', '.join(unknown)}, accepted: {', '.join(known)}")
    return {"limits": Limits(**times_ms)}


def answers(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The answer line to each request line, until `stop`; blank lines are skipped."""
    adapter = Adapter()
    try:
        for line in lines:
            if line.strip():
                yield adapter.answer(line)
            if adapter.stopped:
                return
    finally:
        adapter.close()


def main() -> None:
    """Serve standard input until `stop` or its end."""
    for answer in answers(sys.stdin.buffer):
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
