"""The systems that the command line knows, by name, and what is written after a name.

A system of one's own is named by where it is declared: `module:NAME`, or `file.py:NAME`.
"""

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Final

from genstamp.errors import GenstampError
from genstamp_model.errors import ModelError
from genstamp_model.language import Configuration, System

PLACES: Final = (
    "genstamp_spec.hdfs.systems.single_writer:SINGLE_WRITER",
    "genstamp_spec.hdfs.systems.durable_prefix:DURABLE_PREFIX",
    "genstamp_spec.hdfs.systems.lease:LEASE",
    "genstamp_spec.hdfs.systems.expiry:EXPIRY",
    "genstamp_spec.hdfs.systems.renewal:RENEWAL",
    "genstamp_spec.hdfs.systems.monitor:MONITOR",
    "genstamp_spec.hdfs.systems.recovery:RECOVERY",
    "genstamp_spec.hdfs.systems.block_recovery:BLOCK_RECOVERY",
    "genstamp_spec.hdfs.systems.block_recovery_ends:BLOCK_RECOVERY_ENDS",
    "genstamp_spec.hdfs.systems.pipeline:PIPELINE",
    "genstamp_spec.hdfs.systems.pipeline_progress:PIPELINE_PROGRESS",
    "genstamp_spec.hdfs.systems.replica:REPLICA",
    "genstamp_spec.hdfs.systems.replica_threads:REPLICA_THREADS",
    "genstamp_spec.hdfs.systems.reports:REPORTS",
    "genstamp_spec.hdfs.systems.standby_reports:STANDBY_REPORTS",
    "genstamp_spec.hdfs.systems.journal:JOURNAL",
    "genstamp_spec.hdfs.systems.truncate:TRUNCATE",
    "genstamp_spec.hdfs.systems.truncate_ends:TRUNCATE_ENDS",
    "genstamp_spec.hdfs.systems.write_path:WRITE_PATH",
)
"""Every system that comes with genstamp, as "module:NAME", in the order in which they are listed and checked."""


def _loaded(place: str) -> System:
    module, _, name = place.partition(":")
    system = getattr(importlib.import_module(module), name)
    assert isinstance(system, System), f"{place} is {system!r}"
    return system


SYSTEMS: Final[tuple[System, ...]] = tuple(_loaded(place) for place in PLACES)

_places: Final = {system.name: place for system, place in zip(SYSTEMS, PLACES, strict=True)}


class UnknownSystemError(GenstampError):
    """There is no system of this name.

    Attributes:
        name: what was asked for.
    """

    def __init__(self, name: str) -> None:
        known = ", ".join(system.name for system in SYSTEMS)
        super().__init__(
            f"there is no system '{name}'; there is {known}, and one of your own is named module:NAME or file.py:NAME"
        )
        self.name = name


class OwnSystemError(GenstampError):
    """A system of one's own cannot be loaded.

    Attributes:
        place: where it was looked for.
        reason: what is wrong there.
    """

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"'{place}' gives no system: {reason}")
        self.place = place
        self.reason = reason


def place_of(name: str) -> str:
    """Where a system that was named before is declared, as "module:NAME"."""
    return _places[name]


def system_named(name: str) -> System:
    """One of the systems that come with genstamp, by its name.

    Raises:
        UnknownSystemError: there is none.
    """
    for system in SYSTEMS:
        if system.name == name:
            return system
    raise UnknownSystemError(name)


def found(text: str) -> tuple[System, str]:
    """The system that a text names, and the configuration written after it, if any.

    Raises:
        UnknownSystemError: there is no such system.
        OwnSystemError: a place is named where there is none.
    """
    name, _, configuration = text.partition(":")
    attribute, _, own_configuration = configuration.partition(":")
    if not attribute or name in {system.name for system in SYSTEMS}:
        return system_named(name), configuration
    system = _own(name, attribute)
    _places[system.name] = f"{name}:{attribute}"
    return system, own_configuration


def _own(module: str, attribute: str) -> System:
    place = f"{module}:{attribute}"
    try:
        loaded = _from_file(Path(module)) if module.endswith(".py") else _from_name(module)
    except ModelError:
        raise
    except Exception as problem:
        raise OwnSystemError(place, f"{type(problem).__name__}: {problem}") from problem
    system = getattr(loaded, attribute, None)
    if not isinstance(system, System):
        names = ", ".join(name for name, value in vars(loaded).items() if isinstance(value, System))
        raise OwnSystemError(place, f"'{attribute}' is no System there; there is {names or 'none'}")
    return system


def _from_name(module: str) -> ModuleType:
    # As with `python -m`: what lies in the current directory can be named.
    sys.path.insert(0, str(Path.cwd()))
    try:
        return importlib.import_module(module)
    finally:
        sys.path.pop(0)


def _from_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None, path
    module = importlib.util.module_from_spec(spec)
    # Annotations are looked up in the module by its name.
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def chosen(text: str) -> tuple[System, Sequence[Configuration]]:
    """What `SYSTEM` or `SYSTEM:CONFIGURATION` names: a system and one configuration, or all that are not on demand.

    Raises:
        UnknownSystemError: there is no such system.
        OwnSystemError: a place is named where there is none.
        ConfigurationError: the system has no such configuration.
    """
    system, configuration = found(text)
    if configuration:
        return system, [system.configuration(configuration)]
    return system, [one for one in system.configurations if not one.on_demand]
