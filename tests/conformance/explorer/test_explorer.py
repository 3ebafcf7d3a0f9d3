"""The questions that a page asks its server, and the page as one file."""

import base64
import hashlib
import http.client
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.explorer.served import Served, served

from genstamp.explorer import Explored
from genstamp.explorer.asked import MOST_BYTES
from genstamp.explorer.moments import told_run
from genstamp.explorer.page import file, page
from genstamp.explorer.runs import Run, walked
from genstamp.systems import found, system_named
from genstamp_model.state_graph import MOST_STATES

PREPARES = "prepare(rm rm1)"


@pytest.fixture(scope="module")
def explored(repository: Path) -> Explored:
    """Two-phase commit, a protocol of a user's own file."""
    return Explored(found(str(repository / "examples/protocols/two_phase.py"))[0], {})


@pytest.fixture(scope="module")
def explorer(explored: Explored) -> Iterator[Served]:
    with served(explored) as running:
        yield running


@pytest.fixture(scope="module")
def threads() -> Iterator[Served]:
    """A system with bugs and witnesses."""
    with served(Explored(system_named("hdfs.replica_threads"), {})) as running:
        yield running


def _rows(moment: dict[str, Any], card: str) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for one in moment["cards"] if one["title"] == card for row in one["rows"]}


def test_a_run_without_steps_is_an_initial_state(explorer: Served) -> None:
    status, run = explorer.ask("walk")
    assert (status, run["steps"], len(run["moments"])) == (200, [], 1)
    first = run["moments"][0]
    assert _rows(first, "rm1")["state"] == {"name": "state", "value": "WORKING", "initial": True}
    assert PREPARES in [choice["call"] for choice in first["possible"]]


def test_the_steps_of_a_state_are_those_of_evaluate(explorer: Served, explored: Explored) -> None:
    evaluator = explored.evaluator(explored.setup())
    _, run = explorer.ask("walk", steps=[PREPARES])
    state = walked(evaluator, 0, [PREPARES]).states[-1]
    expected = [evaluator.call(step.action, step.arguments) for step in evaluator.steps(state)]
    moment = run["moments"][-1]
    assert [choice["call"] for choice in moment["possible"]] == expected
    every = [
        evaluator.call(action, one) for action in evaluator.model.actions for one in evaluator.choices(action, state)
    ]
    assert sorted(choice["call"] for choice in moment["possible"] + moment["refused"]) == sorted(every)


def test_a_step_marks_what_it_changes_and_only_new_states_are_told(explorer: Served) -> None:
    _, run = explorer.ask("walk", steps=[PREPARES], since=1)
    (moment,) = run["moments"]
    assert moment["step"]["call"] == PREPARES
    assert _rows(moment, "rm1")["state"] == {
        "name": "state",
        "value": "PREPARED",
        "before": "WORKING",
        "initial": False,
    }
    assert "before" not in _rows(moment, "rm2")["state"]
    assert _rows(moment, "shared")["messages"]["messages"] == [
        {"text": "Message(kind PREPARED, rm rm1)", "mark": "added"}
    ]
    assert run["lanes"].startswith("<svg")


def test_an_impossible_step_is_refused_with_its_check(explorer: Served) -> None:
    status, answer = explorer.ask("walk", steps=["receive_prepared(rm rm1)"])
    assert status == 409
    assert re.fullmatch(
        r"step 1, receive_prepared\(rm rm1\), is not possible here: it needs that the manager has sent it "
        r"\(examples/protocols/two_phase.py:\d+\)",
        answer["error"],
    )
    _, run = explorer.ask("walk")
    (refused,) = [one for one in run["moments"][0]["refused"] if one["call"] == "receive_prepared(rm rm1)"]
    assert refused["needs"] == "the manager has sent it"
    assert refused["needs_at"] in answer["error"]
    assert ["messages", "[]"] in refused["values"]


@pytest.mark.parametrize(
    ("asked", "status", "says"),
    [
        ({"steps": ["fly(rm rm1)"]}, 409, "is no step of two_phase here"),
        ({"initial": 7}, 400, "there is no initial state 7; there is 1 initial state, counted from 0"),
        ({"initial": -1}, 400, "Expected `int` >= 0"),
        ({"configuration": "huge"}, 400, "two_phase has no configuration 'huge'"),
        ({"bugs": ["HDFS-1"]}, 400, "two_phase has no bug 'HDFS-1'"),
        ({"steps": "prepare"}, 400, "Expected `array`, got `str`"),
        ({"steps": ["x"] * 501}, 400, "length <= 500"),
        ({"code": "1"}, 400, "unknown field `code`"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(explorer: Served, asked: dict[str, Any], status: int, says: str) -> None:
    found_status, answer = explorer.ask("walk", **asked)
    assert (found_status, list(answer)) == (status, ["error"])
    assert says in answer["error"]
    assert answer["error"][0].islower()
    assert "\n" not in answer["error"]


def test_other_bodies_are_refused(explorer: Served) -> None:
    as_json = {"Content-Type": "application/json"}
    assert explorer.send("/walk", b"{", as_json)[0] == 400
    assert explorer.send("/walk", b"{}", {"Content-Type": "text/plain"}) == (
        400,
        {"error": "a question is asked as application/json"},
    )
    assert explorer.send("/walk", b" " * (MOST_BYTES + 1), as_json)[0] == 413


@pytest.mark.parametrize("host", ["elsewhere.example", "127.0.0.1", "127.0.0.1:1", "localhost:80.elsewhere.example"])
def test_another_host_is_refused(explorer: Served, host: str) -> None:
    for method, path in (("GET", "/"), ("POST", "/walk")):
        status, answer = explorer.send(path, b"{}", {"Content-Type": "application/json", "Host": host}, method)
        assert status == 421
        assert answer["error"].startswith("the request names another host; expected 127.0.0.1:")


def test_the_page_may_load_nothing_from_elsewhere(explorer: Served) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", explorer.port)
    connection.request("GET", "/")
    answer = connection.getresponse()
    policy = answer.headers["Content-Security-Policy"]
    text = answer.read().decode()
    connection.close()
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in policy
    assert re.findall(r'(?:src|href)="([^"]*)"', text) == [
        "data:,",
        "/explorer.css",
        *(f"/{name}.js" for name in ("elements", "state", "walk", "server", "graph", "begin")),
    ]


@pytest.mark.slow
def test_a_bug_gives_its_shortest_run_and_the_false_part() -> None:
    declared = system_named("hdfs.monitor")
    bug = declared.bugs[0]
    with served(Explored(declared, {})) as monitor:
        status, run = monitor.ask("reach", bugs=[bug.name])
    assert (status, len(run["steps"]), run["setup"]["bugs"]) == (200, 6, [bug.name])
    violated = run["moments"][-1]["violated"][0]
    assert violated["name"] in bug.breaks
    assert violated["claimed"]
    assert violated["values"]
    assert violated["source"].startswith("spec/genstamp_spec/")
    assert not any(moment["violated"] for moment in run["moments"][:-1])


@pytest.mark.slow
def test_a_lasso_says_where_it_goes_on(threads: Served) -> None:
    _, run = threads.ask("reach", bugs=["HDFS-6948"])
    assert run["shows"] == "newer_copy_arrives is violated"
    assert 0 <= run["loop"] <= len(run["steps"])


def test_a_witness_and_a_scenario_are_reached(threads: Served) -> None:
    witness = threads.ask("walk")[1]["witnesses"][0]["name"]
    _, run = threads.ask("reach", witness=witness)
    assert run["shows"] == f"{witness} is reached"
    assert witness in [one["name"] for one in run["moments"][-1]["witnesses"]]
    _, run = threads.ask("reach", scenario="open_pipeline; ask_for_copy")
    assert [moment["step"]["action"] for moment in run["moments"][1:]] == ["open_pipeline", "ask_for_copy"]
    status, answer = threads.ask("reach", scenario="ask_for_copy; open_pipeline")
    assert (status, answer) == (
        404,
        {"error": "no run shows this scenario in copy within these limits: bytes 0, stamps 2"},
    )


def test_without_a_bug_nothing_is_violated(threads: Served) -> None:
    status, answer = threads.ask("reach")
    assert status == 404
    assert answer["error"].startswith("nothing is violated in copy")


def test_a_run_is_saved_and_opened_again(explorer: Served) -> None:
    steps = [PREPARES, "receive_prepared(rm rm1)", "decide_abort()"]
    _, trace = explorer.ask("file", steps=steps)
    status, run = explorer.ask("trace", text=json.dumps(trace))
    assert (status, run["steps"], run["shows"]) == (200, steps, "")


def test_a_trace_that_goes_wrong_is_shown_up_to_there(explorer: Served) -> None:
    _, trace = explorer.ask("file", steps=[PREPARES, "decide_abort()"])
    trace["states"][2]["decided"] = "COMMIT"
    status, run = explorer.ask("trace", text=json.dumps(trace))
    assert (status, run["steps"]) == (200, [PREPARES])
    assert run["shows"].startswith("the trace is rejected at state 2: ")


def test_a_trace_of_another_system_is_refused(explorer: Served, threads: Served) -> None:
    trace = json.dumps(threads.ask("file")[1])
    assert explorer.ask("trace", text=trace) == (
        400,
        {"error": "the trace is of hdfs.replica_threads; this explorer shows two_phase"},
    )
    assert explorer.ask("trace", text="[]")[0] == 400


def test_the_graph_has_all_states_and_a_run_to_each(explorer: Served) -> None:
    status, graph = explorer.ask("graph")
    states = graph["states"]
    assert (status, len(states), len({state["key"] for state in states})) == (200, 288, 288)
    assert len({(state["x"], state["y"]) for state in states}) == 288
    steps: list[str] = []
    here = states[-1]
    while here["parent"] is not None:
        number, call = here["parent"]
        steps.insert(0, call)
        here = states[number]
    assert explorer.ask("walk", steps=steps)[1]["moments"][-1]["key"] == states[-1]["key"]
    assert len(steps) == states[-1]["level"] == max(state["level"] for state in states)


def test_a_large_graph_is_not_drawn(explorer: Served) -> None:
    status, answer = explorer.ask("graph", configuration="six")
    assert (status, answer["error"]) == (
        404,
        f"the state graph has more than {MOST_STATES} states; only a smaller one is drawn",
    )


def test_one_file_holds_the_run_and_names_its_own_scripts_only(explored: Explored) -> None:
    setup = explored.setup()
    path = walked(explored.evaluator(setup), 0, [PREPARES])
    text = file(explored, told_run(explored.evaluator(setup), setup, Run(path)), path.to_itf())
    assert re.findall(r'(?:src|href)="([^"]*)"', text) == ["data:,"]
    for tag in ("script", "style"):
        inside = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        assert len(inside) == 1
        digest = base64.b64encode(hashlib.sha256(inside[0].encode()).digest()).decode()
        assert f"{tag}-src &#39;sha256-{digest}&#39;" in text
    about = json.loads(re.findall(r'<script type="application/json" id="about">(.*?)</script>', text)[0])
    assert about["run"]["steps"] == [PREPARES]
    assert len(about["trace"]["states"]) == 2


def test_no_text_of_a_specification_is_read_as_html(explored: Explored) -> None:
    hostile = Explored(replace(explored.system, doc="</script><script>alert(1)</script><b>"), {})
    setup = hostile.setup()
    evaluator = hostile.evaluator(setup)
    run = told_run(evaluator, setup, Run(walked(evaluator, 0, ()), "</script><b>"))
    for text in (page(hostile, run), file(hostile, run, {})):
        assert "<b>" not in text
        assert "alert(1)</script>" not in text
