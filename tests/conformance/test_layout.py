"""Pictures of graphs, by the Graphviz program and by the wheel."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from defusedxml.ElementTree import fromstring

from genstamp.errors import DrawingError
from genstamp.layout import Engine, render_svg

pytestmark = pytest.mark.slow  # Whichever test is first loads the engine of the wheel.

GRAPH = 'digraph { rankdir=LR; rbw -> finalized [label="finalize → FINALIZED"]; rbw -> rur; finalized -> rur }'
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(params=["dot", "wheel"])
def engine(request: pytest.FixtureRequest) -> Engine:
    """Each engine that draws; the program only where it is installed."""
    if request.param == "dot" and shutil.which("dot") is None:
        pytest.skip("no Graphviz program dot on the PATH")
    name: Engine = request.param
    return name


def test_every_node_and_edge_is_drawn(engine: Engine) -> None:
    picture = fromstring(render_svg(GRAPH, engine))
    assert picture.tag == f"{SVG}svg"
    titles = [(group.get("class"), group.findtext(f"{SVG}title")) for group in picture.iter(f"{SVG}g")]
    assert sorted(title for kind, title in titles if kind == "node") == ["finalized", "rbw", "rur"]
    assert sorted(title for kind, title in titles if kind == "edge") == ["finalized->rur", "rbw->finalized", "rbw->rur"]
    assert "finalize → FINALIZED" in {text.text for text in picture.iter(f"{SVG}text")}


def test_same_graph_gives_same_text(engine: Engine) -> None:
    first = render_svg(GRAPH, engine)
    render_svg("digraph { other -> one }", engine)
    assert render_svg(GRAPH, engine) == first


def test_text_that_is_no_graph_is_an_error(engine: Engine) -> None:
    with pytest.raises(DrawingError, match=f"layout engine '{engine}' refused the graph: .*[a-z]"):
        render_svg("digraph {", engine)


def test_after_a_refusal_the_engine_still_draws(engine: Engine) -> None:
    before = render_svg(GRAPH, engine)
    with pytest.raises(DrawingError):
        render_svg("digraph {", engine)
    assert render_svg(GRAPH, engine) == before


def test_wheel_draws_where_no_program_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert render_svg(GRAPH) == render_svg(GRAPH, "wheel")


def test_program_is_taken_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "dot"
    program.write_text("#!/bin/sh\necho drawn by the program\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert render_svg(GRAPH) == "drawn by the program\n"


def test_program_that_is_asked_for_and_absent_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DrawingError, match="no program of that name on the PATH"):
        render_svg(GRAPH, "dot")


LEFT_AT_THE_END = """
import atexit, gc

@atexit.register
def report():
    from wasmtime import Managed
    print([type(left).__name__ for left in gc.get_objects() if isinstance(left, Managed)])

from genstamp.layout import render_svg
render_svg("digraph { rbw }", engine="wheel")
"""


def test_engine_of_the_wheel_is_gone_before_the_interpreter() -> None:
    """What was left then printed a traceback at the end of each command, from Python 3.12 on."""
    command = [sys.executable, "-c", LEFT_AT_THE_END]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_graph_that_fails_leaves_nothing_to_the_next() -> None:
    alone = render_svg(GRAPH, "wheel")
    for _ in range(3):
        with pytest.raises(DrawingError):
            render_svg("digraph { rbw -> ", "wheel")
        assert render_svg(GRAPH, "wheel") == alone
