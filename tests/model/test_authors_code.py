"""What an author writes that would be misread, or that fails, ends as one sentence with its line.

Each case is the text of a part's body, or of a whole module, with `# here` at the line to be named. They are texts and
no functions, because Python would not compile some of them, and a linter would mend others.
"""

import gc
import re
import sys
import textwrap
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from genstamp_model.errors import ConfigurationError, Source
from genstamp_model.explore import explore
from genstamp_model.language import Instance, ModelError, SpecError, System
from genstamp_model.language.author import authored
from genstamp_model.language.bytecode import OF_VALUES
from genstamp_model.language.refusing import _Method
from genstamp_model.language.values import Value
from genstamp_model.parametric import prove_parametric

HEAD = """
import copy, enum, functools, itertools, operator, random, types
from typing import Self
from genstamp_model.language import *
from genstamp_model.language import Part as PartBase

class A(Index): pass
class B(Index): pass
class M(Record):
    who = reference(A); w = number(1, 3, initially=1)
class Mood(enum.Enum):
    CALM = 1
    CROSS = 2
FLAGS = []
COUNT = 0
def same(x, y): return x is y  # same
@functools.cache
def small(s): return s.n < 2
def wrapped(x): return functools.wraps(x)(lambda s: x)
def unnamed(x): return lambda s: x
def claimed(high):
    def claim(s): return s.n < high
    return invariant(claim)
DICE = random.Random(1)
def left_out(x=None): return 0 if x is None else x  # left out
def first(x, seen=[]): return (seen.append(x), seen[0])[1]
def first_of(x, seen={}): return seen.setdefault('x', x)
def lazily(s):
    require(s.f, 'x')
    yield
def both(v): return any_f(v) & any_f(v)  # both
def any_f(v): return functools.reduce(operator.or_, v)
LATE = [lambda s: s.n == k for k in (1, 2)]  # late
SEEN = {}
TABLE = {}
for k in (1, 2):
    TABLE[k] = lambda s: s.n == k  # table
class Checks:
    all = [lambda s: s.n < k for k in (1, 2)]  # of a class
class Base(Part):
    f = flag(); n = number(0, 5); o = optional(A); g = members(A); x = per(A, number(0, 3)); post = bag(M, limit='l')
    q = sequence(number(0, 3), capacity=2); mood = enumeration(Mood); m = record(M); r = reference(A)
    def helper(s): return s.f
    def steps(s): yield require(s.f, 'x')
    def pair(s):
        low = smallest(s.n, 3); high = largest(s.n, 3)
        return low, high
"""

TAIL = """
S = System("s", parts=[P], configurations=[Configuration("c", sizes=SIZES, limits=LIMITS)])
"""


def module(text: str, path: Path) -> dict[str, object]:
    """Run a module's text, as a file of this name."""
    path.write_text(text)
    names: dict[str, object] = {"__name__": path.stem, "__file__": str(path)}
    with authored(Source(str(path), 1)):
        exec(compile(text, str(path), "exec"), names)
    return names


def instance(text: str, path: Path) -> Instance:
    """The system S of a module's text, ready to be searched."""
    system = module(text, path)["S"]
    assert isinstance(system, System)
    return system.instance("c")


def step(body: str) -> str:
    """A module in which an action's body is this."""
    lines = textwrap.indent(textwrap.dedent(body).strip(), "        ")
    text = f"{HEAD}class P(Base):\n    @action\n    def go(s, a: A) -> None:\n{lines}\n{TAIL}"
    return text.replace("SIZES", "{'A': 2}").replace("LIMITS", "{'l': 1}")


def claim(body: str, decorator: str = "invariant") -> str:
    """A module in which a property's body is this."""
    lines = textwrap.indent(textwrap.dedent(body).strip(), "        ")
    text = (
        f"{HEAD}class P(Base):\n    @action\n    def go(s) -> None:\n        s.f = True\n"
        f"    @{decorator}\n    def claim(s):\n{lines}\n{TAIL}"
    )
    return text.replace("SIZES", "{'A': 2}").replace("LIMITS", "{'l': 1}")


CONSTANT = "has the same value in every state"
IDENTITY = "'is' compares Python's objects"
TRUTH = "has no truth value"
COUNTS = "gives another value when it is called again"
MEMBERS = "the members of A are not known during tracing; write forall, exists, count or each over A"
UNASKED = "is made here and never used: Python has decided without asking it"
TEXT = "has no text during tracing"
LATE = "'k' was assigned after the function here was made, which reads its value when it is called"
SPENT = "'v' has given all that it has before, and gives nothing here; write v = list(...) where it is made"
IDLE = "does nothing until it is looped over, and nothing does; write a for loop"
KEPT = "that was read in another step or property"
TWINS = "are one function, which reads the last value of 'k'; write lambda s, k=k: ..."

STEPS: dict[str, str | tuple[str, str]] = {
    # Python's `is` cannot ask the value.
    "require(s.f is True, 'x'); s.n = 1  # here": IDENTITY,
    "require(s.o is none, 'x'); s.n = 1  # here": IDENTITY,
    "require((s.n < 3) & (s.o is None), 'x'); s.n = 1  # here": IDENTITY,
    "require((s.n < 3) & (none is not s.o), 'x'); s.n = 1  # here": IDENTITY,
    "s.f = s.o is None  # here": IDENTITY,
    "s.f = s.mood is Mood.CALM  # here": IDENTITY,
    "s.f = s.r is a  # here": IDENTITY,
    "s.f = (s.n == 1) is True  # here": IDENTITY,
    "one = s.o; s.f = one is None  # here": IDENTITY,
    "if s.f is True:  # here\n    s.n = 5\nelse:\n    s.n = 1": IDENTITY,
    "s.n = 1 if s.o is None else 2  # here": IDENTITY,
    "while s.o is not None:  # here\n    pass": IDENTITY,
    "s.n = left_out(s.o)": ("def left_out", IDENTITY),
    "s.f = same(s.f, True)": ("def same", IDENTITY),
    "s.x.update(lambda b: 1 if s.o is None else 2)  # here": IDENTITY,
    "s.f = operator.is_(s.f, True)  # here": IDENTITY,
    "s.f = id(s.f) == id(s.n)  # here": IDENTITY,
    "match s.f:\n    case True:  # here\n        s.n = 1": IDENTITY,
    "match s.f:\n    case bool():  # here\n        s.n = 1": "'match' looks at Python's objects",
    "match s.mood:\n    case Mood.CALM:  # here\n        s.n = 1": TRUTH,
    "s.n = 1 if isinstance(s.f, bool) else 2  # here": "has no Python class",
    "s.n = 1 if type(s.f) == bool else 2  # here": "has no Python class",
    "s.n = 1 if int != type(s.n) else 2  # here": "has no Python class",
    "s.n = 1 if type(s.n) in (int, float) else 2  # here": "has no Python class",
    # A method or function that is not called is true.
    "if s.g.is_empty:  # here\n    s.n = 1": "method .is_empty is not called",
    "s.f = not s.o.is_none  # here": "method .is_none is not called",
    "require((s.g.size == 0) | s.f, 'x'); s.n = 1  # here": "method .size is not called",
    "require(s.g.is_empty, 'x'); s.n = 1  # here": "expected a flag, not method .is_empty",
    "require(s.g.size < 2, 'x'); s.n = 1  # here": "method .size is not called",
    "s.n = 1 + s.g.size  # here": "method .size is not called",
    "s.n = s.q.size - 1  # here": "method .size is not called",
    "s.n = 1 if s.q.size and s.f else 2  # here": "method .size is not called",
    "s.n = 1 if left_out else 2  # here": "a function in place of a condition",
    "s.n = 1 if (lambda: s.f) else 2  # here": "a function in place of a condition",
    "s.n = 1 if not s.helper else 2  # here": "a function in place of a condition",
    # A statement that does nothing.
    "s.g.clear  # here": "computed and not used",
    "s.n == 1  # here": "computed and not used",
    "s.n = 1; s.n + 1  # here": "computed and not used",
    "s.n = 1; s.f & s.g.has(a)  # here": "computed and not used",
    "s.g.has(a)  # here": "computed and not used",
    "exists(A, lambda b: s.g.has(b)); s.n = 1  # here": "computed and not used",
    # Objects of Python's and of the language's are true, and equal to no other.
    "v = attempt(lambda: s.g.clear()); s.n = 1 if v else 2  # here": "an attempt is no condition; write .possible",
    "v = attempt(lambda: s.g.clear()); s.f = v == True  # here": "an attempt is no condition; write .possible",
    "v = attempt(lambda: s.g.clear()); s.f = any([v])  # here": "an attempt is no condition; write .possible",
    "v = attempt(s.g.clear()); s.f = v.possible  # here": "attempt() takes a function, such as lambda: s.take(node)",
    "s.n = 1 if Base.f else 2  # here": "'f' is read from a class and not from the state; write s.f",
    "s.f = Base.n == 1  # here": "'n' is read from a class and not from the state; write s.n",
    "s.f = Base.n != 1  # here": "'n' is read from a class and not from the state; write s.n",
    "s.n = Base.n + 1  # here": "'n' is read from a class and not from the state; write s.n",
    "s.n = Base.x[a]  # here": "'x' is read from a class and not from the state; write s.x",
    "s.f = M.w == 1  # here": "'w' is read from a class and not from the state",
    "s.n = 1 if s.go else 2  # here": "'go' is the action at own.py",
    "s.n = 1 if (s.f for one in [1]) else 2  # here": "a generator in place of a condition is always true",
    "s.f = bool(s.f for one in [1])  # here": "a generator in place of a condition is always true",
    "s.n = 1 if map(s.x.update, []) else 2  # here": "a generator in place of a condition is always true",
    "v = lambda: s.f; s.n = 1 if v else 2  # here": "a function in place of a condition is always true; call it",
    "def v(): return s.f\ns.f = v == True  # here": "a function in place of a condition is always true; call it",
    "s.f = (lambda: s.f) != False  # here": "a function in place of a condition is always true; call it",
    "raise SpecError('too bad')  # here": "too bad",
    "s.mood = s.mood + 1  # here": "a state of Mood has no '+'; labels have ==, !=, <, <=, >, >= and .at()",
    # A way of which nothing is inside, and an attempt that is never taken.
    "case('one', s.f, 'x'); s.n = 1  # here": "a way is only taken by what is inside its if",
    "either('one', 'x'); s.n = 1  # here": "a way is only taken by what is inside its if",
    "attempt(lambda: s.g.clear()); s.n = 1  # here": "computed and not used",
    "pick('z', 0, 2); s.n = 1  # here": "computed and not used",
    # A function of a member is called once for all of them.
    "v = []; s.f = forall(A, lambda b: (v.append(1), s.x[b] < len(v))[1])  # here": COUNTS,
    "v = iter(range(9)); s.x.update(lambda b: next(v))  # here": COUNTS,
    "v = iter(range(9)); s.n = count(A, lambda b: s.x[b] == next(v))  # here": COUNTS,
    "v = iter(range(9)); s.f = s.post.some(lambda b: b.w == next(v))  # here": COUNTS,
    "v = iter(range(9)); s.f = exists(A, lambda b: exists(A, lambda c: s.x[c] == next(v)))  # here": COUNTS,
    "v = {}; s.f = forall(A, lambda b: v.setdefault(1, s.x[b] < 2))  # here": "is used outside it",
    # What is traced depends on the state and the arguments alone.
    "FLAGS.append(1); s.n = len(FLAGS)": ("@action", "is another one when it is traced again"),
    "A.seen = not getattr(A, 'seen', False); s.f = A.seen": ("@action", "is another one when it is traced again"),
    # Lists count by their length.
    "s.n = 1 if [s.f] else 2  # here": "counts by its length",
    "s.n = 1 if not (s.f,) else 2  # here": "counts by its length",
    # A condition that is one in no state, or in all.
    "require(True, 'x'); s.n = 1  # here": CONSTANT,
    "require(False, 'x'); s.n = 1  # here": CONSTANT,
    "require(s.f | True, 'x'); s.n = 1  # here": CONSTANT,
    "require(forall(A, lambda b: True), 'x'); s.n = 1  # here": CONSTANT,
    # What `except` swallows stays said.
    "try:\n    if s.f:  # here\n        s.n = 3\nexcept Exception:\n    s.n = 1": TRUTH,
    "try:\n    s.n = s.n / 2  # here\nexcept BaseException:\n    s.n = 1": "a number has no '/'",
    "try:\n    v = attempt(lambda: bool(s.f))  # here\nexcept SpecError:\n    s.n = 1": TRUTH,
    # Text, hash, iteration, index.
    "s.n = 1 if str(s.n) == '1' else 2  # here": TEXT,
    "s.n = 1 if repr([s.f]) == '1' else 2  # here": TEXT,
    "require(s.f, f'it is {s.n}'); s.n = 1  # here": TEXT,
    "require(s.f, '{}'.format(s.n)); s.n = 1  # here": TEXT,
    "require(s.f, 'it is %s' % s.n); s.n = 1  # here": TEXT,
    "print('n is', s.n); s.n = 1  # here": TEXT,
    "s.n = {s.f: 1}.get(True, 3)  # here": "cannot be a key",
    "s.n = len({s.f, s.n})  # here": "cannot be a key",
    "require(hash(s.n) == 1, 'x'); s.n = 1  # here": "cannot be a key",
    "s.g = {s.r}  # here": "and those(Node, lambda node: node == x) for the set of x alone",
    "s.g = set()  # here": "not set(); write .clear(), .add(x), or those(A, lambda x: ...)",
    # Operators of conditions bind before comparisons.
    "require(s.mood == Mood.CALM & s.f, 'x'); s.n = 1  # here": "in parentheses, as & and | bind before ==",
    "s.n = [1, 2][s.n]  # here": "is not a Python integer",
    "s.n = int(s.n)  # here": "is not a Python integer",
    "s.n = round(s.n)  # here": "a number has no 'round()'",
    "for one in s.g:  # here\n    s.n = 1": "cannot be looped over",
    "s.n = [*s.q][0]  # here": "cannot be looped over",
    "for one in A:  # here\n    s.x[one] = 1": MEMBERS,
    "require(any(s.x[b] < 2 for b in A), 'x'); s.n = 1  # here": MEMBERS,
    "s.n = len(A)  # here": MEMBERS,
    "require(s.o in A, 'x'); s.n = 1  # here": MEMBERS,
    "s.x[A.a1] = 1  # here": "A has no member 'a1'; declare a1 = named() in the class, or write a parameter such as",
    "require(a in s.g, 'x'); s.n = 1  # here": "write .has(item)",
    "require(s.n in [1, 2], 'x'); s.n = 1  # here": TRUTH,
    "s.n = max(s.n, 3)  # here": TRUTH,
    "s.n = sorted([s.n, 2])[0]  # here": TRUTH,
    "require((s.f, s.n) == (True, 0), 'x'); s.n = 1  # here": TRUTH,
    "require(any([s.f, s.n > 2]), 'x'); s.n = 1  # here": TRUTH,
    # Operators.
    "s.n = s.f + 1  # here": "a flag has no '+'",
    "s.n = s.n % s.f  # here": "expected a number, not a flag (f)",
    "s.n = abs(s.n)  # here": "a number has no 'abs()'; numbers have +, -, *, // and %",
    "s.n = 2 ** s.n  # here": "a number has no '**'",
    "s.f = s.f ^ True  # here": "a flag has no '^'",
    "s.n = s.q[0]  # here": "a sequence has .at()",
    "s.f = s.mood < 2  # here": "expected a state of Mood, not 2",
    "require(s.n < 3 & s.f, 'x'); s.n = 1  # here": "write (a < b) & (c == d)",
    "require(s.f & s.n > 1, 'x'); s.n = 1  # here": "write (a < b) & (c == d)",
    "s.n = s.f()  # here": "omit the parentheses",
    "s.n = s.m.weight  # here": "an M has no 'weight'; there are w, who",
    # The state itself.
    "s.nn = 3  # here": "no variable 'nn' is declared",
    "s.n = s.nn  # here": "there is no 'nn' in the state",
    "Base.n = 3  # here": "write s.n for the variable of the state",
    "del s.n  # here": "cannot be deleted",
    "del s.x[a]  # here": "cannot be deleted",
    "z = copy.copy(s); z.n = 3  # here": "the state cannot be copied",
    "z = copy.deepcopy(s); z.n = 3  # here": "the state cannot be copied",
    "z = copy.copy(s.m); z.w = 3  # here": "a symbolic value cannot be copied",
    "global COUNT; COUNT = COUNT + 1; s.n = COUNT  # here": "assigns a global variable",
    # Views that no longer show what they showed.
    "r = s.m; s.m.w = 3; s.n = r.w  # here": "was assigned after it was read into a name",
    "v = s.x; s.x[a] = 3; s.n = v[a]  # here": "was assigned after it was read into a name",
    "v = s.g; s.g.add(a); s.n = when(v.has(a), 1, 2)  # here": "was assigned after it was read into a name",
    "v = s.x; attempt(lambda: s.x.update(lambda b: 0)).take(); s.n = v[a]  # here": "was assigned after it was read",
    # Calls of the language's forms.
    "require(s.n < 3); s.n = 1  # here": "write require(condition, label, [refuses], [defensive], [repairs], [since])",
    "require(s.f, 3); s.n = 1  # here": "a check is labelled in words",
    "require(s.f, 'x', OSError); s.n = 1  # here": "refuses with the name of an exception",
    "require(s.f, 'x', ''); s.n = 1  # here": "refuses with the name of an exception",
    "s.x.update(lambda: 0)  # here": "takes a function of one member",
    "s.post.take()  # here": "write .take(message)",
    "require(forall(lambda b: s.x[b] == 1, A), 'x'); s.n = 1  # here": "derived from Index, and not over a function",
    "s.r = s.o  # here": "not an A or none (o); declare optional(A), or give a parameter such as x: A",
    "s.x = each(A, lambda b: s.f)  # here": "expected an array over A of a number, not an array over A of a flag",
    "require('yes', 'x'); s.n = 1  # here": "expected a flag, not 'yes'",
    "s.n = minimum(A, lambda b: s.x[b])  # here": "write minimum(index, value, where, default)",
    "require(forall(A, lambda b, c: s.x[b] == s.x[c]), 'x'); s.n = 1  # here": "takes a function of one member",
    "require(forall(s.g, lambda b: s.x[b] == 1), 'x'); s.n = 1  # here": "is over an index set",
    "require(forall(A, s.f), 'x'); s.n = 1  # here": "takes a function of one member",
    "s.n = pick('z', 0, s.n)  # here": "is picked from a range of constants",
    "s.post.send(M(a, 1))  # here": "write M(who=..., w=...)",
    "s.post.send((a, 1))  # here": "write M(who=..., w=...)",
    "s.o = None  # here": "write none",
    "s.mood = 'CALM'  # here": "write one of Mood.CALM, Mood.CROSS",
    "s.r = 0  # here": "or quantify over A",
    "s.n = True  # here": "write when(condition, 1, 0)",
    "s.n = pick('z', 0, 10**9)  # here": "picked from 1,000,000,001 numbers",
    "if require(s.f, 'x'):  # here\n    s.n = 1": "a check gives nothing that 'if' could ask for",
    "s.f = forall(A, lambda b: s.x[b] == pick('z', 0, 2))  # here": "'z' is picked or received inside a quantifier",
    "s.f = exists(A, lambda b: s.post.receive().who == b)  # here": "'post' is picked or received inside a quantifier",
    "s.f = s.mood.at()  # here": "at() needs at least one label of the enumeration",
    "s.n = s.q.at(-1)  # here": "a sequence has no position -1; write one from 0, or .size() - 1",
    "s.q.remove_at(-1)  # here": "a sequence has no position -1; write one from 0, or .size() - 1",
    "s.f = small(s); s.n = 3; s.f = small(s)  # here": "what is cached of it would not show later assignments",
    "s.n = len({s})  # here": "the state cannot be a key",
    "s.f = s == s  # here": "states are not compared as wholes",
    "s.f = s.f | (s != s)  # here": "states are not compared as wholes",
    "s.n = 1 if s else 2  # here": "the state is no condition",
    "s.n = 1 if s is s else 2  # here": IDENTITY,
    # Chance and clocks.
    "random.seed(3); s.n = random.choice([1, 2])  # here": "would give the same in every step",
    "from random import randint; s.n = randint(1, 1)  # here": "would give the same in every step",
    "s.n = DICE.randint(1, 1)  # here": "so that 'DICE' would give the same in every step",
    "import time; s.n = int(time.time() < 0)  # here": "so that 'time' would give the same in every step",
    # What the state and its values have for Python, or for the language.
    "require(s.n.expr == 3, 'x'); s.n = 1  # here": "'.expr' is the language's own; read the variable or field",
    "s.n = getattr(s.n, 'expr').type.low  # here": "'.expr' is the language's own; read the variable or field",
    "s.n = 1 if s.x[a]._expr else 2  # here": "'._expr' shows Python's own objects",
    "s.n = getattr(s.n, '_value', 0)  # here": "a number has no '_value'; there are none",
    "s.n = getattr(s, 'nn', 3)  # here": "there is no 'nn' in the state; there are ",
    "s.n = 1 if hasattr(s, 'nn') else 2  # here": "there is no 'nn' in the state; there are ",
    "s.n = s.__dict__.get('n', 0)  # here": "'.__dict__' shows Python's own objects and not values of the state",
    "s.n = vars(s).get('n', 0)  # here": "'vars()' shows Python's own objects and not values of the state",
    "s.n = min(1, len(dir(s.n)))  # here": "'dir()' shows Python's own objects and not values of the state",
    "s.n = 1 if type(s.n).__name__ == 'Bool' else 2  # here": "has no Python class during tracing",
    "s.n = 1 if issubclass(type(s.x[a]), int) else 2  # here": "has no Python class during tracing",
    "s.n = 1; observe(n=s.n); observe(n=s.f)  # here": "'n' was observed with another value earlier in this step",
    # What Python decides without asking a value.
    "s.n = 1 if any([True, s.f]) else 2  # here": UNASKED,
    "s.n = 1 if all([False, s.f]) else 2  # here": UNASKED,
    "s.n = 1 if any(True for one in [s.f]) else 2  # here": UNASKED,
    "s.n = len([one for one in [s.f]])  # here": UNASKED,
    "s.n = min(2, len(sorted([s.n])))  # here": UNASKED,
    "s.n = {True: 1, False: 2}[callable(s.f)]  # here": UNASKED,
    "s.n = {True: 1, False: 2}[hasattr(s, 'f')]  # here": UNASKED,
    "s.n = {True: 1, False: 2}[hasattr(s.m, 'who')]  # here": UNASKED,
    "s.n = {1: s.f} != {} and 1  # here": UNASKED,
    "s.n = 1 if dict(a=s.f) else 2  # here": UNASKED,
    "v = list((s.f,)); s.n = 1 if v else 2  # here": UNASKED,
    "s.n = next(iter([1, s.f]))  # here": UNASKED,
    "s.n = sum(1 for one in [s.f, s.n])  # here": UNASKED,
    "s.n = 1 if any([True, s.f, s.o == a]) else 2  # here": UNASKED,
    "v = s.f; s.n = when(v, 1 if any([True, v, s.o == a]) else 2, 3)  # here": UNASKED,
    "s.n = when(s.f, 1 if callable(s.o) else 2, 3)  # here": UNASKED,
    "s.n = len(s.pair())": ("high = largest", UNASKED),
    "s.n = 1 if 1 in {1: s.x[a] < 2} else 2  # here": UNASKED,
    "require(s.f & any([True, s.n < 2]), 'x'); s.n = 1  # here": UNASKED,
    "v = s.f; s.f = v & bool([v])  # here": "counts by its length",
    "v = s.f; s.f = v & bool(lambda: v)  # here": "a function in place of a condition is always true",
    "v = s.n; s.n = v + len((v, 1))  # here": "counts by its length",
    "s.n = max(s.n, 1)  # here": TRUTH,
    "s.n = 1 if s.f in [s.f] else 2  # here": TRUTH,
    "s.n = int(f'{s.n}')  # here": "a symbolic value has no text",
    # Functions that read a name whose value has changed since they were made.
    "v = []\nfor k in (1, 2): v.append(lambda: s.n == k)  # here\ns.f = v[0]()": LATE,
    "v = [lambda: s.n == k for k in (1, 2)]  # here\ns.f = v[0]() | v[1]()": LATE,
    "v = {k: lambda b: s.x[b] == k for k in (1, 2)}  # here\ns.f = exists(A, v[1])": LATE,
    "v = list((lambda: s.n == k) for k in (1, 2))  # here\ns.f = v[0]()": LATE,
    "v = []\nfor k in (s.n, s.x[a]):\n    v.append(lambda: k == 2)  # here\ns.f = v[0]()": LATE,
    "v = []; k = 0\nwhile k < 3:\n    v.append(lambda: s.n == k)  # here\n    k += 1\ns.f = v[0]()": LATE,
    "v = []\nfor k in (1, 2):\n    def w(b): return s.x[b] == k  # here\n    v.append(w)\ns.f = forall(A, v[0])": LATE,
    "k = 1; v = lambda: s.n == k  # here\nk = 2; s.f = v()": LATE,
    "k = 1; v = (s.n == j + k for j in (1, 2))  # here\nk = 2; s.f = any_f(v)": LATE,
    "k = s.n; v = lambda b: s.x[b] == k  # here\nk = s.x[a]; s.f = exists(A, v)": LATE,
    "s.f = LATE[0](s)": ("# late", f"'LATE[0]' and 'LATE[1]' {TWINS}"),
    "s.f = TABLE[1](s)": ("# table", f"'TABLE[1]' and 'TABLE[2]' {TWINS}"),
    "s.f = Checks.all[1](s)": ("# of a class", f"'Checks.all[0]' and 'Checks.all[1]' {TWINS}"),
    # What has been given once.
    "v = (s.x[a] == k for k in (1, 2)); s.f = any_f(v) & any_f(v)  # here": SPENT,
    "v = map(lambda k: s.n == k, (1, 2)); s.f = any_f(v) & any_f(v)  # here": SPENT,
    "v = filter(None, (1,)); w = s.f\nfor k in (1, 2):\n    for j in v: w = w | (s.n == j + k)  # here\ns.f = w": SPENT,
    "v = zip((1,), (2,)); s.f = any_f(s.n == k for k, _ in v) & any_f(s.n == k for k, _ in v)  # here": SPENT,
    "v = enumerate((s.n,)); s.f = any_f(k == w for k, w in v) & any_f(k == w for k, w in v)  # here": SPENT,
    "v = iter((1, 2)); s.n = sum(k + s.n for k in v) + sum(k + s.n for k in v)  # here": SPENT,
    "v = reversed((Mood.CALM, Mood.CROSS)); s.f = s.mood.at(*v) & s.mood.at(Mood.CALM, *v)  # here": SPENT,
    "v = itertools.chain((1,), (2,)); s.n = sum(k + s.n for k in v) + sum(k + s.n for k in v)  # here": SPENT,
    "s.f = both(s.n == k for k in (1, 2))": ("# both", SPENT),
    "v = iter((1, 2)); s.n = 1 if 1 in v else s.n  # here": "'in' takes from 'v' what stands before the element",
    "v = map(str, ()); s.n = 1 if v else s.n  # here": "'v' is a generator or the like, which Python compares",
    "v = map(str, ()); s.n = s.n if not v else 1  # here": "'v' is a generator or the like, which Python compares",
    "v = (s.n + k for k in (1, 2)); s.n = 1; s.n = sum(v)  # here": "'v' was made before an assignment",
    "v = map(lambda k: s.n + k, (1, 2)); s.n = 1; s.n = sum(v)  # here": "'v' was made before an assignment",
    # What is never asked, and says nothing.
    "s.n = 1; (require(s.n == k, 'x') for k in (1, 2))  # here": "does nothing until it is looped over",
    "s.n = 1; map(s.g.add, (a,))  # here": "does nothing until it is looped over",
    "lazily(s); s.n = 1  # here": "does nothing until it is looped over",
    "s.steps(); s.n = 1  # here": "does nothing until it is looped over",
    "def one():  # here\n    require(s.f, 'x')\n    yield\nv = one(); s.n = 1": f"'v' {IDLE}",
    "v = (require(s.n == k, 'x') for k in (1, 2)); s.n = 1  # here": f"'v' {IDLE}",
    "v = lambda: require(s.f, 'x'); s.n = 1  # here": "'v' is made here and nothing calls it",
    "def one(): require(s.f, 'x')  # here\ns.n = 1": "'one' is made here and nothing calls it",
    # A list that was given a name, and what another step has left.
    "v = [s.f]; s.f = v[0] if v else s.f  # here": "counts by its length",
    "v = s.n == 1,; s.f = v[0] if v else s.f  # here": "counts by its length",
    "s.f = first(s.n) == first(s.x[a])  # here": KEPT,
    "s.f = first_of(s.n == 1)  # here": KEPT,
    "v = SEEN.setdefault('n', s.n); s.n = v + 1  # here": KEPT,
    "s.f = s.x[FLAGS[0] if FLAGS else a] == 1; FLAGS[:] = [a]  # here": KEPT,
    "s.n = len(f'{s}')  # here": "the state has no text during tracing",
    "s.f = s.mood.at(Mood.CALM) if f'{s.mood.at}' else s.f  # here": "method .at is not called",
    # Anything else that goes wrong in Python.
    "s.n = limitt  # here": "'limitt' is not defined; did you mean 'limit'?",
    "s.mood = Mood.CLAM  # here": "did you mean 'CALM'?",
    "s.n = 1 // 0  # here": "ZeroDivisionError: integer division or modulo by zero",
    "s.n = {}['one']  # here": "there is no key 'one'",
    "s.n = int('one')  # here": "ValueError: invalid literal",
    "assert len(FLAGS) > 99, 'too few'  # here": "an assertion fails: too few",
    "raise Exception('first\\nsecond')  # here": "Exception: first second",
    "import no_such_module  # here": "put it beside the specification",
    "exit(0)  # here": "the specification ends the process",
    "import sys; sys.exit()  # here": "the specification ends the process",
    "import os; os._exit(0)  # here": "the specification ends the process",
}


@pytest.mark.parametrize("body", STEPS)
def test_a_step_that_would_be_misread_is_refused(body: str, tmp_path: Path) -> None:
    refused(step(body), STEPS[body], tmp_path)


CLAIMS = {
    "return True  # x": CONSTANT,
    "return (s.n < 1) | True": CONSTANT,
    "return not False": CONSTANT,
    "return (s.n < 3) & any([True, s.f])": UNASKED,
    "return (s.n < 3) & (len([s.f, s.n]) == 2)": "counts by its length",
    "return exists(A, lambda a: (s.x[a] < 3) & callable(s.g.has(a)))": UNASKED,
    "return s.o is None": IDENTITY,
    "return True if s.f is not True else s.f": IDENTITY,
    "try:\n    return bool(s.f)\nexcept Exception:\n    return s.n < 9": TRUTH,
    "s.n < 3": "computed and not used; write return or = before it",
    "assert FLAGS == []": "claim returns None, not a flag; is there a return?",
    "return s.n": "claim returns a number, not a flag",
    "return 1": "claim returns 1, not a flag",
    "yield s.f": "is a generator or coroutine",
}


@pytest.mark.parametrize("body", CLAIMS)
def test_a_property_that_would_be_misread_is_refused(body: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=re.escape(CLAIMS[body])) as caught:
        instance(claim(body), tmp_path / "own.py")
    assert str(caught.value).startswith("own.py:")


@pytest.mark.parametrize(
    ("variation", "effect", "is_refused"),
    [
        ("Hole('old', 'an old check', drops=(('go', 'it is low'),))", "s.n = 1 if any([True, s.f]) else 2", True),
        ("Hole('old', 'an old effect')", "v = s.f\nif repairs('old'): s.f = ~v", False),
    ],
)
def test_what_nothing_uses_is_refused_also_under_variations(
    variation: str, effect: str, is_refused: bool, tmp_path: Path
) -> None:
    text = step(f"require(s.n < 3, 'it is low')\ns.n = s.n + 1\n{effect}")
    versions = f"semantics={{'old': ({variation},), 'new': ()}}, default_semantics='new'"
    text += f"S = System('s', parts=[P], configurations=S.configurations, {versions})\n"
    text += "S.model('old')\n"
    if is_refused:
        with pytest.raises(SpecError, match=UNASKED):
            module(text, tmp_path / "own.py")
    else:
        assert module(text, tmp_path / "own.py")["S"]


FAR_CALLS = [
    "import helper; return helper.same(s.f, True) | s.f",
    "return s.f if TABLES['x']['y'][0](s.f, True) else ~s.f",
    "return s.f if PLACE.same(s.f, True) else ~s.f",
    "return s.f if ALWAYS(s.f) else ~s.f",
    "from operator import is_; return s.f if is_(s.f, True) else ~s.f",
]


@pytest.mark.parametrize("body", FAR_CALLS)
def test_a_helper_is_looked_at_wherever_it_comes_from(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    helper = types.ModuleType("helper")
    helper.__file__ = str(tmp_path / "helper.py")
    exec(compile("def same(x, y): return x is y", helper.__file__, "exec"), vars(helper))
    monkeypatch.setitem(sys.modules, "helper", helper)
    known = (
        "import functools, helper, types\nTABLES = {'x': {'y': [helper.same]}}\n"
        "PLACE = types.SimpleNamespace(same=helper.same)\nALWAYS = functools.partial(helper.same, True)\n"
    )
    with pytest.raises(SpecError, match=re.escape(IDENTITY)):
        instance(known + claim(body), tmp_path / "own.py")


@pytest.mark.parametrize("decorator", ["witness", "invariant(inductive=True)", "transition"])
def test_no_kind_of_property_is_a_constant(decorator: str, tmp_path: Path) -> None:
    text = claim("return True", decorator)
    text = text.replace("def claim(s)", "def claim(s, t: Self)") if decorator == "transition" else text
    with pytest.raises(SpecError, match=CONSTANT):
        instance(text, tmp_path / "own.py")


@pytest.mark.parametrize(
    ("returned", "is_refused"),
    [("True, s.f", False), ("s.f, True", True), ("False, s.f", True), ("s.n < 3, s.f", False)],
)
def test_only_from_every_state_on_may_be_said_by_a_plain_true(returned: str, is_refused: bool, tmp_path: Path) -> None:
    text = claim(f"return {returned}", "leads_to(fair=('go',))")
    if is_refused:
        with pytest.raises(SpecError, match=CONSTANT):
            instance(text, tmp_path / "own.py")
    else:
        assert instance(text, tmp_path / "own.py").model.properties


def refused(text: str, expected: str | tuple[str, str], directory: Path) -> None:
    """A module is refused with a sentence at the line that is marked, or that contains a text."""
    where, message = expected if isinstance(expected, tuple) else ("# here", expected)
    with pytest.raises(ModelError) as caught:
        instance(text, directory / "own.py")
    [line] = [number for number, line in enumerate(text.splitlines(), 1) if where in line]
    assert str(caught.value).startswith(f"own.py:{line}: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


READ = {
    # These mean what they say, and are read so.
    "require(s.mood == Mood.CALM, 'x'); s.n = 1": "require (mood == CALM) [x] None",
    "s.n, s.x[a] = s.x[a], s.n": "n' = x[a]",
    "s.n += 1": "n' = (n + 1)",
    "s.n = sum([s.n, 1])": "n' = ((n + 0) + 1)",
    "v = s.n; s.n = 3; s.x[a] = v": "x' = store(x, a, n)",
    "v = s.m; v.w = 3; s.n = v.w": "n' = 3",
    "v = s.m; s.m.who = a; s.n = v.w": "n' = m.w",
    "v = s.x; s.n = 2; s.x[a] = v[a] + 1": "x' = store(x, a, (x[a] + 1))",
    "setattr(s, 'n', 2)": "n' = 2",
    # A function of a loop that is called in the loop, or that is given its value, reads what is meant.
    "v = s.f\nfor k in (1, 2): v = v | exists(A, lambda b: s.x[b] == k)\nrequire(v, 'x'); s.n = 1": (
        "require ((f | exists(a_0 in A: (x[a_0] == 1))) | exists(a_0 in A: (x[a_0] == 2))) [x] None"
    ),
    "v = s.f\nfor k in (1, 2):\n    one = lambda b: s.x[b] == k\n    v = v | exists(A, one)\ns.f = v": (
        "f' = ((f | exists(a_0 in A: (x[a_0] == 1))) | exists(a_0 in A: (x[a_0] == 2)))"
    ),
    "v = [lambda k=k: s.n == k for k in (1, 2)]; s.f = v[0]() | v[1]()": "f' = ((n == 1) | (n == 2))",
    "v = [functools.partial(lambda k: s.n == k, k) for k in (1, 2)]; s.f = v[0]()": "f' = (n == 1)",
    "v = list(map(lambda k: lambda: s.n == k, (1, 2))); s.f = v[0]()": "f' = (n == 1)",
    "def one(b): return s.x[b] == v\nv = s.n; s.f = exists(A, one)": "f' = exists(a_0 in A: (x[a_0] == n))",
    "v = 0\ndef add(w): return v + w\nv = add(s.n); v = add(s.x[a]); s.n = v": "n' = ((n + 0) + x[a])",
    # An iterator is there to be advanced.
    "v = iter((s.n, s.x[a])); w = next(v)\nfor one in v: w = largest(w, one)\ns.n = w": "n' = max(n, x[a])",
    "v = iter((1, 2, 3, 4)); s.f = any_f(s.n + j == k for j, k in zip(v, v))": "f' = (((n + 1) == 2) | ((n + 3) == 4))",
    "v = itertools.cycle((1, 2)); w = next(v); s.n = s.n + next(v)": "n' = (n + 2)",
    "v = {1: s.n}.items(); w = [k + one for k, one in v]; s.n = w[0] + sum(k for k, _ in v)": "n' = ((n + 1) + 1)",
    "v = (k for k in (1, 2)); s.f = True; s.n = sum(v)": "n' = 3",
    # A function may do without what it is given, and an object without what it has.
    "s.n = (lambda one, other: one)(s.x[a], s.f)": "n' = x[a]",
    "s.g.clear(); s.x.update(lambda one: 0)": "x' = tabulate(a_0 in A: 0)",
    # Of a table, and of several values that are returned or assigned at once, only some may be used.
    "v = {'n': s.n, 'f': s.f, 'o': s.o}; s.n = v['n'] + 1": "n' = (n + 1)",
    "v = (s.n, (s.f, s.o)); s.n = v[0] + 1": "n' = (n + 1)",
    "v = dict(n=s.n, f=s.f); s.n = v['n'] + 1": "n' = (n + 1)",
    "v, w = s.n, s.f; s.n = v + 1": "n' = (n + 1)",
    "v, *w = s.n, s.f, s.o; s.n = v + 1": "n' = (n + 1)",
    "v, w = s.pair(); s.n = v": "n' = min(n, 3)",
    "for v, w in (('low', s.n < 2), ('f', s.f)):\n    if v == 'low': require(w, v)\ns.n = 1": "require (n < 2) [low]",
    "v = types.SimpleNamespace(); v.n = s.n; v.f = s.f; s.n = v.n + 1": "n' = (n + 1)",
    "s.n = left_out(); s.f = True": "n' = 0",
    "s.n = left_out(s.n)": None,
    "s.f = same(1, 1)": "f' = true",
    "s.f = FLAGS is FLAGS": "f' = true",
}


@pytest.mark.parametrize("body", READ)
def test_what_is_clear_is_read(body: str, tmp_path: Path) -> None:
    written = "\n".join(instance(step(body), tmp_path / "own.py").model.text())
    assert READ[body] is None or f"  {READ[body]}" in written


def kinds_of(kind: type) -> Iterator[type]:
    """A class of the language, and those derived from it."""
    yield kind
    others: list[type] = kind.__subclasses__()
    for other in others:
        yield from kinds_of(other) if other.__module__.startswith("genstamp_model.") else ()


def test_the_methods_that_give_no_iterator_are_those_of_values() -> None:
    known = {name for kind in kinds_of(Value) for name, one in vars(kind).items() if isinstance(one, _Method)}
    assert {name for name in known if not name.startswith("_")} == OF_VALUES


@pytest.mark.parametrize(
    ("decorator", "returned", "message"),
    [
        ("always_eventually()", "True", CONSTANT),
        ("eventually_always()", "True", CONSTANT),
        ("leads_to()", "s.f, s.n < 3, s.f | True", CONSTANT),
        ("leads_to()", "s.f, False, s.n < 3", CONSTANT),
        ("leads_to()", "s.f", "leads_to claim must return two conditions"),
        ("always_eventually()", "s.f, s.f", "always_eventually claim returns (f, f), not a flag"),
        ("eventually_always()", "s.n", "eventually_always claim returns a number, not a flag"),
        ("always_eventually(fair='go')", "s.f", "@always_eventually takes names as a tuple of texts"),
        ("eventually_always(fair=('went',))", "s.f", "claim names action 'went'; there are go"),
    ],
)
def test_a_form_of_time_that_says_nothing_is_refused(
    decorator: str, returned: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(SpecError, match=re.escape(message)):
        instance(claim(f"return {returned}", decorator), tmp_path / "own.py")


LOW = "@invariant\n    def low(s): return s.n < 3\n"

WRONG = {
    # Declarations.
    "f = flag(initially=3)  # here": "a flag is True or False initially",
    "n = number(0.5, 3)  # here": "low is a whole number",
    "n = per(A, number(0, 3, initially=lambda a: 1))  # here": "not a function; of each member: per(..., initially=",
    "n = number(0, 3, initially=9)  # here": "lies outside 0..3",
    "n = number(limit=3)  # here": "a limit is named",
    "m = enumeration(Mood, initially=3)  # here": "is not a member of Mood",
    "m = enumeration(A)  # here": "takes a class derived from enum.Enum",
    "x = per(A, number)  # here": "takes what is declared for one",
    "x = per(Mood, flag())  # here": "per() takes an index set",
    "x = optional(Index)  # here": "optional() takes an index set",
    "x = record(A)  # here": "takes a class derived from Record",
    "x = bag(Mood, limit='l')  # here": "takes a class derived from Record",
    "x = sequence(flag, capacity=2)  # here": "takes what is declared for one",
    "x = lifecycle(Mood)  # here": "takes a class derived from statemachine.StateMachine",
    "x = number(0, 3)\n    x = flag()  # here": "'x' is declared here and at own.py",
    # Decorators.
    "@action\n    def go(s): s.f = True\n    @action\n    def go(s): s.n = 1  # here": "'go' is declared here and at",
    "@action('go')  # here\n    def go(s): s.f = True": "@action decorates a function of the class, not 'go'",
    "@action  # here\n    @invariant\n    def go(s): return s.f": "is applied to a function with another decorator",
    "@action  # here\n    @staticmethod\n    def go(s): s.f = True": "not a staticmethod",
    "@action  # here\n    async def go(s): s.f = True": "is a generator or coroutine",
    "@limit  # here\n    def busy(s): return s.n": "write @limit('messages')",
    "@witness()  # here\n    def w(s): return s.f": "'function'; write witness(function)",
    "@leads_to(fair='go')  # here\n    def l(s): return s.f, s.f": "takes names as a tuple of texts",
    "@action  # here\n    def go(s, a): s.f = True": "needs an index set as annotation, such as a: Node",
    "@action  # here\n    def go(s, a: int): s.f = True": "needs an index set as annotation",
    "@action  # here\n    def go(s, a: 'Nope'): s.f = True": "'Nope' is not defined",
    "@action  # here\n    def go(): pass": "go takes the state s",
    "@action  # here\n    def go(s, *a): pass": "go takes the state s",
    "@action  # here\n    def go(s, a: A = none): s.o = a": "'a' of go has a default, which nothing takes",
    "z = flag": "'z' is flag itself, and no variable; write z = flag(...)",
    "z = any_of(0, 1)": "'z' is any_of(0, 1), and no variable; declare one",
    "action = flag()\n    @action  # here\n    def go(s): s.f = True": "is called; give the variable a name",
    "@action\n    def go(s): pass\n    @leads_to(fair=(go,))  # here\n    def l(s): return s.f, s.f": "(action 'go')",
    "z = per(A, number(0, 9), initially=lambda a, n=iter(range(9)): next(n))  # here": COUNTS,
    "@action\n    def go(s): s.go()  # here": "'go' is declared with a decorator at own.py",
    "1 / 0  # here": "ZeroDivisionError",
    # What a part would lose.
    "f = None": "'f' hides the variable at own.py",
    "def n(s): return s.f  # here": "'n' hides the variable at own.py",
    f"{LOW}class Q(P):\n    def low(s): return s.n < 2  # here": "'low' hides the invariant at own.py",
    f"{LOW}class Q(P):\n    low = None": "give it another name, or declare it with @invariant",
    f"{LOW}class Q(P):\n    low = action(lambda s: None)  # here": "action 'low' would replace the invariant",
    "@staticmethod\n    @invariant  # here\n    def low(s): return s.n < 3": "'low' has the invariant inside",
    "@property\n    @action  # here\n    def low(s): s.n = 1": "'low' has the action inside",
    "low = [invariant(lambda s: s.n < 3)]  # here": "'low' has the invariant inside",
    "low = {'one': flag()}  # here": "'low' has the variable inside",
    "low = functools.partial(invariant(lambda s: s.n < 3))  # here": "'low' has the invariant inside",
    "low = wrapped(invariant(lambda s: s.n < 3))  # here": "'low' has the invariant inside",
    "low = unnamed(invariant(lambda s: s.n < 3))  # here": "'low' has the invariant inside",
    "@functools.cached_property  # here\n    def low(s): return s.n < 3": "'low' would not show later assignments",
    "low = claimed(3)\n    lower = claimed(2)": "two properties are named 'claim', here and at own.py",
    "low = witness(lambda s: s.f)\n    lower = invariant(lambda s: s.f)": "two properties are named '<lambda>'",
    "z = members(A, initially=lambda a: a is FLAGS)  # here": IDENTITY,
    "z = members(A, initially=lambda a: DICE.random() < 1)  # here": "would give the same in every step",
}


@pytest.mark.parametrize("body", WRONG)
def test_a_wrong_declaration_is_refused(body: str, tmp_path: Path) -> None:
    text = f"{HEAD}class P(Base):\n    {body}\n{TAIL}".replace("SIZES", "{'A': 2}").replace("LIMITS", "{'l': 1}")
    with pytest.raises(SpecError, match=re.escape(WRONG[body])) as caught:
        instance(text, tmp_path / "own.py")
    assert re.match(r"own\.py:\d+: ", str(caught.value))
    if "# here\n" in text:
        [line] = [number for number, line in enumerate(text.splitlines(), 1) if line.endswith("# here")]
        assert caught.value.source is not None
        assert caught.value.source.line == line


MODULES = {
    "x = (  # here": "'(' was never closed",
    "import no_such_module  # here": "No module named 'no_such_module'; install it, or put it beside",
    "from genstamp_model.language import acton  # here": "cannot import name 'acton'",
    "x = nothing  # here": "'nothing' is not defined",
    "raise SystemExit  # here": "the specification ends the process",
    "import sys\nsys.exit(0)  # here": "the specification ends the process",
    "from os import _exit\n_exit(0)  # here": "the specification ends the process",
    "def f(): return f()  # here\nf()": "calls itself without an end",
    "class M(Record):  # x\n    type = flag()\n    w = number(0, 1)": "cannot be named 'type'",
}


@pytest.mark.parametrize("body", MODULES)
def test_a_module_that_fails_names_its_line(body: str, tmp_path: Path) -> None:
    text = f"from genstamp_model.language import *\n{body}\n"
    with pytest.raises(SpecError, match=re.escape(MODULES[body])) as caught:
        module_loaded(text, tmp_path / "own.py")
    if "# here" in text:
        [line] = [number for number, line in enumerate(text.splitlines(), 1) if "# here" in line]
        assert str(caught.value).startswith(f"own.py:{line}: ")
    assert "\n" not in str(caught.value)


def module_loaded(text: str, path: Path) -> None:
    """Run a module's text."""
    module(text, path)


def test_an_interrupt_is_left_alone() -> None:
    with pytest.raises(KeyboardInterrupt), authored():
        raise KeyboardInterrupt


def test_what_an_author_prints_goes_to_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = step("print('traced'); s.n = 1").replace("COUNT = 0", "print('loaded')")
    assert explore(instance(text, tmp_path / "own.py")).states > 1
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "loaded\ntraced\n")


def test_a_debugger_goes_on_while_a_suspect_function_is_traced(tmp_path: Path) -> None:
    seen: list[str] = []

    def note(frame: object, event: str, argument: object) -> None:
        seen.append(event)

    before = sys.gettrace()
    sys.settrace(note)
    try:
        instance(step("s.n = left_out(); s.f = True"), tmp_path / "own.py")
        assert sys.gettrace() is note
    finally:
        sys.settrace(before)
    assert "call" in seen


CONFIGURATIONS = {
    "[Configuration('c', sizes={}), Configuration('c', sizes={})]": "two configurations of system s are named 'c'",
    "[]": "system s has no configuration, so nothing is searched",
    "[Configuration('c', sizes={}, limits={'l': 2})]": "'n' is 3, above limit l=2, initially",
    "[Configuration('c', sizes={}, limits={'l': 9, 'busy': 2})]": "does not have; it has l",
    "[Configuration('c', sizes={'A': 2}, limits={'l': 9})]": "gives size 'A', which the system does not have",
    "[Configuration('c', sizes={}, limits={'l': -1})]": "must be 0 to",
    "[Configuration('c', sizes={}, limits={'l': '9'})]": "must be 0 to",
}
BEGINS_AT_3 = """
from genstamp_model.language import *
class P(Part):
    n = number(limit='l', initially=3)
    @action
    def go(s): s.n = s.n + 1
S = System("s", parts=[P], configurations=CONFIGURATIONS)
"""


@pytest.mark.parametrize("configurations", CONFIGURATIONS)
def test_a_configuration_in_which_nothing_can_begin_is_an_error(configurations: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=CONFIGURATIONS[configurations]) as caught:
        instance(BEGINS_AT_3.replace("CONFIGURATIONS", configurations), tmp_path / "own.py")
    assert str(caught.value).startswith("own.py:")


def test_a_search_does_not_begin_beyond_a_limit_that_is_counted(tmp_path: Path) -> None:
    text = BEGINS_AT_3.replace("    @action", "    @limit('busy')\n    def busy(s): return s.n + 1\n    @action")
    within = "[Configuration('c', sizes={}, limits={'l': 9, 'busy': LIMIT})]"
    assert (
        explore(instance(text.replace("CONFIGURATIONS", within.replace("LIMIT", "4")), tmp_path / "own.py")).states == 1
    )
    with pytest.raises(ConfigurationError, match="'busy' is 4 initially, above its limit 3"):
        instance(text.replace("CONFIGURATIONS", within.replace("LIMIT", "3")), tmp_path / "own.py")


@pytest.mark.parametrize("body", ["f = flag()", "f = flag()\n    def go(s): s.f = True", "pass"])
def test_a_system_without_actions_is_an_error(body: str, tmp_path: Path) -> None:
    text = f"from genstamp_model.language import *\nclass P(Part):\n    {body}\n{TAIL}"
    system: Any = module(text.replace("SIZES", "{}").replace("LIMITS", "{}"), tmp_path / "own.py")["S"]
    for look in (lambda: system.instance("c"), lambda: prove_parametric(system)):
        with pytest.raises(SpecError, match=r"own\.py:\d+: system s has no action, so nothing happens"):
            look()


@pytest.fixture(autouse=True)
def no_bytecode(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each text is a file of its own."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield


def test_what_the_garbage_collector_calls_is_not_taken_for_the_traced_function(tmp_path: Path) -> None:
    path = tmp_path / "collected.py"
    text = "import gc\nCOUNT = 0\ndef counts(phase, info):\n    global COUNT\n    COUNT += 1\n"
    names: dict[str, Any] = module(text, path)
    before = gc.get_threshold()
    gc.callbacks.append(names["counts"])
    gc.set_threshold(1)
    try:
        instance(step("s.n = 1"), tmp_path / "one.py")
    finally:
        gc.callbacks.remove(names["counts"])
        gc.set_threshold(*before)
    assert names["COUNT"] > 0 and gc.isenabled()


DECLARATIONS = {
    "raise GeneratorExit  # here": "GeneratorExit",
    "eval('1 / 0')  # here": "ZeroDivisionError",
    "System('s', parts=[], configurations=[]).model()  # here": "system s has no parts",
    "System('', parts=[], configurations=[])  # here": "write the system's name in one line",
    "System('a:b', parts=[], configurations=[])  # here": "without a colon",
    "Configuration('a\\nb', sizes={})  # here": "write its name in one line",
    "Configuration('a')  # here": "write Configuration(name, sizes, [limits], [doc], [on_demand],",
    "System('s', [Base], rows='a: Node=2')  # here": "a row is 'a: Node=2'; write NAME: NUMBERS; DOC",
    "System('s', [Base], rows='a: Node=two; b')  # here": "a row is 'a: Node=two; b'; write NAME: NUMBERS; DOC",
    r"System('s', [Base], rows='*: Node=two\na: Node=2; b')  # here": "the row '*' has Node; write numbers only",
    "System('s', parts=[Base()], configurations=[])  # here": "parts of system s is [a Base]; write a list of classes",
    "System('s', parts=[], configurations=Configuration('a', sizes={}))  # here": "system s is Configuration 'a'",
    "Bug('b', 'why', drops=('go', 'x'))  # here": "drops of bug b is ('go', 'x'); write a tuple of (action, label)",
    "Bug('b', 'why', breaks='low')  # here": "breaks of bug b is 'low'; write a tuple of names of properties",
    "RefinementDeclaration(System('s', [Base], []), {'f': 'f'})  # here": "write {'name': lambda s: s.name}",
    "RefinementDeclaration(System('s', [Base], []), {n: (lambda s: getattr(s, n)) for n in 'fg'})  # here": (
        "the mappings of 'f' and 'g' are one function, which reads the last value of 'n'; write lambda s, n=n"
    ),
    "RefinementDeclaration(Base, {})  # here": "upper of a refinement is the class Base; write the upper System",
}


@pytest.mark.parametrize("body", DECLARATIONS)
def test_what_is_wrong_in_a_module_is_said_with_its_line(body: str, tmp_path: Path) -> None:
    refused(HEAD + body, DECLARATIONS[body], tmp_path)


@pytest.mark.parametrize("body", ["s.f = eval('s.f is True')  # here", "exec('if s.f: s.n = 1', {'s': s})  # here"])
def test_text_that_is_evaluated_is_looked_at_too(body: str, tmp_path: Path) -> None:
    refused(step(body), "", tmp_path)


def test_a_method_can_be_handed_on(tmp_path: Path) -> None:
    body = "require(exists(A, s.g.has) | s.g.is_empty(), 'x'); s.n = 1"
    assert instance(step(body), tmp_path / "own.py").model.action("go").checks


REBOUND = {
    "for high in (1, 9):\n    @invariant\n    def low(s): return s.n < high\n    setattr(P, f'l{high}', low)": (
        "'high' was 1 where low is declared, and is 9 when it is traced"
    ),
    "high = 1\n@invariant  # here\ndef low(s): return s.n < high\nP.low = low\nhigh = 2": "'high' was 1 where low is",
    "def bound(high):\n    low = invariant(lambda s: s.n < high)\n    high += 1\n    return low\nP.low = bound(1)": (
        "'high' was 1 where <lambda> is declared, and is 2 when it is traced; declare it in a function that is given"
    ),
}


@pytest.mark.parametrize("body", REBOUND)
def test_a_name_that_means_something_else_when_it_is_read_is_refused(body: str, tmp_path: Path) -> None:
    text = f"{HEAD}class P(Base):\n    @action\n    def go(s): s.n = 5\n{body}\n{TAIL}"
    with pytest.raises(SpecError, match=re.escape(REBOUND[body])):
        instance(text.replace("SIZES", "{'A': 2}").replace("LIMITS", "{'l': 1}"), tmp_path / "own.py")


def test_a_name_that_keeps_its_meaning_is_read(tmp_path: Path) -> None:
    body = "for high in (1, 9): setattr(P, f'low{high}', claimed(high))"
    text = f"{HEAD}class P(Base):\n    @action\n    def go(s): s.n = 5\n{body}\n{TAIL}"
    text = text.replace("return invariant(claim)", "claim.__name__ = f'low{high}'; return invariant(claim)")
    made = instance(text.replace("SIZES", "{'A': 2}").replace("LIMITS", "{'l': 1}"), tmp_path / "own.py")
    assert [str(claim.condition) for claim in made.model.properties] == ["(n < 1)", "(n < 9)"]


NOT_THERE = {
    "drops=(('go', 'no such check'),)": "b drops check 'no such check' of go, which s does not have",
    "drops=(('go', 'x'),), breaks=('lower',)": "b breaks property 'lower', which s does not have; there are low",
    "breaks=('low',)": "bug b changes nothing in s",
}


@pytest.mark.parametrize("fields", NOT_THERE)
def test_what_a_bug_names_is_there_even_where_the_bug_is_not_taken(fields: str, tmp_path: Path) -> None:
    body = "@action\n    def go(s):\n        require(s.f, 'x'); s.n = 5\n    @invariant\n    def low(s): return s.n < 3"
    tail = TAIL.replace(")])", f")], bugs=[Bug('b', 'why', {fields})])")
    text = f"{HEAD}class P(Base):\n    {body}\n{tail}".replace("SIZES", "{'A': 2}").replace("LIMITS", "{'l': 1}")
    with pytest.raises(ModelError, match=re.escape(NOT_THERE[fields])):
        instance(text, tmp_path / "own.py")
