"""Requests of a run, and how a run is kept in a file: as the lines by which the adapter protocol asks for it.

Not here: the answers: a run that is made again is checked against the model again.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

from genstamp.adapters import VERSION, Cluster
from genstamp.errors import RunFileError
from genstamp.stateful.driving import Driving

Arguments: TypeAlias = tuple[tuple[str, str], ...]

_NAMES = ("files", "clients", "datanodes")


@dataclass(frozen=True)
class Request:
    """One request: a step or fault by event and arguments, or time that passes.

    Attributes:
        event: name of the event; empty if time passes.
        arguments: its arguments by name.
        ms: how much time passes; 0 for a step or fault.
    """

    event: str = ""
    arguments: Arguments = ()
    ms: int = 0

    def kind(self, driving: Driving) -> str:
        """The `op` of the adapter protocol that asks for it."""
        if self.ms:
            return "tick"
        return "fault" if self.event in driving.faults | driving.brought_about else "call"

    def text(self, driving: Driving) -> str:
        """The request as a story tells it: `call complete(client client1, file /a)`."""
        if self.ms:
            return f"tick {self.ms} ms"
        return f"{self.kind(driving)} {self.event}({', '.join(f'{name} {word}' for name, word in self.arguments)})"


def run_lines(cluster: Cluster, requests: Sequence[Request], driving: Driving) -> Iterator[str]:
    """A run as lines of the adapter protocol."""
    yield json.dumps({"op": "start", "version": VERSION, **asdict(cluster)})
    for request in requests:
        asked: dict[str, Any] = {"op": request.kind(driving)}
        if request.ms:
            asked["ms"] = request.ms
        else:
            asked |= {"event": request.event, "arguments": dict(request.arguments)}
        yield json.dumps(asked)


def read_run(path: Path) -> tuple[Cluster, tuple[Request, ...]]:
    """The cluster and the requests of a run; requests for events and for the end are left out.

    Raises:
        RunFileError: the file cannot be read, or is no run.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise RunFileError(path, getattr(problem, "strerror", None) or str(problem)) from None
    cluster, requests = None, []
    for number, line in enumerate(lines, 1):
        try:
            asked = json.loads(line)
            if cluster is None:
                names = {name: tuple(map(str, asked[name])) for name in _NAMES}
                cluster = Cluster(
                    **names, semantics=str(asked["semantics"]), seed=int(asked["seed"]), system=str(asked["system"])
                )
            elif asked["op"] == "tick":
                requests.append(Request(ms=int(asked["ms"])))
            elif asked["op"] in ("call", "fault"):
                arguments = {str(name): str(word) for name, word in asked["arguments"].items()}
                requests.append(Request(str(asked["event"]), tuple(arguments.items())))
        except (ValueError, KeyError, TypeError, AttributeError):
            wanted = (
                "a start with files, clients, datanodes, semantics, seed and system"
                if cluster is None
                else ("a call, fault or tick of the adapter protocol")
            )
            raise RunFileError(path, f"line {number} is not a request; expected {wanted}") from None
    if cluster is None:
        raise RunFileError(path, "it is empty; expected a run, with one request a line")
    return cluster, tuple(requests)
