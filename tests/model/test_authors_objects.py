"""An author's objects, tables, functions and iterators that Python would decide about without asking what they hold.

Each case is the text of an action's body, with `# here` at the line to be named, as in `test_authors_code`.
"""

import re
from pathlib import Path
from typing import Any

import pytest
from tests.model import test_authors_code as authors

from genstamp_model.language import SpecError

HELPERS = """
import contextlib, dataclasses, datetime, io, os, pathlib, socket, subprocess, sys, time
class Plain:
    def __init__(self, v=None): self.v = v
class Bare: pass
class Slotted:
    __slots__ = ('v',)
    def __init__(self, v): self.v = v
class Sized(Plain):
    def __len__(self): return 1
class Told(Plain):
    def __bool__(self): return True
    def __eq__(self, other): return self.v == other.v
    def __hash__(self): return 1
@dataclasses.dataclass(eq=False)
class Data:
    v: object
class Reader(Plain):
    def low(self): return self.v.n < 2
class Guard(Plain):
    def __enter__(self): require(self.v.f, 'x')
    def __exit__(self, *problem): return None
@contextlib.contextmanager
def guarded(s):
    require(s.f, 'x')
    yield
def two(s): return s.n < 2, s.f
def none_of(s): require(s.f, 'x')
def low(s): return lambda: s.n < 2
def number_of(s): return [1, 2]
def drawn(dice=random.Random(1)): return dice.randint(1, 2)  # drawn
ENVIRONMENT = os.environ
HERE = pathlib.Path('.')
NOW = int(time.time() > 0)
"""

EQUAL = "are equal only if they are one object; compare what they hold, or give "
TRUE = "has no __bool__, so that Python does not ask the values that it holds"
TABLE = "in place of a condition counts by its length"
FUNCTION = "a function in place of a condition is always true; call it"
GENERATOR = "a generator in place of a condition is always true"
UNENTERED = "a context manager does nothing until it is entered, and nothing enters it"
SPENT = "has given all that it has before, and gives nothing here"
FIXED = "would give the same in every step"

MISREAD = {
    # Two objects are compared, and not what they hold.
    "s.f = s.f | (Plain(s.n) == Plain(s.n))  # here": f"Plain {EQUAL}Plain __eq__",
    "s.f = s.f & (Plain(s.n) != Plain(s.x[a]))  # here": EQUAL,
    "s.f = s.f | (Plain(s.n) in [Plain(s.n)])  # here": EQUAL,
    "s.n = [Plain(1), Plain(s.n)].index(Plain(s.n)) + s.n  # here": EQUAL,
    "s.n = {Plain(s.n): 1}.get(Plain(s.n), 2)  # here": EQUAL,
    "s.f = s.f | (Data(s.n) == Data(s.n))  # here": EQUAL,
    "s.f = s.f | (Slotted([s.n]) == Slotted([s.n]))  # here": EQUAL,
    "v = Bare(); v.v = s.n; w = Bare(); w.v = s.n; s.f = v == w; s.n = v.v + w.v  # here": EQUAL,
    "class One: pass\nv = One(); v.v = s.n; w = One(); s.f = v == w; s.n = v.v  # here": EQUAL,
    # An object, a table or a function is asked for its truth.
    "s.n = 1 if Plain(s.f) else 2  # here": TRUE,
    "s.n = 1 if Sized(s.f) else 2  # here": TRUE,
    "v = Plain(s.f); s.n = when(v.v, 1 if not v else 2, 3)  # here": TRUE,
    "s.n = 1 if all([Plain(s.f)]) else 2  # here": TRUE,
    "s.n = 1 if two(s) else 2  # here": TABLE,
    "s.n = when(two(s)[0], [1, 2][not two(s)], 3)  # here": TABLE,
    "v = two(s); s.n = 1 if v else when(v[0] & v[1], 2, 3)  # here": TABLE,
    "s.n = 1 if any([two(s)]) else 2  # here": TABLE,
    "s.n = sum(k for k in (1, 2) if two(s))  # here": TABLE,
    "s.n = 1 if low(s) else 2  # here": FUNCTION,
    "s.n = 1 if bool(low(s)) else 2  # here": FUNCTION,
    "s.f = s.f | (low(s) == True)  # here": FUNCTION,
    "s.f = low(s) and s.f  # here": FUNCTION,
    "v = low(s); s.n = 1 if v else when(v(), 2, 3)  # here": FUNCTION,
    "v = [lambda: s.f]; s.n = 1 if v[0] else when(v[0](), 2, 3)  # here": FUNCTION,
    "s.n = 1 if Reader(s).low else 2  # here": FUNCTION,
    "v = Reader(s); s.n = 1 if v.low else when(v.low(), 2, 3)  # here": FUNCTION,
    "for v in (low(s),):\n    s.n = 1 if v else when(v(), 2, 3)  # here": FUNCTION,
    "s.f = s.f | all([lambda: s.n == 1])  # here": FUNCTION,
    "s.f = s.f | any(map(lambda k: s.helper, (1, 2)))  # here": FUNCTION,
    "s.f = s.f | all((s.n == k for k in (1,)) for j in (1, 2))  # here": GENERATOR,
    "s.n = 1 if lazily(s) else 2  # here": GENERATOR,
    "s.n = 1 if none_of(s) else 2  # here": "'none_of' gives nothing, so that what asks it goes one way only",
    # What is made and never called or entered.
    "low(s); s.n = 1  # here": "what 'low' gives is a function that nothing calls",
    "guarded(s); s.n = 1  # here": UNENTERED,
    "Guard(s); s.n = 1  # here": UNENTERED,
    "v = guarded(s); s.n = 1  # here": UNENTERED,
    "v = Guard(s); s.n = 1  # here": UNENTERED,
    # What has been given once, wherever it is kept.
    "v = [zip((1,), (2,))]; s.n = sum(s.n + k for k, _ in v[0]) + sum(k for k, _ in v[0])  # here": f"'v[0]' {SPENT}",
    "v = {'k': filter(None, (1,))}; s.f = s.f | bool([k for k in v['k']] and [k for k in v['k']])  # here": SPENT,
    "v = Plain(map(abs, (1,))); s.n = sum(s.n + k for k in v.v) + sum(k for k in v.v)  # here": f"'v.v' {SPENT}",
    # What is around the process.
    "s.n = 1 if os.environ.get('HOME') else 2  # here": FIXED,
    "s.n = 1 if ENVIRONMENT.get('HOME') else 2  # here": FIXED,
    "from os import getenv; s.n = 1 if getenv('HOME') else 2  # here": FIXED,
    "import os as place; s.n = min(1, place.getpid())  # here": FIXED,
    "s.n = 1 if os.path.exists('/') else 2  # here": FIXED,
    "s.n = min(len(sys.argv), 1)  # here": FIXED,
    "s.n = 1 if sys.platform == 'linux' else 2  # here": FIXED,
    "s.n = len(open('/dev/null').read())  # here": FIXED,
    "s.n = 1 if HERE.exists() else 2  # here": FIXED,
    "s.n = len(pathlib.Path('/dev/null').read_text())  # here": FIXED,
    "s.n = 1 if subprocess.run(['true']) else 2  # here": FIXED,
    "s.n = 1 if socket.gethostname() else 2  # here": FIXED,
    "s.n = drawn()": ("# drawn", FIXED),
}


def written(body: str) -> str:
    return authors.step(body).replace("class Base(Part)", f"{HELPERS}class Base(Part)")


@pytest.mark.parametrize("body", MISREAD)
def test_what_python_would_decide_without_asking_is_refused(body: str, tmp_path: Path) -> None:
    expected: Any = MISREAD[body]
    authors.refused(written(body), expected, tmp_path)


CLEAR = {
    "s.f = Told(s.n) == Told(1)": "f' = (n == 1)",
    "s.n = 1 if Told(s.f) else 2": "n' = 1",
    "s.n = 1 if Plain(3) else 2": "n' = 1",
    "s.f = Plain(3) == Plain(3)": "f' = false",
    "v = Plain(s.n); s.f = v == v; s.n = v.v": "f' = true",
    "s.n = 1 if number_of(s) else 2": "n' = 1",
    "v = list((s.f, s.n < 2)); w = s.f\nwhile v: w = w & v.pop()\ns.f = w": "f' = ((f & (n < 2)) & f)",
    "s.f = all([True, 1 < 2]) & s.f": "f' = (f & true)",
    "with guarded(s): s.n = 1": "require f [x] None",
    "v = guarded(s)\nwith v: s.n = 1": "require f [x] None",
    "v = Guard(s)\nwith v: s.n = 1": "require f [x] None",
    "none_of(s); s.n = 1": "require f [x] None",
    "s.n = NOW": "n' = 1",
    "s.n = 1 if os.sep == '' else 2": "n' = 2",
    "v = [zip((1,), (2,))]; s.n = sum(s.n + k for k, _ in v[0])": "n' = ((n + 1) + 0)",
}


@pytest.mark.parametrize("body", CLEAR)
def test_what_is_clear_of_objects_is_read(body: str, tmp_path: Path) -> None:
    assert f"  {CLEAR[body]}" in "\n".join(authors.instance(written(body), tmp_path / "own.py").model.text())


def test_an_authors_classes_are_as_before_when_the_trace_ends(tmp_path: Path) -> None:
    names = authors.module(written("s.n = Plain(s.n).v"), tmp_path / "own.py")
    system: Any = names["S"]
    assert system.instance("c").model.actions
    assert set(vars(names["Plain"])) & {"__eq__", "__bool__"} == set()
    with pytest.raises(SpecError, match=re.escape(EQUAL)):
        authors.instance(written("s.f = Plain(s.n) == Plain(s.n)"), tmp_path / "own.py")
    assert any([lambda: False])
