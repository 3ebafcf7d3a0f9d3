"""What the file of a system declares and nothing uses: a property without its decorator, a part that no system has.

A search of such a file holds, and says nothing of what its author believes to be searched. Looked at is the file that
is named on the command line, and only for what nothing in that file can mean.

Not here: what is declared and says nothing (`genstamp.vacuity`).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType

from genstamp.systems import module_of
from genstamp_model.errors import Source
from genstamp_model.language import Part, System
from genstamp_model.language.declarations import Declaration
from genstamp_model.language.lost import source_of


@dataclass(frozen=True)
class Forgotten:
    """Something that nothing uses.

    Attributes:
        name: of the method or part.
        message: in a sentence.
        source: where it stands.
    """

    name: str
    message: str
    source: Source


def of_system(system: System) -> list[Forgotten]:
    """What the file of a user's system has that no system of it can use; nothing of those that come with genstamp."""
    module = module_of(system)
    return [] if module is None else of_module(module)


def of_module(module: ModuleType) -> list[Forgotten]:
    """What a module has that no system of it can use."""
    parts = [one for one in _values(module) if isinstance(one, type) and issubclass(one, Part)]
    own = [part for part in dict.fromkeys(parts) if part.__module__ == module.__name__]
    return [*_declarations(module, own), *_parts(module, own), *_methods(module, own)]


def _values(module: ModuleType) -> Iterator[object]:
    """The module's values, and those in its lists and dictionaries."""
    for value in list(vars(module).values()):
        yield value
        if isinstance(value, list | tuple | dict):
            yield from value.values() if isinstance(value, dict) else value


def _declarations(module: ModuleType, own: list[type]) -> Iterator[Forgotten]:
    known = [value for part in own for value in vars(part).values()]
    for name, value in vars(module).items():
        if isinstance(value, Declaration) and not any(value is one for one in known):
            yield Forgotten(name, f"{name} is declared outside of a part, where nothing looks for it", value.source)


def _parts(module: ModuleType, own: list[type]) -> Iterator[Forgotten]:
    systems = [one for one in _values(module) if isinstance(one, System)]
    used = [part for system in systems for part in _parts_of(system)]
    for part in own:
        sources = [value.source for value in vars(part).values() if isinstance(value, Declaration)]
        if sources and not part.__subclasses__() and not any(issubclass(one, part) for one in used):
            message = f"part {part.__name__} is in no system of the file; add it to parts=[...]"
            yield Forgotten(part.__name__, message, sources[0])


def _parts_of(system: System) -> Iterator[type]:
    yield from system.parts
    yield from (part for variation in system.variations for part in variation.parts)
    yield from (part for refinement in system.refines for part in _parts_of(refinement.upper))


def _methods(module: ModuleType, own: list[type]) -> Iterator[Forgotten]:
    """Methods without a decorator whose name stands nowhere else in the file."""
    text = Path(module.__file__ or "").read_text(encoding="utf-8")
    for part in own:
        for name, value in vars(part).items():
            source = source_of(value)
            if not isinstance(value, FunctionType) or name.startswith("__") or source is None:
                continue
            is_replaced = any(name in vars(base) for base in part.__mro__[1:])
            if not is_replaced and len(re.findall(rf"\b{re.escape(name)}\b", text)) == 1:
                what = f"method {name} of {part.__name__} is used nowhere in the file"
                message = f"{what}; if it is a step or a property, write its decorator over it, such as @invariant"
                yield Forgotten(name, message, source)
