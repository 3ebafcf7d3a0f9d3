"""What Python decides without asking a symbolic value: `is`, `match` by class, a list in place of a condition.

A function is traced once, with values that represent those of every state. Most operators call a method of the value,
which refuses; some do not, and would silently turn a condition into a constant. So the bytecode of an author's
functions is searched for such places. A function that may reach one is traced under watch, since only while it runs is
it known whether it does, and whether a value of the state is involved. Functions
of other packages than the specifications that come with the language are always watched.

Not here: operators that ask the value (see `refusing`).
"""

from __future__ import annotations

import dis
import gc
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from types import CodeType, FrameType, FunctionType, MethodType
from typing import Any, Final

from genstamp_model.errors import Source, SpecError
from genstamp_model.language.author import caller, is_author, is_authors
from genstamp_model.language.chance import CHANCE, drawn
from genstamp_model.language.types import Nobody, RefType
from genstamp_model.language.uses import given

_IDENTITY: Final = (
    "'is' compares Python's objects and not values of the state; write ==, .at(), .is_none(), the flag or ~flag"
)
_MATCH: Final = (
    "'match' looks at Python's objects and not at values of the state; write .at() and when(condition, a, b)"
)
_DISPLAY: Final = "a list, tuple, set or dictionary in place of a condition counts by its length; write the condition"
_UNUSED: Final = (
    "a value is computed and not used; write return or = before it, require(...) around it, or () to call a function"
)
_CLASS: Final = "a value of the state has no Python class during tracing; compare it with == or .at()"
_INSIDE: Final = "'{}' shows Python's own objects and not values of the state; read the variable or field by its name"
_FUNCTION: Final = "a function in place of a condition is always true; call it"
_NOTHING: Final = (
    "a check gives nothing that 'if' could ask for; write it as a statement, or if case('name', condition, 'label')"
)
_GLOBAL: Final = "a function that is traced assigns a global variable; declare a variable of the part"

_DISPLAYS: Final = frozenset({"BUILD_LIST", "BUILD_TUPLE", "BUILD_SET", "BUILD_MAP"})
_MATCHES: Final = frozenset({"MATCH_CLASS", "MATCH_MAPPING", "MATCH_SEQUENCE"})
_COMPUTED: Final = frozenset(
    {
        "LOAD_ATTR",
        "COMPARE_OP",
        "BINARY_OP",
        "BINARY_SUBSCR",
        "CONTAINS_OP",
        "IS_OP",
        "UNARY_NOT",
        "UNARY_INVERT",
        "UNARY_NEGATIVE",
        "LOAD_FAST",
        "LOAD_GLOBAL",
        "LOAD_DEREF",
    }
)
_ASKING: Final = frozenset({"has", "size", "is_empty", "is_none", "at", "first", "every", "some", "implies"})
"""Methods that change nothing, so that a call of one is of no use as a statement."""
_FORMS: Final = frozenset(
    {"forall", "exists", "count", "those", "each", "choose", "minimum", "maximum", "when", "smallest", "largest"}
)
"""Functions of the language that change nothing."""
_GIVING_NOTHING: Final = frozenset({"require", "observe"})
_COUNTING: Final = frozenset({"bool", "len"})
"""Functions of Python's that ask for the length of a list, and are always true of a function."""
_ATTRIBUTES: Final = frozenset({"__dict__", "_expr", "_place", "_type", "_made_in", "_change", "_assign"})
"""What the state and its values have for Python or for the language, and not for an author."""
_SILENT: Final = frozenset({"CACHE", "NOP", "PRECALL", "EXTENDED_ARG", "TO_BOOL"})
_LOCAL: Final = frozenset({"LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_BORROW", "LOAD_DEREF", "LOAD_CLASSDEREF"})
_STORES: Final = frozenset({"STORE_FAST", "STORE_DEREF"})
_LOADS: Final = frozenset({"LOAD_GLOBAL", "LOAD_NAME", "LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"})

Refuse = Callable[[SpecError], SpecError]


class Traced:
    """Base of what there is only while a function is traced: the state and its values."""

    __slots__ = ()


class Symbolic(Traced):
    """Base class of symbolic values, which represent the values of every state."""

    __slots__ = ()


_UNKNOWN: Final = Symbolic()
"""An operand that is only known when it is compared."""


@dataclass(frozen=True)
class _Operand:
    """What a comparison by `is` reads: a name or a constant, and attributes of it."""

    load: str
    value: Any
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Suspect:
    """A place in a function: refused whenever the function is called, or only if an operand is symbolic.

    With `of`, it is refused if the operand is an instance of that class.
    """

    line: int
    message: str
    operands: tuple[_Operand | None, ...] = ()
    is_function: bool = False
    of: type | None = None


_is_watching = False


@contextmanager
def watched(refuse: Refuse) -> Iterator[None]:
    """Refuse such places in every function of an author's that is called in the block.

    The garbage collector waits, for it may call functions that have nothing to do with the block.
    """
    global _is_watching
    if _is_watching:
        yield
        return
    before: Any = sys.gettrace()

    def look(frame: FrameType, event: str, argument: Any) -> Any:
        for suspect in _suspects(frame.f_code) if is_author(frame) else ():
            if _is_refused(suspect, frame):
                # At once, because a loop on such a condition would not end.
                place = Source(frame.f_code.co_filename, suspect.line)
                raise refuse(SpecError(suspect.message, place if place.file != "<string>" else caller()))
        if is_author(frame):
            code = frame.f_code
            arguments = (frame.f_locals.get(name) for name in code.co_varnames[: code.co_argcount])
            given(one for one in arguments if issubclass(type(one), Symbolic))
        found = drawn(frame) if is_author(frame) else None
        if found is not None:
            raise refuse(SpecError(CHANCE.format(found[1]), Source(frame.f_code.co_filename, found[0])))
        # A debugger, or what measures coverage, goes on.
        return before(frame, event, argument) if before is not None else None

    collects = gc.isenabled()
    gc.disable()
    sys.settrace(look)
    _is_watching = True
    try:
        yield
    finally:
        _is_watching = False
        sys.settrace(before)
        if collects:
            gc.enable()


class Reach:
    """Which functions of an author may reach a suspect place, by the names that they use.

    Every function that may be meant by a name counts: a global one, a method of the state's class or of a class that is
    named, one in a table that is named.

    Args:
        state: the class of the traced state.
    """

    def __init__(self, state: type) -> None:
        self._clean: set[FunctionType] = set()
        self._attributes: dict[str, list[object]] = {}
        for base in state.__mro__:
            for name, value in vars(base).items():
                self._attributes.setdefault(name, []).append(value)

    def suspects(self, function: Callable[..., object]) -> bool:
        """Whether a function may reach a suspect place."""
        seen = set(_functions(function)) - self._clean
        left = list(seen)
        while left:
            one = left.pop()
            if _holds_suspects(one.__code__):
                return True
            called = set(self._calls(one)) - seen - self._clean
            seen |= called
            left.extend(called)
        self._clean |= seen
        return False

    def _calls(self, function: FunctionType) -> Iterator[FunctionType]:
        for cell in function.__closure__ or ():
            yield from _functions(_content(cell))
        for name in _names(function.__code__):
            yield from _functions(function.__globals__.get(name))
            for value in self._attributes.get(name, ()):
                yield from _functions(value)


def _content(cell: Any) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _functions(value: object, depth: int = 2) -> Iterator[FunctionType]:
    """The functions that a value may be called for, an author's only."""
    match value:
        case Symbolic() | str() | int() | None:
            return
        case FunctionType():
            if is_authors(str(value.__globals__.get("__name__", "")), value.__code__.co_filename):
                yield value
        case MethodType() | classmethod() | staticmethod():
            yield from _functions(value.__func__)
        case property():
            yield from (one for part in (value.fget, value.fset) for one in _functions(part))
        case Mapping() if depth:
            yield from (one for part in value.values() for one in _functions(part, depth - 1))
        case tuple() | list() | set() | frozenset() if depth:
            yield from (one for part in value for one in _functions(part, depth - 1))
        case _ if depth:
            yield from _methods(value if isinstance(value, type) else type(value))


@cache
def _methods(class_: type) -> tuple[FunctionType, ...]:
    """The methods of a class, and those of what its attributes are, such as descriptors."""
    parts = [part for base in class_.__mro__ for part in (vars(base).values() if _is_authors_class(base) else ())]
    kinds = {base for part in parts for base in type(part).__mro__ if _is_authors_class(base)}
    parts.extend(part for kind in kinds for part in vars(kind).values())
    return tuple(one for part in parts for one in _functions(part, 0))


def _is_authors_class(class_: type) -> bool:
    file = getattr(sys.modules.get(class_.__module__), "__file__", None) or ""
    return is_authors(class_.__module__, file)


@cache
def _names(code: CodeType) -> frozenset[str]:
    """The names that a function may call by, those in strings too."""
    texts = (one for one in code.co_consts if isinstance(one, str) and one.isidentifier())
    inner = (name for one in code.co_consts if isinstance(one, CodeType) for name in _names(one))
    return frozenset([*code.co_names, *texts, *inner])


@cache
def _holds_suspects(code: CodeType) -> bool:
    return bool(_suspects(code)) or any(_holds_suspects(one) for one in code.co_consts if isinstance(one, CodeType))


def _is_refused(suspect: _Suspect, frame: FrameType) -> bool:
    if not suspect.operands:
        return True
    values = [_resolved(operand, frame) for operand in suspect.operands]
    if suspect.of is not None:
        return issubclass(type(values[0]), suspect.of)
    if suspect.is_function:
        return isinstance(values[0], FunctionType | MethodType)
    if not any(isinstance(value, Symbolic) for value in values):
        # The state before a step is never the object that the state after it is.
        return all(isinstance(value, Traced) for value in values)
    if not any(value is None or isinstance(value, Nobody) for value in values):
        return True
    # A value that cannot be none is compared with `None` only to see whether an argument was left out.
    return any(isinstance(value, Symbolic) and _may_be_none(value) for value in values)


def _may_be_none(value: Symbolic) -> bool:
    expr = getattr(value, "expr", None)
    return expr is None or (isinstance(expr.type, RefType) and expr.type.optional)


def _resolved(operand: _Operand | None, frame: FrameType) -> object:
    """The known value of an operand when the function is called."""
    if operand is None:
        return _UNKNOWN
    if operand.load == "constant":
        value = operand.value
    elif operand.load == "local":
        value = frame.f_locals.get(operand.value, _UNKNOWN)
    else:
        value = frame.f_globals.get(operand.value, frame.f_builtins.get(operand.value, _UNKNOWN))
    for name in operand.attributes:
        if not (hasattr(type(value), name) or name in getattr(value, "__dict__", ())):
            return _UNKNOWN
        value = getattr(value, name)
    return value


@cache
def _suspects(code: CodeType) -> tuple[_Suspect, ...]:
    return tuple(_found([one for one in dis.get_instructions(code) if one.opname not in _SILENT], code))


def _found(instructions: Sequence[dis.Instruction], code: CodeType) -> Iterator[_Suspect]:
    stored = {one.argval for one in instructions if one.opname in _STORES}
    line = code.co_firstlineno
    for position, one in enumerate(instructions):
        line = one.positions.lineno if one.positions and one.positions.lineno else line
        before = instructions[position - 1].opname if position else ""
        if one.opname == "IS_OP":
            yield _Suspect(line, _IDENTITY, _operands(instructions, position, 2, stored))
        elif one.opname.startswith("POP_JUMP") and one.opname.endswith("_NONE"):
            known = _operands(instructions, position, 1, stored)
            yield _Suspect(line, _IDENTITY, (*known, _Operand("constant", None)))
        elif one.opname in _MATCHES:
            yield _Suspect(line, _MATCH)
        elif before in _DISPLAYS and (_is_asked(one) or _is_counted(instructions[: position + 1])):
            yield _Suspect(line, _DISPLAY)
        elif _is_asked(one) and _is_call(instructions[:position], _GIVING_NOTHING):
            yield _Suspect(line, _NOTHING)
        elif before == "MAKE_FUNCTION" and (_is_asked(one) or _is_counted(instructions[: position + 1])):
            yield _Suspect(line, _FUNCTION)
        elif before.startswith("LOAD_") and _is_asked(one):
            yield _Suspect(line, _FUNCTION, _operands(instructions, position, 1, stored), is_function=True)
        elif one.opname == "POP_TOP" and not one.is_jump_target and _is_of_no_use(instructions[:position]):
            yield _Suspect(line, _UNUSED)
        elif one.opname == "CALL" and one.arg == 1 and (name := _builtin(instructions[: position + 1])):
            message, of = (_CLASS, Symbolic) if name == "type" else (_INSIDE.format(f"{name}()"), Traced)
            yield _Suspect(line, message, _operands(instructions, position, 1, stored), of=of)
        elif one.opname in _LOADS and one.argval in _ATTRIBUTES:
            asked = _operands(instructions, position, 1, stored)
            yield _Suspect(line, _INSIDE.format(f".{one.argval}"), asked, of=Traced)
        elif one.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            yield _Suspect(line, _GLOBAL)
        elif one.opname in _LOADS and (one.argval in ("is_", "is_not") or _is_id(one)):
            yield _Suspect(line, _IDENTITY)


def _is_asked(one: dis.Instruction) -> bool:
    """Whether Python asks for the truth of what stands before."""
    return one.opname.startswith(("POP_JUMP", "JUMP_IF")) or one.opname == "UNARY_NOT"


def _builtin(before: Sequence[dis.Instruction]) -> str:
    """The function of Python's that is called at the end, if it looks at an object and not at a value."""
    called = _called(before)
    return str(called.argval) if called and _is_global(called, frozenset({"type", "vars", "dir"})) else ""


def _is_of_no_use(before: Sequence[dis.Instruction]) -> bool:
    """Whether what is computed at the end changes nothing, as far as it is known."""
    if not before or before[-1].opname != "CALL":
        return bool(before) and before[-1].opname in _COMPUTED
    called = _called(before)
    is_method = called is not None and called.opname in ("LOAD_ATTR", "LOAD_METHOD") and called.argval in _ASKING
    return is_method or _is_call(before, _FORMS)


def _called(before: Sequence[dis.Instruction]) -> dis.Instruction | None:
    """The instruction that loads the function that is called at the end: the longest part of the text that begins as
    the call does.
    """
    whole = before[-1].positions
    parts = [one for one in before[:-1] if one.opname in _LOADS and _starts_with(one.positions, whole)]
    return max(parts, key=_ends, default=None)


def _starts_with(one: dis.Positions | None, whole: dis.Positions | None) -> bool:
    return one is not None and whole is not None and (one.lineno, one.col_offset) == (whole.lineno, whole.col_offset)


def _ends(one: dis.Instruction) -> tuple[int, int]:
    places = one.positions
    return (places.end_lineno or 0, places.end_col_offset or 0) if places else (0, 0)


def _is_counted(before: Sequence[dis.Instruction]) -> bool:
    """Whether Python is asked at the end how long it is what stands before; a set asks its elements."""
    return before[-2].opname != "BUILD_SET" and _is_call(before, _COUNTING)


def _is_call(before: Sequence[dis.Instruction], names: frozenset[str]) -> bool:
    """Whether a global function of one of these names is called at the end."""
    return bool(before) and before[-1].opname == "CALL" and _is_global(_called(before), names)


def _is_global(one: dis.Instruction | None, names: frozenset[str]) -> bool:
    return one is not None and one.opname in ("LOAD_GLOBAL", "LOAD_NAME") and one.argval in names


def _is_id(one: dis.Instruction) -> bool:
    return one.opname in ("LOAD_GLOBAL", "LOAD_NAME") and one.argval == "id"


def _operands(
    instructions: Sequence[dis.Instruction], end: int, wanted: int, stored: set[str]
) -> tuple[_Operand | None, ...]:
    """The values that the instructions before a position have pushed, as far as they are obvious."""
    found: list[_Operand | None] = []
    is_joined = instructions[end].is_jump_target
    while len(found) < wanted and not is_joined:
        attributes: list[str] = []
        end -= 1
        while end and instructions[end].opname == "LOAD_ATTR" and not instructions[end].is_jump_target:
            attributes.insert(0, instructions[end].argval)
            end -= 1
        one = instructions[end]
        if one.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            found.append(_Operand("global", one.argval, tuple(attributes)))
        elif one.opname == "LOAD_CONST":
            found.append(_Operand("constant", one.argval, tuple(attributes)))
        elif one.opname in _LOCAL and one.argval not in stored:
            found.append(_Operand("local", one.argval, tuple(attributes)))
        else:
            break
        # A branch that ends here has put something else there; the first operand may begin a statement.
        is_joined = one.is_jump_target and len(found) < wanted
    return (*found, *[None] * (wanted - len(found)))
