"""A system of one's own on the command line: what is wrong with it is one line, the same from every verb."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from genstamp.cli import main
from genstamp.systems import found

VERBS = (["check"], ["simulate"], ["bmc"], ["prove"], ["mutate"], ["agree"], ["export", "tla"], ["export", "promela"])

HEAD = """
import enum
from genstamp_model.language import *
class Node(Index): pass
class Mood(enum.Enum):
    A = 1
    B = 2
class Message(Record):
    k = flag()
"""

PART = """
class P(Part):
    x = number(0, 3); f = flag(); mood = enumeration(Mood); owner = optional(Node); group = members(Node)
    seen = per(Node, flag())
"""

ONE = "[Configuration('c', sizes={'Node': 2})]"


def written(directory: Path, body: str, configurations: str = ONE) -> str:
    """A file with a system S of a part with this body; gives how it is named."""
    path = directory / "own_system.py"
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    path.write_text(f"{HEAD}{PART}{lines}S = System('s', parts=[P], configurations={configurations})\n")
    return f"{path}:S"


def ends(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """The exit code of the command."""
    monkeypatch.setattr("sys.argv", ["genstamp", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    assert isinstance(end.value.code, int)
    return end.value.code


NOTHING = {
    "no configuration": ("@action\ndef go(s): s.f = True", "[]", 151, "has no configuration, so nothing is searched"),
    "all on demand": (
        "@action\ndef go(s): s.f = True",
        "[Configuration('c', sizes={'Node': 2}, on_demand=True)]",
        151,
        "every configuration of s is on demand, so nothing is searched; name one of c",
    ),
    "one name twice": (
        "@action\ndef go(s): s.f = True",
        "[Configuration('c', sizes={'Node': 2}), Configuration('c', sizes={'Node': 1})]",
        151,
        "two configurations of system s are named 'c'",
    ),
    "no action": ("@invariant\ndef i(s): return s.x <= 3", ONE, 150, "system s has no action, so nothing happens"),
    "no decorator": ("def go(s): s.f = True", ONE, 150, "system s has no action, so nothing happens"),
    "beyond a limit of the type": (
        "y = number(0, limit='lim', initially=5)\n@action\ndef go(s): s.f = True",
        "[Configuration('c', sizes={'Node': 2}, limits={'lim': 3})]",
        151,
        "'y' is 5, above limit lim=3, initially",
    ),
    "beyond a limit that is counted": (
        "@limit('busy')\ndef busy(s): return s.x + 1\n@action\ndef go(s): s.f = True",
        "[Configuration('c', sizes={'Node': 2}, limits={'busy': 0})]",
        151,
        "'busy' is 1 initially, above its limit 0",
    ),
    "a constant": (
        "@action\ndef go(s): s.f = True\n@invariant\ndef i(s): return True if s.owner is not none else s.f",
        ONE,
        150,
        "'is' compares Python's objects",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
@pytest.mark.parametrize("case", NOTHING)
def test_a_search_of_nothing_is_an_error_for_every_verb(
    case: str,
    verb: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    body, configurations, code, message = NOTHING[case]
    monkeypatch.chdir(tmp_path)
    assert ends(monkeypatch, *verb, written(tmp_path, body, configurations)) == code
    told = capsys.readouterr()
    [line] = [line for line in told.err.splitlines() if not line.startswith("seed ")]
    assert line.startswith("genstamp: own_system.py:")
    assert message in line
    assert told.out == ""


MISTAKES = {
    "if s.x > 1:  # here\n        s.f = True": "when(condition, a, b) for 'if'",
    "require(s.f and s.x > 1, 'both'); s.x = 0  # here": "'&', '|', '~' for 'and', 'or', 'not'",
    "s.x = True  # here": "expected a number, not True",
    "s.f = s.x  # here": "expected a flag, not a number (x)",
    "s.y = 3  # here": "no variable 'y' is declared; there are x, f, mood",
    "s.x = limitt  # here": "'limitt' is not defined; did you mean 'limit'?",
    "s.seen[0] = True  # here": "needs an order; declare class Node(Index, ordered=True)",
    "s.x == = 1  # here": "invalid syntax",
    "require(s.x < 3); s.x = s.x + 1  # here": "write require(condition, label, [refuses], [defensive], [repairs]",
    "for n in s.group: s.seen[n] = True  # here": "cannot be looped over",
    "require(s.owner in s.group, 'in'); s.f = True  # here": "write .has(item)",
    "require(s.x < 3 & s.f, 'both'); s.x = s.x + 1  # here": "write (a < b) & (c == d)",
    "s.x = 1 if s.f else 2  # here": "when(condition, a, b) for 'if'",
    "s.name = 'x'  # here": "no variable 'name' is declared",
    "require(len(s.group) < 2, 'few'); s.f = True  # here": "write .size()",
    "s.mood = 'A'  # here": "write one of Mood.A, Mood.B",
    "print('x is', s.x); s.f = ~s.f  # here": "has no text during tracing",
    "require(s.mood == s.x, 'eh'); s.f = ~s.f  # here": "expected a state of Mood, not a number (x)",
    "import sys; sys.exit(0)  # here": "the specification ends the process",
}


@pytest.mark.parametrize("step", MISTAKES)
def test_a_mistake_is_one_line_that_says_what_to_write(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = written(tmp_path, f"@action\ndef go(s):\n    {step}")
    text = (tmp_path / "own_system.py").read_text().splitlines()
    [line] = [number for number, line in enumerate(text, 1) if "# here" in line]
    assert ends(monkeypatch, "check", name) == 150
    told = capsys.readouterr()
    last = told.err.splitlines()[-1]
    assert last.startswith(f"genstamp: own_system.py:{line}: ")
    assert MISTAKES[step] in last
    assert "Traceback" not in told.err
    assert told.out == ""


def test_a_number_that_leaves_its_range_names_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ends(monkeypatch, "check", written(tmp_path, "@action\ndef go(s): s.x = s.x + 1")) == 75
    assert "own_system.py:15: go makes x 4, outside 0..3" in capsys.readouterr().out


def test_what_a_module_prints_does_not_mix_with_the_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = written(tmp_path, "@action\ndef go(s):\n    print('traced')\n    s.f = ~s.f\nprint('loaded')")
    assert ends(monkeypatch, "check", name, "--format", "json") == 0
    told = capsys.readouterr()
    assert json.loads(told.out)[0]["system"] == "s"
    assert told.err.splitlines()[0] == "loaded"
    assert "traced" in told.err.splitlines()


def test_a_system_that_is_misspelt_is_suggested(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = written(tmp_path, "@action\ndef go(s): s.f = ~s.f").removesuffix(":S")
    assert ends(monkeypatch, "check", f"{name}:s") == 151
    assert "'s' is no System there; there is S" in capsys.readouterr().err


@pytest.mark.parametrize("module", ["queue", "tabnanny"])  # one is loaded, the other is not
def test_a_file_called_like_a_module_of_python_does_not_take_its_place(module: str, tmp_path: Path) -> None:
    own = tmp_path / f"{module}.py"
    own.write_text(Path(written(tmp_path, "@action\ndef go(s): s.f = ~s.f").removesuffix(":S")).read_text())
    before = sys.modules.get(module)
    assert found(f"{own}:S")[0].name == "s"
    assert sys.modules.get(module) is before


def test_what_lies_beside_a_file_can_be_imported(tmp_path: Path) -> None:
    (tmp_path / "own_words.py").write_text("NAME = 'imported'\n")
    name = written(tmp_path, "from own_words import NAME\n@action\ndef go(s):\n    s.f = ~s.f")
    before = list(sys.path)
    assert found(name)[0].name == "s"
    assert sys.path == before


def test_a_file_is_run_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = written(tmp_path, "@action\ndef go(s): s.f = ~s.f\nprint('run')")
    assert found(name)[0] is found(name)[0]
    assert capsys.readouterr().err == "run\n"


BAG = """class B(Part):
    post = bag(Message, limit='l')
    @action
    def send(s): s.post.send(Message(k=True))
    @action
    def drop(s): s.post.take(Message(k=True))
    @invariant
    def few(s): return s.post.size() <= 1
S = System('bag', parts=[B], configurations=[Configuration('c', sizes={}, limits={'l': 0})])
"""


@pytest.mark.parametrize("verb", [["check"], ["simulate"], ["bmc"], ["prove"]], ids=" ".join)
def test_a_bag_that_must_stay_empty_is_searched(
    verb: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "own_bag.py"
    own.write_text(HEAD + BAG)
    assert ends(monkeypatch, *verb, f"{own}:S") in (0, 12)  # what is proved is not within the limit
    assert "bag:c" in capsys.readouterr().out


SIBLING = """class P(Part):
    n = number(0, 5)
    m = number(0, 1)
    @action
    def a_wrong(s):
        require(s.n == 1, 'one')
        s.m = s.m + 2
    @action
    def zz_up(s):
        require(s.n < 5, 'more')
        s.n = s.n + 1
    @witness
    def w(s): return s.n == 3
    @invariant
    def never_three(s): return s.n != 3
S = System('sibling', parts=[P], configurations=[Configuration('c', sizes={})])
"""


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--witness", "w"], 0, "w is reached in 3 steps"),
        (["--property", "never_three"], 12, "violated: invariant never_three"),
        ([], 75, "a_wrong makes m 2, outside 0..1"),
    ],
)
def test_bmc_is_not_disturbed_by_steps_that_were_not_asked_about(
    arguments: list[str],
    code: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    own = tmp_path / "own_sibling.py"
    own.write_text(HEAD + SIBLING)
    assert ends(monkeypatch, "bmc", f"{own}:S", *arguments) == code
    assert said in capsys.readouterr().out


def test_export_to_a_file_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = written(tmp_path, "@action\ndef go(s): s.f = ~s.f")
    assert ends(monkeypatch, "export", "tla", name, "--output", str(tmp_path / "own_system.py")) == 2
    assert "File exists" in capsys.readouterr().err


def test_the_trace_of_an_own_system_is_replayed_as_the_check_says_and_as_a_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = written(tmp_path, "@action\ndef go(s): s.f = True\n@invariant\ndef never(s): return ~s.f")
    trace = str(tmp_path / "trace.json")
    assert ends(monkeypatch, "check", name, "--trace", trace) == 12
    assert f"genstamp replay --system {name} {trace} follows and draws it" in capsys.readouterr().err
    assert ends(monkeypatch, "replay", "--system", name, trace, "--format", "pytest") == 0
    assert "\nfrom own_system import S\n" in capsys.readouterr().out


# A document is about to be made: nothing of the author's is running but threads.
WHILE_AT_WORK = """
import sys
import genstamp.report.form as form
from genstamp.cli import main
make = form.json.dumps
class Json:
    def dumps(self, *arguments, **options):
        own = sys.modules["own_system"]
        own.called.set()
        if "done.set" in open(own.__file__).read():
            own.done.wait()
        return make(*arguments, **options)
form.json = Json()
main()
"""

PROCESSES = {
    "import os; os.chdir('/')": "",
    "import sys; sys.path.clear()": "",
    "import sys; sys.path = ['/nowhere']": "",
    "import sys; sys.path.insert(0, '/nowhere')": "",
    "import sys; print('said', file=sys.__stdout__)": "said\n",
    "import os; os.write(1, b'said\\n')": "said\n",
    "import os; os.system('echo said')": "said\n",
    "import sys; sys.stdout.close()": "",
}


@pytest.mark.parametrize("body", PROCESSES)
def test_what_a_module_does_to_the_process_ends_with_it(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Named by a relative path, so that it has to be found again."""
    lines = "    @action\n    def go(s): s.f = ~s.f\nS = System('s', parts=[P], configurations=" + ONE + ")\n"
    (tmp_path / "own.py").write_text(f"{body}\n{HEAD}{PART}{lines}")
    monkeypatch.chdir(tmp_path)
    before = list(sys.path)
    monkeypatch.setattr(sys, "path", list(before))
    assert ends(monkeypatch, "bmc", "own.py:S", "--format", "json") == 0
    told = capfd.readouterr()
    assert (json.loads(told.out)[0]["exit_code"], told.err) == (0, PROCESSES[body])
    assert Path.cwd() == tmp_path
    assert [one for one in sys.path if one != "/nowhere"] == before


THREADS = {
    "once the verb has ended": "threading.main_thread().join(); print('said')",
    "while the verb is at work": "called.wait(); print('said'); done.set()",
}


@pytest.mark.slow
@pytest.mark.parametrize("when", THREADS)
@pytest.mark.parametrize("verb", [["check"], ["bmc"], ["simulate", "--runs", "3"]], ids=lambda verb: verb[0])
def test_what_a_thread_of_a_module_prints_is_no_part_of_the_document(
    verb: list[str], when: str, tmp_path: Path
) -> None:
    """The thread that prints while the verb is at work does so in the midst of the verb's own code."""
    head = f"import threading\ncalled, done = threading.Event(), threading.Event()\ndef say():\n    {THREADS[when]}\n"
    place = written(tmp_path, "@action\ndef go(s): s.f = ~s.f")
    own = tmp_path / "own_system.py"
    own.write_text(f"{head}threading.Thread(target=say).start()\n{own.read_text()}")
    command = [sys.executable, "-c", WHILE_AT_WORK, *verb, place, "--format", "json"]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(ended.stdout)
    assert "said" in ended.stderr.splitlines()


@pytest.mark.slow
def test_what_a_module_prints_at_the_end_is_no_part_of_the_document(tmp_path: Path) -> None:
    place = written(tmp_path, "import atexit; atexit.register(print, 'said')\n@action\ndef go(s): s.f = ~s.f")
    command = [sys.executable, "-m", "genstamp", "bmc", place, "--format", "json"]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (json.loads(ended.stdout)[0]["exit_code"], ended.stderr) == (0, "said\n")
