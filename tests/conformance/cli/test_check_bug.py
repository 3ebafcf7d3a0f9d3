"""A bug that is searched is compared with what it declares."""

import json
from pathlib import Path

import pytest

from genstamp.cli import main

SYSTEM = """
from genstamp_model.language import *
class P(Part):
    n = number(0, 5)
    @action
    def up(s):
        require(s.n < 3, "it is low")
        s.n = s.n + when(s.n < 5, 1, 0)
    @invariant
    def low(s): return s.n < 4
    @invariant
    def lower(s): return s.n < 5
    @leads_to(fair=("up",))
    def rises(s): return s.n == 0, s.n == 3
class Stuck(P):
    @action
    def up(s):
        require(s.n < 2, "it is lower")
        s.n = s.n + 1
def bug(name, breaks, depth=0, configuration="c"):
    drops = (("up", "it is low"),)
    return Bug(name, "goes on", drops=drops, breaks=breaks, configuration=configuration, depth=depth)
S = System(
    "s",
    parts=[P],
    configurations=[Configuration("c", sizes={}), Configuration("d", sizes={})],
    semantics={"default": (), "old": (Hole("same", "as it is", parts=(P,)),)},
    bugs=[
        bug("right", ("low",), 4),
        bug("no-depth", ("low",)),
        bug("depth", ("low",), 3),
        bug("other", ("lower",), 5),
        Bug("nothing", "stays", parts=(P,), breaks=("low",), configuration="c"),
        Bug("stuck", "stops", parts=(Stuck,), breaks=("rises",), configuration="c"),
        Bug("stuck-in-2", "stops", parts=(Stuck,), breaks=("rises",), configuration="c", depth=2),
    ],
)
"""

SAID = {
    "right": "",
    "no-depth": "",
    "depth": "depth is declared to break low in 3 steps, and low breaks in 4 steps",
    "other": "other is declared to break lower, and low breaks",
    "nothing": "nothing is declared to break low, and nothing breaks",
    "stuck": "",
    "stuck-in-2": (
        "stuck-in-2 is declared to break rises in 2 steps, and rises breaks by a lasso, whose length says nothing"
    ),
}


def checked(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], path: Path, *options: str) -> str:
    path.write_text(SYSTEM)
    monkeypatch.setattr("sys.argv", ["genstamp", "check", f"{path}:S", *options])
    with pytest.raises(SystemExit):
        main()
    return capsys.readouterr().out


@pytest.mark.parametrize("name", SAID)
def test_what_breaks_otherwise_than_it_is_declared_is_said(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "with_bugs.py"
    text = checked(monkeypatch, capsys, path, "--bug", name)
    assert [line.partition("warning: ")[2] for line in text.splitlines() if "declared" in line] == [SAID[name]] * bool(
        SAID[name]
    )
    [found] = json.loads(checked(monkeypatch, capsys, path, "--bug", name, "--format", "json"))
    assert found["not_as_declared"] == SAID[name]


OTHERWISE = [["--bug", "other"], ["--semantics", "old"]]


@pytest.mark.parametrize("options", OTHERWISE)
def test_a_bug_that_is_searched_in_another_way_is_not_compared(
    options: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = checked(monkeypatch, capsys, tmp_path / "with_bugs.py", "--bug", "depth", *options)
    assert "violated" in text
    assert "declared" not in text
