"""A sample adapter: lets `genstamp conform` drive an implementation over JSON lines. Copy it, and put yours in.

    genstamp conform --command "python examples/adapter_sample.py"

What is yours to write is marked "yours": here it drives genstamp's reference implementation. docs/adapter-protocol.md
says what each request means, which events there are, and what each of them may show.
"""

import json
import sys
from typing import Any

from genstamp_dfs.errors import StepNotPossibleError
from genstamp_dfs.events import Event
from genstamp_dfs.stepwise.recovery.driver import RecoveryDriver  # yours


class NotPossible(Exception):  # noqa: N818
    """The step cannot happen now; nothing has changed."""


class Implementation:
    """Yours: a cluster in which nothing happens and no time passes unless you say so."""

    def __init__(self, request: dict[str, Any]) -> None:
        names = {key: request[key] for key in ("files", "clients", "datanodes", "semantics", "seed")}
        self.driver = RecoveryDriver(**names)

    def step(self, event: str, arguments: dict[str, str]) -> list[dict[str, Any]]:
        """Make one step happen, and tell what it left behind. A refusal is an event, too."""
        try:
            return [told(one) for one in self.driver.call(event, arguments)]
        except StepNotPossibleError as not_now:
            raise NotPossible(not_now.why) from not_now

    def pass_time(self, ms: int) -> list[dict[str, Any]]:
        """Let time pass, and tell what happened by itself meanwhile: the lease monitor may have released files."""
        return [told(one) for one in self.driver.tick(ms)]


def told(event: Event) -> dict[str, Any]:
    """One event as JSON; columns that are not known are left out."""
    columns = ("source", "node", "node_sequence", "time_us", "kind", "namespace", "entity", "event", "refused_with")
    shown = ("generation_stamp", "recovery_id", "num_bytes", "arguments", "observed")
    return {name: value for name in columns + shown if (value := getattr(event, name)) is not None}


def main() -> None:
    """Answer each request on one line, until told to stop."""
    implementation: Implementation | None = None
    for line in sys.stdin:
        request = json.loads(line)
        answer: dict[str, Any] = {"ok": True, "events": []}
        try:
            if request["op"] == "start":  # may come again: the run before is forgotten
                implementation = Implementation(request)
                answer |= {"version": 2, "first_generation_stamp": 1001}
            elif implementation is not None and request["op"] in ("call", "fault"):
                answer["events"] = implementation.step(request["event"], request["arguments"])
            elif implementation is not None and request["op"] == "tick":
                answer["events"] = implementation.pass_time(request["ms"])
            elif request["op"] not in ("events", "stop"):
                answer = {"ok": False, "error": f"cannot {request['op']} now"}
        except NotPossible as not_now:
            answer = {"ok": False, "why": str(not_now)}
        print(json.dumps(answer), flush=True)
        if request["op"] == "stop":
            return


if __name__ == "__main__":
    main()
