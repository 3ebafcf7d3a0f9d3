"""An explorer that a test asks, as its page would."""

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from genstamp.explorer import Explored
from genstamp.explorer.moments import told_run
from genstamp.explorer.runs import Run, walked
from genstamp.explorer.server import LOOPBACK, application, listening, server


@dataclass(frozen=True)
class Served:
    """A server, by its port."""

    port: int

    @property
    def address(self) -> str:
        """Of its page."""
        return f"http://{LOOPBACK}:{self.port}/"

    def ask(self, question: str, **asked: Any) -> tuple[int, dict[str, Any]]:
        """Status and answer of a question."""
        return self.send(f"/{question}", json.dumps(asked).encode(), {"Content-Type": "application/json"})

    def send(self, path: str, body: bytes, headers: dict[str, str], method: str = "POST") -> tuple[int, dict[str, Any]]:
        """Status and answer of any request."""
        connection = http.client.HTTPConnection(LOOPBACK, self.port, timeout=60)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()


@contextmanager
def served(explored: Explored, *bugs: str) -> Iterator[Served]:
    """An explorer of a system, perhaps with bugs, which begins in its initial state."""
    setup = explored.setup(bugs=bugs)
    evaluator = explored.evaluator(setup)
    on = listening(0)
    port = on.getsockname()[1]
    beginning = told_run(evaluator, setup, Run(walked(evaluator, 0, ())))
    running = server(application(explored, beginning, port))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [on]})
    thread.start()
    try:
        yield Served(port)
    finally:
        running.should_exit = True
        thread.join()
