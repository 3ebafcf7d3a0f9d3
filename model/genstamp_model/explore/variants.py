"""An instance with one action changed: only that action is expanded and compiled again.

For searching hundreds of models that differ in one action each. The functions of the other actions, of the invariants
and of the witnesses are in machine code already, and are called by their address. Neither symmetry nor renumbering is
used.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from genstamp_model.expand import Step
from genstamp_model.explore.emit import Group, Program, Writer
from genstamp_model.explore.native import Native, machine_code
from genstamp_model.explore.scalar import Scalar
from genstamp_model.explore.search import Compiled
from genstamp_model.explore.text import DECLARATIONS
from genstamp_model.language.model import Action, Instance, Model, Property
from genstamp_model.refinement import refuse_other_beginnings

_MOST_SCALARS: Final = 4
"""How many times as many scalars as the instance itself has are kept before all are made again."""


class _Writer(Writer):
    """Writes functions that other texts can call, too."""

    linkage = ""


@dataclass(frozen=True)
class _Part:
    """An action's share of a program: its steps, what `cover` looks for in it, and the text of both functions."""

    steps: tuple[Step[Scalar], ...]
    refusals: Group
    steps_text: str
    cover_text: str


class Variants:
    """An instance, compiled once, of which single actions can be exchanged.

    Args:
        instance: of the model that the others differ from in one action.
        shown: conditions on an edge: `refined` of a result counts the steps that show each of them.

    Raises:
        ConfigurationError, SpecError: as `explore`.
    """

    def __init__(self, instance: Instance, shown: Sequence[Property] = ()) -> None:
        refuse_other_beginnings(instance)
        self.instance = instance
        self._shown = tuple(shown)
        self._write()

    @cached_property
    def _engine(self) -> Any:
        """The machine code of the instance's own functions."""
        writer = self._writer
        texts = [DECLARATIONS, *writer.judges(self._invariants)]
        texts += [text for part in self._parts.values() for text in (part.steps_text, part.cover_text)]
        texts += [writer.cover_function(f"witness_{one.name}", writer.witness_group(one)) for one in self._witnesses]
        texts += [writer.cover_function(f"part{i}", writer.interest_group(one)) for i, one in self._parts_of_properties]
        return machine_code("\n".join(texts))

    def _write(self) -> None:
        """Expand the instance, and write the functions of each of its actions."""
        self._writer = writer = _Writer(self.instance, None, None, self._shown)
        claims = self.instance.model.properties
        self._invariants = tuple(claim for claim in claims if claim.kind == "invariant")
        self._witnesses = tuple(claim for claim in claims if claim.kind == "witness")
        self._parts_of_properties = [(i, one) for i, one in enumerate(writer.interests) if not one.two_states]
        self._first: dict[str, int] = {}
        for number, step in enumerate(writer.steps):
            self._first.setdefault(step.action.name, number)
        self._parts = {action.name: self._part(action) for action in self.instance.model.actions}
        self._scalars = writer.graph.size

    def _part(self, action: Action) -> _Part:
        """An action's share, the action of that name in the instance or another one."""
        writer = self._writer
        steps = tuple(writer.expansion.steps_of(action))
        numbered = enumerate(steps, self._first.get(action.name, 0))
        refusals = writer.refusal_group(action, steps)
        cover = writer.cover_function(f"cover_{action.name}", refusals) if refusals else ""
        text = writer.steps_function(f"steps_{action.name}", numbered)
        return _Part(steps, refusals, text, cover)

    def _new_part(self, action: Action) -> _Part:
        if self._writer.graph.size > _MOST_SCALARS * self._scalars:
            self._write()
        return self._part(action)

    def changes(self, action: Action) -> bool:
        """Whether the program is another one with this action in place of the one of its name."""
        now = self._new_part(action)
        before = self._parts[action.name]
        return (before.steps_text, before.cover_text) != (now.steps_text, now.cover_text)

    def compiled(self, model: Model, changed: str | None = None, further: Sequence[Property] = ()) -> Compiled:
        """A model that differs from the instance's in one action, ready to be searched.

        Args:
            changed: the name of that action; None where there is none.
            further: witnesses that are looked for beside the model's.
        """
        new = {} if changed is None else {changed: self._new_part(model.action(changed))}
        parts = self._parts | new
        groups = [(self._callee(f"witness_{one.name}"), self._writer.witness_group(one)) for one in self._witnesses]
        groups += [(self._callee(f"part{i}"), self._writer.interest_group(one)) for i, one in self._parts_of_properties]
        for name, part in parts.items():
            if part.refusals:
                callee = f"@cover_{name}" if name in new else self._callee(f"cover_{name}")
                groups.append((callee, part.refusals))
        looked_for = [self._writer.witness_group(claim) for claim in further]
        groups += [(f"@further{number}", group) for number, group in enumerate(looked_for)]
        callees = [f"@steps_{name}" if name in new else self._callee(f"steps_{name}") for name in parts]
        texts = [DECLARATIONS, *(text for part in new.values() for text in (part.steps_text, part.cover_text))]
        texts += [self._writer.cover_function(f"further{number}", group) for number, group in enumerate(looked_for)]
        texts.append(self._writer.all_steps(callees))
        texts.append(self._writer.all_covers((callee, len(group)) for callee, group in groups))
        whole = replace(model, properties=(*model.properties, *further))
        return self._compiled(whole, "\n".join(texts), parts.values(), [group for _, group in groups])

    def _callee(self, name: str) -> str:
        """A function of the instance's own, by its address."""
        return f"inttoptr (i64 {self._engine.get_function_address(name)} to ptr)"

    def _compiled(self, model: Model, text: str, parts: Iterable[_Part], groups: Iterable[Group]) -> Compiled:
        started = time.perf_counter()
        engine = machine_code(text, keep=False)  # it calls addresses of this process
        address, own = engine.get_function_address, self._engine.get_function_address
        program = Program(
            instance=Instance(model, self.instance.configuration),
            layout=self._writer.layout,
            text=text,
            steps=tuple((step.action, step.arguments) for part in parts for step in part.steps),
            limits=self._writer.limits,
            targets=tuple(target for group in groups for target, _ in group),
            invariants=self._invariants,
            refined=tuple(claim.name for claim in self._writer.refined),
            interests=self._writer.interests,
        )
        native = Native(
            expand=address("expand"),
            judge=own("judge"),
            may_stop=own("may_stop"),
            cover=address("cover"),
            seconds=time.perf_counter() - started,
            engine=(engine, self._engine),
        )
        return Compiled.of(program, native)
