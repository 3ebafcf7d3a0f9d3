"""Hidden variables of a Promela text: temporaries of a step, which do not belong to Spin's states."""

from __future__ import annotations

from collections.abc import Callable

from genstamp_model.export.promela_names import Names
from genstamp_model.export.promela_shapes import Shapes
from genstamp_model.language.types import BagType, SequenceType


class Hidden:
    """Declares each hidden variable once."""

    def __init__(self, shapes: Shapes, names: Names) -> None:
        self.declarations: list[str] = []
        self._shapes = shapes
        self._names = names
        self._known: dict[tuple[str, object], str] = {}

    def number(self, wanted: str) -> str:
        """A number; the same one for the same name, as two steps never share it."""
        return self._declare(wanted, "int", lambda name: f"int {name}")

    def flag(self, wanted: str) -> str:
        """A flag."""
        return self._declare(wanted, "byte", lambda name: f"byte {name}")

    def container(self, wanted: str, type_: SequenceType | BagType, spare: int) -> str:
        """A sequence or bag with more places than a state's."""
        return self._declare(
            wanted, (type_, spare), lambda name: self._shapes.declaration(name, type_, None, spare=spare, raw=True)
        )

    def message(self, type_: BagType) -> str:
        """A message on its way into a bag or out of it."""
        wanted = f"letter_{type_.message.name}"
        return self._declare(
            wanted, type_.message, lambda name: self._shapes.declaration(name, type_.message, None, raw=True)
        )

    def _declare(self, wanted: str, kind: object, declaration: Callable[[str], str]) -> str:
        key = (wanted, kind)
        if key not in self._known:
            self._known[key] = self._names.unique(wanted)
            self.declarations.append(f"hidden {declaration(self._known[key])};")
        return self._known[key]
