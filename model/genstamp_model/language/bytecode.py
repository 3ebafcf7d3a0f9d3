"""Where the bytecode of a function lets Python decide without asking a value: `is`, `match`, a list as a condition.

Not here: whether such a place is reached with a value of the state (see `suspects`).
"""

from __future__ import annotations

import dis
import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from types import CodeType
from typing import Any, Final, TypeAlias

_IDENTITY: Final = (
    "'is' compares Python's objects and not values of the state; write ==, .at(), .is_none(), the flag or ~flag"
)
_MATCH: Final = (
    "'match' looks at Python's objects and not at values of the state; write .at() and when(condition, a, b)"
)
DISPLAY: Final = "a list, tuple, set or dictionary in place of a condition counts by its length; write the condition"
_UNUSED: Final = (
    "a value is computed and not used; write return or = before it, require(...) around it, or () to call a function"
)
_CLASS: Final = "a value of the state has no Python class during tracing; compare it with == or .at()"
_INSIDE: Final = "'{}' shows Python's own objects and not values of the state; read the variable or field by its name"
FUNCTION: Final = "a function in place of a condition is always true; call it"
GENERATOR: Final = "a generator in place of a condition is always true; write the condition, forall(...) or exists(...)"
_IDLE: Final = (
    "a generator, coroutine or map() does nothing until it is looped over, and nothing does here; write a for loop"
)
_UNCALLED: Final = "'{}' is made here and nothing calls it; call it, or leave it out"
_NOTHING: Final = (
    "a check gives nothing that 'if' could ask for; write it as a statement, or if case('name', condition, 'label')"
)
_NO_WAY: Final = (
    "a way is only taken by what is inside its if; write if case('name', condition, 'label'): ..., or require(...)"
)
_GLOBAL: Final = "a function that is traced assigns a global variable; declare a variable of the part"

DISPLAYS: Final = frozenset({"BUILD_LIST", "BUILD_TUPLE", "BUILD_SET", "BUILD_MAP", "BUILD_CONST_KEY_MAP"})
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
    {
        "forall",
        "exists",
        "count",
        "those",
        "each",
        "choose",
        "minimum",
        "maximum",
        "when",
        "smallest",
        "largest",
        "attempt",
        "pick",
        "any_of",
    }
)
"""Functions of the language that change nothing."""
_WAYS: Final = frozenset({"case", "either", "repairs", "since"})
"""Functions of the language that only answer an `if`."""
_LAZILY: Final = frozenset({"map", "filter", "zip", "enumerate", "reversed", "iter"})
"""Functions of Python's that give an iterator, which is true even if it gives nothing."""
_GIVING_NOTHING: Final = frozenset({"require", "observe"})
OF_VALUES: Final = _ASKING | {
    "add",
    "after",
    "append",
    "appended",
    "before",
    "clear",
    "drop_first",
    "fire",
    "index",
    "next",
    "predecessor",
    "previous",
    "rank",
    "receive",
    "remove",
    "remove_at",
    "send",
    "successor",
    "take",
    "update",
    "where",
    "without",
}
"""Methods of values of the state, and of attempts."""
OF_LANGUAGE: Final = OF_VALUES | _FORMS | _WAYS | _GIVING_NOTHING | {"way"}
"""What gives a value of the state, or nothing."""
_COUNTING: Final = frozenset({"bool", "len"})
"""Functions of Python's that ask for the length of a list, and are always true of a function."""
_ATTRIBUTES: Final = frozenset({"__dict__", "_expr", "_place", "_type", "_made_by", "_made_in", "_change", "_assign"})
"""What the state and its values have for Python or for the language, and not for an author."""
LAZY: Final = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
"""Flags of the code of functions that do nothing when they are called."""
SILENT: Final = frozenset({"CACHE", "NOP", "PRECALL", "EXTENDED_ARG", "TO_BOOL"})
LOCAL: Final = frozenset({"LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_BORROW", "LOAD_DEREF", "LOAD_CLASSDEREF"})
STORES: Final = frozenset({"STORE_FAST", "STORE_DEREF"})
_LOADS: Final = frozenset({"LOAD_GLOBAL", "LOAD_NAME", "LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"})
_CALLED: Final = _LOADS | LOCAL


Path: TypeAlias = tuple[tuple[bool, Any], ...]
"""Attributes and constant keys that are read one after another: whether it is an attribute, and which."""


@dataclass(frozen=True)
class Operand:
    """What a comparison by `is` reads: a name or a constant, and attributes of it."""

    load: str
    value: Any
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Suspect:
    """A place in a function: refused whenever the function is called, or only if an operand is symbolic.

    One that asks a value is refused if the operand is a value of the state, one that asks what is traced also if it is
    the state, one that asks a generator if the operand is a function that gives one.
    """

    line: int
    message: str
    operands: tuple[Operand | None, ...] = ()
    is_function: bool = False
    asks_generator: bool = False
    asks_value: bool = False
    asks_traced: bool = False


@cache
def suspects_in(code: CodeType) -> tuple[Suspect, ...]:
    return tuple(_found([one for one in dis.get_instructions(code) if one.opname not in SILENT], code))


def _found(instructions: Sequence[dis.Instruction], code: CodeType) -> Iterator[Suspect]:
    stored = {one.argval for one in instructions if one.opname in STORES}
    functions, tables = _always(instructions, _is_function), _always(instructions, _is_filled)
    line = code.co_firstlineno
    for position, one in enumerate(instructions):
        line = one.positions.lineno if one.positions and one.positions.lineno else line
        before = instructions[position - 1].opname if position else ""
        if one.opname == "IS_OP":
            yield Suspect(line, _IDENTITY, _operands(instructions, position, 2, stored))
        elif one.opname.startswith("POP_JUMP") and one.opname.endswith("_NONE"):
            known = _operands(instructions, position, 1, stored)
            yield Suspect(line, _IDENTITY, (*known, Operand("constant", None)))
        elif one.opname in _MATCHES:
            yield Suspect(line, _MATCH)
        elif message := _decided(instructions, position, functions, tables):
            yield Suspect(line, message)
        elif before == "CALL" and is_asked(one):
            operand, name = called_by(instructions, position - 1)
            if name in _GIVING_NOTHING and operand is not None and not operand.attributes:
                yield Suspect(line, _NOTHING)
            elif name not in OF_LANGUAGE:
                yield Suspect(line, GENERATOR, (operand,), asks_generator=True)
        elif before.startswith("LOAD_") and is_asked(one):
            known = _operands(instructions, position, 1, stored)
            if known != (None,):
                yield Suspect(line, FUNCTION, known, is_function=True)
        elif one.opname == "CALL" and one.arg == 1 and (name := _builtin(instructions[: position + 1])):
            is_class = name == "type"
            message = _CLASS if is_class else _INSIDE.format(f"{name}()")
            asked = _operands(instructions, position, 1, stored)
            yield Suspect(line, message, asked, asks_value=is_class, asks_traced=not is_class)
        elif one.opname in _LOADS and one.argval in _ATTRIBUTES:
            asked = _operands(instructions, position, 1, stored)
            yield Suspect(line, _INSIDE.format(f".{one.argval}"), asked, asks_traced=True)
        elif one.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            yield Suspect(line, _GLOBAL)
        elif one.opname in _LOADS and (one.argval in ("is_", "is_not") or _is_id(one)):
            yield Suspect(line, _IDENTITY)
    yield from _without_effect(instructions, code, functions)


def _without_effect(instructions: Sequence[dis.Instruction], code: CodeType, functions: set[str]) -> Iterator[Suspect]:
    """Statements that do nothing, or that make what nothing calls."""
    inner = functions_in(code)
    stored = {one.argval for one in instructions if one.opname in STORES}
    loaded = {one.argval for one in instructions if one.opname in LOCAL}.union(*(one.co_freevars for one in inner))
    generators = {one.co_name for one in inner if one.co_flags & LAZY} & functions
    line = code.co_firstlineno
    for position, one in enumerate(instructions):
        line = one.positions.lineno if one.positions and one.positions.lineno else line
        if one.opname in STORES and _is_function(instructions[position - 1]) and one.argval not in loaded:
            yield Suspect(line, _UNCALLED.format(one.argval))
        if one.opname != "POP_TOP" or not position:
            continue
        before = instructions[:position]
        if _is_call(before, _WAYS):
            yield Suspect(line, _NO_WAY)
        elif not one.is_jump_target and (_is_lazy(before) or _is_of_no_use(before)):
            yield Suspect(line, _IDLE if _is_lazy(before) else _UNUSED)
        elif may_give_iterator(before) and (called := _called_at(before)) is not None:
            is_made_here = before[called].argval in generators
            operands = () if is_made_here else _operands(instructions, called + 1, 1, stored)
            yield Suspect(line, _IDLE, operands, asks_generator=not is_made_here)


def _decided(instructions: Sequence[dis.Instruction], position: int, functions: set[str], tables: set[str]) -> str:
    """What is wrong where Python asks for the truth or the length of what the function has made; else empty."""
    if not position:
        return ""
    one, last = instructions[position], instructions[position - 1]
    if one.opname == "COMPARE_OP":
        is_plain = last.opname == "LOAD_CONST" or last.opname in LOCAL
        operands = instructions[max(0, position - 2) : position] if is_plain else [last]
        return FUNCTION if any(_gives(other, functions) for other in operands) else ""
    if not is_asked(one) and (one.opname != "CALL" or not _is_counted(instructions[: position + 1])):
        return ""
    is_table = last.opname in LOCAL and last.argval in tables
    if last.opname in DISPLAYS or (is_table and is_asked(one)):
        return DISPLAY
    if _gives(last, functions):
        return FUNCTION
    return GENERATOR if _is_lazy(instructions[:position]) else ""


def _always(instructions: Sequence[dis.Instruction], is_meant: Callable[[dis.Instruction], bool]) -> set[str]:
    """The local names that only ever stand for what such an instruction makes here."""
    stores = [(before, one.argval) for before, one in pairwise(instructions) if one.opname in STORES]
    others = {name for before, name in stores if not is_meant(before)}
    return {name for _, name in stores} - others


def _is_function(one: dis.Instruction) -> bool:
    return one.opname == "MAKE_FUNCTION"


def _is_filled(one: dis.Instruction) -> bool:
    """Whether a list, tuple, set or dictionary is made that is not empty."""
    return one.opname in DISPLAYS and bool(one.arg)


def functions_in(code: CodeType) -> list[CodeType]:
    return [one for one in code.co_consts if isinstance(one, CodeType)]


def _gives(one: dis.Instruction, functions: set[str]) -> bool:
    """Whether an instruction gives a function that is made here."""
    return one.opname == "MAKE_FUNCTION" or (one.opname in LOCAL and one.argval in functions)


def _is_lazy(before: Sequence[dis.Instruction]) -> bool:
    """Whether what stands at the end is a generator or the like, which is true whatever it gives."""
    if not before or before[-1].opname != "CALL":
        return False
    whole = before[-1].positions
    is_generator = any(
        isinstance(one.argval, CodeType) and one.argval.co_name == "<genexpr>" and one.positions == whole
        for one in before
    )
    return is_generator or _is_call(before, _LAZILY)


def may_give_iterator(before: Sequence[dis.Instruction]) -> bool:
    """Whether what stands at the end is the call of a function that is none of the language's."""
    if not before or before[-1].opname != "CALL":
        return False
    called = _called(before)
    return called is None or called.argval not in OF_LANGUAGE


def is_asked(one: dis.Instruction) -> bool:
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
    """The instruction that loads the function that is called at the end."""
    position = _called_at(before)
    return None if position is None else before[position]


def _called_at(before: Sequence[dis.Instruction]) -> int | None:
    """Where the function that is called at the end is loaded: the longest part of the text that begins as the call."""
    whole = before[-1].positions
    parts = [i for i, one in enumerate(before[:-1]) if one.opname in _CALLED and _starts_with(one.positions, whole)]
    return max(parts, key=lambda i: _ends(before[i]), default=None)


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


def path_after(instructions: Sequence[dis.Instruction], position: int) -> tuple[Path, int]:
    """The attributes and constant keys that the instructions from a position on read one after another.

    Returns:
        each with whether it is an attribute, and where the next instruction is.
    """
    path: list[tuple[bool, Any]] = []
    while True:
        one, *after = instructions[position : position + 2]
        if one.opname == "LOAD_ATTR":
            path.append((True, one.argval))
            position += 1
        elif one.opname == "LOAD_CONST" and after and after[0].opname == "BINARY_SUBSCR":
            path.append((False, one.argval))
            position += 2
        else:
            return tuple(path), position


def called_by(instructions: Sequence[dis.Instruction], position: int) -> tuple[Operand | None, str]:
    """What the call at a position calls, as far as it is obvious, and the last name of it; empty if it has none."""
    at = _called_at(instructions[: position + 1])
    return (None, "") if at is None else (_operands(instructions, at + 1, 1, set())[0], instructions[at].argval)


def _is_id(one: dis.Instruction) -> bool:
    return one.opname in ("LOAD_GLOBAL", "LOAD_NAME") and one.argval == "id"


def _operands(
    instructions: Sequence[dis.Instruction], end: int, wanted: int, stored: set[str]
) -> tuple[Operand | None, ...]:
    """The values that the instructions before a position have pushed, as far as they are obvious."""
    found: list[Operand | None] = []
    is_joined = instructions[end].is_jump_target
    while len(found) < wanted and not is_joined:
        attributes: list[str] = []
        end -= 1
        while end and instructions[end].opname in ("LOAD_ATTR", "LOAD_METHOD") and not instructions[end].is_jump_target:
            attributes.insert(0, instructions[end].argval)
            end -= 1
        one = instructions[end]
        if one.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            found.append(Operand("global", one.argval, tuple(attributes)))
        elif one.opname == "LOAD_CONST":
            found.append(Operand("constant", one.argval, tuple(attributes)))
        elif one.opname in LOCAL and one.argval not in stored:
            found.append(Operand("local", one.argval, tuple(attributes)))
        else:
            break
        # A branch that ends here has put something else there; the first operand may begin a statement.
        is_joined = one.is_jump_target and len(found) < wanted
    return (*found, *[None] * (wanted - len(found)))
