"""The actions of a model in TLA+: checks in order, then effects, then what stays as it is.

A label stands as a comment at its check. A refusal of a call is not a step here: nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from genstamp_model.export.known import Known
from genstamp_model.export.tla_expressions import Expressions
from genstamp_model.export.tla_layout import WIDTH, Level, Lines, Piece, at_least, comment, hang, opened, rule, wrapped
from genstamp_model.export.tla_names import VARIABLES, Names, parameter_names
from genstamp_model.export.tla_values import type_set
from genstamp_model.language.ir import Expr
from genstamp_model.language.model import Action, Model
from genstamp_model.language.trace import ActionParameter, Check, MessageOf, OptionalMember, Range, Subset
from genstamp_model.language.types import IndexSet


class Steps:
    """Writes the actions of one module."""

    def __init__(self, model: Model, names: Names, expressions: Expressions) -> None:
        self.model = model
        self.names = names
        self.expressions = expressions

    def lines(self) -> Iterator[str]:
        """Every action, the next-state relation, and the specification."""
        yield from rule()
        for action in self.model.actions:
            yield from self._action(action)
        yield from self._behaviours()

    def _action(self, action: Action) -> Iterator[str]:
        wanted = [(parameter.name, candidates(parameter)) for parameter in action.parameters]
        with self.names.binding(wanted) as parameters:
            yield from self._told(action)
            arguments = f"({', '.join(parameters)})" if parameters else ""
            yield f"{self.names.actions[action.name]}{arguments} =="
            conditions = [check.condition for check in action.checks]
            known = Known(conditions)
            effects = {effect.variable: known.plain(effect.value) for effect in action.effects}
            body = self.expressions.sharing([*conditions, *effects.values()], lambda: self._step(action, effects))
            yield from hang("    ", body.lines(WIDTH - 4))
            yield ""

    def _told(self, action: Action) -> Iterator[str]:
        yield from comment(action.doc)
        notes = [str(action.source)]
        if action.event != action.name:
            notes.append(f"an outcome of {action.event}")
        if action.refuses is not None:
            notes.append(f"the caller gets {action.refuses}")
        if action.hidden:
            notes.append("nobody sees it")
        yield f"\\* {' '.join(', '.join(notes).split())}"

    def _step(self, action: Action, effects: Mapping[str, Expr]) -> Piece:
        parts = [(self.expressions.piece(check.condition), _label(check)) for check in action.checks]
        for variable, value in effects.items():
            parts.append((_assigned(self.names.variables[variable], self.expressions.piece(value)), ""))
        kept = [name for variable, name in self.names.variables.items() if variable not in effects]
        kept = kept or ([self.names.nothing] if self.names.nothing else [])
        if kept:
            parts.append((_unchanged(kept, all_of_them=not effects), ""))
        inline = " /\\ ".join(part.inline for part, _ in parts)
        return Piece(inline, broken=lambda width: _conjuncts(parts, width), must_break=True)

    def _behaviours(self) -> Iterator[str]:
        yield from rule()
        yield "Next ==" if self.model.actions else "Next == FALSE"
        for action in self.model.actions:
            yield from hang("    \\/ ", self.some(action, action.parameters).lines(WIDTH - 7))
        yield ""
        yield f"Spec == Init /\\ [][Next]_{VARIABLES}"
        yield ""

    def some(self, action: Action, chosen: Sequence[ActionParameter]) -> Piece:
        """The action for some of the values of the chosen parameters; the others are bound outside."""
        with self.names.binding([(p.name, candidates(p)) for p in chosen]) as names:
            arguments = ", ".join(self.names.bound(parameter.name) for parameter in action.parameters)
            text = f"{self.names.actions[action.name]}({arguments})" if arguments else self.names.actions[action.name]
            if not chosen:
                return Piece(text)
            over = [f"{name} \\in {self.domain(p)}" for name, p in zip(names, chosen, strict=True)]
            return opened(f"\\E {', '.join(over)} :", Piece(text))

    def domain(self, parameter: ActionParameter) -> str:
        match parameter.domain:
            case IndexSet() as index:
                return self.names.set(index)
            case OptionalMember(index=index):
                return f"{self.names.set(index)} \\cup {{{self.names.none()}}}"
            case MessageOf(bag=bag):
                return f"BagToSet({self.names.variables[bag]})"
            case Range() | Subset():
                return type_set(parameter.type, self.names).inline


def candidates(parameter: ActionParameter) -> tuple[str, ...]:
    return ("m",) if isinstance(parameter.domain, MessageOf) else parameter_names(parameter.name)


def _label(check: Check) -> str:
    label = check.label if check.refuses is None else f"{check.label}, else {check.refuses}"
    return " ".join(label.split())


def _assigned(name: str, value: Piece) -> Piece:
    if value.level is not Level.OPEN:
        value = at_least(value, Level.OPERATOR)
    label = f"{name}' = "
    return Piece(
        label + value.inline,
        broken=lambda width: hang(label, value.lines(width - len(label))),
        must_break=value.must_break,
    )


def _unchanged(names: Sequence[str], *, all_of_them: bool) -> Piece:
    if all_of_them:
        return Piece(f"UNCHANGED {VARIABLES}")
    if len(names) == 1:
        return Piece(f"UNCHANGED {names[0]}")
    head = "UNCHANGED <<"
    return Piece(
        f"{head}{', '.join(names)}>>", broken=lambda width: hang(head, wrapped(names, width - len(head) - 2), ">>")
    )


def _conjuncts(parts: Sequence[tuple[Piece, str]], width: int) -> Lines:
    """A list of conjuncts, a comment behind each, or before it where it is long."""
    lines: Lines = []
    for part, label in parts:
        said = f"  \\* {label}" if label else ""
        if not part.must_break and len(part.inline) + len(said) + 3 <= width:
            lines.append(f"/\\ {part.inline}{said}")
        else:
            lines += [f"\\* {label}"] if label else []
            lines += hang("/\\ ", part.lines(width - 3))
    return lines
