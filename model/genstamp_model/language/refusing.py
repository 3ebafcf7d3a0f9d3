"""Operations that a symbolic value refuses, because Python needs a concrete one, and what to write instead.

The values with what they can do are in `values` and `containers`.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any, Final, NoReturn

from genstamp_model.errors import SpecError
from genstamp_model.language import ir
from genstamp_model.language.author import is_author, is_called_by_author, suggested
from genstamp_model.language.symbolic import Symbolic
from genstamp_model.language.trace import is_open, misuse
from genstamp_model.language.types import RefType, describe

_LANGUAGE: Final = __name__.rpartition(".")[0]
_OPERATORS: Final = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "divmod": "divmod()",
    "pow": "**",
    "matmul": "@",
    "lshift": "<<",
    "rshift": ">>",
    "and": "&",
    "or": "|",
    "xor": "^",
}
_COMPARISONS: Final = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_UNARY: Final = {
    "neg": "-",
    "pos": "+",
    "abs": "abs()",
    "invert": "~",
    "round": "round()",
    "trunc": "trunc()",
    "floor": "floor()",
    "ceil": "ceil()",
    "complex": "complex()",
    "float": "float()",
}
_INSTEAD: Final = {
    "a number": "numbers have +, -, *, // and %, comparisons, smallest() and largest()",
    "an ordered number": "an ordered number can only be compared and raised; declare number(...) for more",
    "a label": "labels have ==, !=, <, <=, >, >= and .at()",
    "a flag": "flags have &, |, ~, ==, != and .implies(); write when(flag, 1, 0) for a number",
    "a sequence": "a sequence has .at(), .has(), .some(), .every(), .where(), .size(), .append() and .remove()",
    "a set": "a set has .has(), .add(), .remove(), .clear(), .size(), .is_empty(), |, &, -, ==, != and <=",
}


class Inert:
    """Base of what is no value, and of which Python's operators would silently make a constant.

    For Python every object is true, and unequal to any other one.
    """

    __slots__ = ()

    def _instead(self) -> str:
        """What is wrong, and what to write."""
        raise NotImplementedError

    def _refuse(self, *_: object) -> None:
        if is_author(sys._getframe(2)) or is_author(sys._getframe(1)):
            raise misuse(self._instead())

    def __bool__(self) -> bool:
        self._refuse()
        return True

    def __eq__(self, other: object) -> bool:
        self._refuse()
        return self is other

    def __hash__(self) -> int:
        return id(self)


class Uncalled(Inert):
    """A method of a symbolic value: it can be called, and nothing else."""

    __slots__ = ("_function", "_value")

    def __init__(self, function: Callable[..., Any], value: Any) -> None:
        self._function, self._value = function, value

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._function(self._value, *arguments, **named)

    @property
    def __signature__(self) -> inspect.Signature:
        """That of the method, for it may be handed on: `exists(Client, s.group.has)`."""
        return inspect.signature(MethodType(self._function, self._value))

    def __repr__(self) -> str:
        if is_open() and is_called_by_author():
            self._refuse()
        return f"method .{self._function.__name__}"

    def _instead(self) -> str:
        return f"{self} is not called; write .{self._function.__name__}(...)"


def _refuse_declarations(cls: type) -> None:
    """Refuse a step or a claim in an index set or a record, where nothing looks for it."""
    # Here, because declarations are built on values.
    from genstamp_model.language.declarations import Declaration

    for name, value in vars(cls).items():
        if isinstance(value, Declaration):
            message = f"'{name}' stands in {cls.__name__}, which is no part; declare it in a class derived from Part"
            raise SpecError(message, value.source)


class _Method:
    """Gives a method of the language's classes as `Uncalled`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __get__(self, value: Any, owner: type) -> Any:
        return self.function if value is None else Uncalled(self.function, value)


class Refusing(Symbolic):
    """Base of symbolic values: every operator is refused but what a kind of value defines."""

    __slots__ = ()

    expr: Any

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__module__.startswith(_LANGUAGE):
            for name, function in list(vars(cls).items()):
                if isinstance(function, FunctionType) and not name.startswith("_"):
                    setattr(cls, name, _Method(function))
        else:
            _refuse_declarations(cls)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """The class, for Python; an author's isinstance() is refused where it would be false of every state."""
        if is_open() and is_called_by_author():
            raise misuse("a value of the state has no Python class during tracing; compare it with == or .at()")
        return type(self)

    def __repr__(self) -> str:
        if is_open() and is_called_by_author():
            raise misuse(_NO_TEXT)
        return ir.text(self.expr)

    def __str__(self) -> str:
        if is_open() and is_called_by_author():
            raise misuse(_NO_TEXT)
        return ir.text(self.expr)

    def __format__(self, form: str) -> str:
        if is_open() and is_called_by_author():
            raise misuse(_NO_TEXT)
        return format(ir.text(self.expr), form)

    def __bool__(self) -> NoReturn:
        raise misuse(
            "a symbolic value has no truth value during tracing; write '&', '|', '~' for 'and', 'or', 'not', "
            "when(condition, a, b) for 'if' or case('name', condition, 'label') for a way of its own, "
            "and (a <= b) & (b <= c) for a chained comparison"
        )

    def __contains__(self, item: object) -> NoReturn:
        raise misuse("'in' cannot look into a symbolic value; write .has(item)")

    def __iter__(self) -> NoReturn:
        raise misuse("a symbolic value cannot be looped over; write forall, exists, count or .update(lambda i: ...)")

    def __reversed__(self) -> NoReturn:
        raise misuse("a symbolic value cannot be looped over; write forall, exists, count or .update(lambda i: ...)")

    def __len__(self) -> NoReturn:
        raise misuse("len() needs a concrete value; write .size()")

    def __hash__(self) -> int:
        raise misuse(
            "a symbolic value cannot be a key or an element of a Python set; write an array or a set of the state, "
            "and those(Node, lambda node: node == x) for the set of x alone"
        )

    def __index__(self) -> NoReturn:
        raise misuse("a symbolic value is not a Python integer; write forall, exists, count or pick(name, low, high)")

    def __getitem__(self, position: Any) -> Any:
        raise misuse(f"{describe(self.expr.type)} has no elements to look up{self._instead()}")

    def __setitem__(self, position: Any, value: object) -> None:
        raise misuse(f"{describe(self.expr.type)} has no elements to assign{self._instead()}")

    def __delitem__(self, position: object) -> NoReturn:
        raise misuse("a value of the state cannot be deleted; assign another one")

    def __call__(self, *_: object, **__: object) -> NoReturn:
        raise misuse(f"{describe(self.expr.type)} cannot be called; omit the parentheses")

    def __copy__(self) -> NoReturn:
        raise misuse("a symbolic value cannot be copied; assign it to a name, or write its fields into a new record")

    def __deepcopy__(self, memory: object) -> NoReturn:
        self.__copy__()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or (name.startswith("_") and not is_author(sys._getframe(1))):
            raise AttributeError(name)
        known = [one for one in dir(type(self)) if not one.startswith("_") and one not in _OF_US]
        raise misuse(f"{describe(self.expr.type)} has no '{name}'; {suggested(name, known)}")

    def __delattr__(self, name: str) -> NoReturn:
        raise misuse(f"'{name}' cannot be deleted; assign another value")

    def _instead(self) -> str:
        kind = describe(self.expr.type)
        short = {"a set of ": "a set", "a state of ": "a label"}
        instead = _INSTEAD.get(next((name for start, name in short.items() if kind.startswith(start)), kind))
        if isinstance(self.expr.type, RefType):
            instead = "members have == and !=, and those of an ordered set .before(), .next(), .successor() and .rank()"
        return f"; {instead}" if instead else ""


_OF_US: Final = frozenset({"expr", "place", "set", "declared", "type"})
_NO_TEXT: Final = (
    "a symbolic value has no text during tracing; compare it with == or .at(), and look at values with simulate"
)


def _refused(symbol: str) -> Any:
    def refuse(self: Refusing, *others: object) -> NoReturn:
        raise misuse(f"{describe(self.expr.type)} has no '{symbol}'{self._instead()}")

    return refuse


for _name, _symbol in _OPERATORS.items():
    setattr(Refusing, f"__{_name}__", _refused(_symbol))
    setattr(Refusing, f"__r{_name}__", _refused(_symbol))
for _name, _symbol in (_COMPARISONS | _UNARY).items():
    setattr(Refusing, f"__{_name}__", _refused(_symbol))
_ITEMS: Final = ("contains", "iter", "len", "getitem")
for _name in [*_COMPARISONS, *_UNARY, *_OPERATORS, *(f"r{_name}" for _name in _OPERATORS), *_ITEMS]:
    setattr(Inert, f"__{_name}__", Inert._refuse)
