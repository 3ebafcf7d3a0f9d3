"""`genstamp conform` of a system of one's own, named and driven as its file says, over the adapter protocol."""

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from genstamp.cli.verbs import app

SPECIFICATION = """
from genstamp.stateful import Driving
from genstamp_model.language import Configuration, Index, Part, System, action, number, pick, require

class Client(Index):
    "A client."

class Counter(Part):
    count = number(limit="counts")

    @action
    def add(s, client: Client) -> None:
        "A client adds one or two."
        steps = pick("steps", 1, 2)
        require(s.count + steps <= 3, "the counter has room", refuses="FullException")
        s.count = s.count + steps

COUNTER = System(
    "counter", parts=[Counter], configurations=[Configuration("one", sizes={"Client": 1}, limits={"counts": 3})]
)
DRIVING = Driving(members=lambda cluster: {"Client": cluster.clients}, chosen={"add": ("steps",)})
"""

IMPLEMENTATION = """
import json, sys
count = told = 0
for line in sys.stdin:
    request = json.loads(line)
    answer = {"ok": True, "events": []}
    if request["op"] == "start":
        count = 0
        answer |= {"version": 2, "first_generation_stamp": 1}
        print("started", file=sys.stderr, flush=True)
    elif request["op"] == "call":
        steps = int(request["arguments"]["steps"])
        told += 1
        event = {"source": "own", "node": "counter", "node_sequence": told, "kind": "node", "namespace": "own"}
        event |= {"entity": "c", "event": "add"}
        event["arguments"] = {"client": request["arguments"]["client"]}
        if count + steps > ROOM:
            event["refused_with"] = "FullException"
        else:
            count += steps
        answer["events"] = [event]
    print(json.dumps(answer), flush=True)
    if request["op"] == "stop":
        break
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "spec.py").write_text(SPECIFICATION)
    for name, room in (("good.py", "3"), ("bad.py", "4")):
        (tmp_path / name).write_text(IMPLEMENTATION.replace("ROOM", room))
    return tmp_path


def conform(place: Path, implementation: str, *words: str) -> tuple[int, str]:
    specification = place / "spec.py"
    named = ["--system", f"{specification}:COUNTER", "--driving", f"{specification}:DRIVING"]
    command = ["--command", f"{sys.executable} {place / implementation}", "--seed", "1", "--examples", "10"]
    command += ["--save", str(place / "run.jsonl")]
    result = CliRunner().invoke(app, ["conform", *named, *command, *words])
    return result.exit_code, result.output


@pytest.mark.slow
def test_a_system_of_ones_own_is_held_and_what_the_command_says_is_kept(place: Path) -> None:
    code, text = conform(place, "good.py", "--adapter-log", str(place / "log"))
    assert code == 0, text
    assert "counter (default): conforms" in text
    assert "seen: 2 of the 2 answers" in text
    assert set((place / "log").read_text().split()) == {"started"}


@pytest.mark.slow
def test_an_implementation_of_ones_own_is_rejected_with_the_numbers_that_were_asked_for(place: Path) -> None:
    code, text = conform(place, "bad.py")
    assert code == 12, text
    assert "call add(client client1, steps " in text


def test_a_walk_of_ones_own_reaches_every_transition(place: Path) -> None:
    code, text = conform(place, "good.py", "--walk")
    assert code == 0, text
    assert "(100.0%) for certain" in text


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--driving", "{place}/spec.py:COUNTER"], "'COUNTER' is no Driving there; there is DRIVING"),
        (["--system", "{place}/spec.py:COUNTER", "--driving", "{place}/none.py:D"], "gives no driving"),
        (["--system", "{place}/spec.py:COUNTER"], "counter cannot be checked against an implementation"),
        (["--system", "hdfs.lease:two_clients"], "'two_clients' is a configuration"),
        (["--adapter-log", "{place}/log"], "--adapter-log needs --command"),
        (["--adapter-log", "{place}/none/log", "--command", "true"], "cannot be written"),
    ],
)
def test_a_mistake_is_one_sentence(words: list[str], sentence: str, place: Path) -> None:
    result = CliRunner().invoke(app, ["conform", *(word.format(place=place) for word in words)])
    assert result.exit_code != 0
    told = " ".join(f"{result.output} {result.exception}".replace("│", " ").split())
    assert sentence in told
