"""A model in one configuration as a Promela text, for Spin.

One process takes one step after another, each a `d_step`, so Spin's states are exactly the model's: an exhaustive check
(`-DNOREDUCE`) stores as many as the search visits. Each property is a macro. An invariant is an alternative that can be
taken only where it is violated, so it is checked in the initial state, too.

    spin -o2 -a model.pml && cc -O2 -DSAFETY -DNOREDUCE -o pan pan.c && ./pan

stops at the first violation. (Without `-o2` Spin drops variables that nothing reads from its states.) With
`spin -DTELL`, and `-DPRINTF` for the compiler, the verifier (`./pan -E`) does not stop: it prints once each violated
property, each reached witness, and each action that takes a number out of its range. With `spin -DDEADLOCK` it only
checks for deadlock.

Where there are several initial states, one of them is chosen in a first step. Spin counts the state before it, too.

Not exported: leads-to properties, and transition properties that are too long for Spin (`left_out`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from genstamp_model.errors import ConfigurationError
from genstamp_model.evaluate import Evaluator
from genstamp_model.export.promela_expressions import Expressions
from genstamp_model.export.promela_hidden import Hidden
from genstamp_model.export.promela_names import Names, comment
from genstamp_model.export.promela_scope import STATE, STEP
from genstamp_model.export.promela_shapes import At, Shapes, UnlikeElementsError
from genstamp_model.export.promela_steps import Steps
from genstamp_model.export.promela_text import bare
from genstamp_model.language import ir
from genstamp_model.language.ir import Op
from genstamp_model.language.model import Instance, Model, Property, Variable
from genstamp_model.language.types import ArrayType, Type, Value

_MACROS = (
    "has(set, member) (((set) >> (member)) & 1)",
    "adding(set, member) ((set) | (1 << (member)))",
    "removing(set, member) ((set) & ~(1 << (member)))",
    "smaller(a, b) ((a) < (b) -> (a) : (b))",
    "divided(a, b) (((a) - (((a) % (b) + (b)) % (b))) / (b))",
    "left_over(a, b) (((a) % (b) + (b)) % (b))",
    "divided_by(a, b) ((b) > 0 -> (((a) - (((a) % (b) + (b)) % (b))) / (b)) : 0)",
    "left_over_by(a, b) ((b) > 0 -> (((a) % (b) + (b)) % (b)) : 0)",
    "larger(a, b) ((a) > (b) -> (a) : (b))",
)
_TOLD = """\
#if defined(TELL) || defined(DEADLOCK) /* tell of everything once, instead of stopping at the first violation */
#define stop skip
#else
#define stop assert(false)
#endif
#define violated(n, name) told[n] = true; printf(name); stop
#define seen(n, name) told[n] = true; printf(name)
#define failed(n, name) if :: !told[n] -> told[n] = true; printf(name); stop :: else fi
"""


def promela_model(instance: Instance) -> str:
    """The Promela text of an instance.

    Raises:
        ConfigurationError: an index set has more than 31 members, or a number needs more than 31 bits, or
            records of an array begin differently.
    """
    return _Text(instance).text()


MOST_BEGINNINGS: Final = 2_000
"""Initial states that are written out."""

LONGEST_CLAIM: Final = 2_000
"""Nodes of a transition property, each counted as often as it is written, above which Spin's inlines have no room."""


def left_out(model: Model) -> frozenset[str]:
    """The transition properties that are too long for Spin, such as refinements of a large system."""
    return frozenset(
        claim.name
        for claim in model.properties
        if claim.kind == "transition" and ir.written_size(claim.closed) > LONGEST_CLAIM
    )


class _Text:
    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._model = instance.model
        self._names = Names()
        self._shapes = Shapes(instance, self._names)
        self._expressions = Expressions(self._shapes, self._names)
        self._hidden = Hidden(self._shapes, self._names)
        self._steps = Steps(self._shapes, self._names, self._expressions, self._hidden)
        self._initials = Evaluator(instance).initials
        self._told = 0
        self._left_out = left_out(self._model)

    def _declared(self, variable: Variable, value: Value) -> str:
        try:
            raw = variable.choice is not None
            return self._shapes.declaration(self._shapes.variables[variable.name], variable.type, value, raw=raw)
        except UnlikeElementsError as problem:
            what = f"the Promela export cannot say that structured elements of '{variable.name}' begin differently"
            raise ConfigurationError(
                f"{what}; declare their parts as arrays of their own", variable.source
            ) from problem

    def text(self) -> str:
        """All of it."""
        pairs = zip(self._model.variables, self._initials[0], strict=True)
        variables = [f"{self._declared(variable, value)};" for variable, value in pairs]
        steps: list[str] = []
        calls: list[str] = []
        for action in self._model.actions:
            lines, found = self._steps.action(action)
            steps += ["", *lines]
            calls += found
        self._told = len(self._steps.errors)
        transitions, claims = self._transitions(), list[str]()
        process = self._process(calls, claims)
        body = [*self._steps.containers.inlines, *transitions, *steps, *claims, "", *process]
        used = [macro for macro in _MACROS if any(f"{macro.partition('(')[0]}(" in line for line in body)]
        printed = [
            comment(f"{self._model.system}, configuration {self._instance.configuration.name}: written by genstamp"),
            "",
            *self._shapes.defines,
            "",
            *(f"#define {macro}" for macro in used),
            "",
            *(f"{typedef};" for typedef in self._shapes.typedefs),
            "",
            *variables,
            "",
            *self._hidden.declarations,
            "hidden byte k;",
            f"hidden byte told[{max(1, self._told)}];",
            "",
            _TOLD,
            *body,
        ]
        return "\n".join(printed) + "\n"

    def _of(self, *kinds: str) -> list[Property]:
        return [claim for claim in self._model.properties if claim.kind in kinds and claim.name not in self._left_out]

    def _tell(self) -> int:
        self._told += 1
        return self._told - 1

    def _claim(self, claim: Property, lines: list[str]) -> str:
        """Write the macro of a property; returns its name."""
        name = self._names.unique(claim.name)
        self._expressions.quantifiers.owner = name
        text = self._expressions.scalar(claim.closed, {}, STEP if claim.kind == "transition" else STATE)
        lines += ["", *self._expressions.quantifiers.take()]
        lines += [comment(f"{claim.kind}: {claim.doc} ({claim.source})"), f"#define {name} ({bare(text)})"]
        return name

    def _alternatives(self, lines: list[str]) -> Iterator[str]:
        """Invariants and witnesses: alternatives of the process that can be taken where there is something to tell."""
        for claim in self._of("invariant"):
            name, number = self._claim(claim, lines), self._tell()
            yield f"  :: d_step {{ !told[{number}] && !{name} -> violated({number}, {_told('violated', claim)}) }}"
        witnesses = self._of("witness")
        if witnesses:
            yield "#ifdef TELL"
            for claim in witnesses:
                name, number = self._claim(claim, lines), self._tell()
                yield f"  :: d_step {{ !told[{number}] && {name} -> seen({number}, {_told('seen', claim)}) }}"
            yield "#endif"

    def _transitions(self) -> list[str]:
        """The values that every step saves from the state before it, and the check of the transition properties."""
        lines: list[str] = []
        judging = []
        for claim in self._of("transition"):
            name, number = self._claim(claim, lines), self._tell()
            tell = f"violated({number}, {_told('violated', claim)})"
            judging.append(f"  if :: !told[{number}] && !{name} -> {tell} :: else fi;")
        if not judging:
            return []
        read = {n.data for c in self._of("transition") for n in ir.walk(c.closed) if n.op is Op.VARIABLE}
        remembered: list[str] = []
        copying: list[str] = []
        for variable, value in zip(self._model.variables, self._initials[0], strict=True):
            if variable.name in read:
                name, raw = self._shapes.variables[variable.name], variable.choice is not None
                remembered.append(f"{self._shapes.hidden(f'old_{name}', variable.type, value, name, raw=raw)};")
                copying += self._copying(name, variable.type)
        inlines = ["inline remember() {", *(f"  {line}" for line in copying or ["skip"]), "}", ""]
        return [*remembered, *lines, "", *inlines, "inline judge_step() {", *judging, "  skip", "}"]

    def _copying(self, name: str, type_: Type) -> Iterator[str]:
        place = self._shapes.place
        if isinstance(type_, ArrayType):
            yield f"for (k : 0 .. {self._instance.sizes.of(type_.index) - 1}) {{"
            for path, _ in self._shapes.scalars(type_.element):
                here = (At("k"), *path)
                yield f"  {place(f'old_{name}', type_, here)} = {place(name, type_, here)};"
            yield "}"
        else:
            for path, _ in self._shapes.scalars(type_):
                yield f"{place(f'old_{name}', type_, path)} = {place(name, type_, path)};"

    def _process(self, calls: list[str], lines: list[str]) -> list[str]:
        alternatives = list(self._alternatives(lines))
        may_stop = self._model.may_stop
        found, stopping = ["active proctype system() {", *self._choosing()], []
        if may_stop is None:
            found.append("end:")
        else:
            self._expressions.quantifiers.owner = "may_stop"
            text = bare(self._expressions.scalar(may_stop, {}))
            lines += self._expressions.quantifiers.take()
            stopping = [f"  :: d_step {{ {text} -> skip }} /* the system may stop here */"]
        found += ["  do", *(f"  :: {call}" for call in calls), *stopping]
        if alternatives:
            found += ["#ifndef DEADLOCK", *alternatives, "#endif"]
        return [*found, "  od", "}"]

    def _choosing(self) -> Iterator[str]:
        """The first step, where there is a choice of initial states; Spin counts the state before it."""
        if not self._model.chooses:
            return
        if len(self._initials) > MOST_BEGINNINGS:
            variable = next(variable for variable in self._model.variables if variable.choice is not None)
            raise ConfigurationError(
                f"the Promela export writes every initial state out, and {self._model.system} has "
                f"{len(self._initials):,} in configuration {self._instance.configuration.name}; it takes at most "
                f"{MOST_BEGINNINGS:,}; choose smaller sizes, or export TLA+",
                variable.source,
            )
        yield "  if"
        for state in self._initials:
            pairs = zip(self._model.variables, state, strict=True)
            chosen = [(variable, value) for variable, value in pairs if variable.choice is not None]
            told = [
                assignment
                for variable, value in chosen
                for assignment in self._shapes.beginning(self._shapes.variables[variable.name], variable.type, value)
            ]
            yield f"  :: d_step {{ {'; '.join(told) or 'skip'} }}"
        yield "  fi;"


def _told(what: str, claim: Property) -> str:
    return f'"{what}: {claim.name}\\n"'
