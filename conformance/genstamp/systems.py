"""The systems that the command line knows, by name, and what is written after a name.

A system of one's own is named by where it is declared: `module:NAME`, or `file.py:NAME`.
"""

import importlib
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Final

from genstamp.errors import GenstampError
from genstamp_model.errors import ModelError
from genstamp_model.language import Configuration, System

PLACES: Final[Mapping[str, str]] = {
    "hdfs.single_writer": "genstamp_spec.hdfs.systems.single_writer:SINGLE_WRITER",
    "hdfs.durable_prefix": "genstamp_spec.hdfs.systems.durable_prefix:DURABLE_PREFIX",
    "hdfs.single_writer_truncate": "genstamp_spec.hdfs.systems.abstract_truncate:SINGLE_WRITER_TRUNCATE",
    "hdfs.durable_prefix_truncate": "genstamp_spec.hdfs.systems.abstract_truncate:DURABLE_PREFIX_TRUNCATE",
    "hdfs.lease": "genstamp_spec.hdfs.systems.lease:LEASE",
    "hdfs.expiry": "genstamp_spec.hdfs.systems.expiry:EXPIRY",
    "hdfs.renewal": "genstamp_spec.hdfs.systems.renewal:RENEWAL",
    "hdfs.monitor": "genstamp_spec.hdfs.systems.monitor:MONITOR",
    "hdfs.recovery": "genstamp_spec.hdfs.systems.recovery:RECOVERY",
    "hdfs.block_recovery": "genstamp_spec.hdfs.systems.block_recovery:BLOCK_RECOVERY",
    "hdfs.block_recovery_ends": "genstamp_spec.hdfs.systems.block_recovery_ends:BLOCK_RECOVERY_ENDS",
    "hdfs.pipeline": "genstamp_spec.hdfs.systems.pipeline:PIPELINE",
    "hdfs.pipeline_progress": "genstamp_spec.hdfs.systems.pipeline_progress:PIPELINE_PROGRESS",
    "hdfs.replica": "genstamp_spec.hdfs.systems.replica:REPLICA",
    "hdfs.replica_threads": "genstamp_spec.hdfs.systems.replica_threads:REPLICA_THREADS",
    "hdfs.reports": "genstamp_spec.hdfs.systems.reports:REPORTS",
    "hdfs.standby_reports": "genstamp_spec.hdfs.systems.standby_reports:STANDBY_REPORTS",
    "hdfs.journal": "genstamp_spec.hdfs.systems.journal:JOURNAL",
    "hdfs.truncate": "genstamp_spec.hdfs.systems.truncate:TRUNCATE",
    "hdfs.truncate_ends": "genstamp_spec.hdfs.systems.truncate_ends:TRUNCATE_ENDS",
    "hdfs.write_path": "genstamp_spec.hdfs.systems.write_path:WRITE_PATH",
    "hdfs.write_path_restarts": "genstamp_spec.hdfs.systems.write_path_restarts:WRITE_PATH_RESTARTS",
    "hdfs.write_path_truncate": "genstamp_spec.hdfs.systems.write_path_truncate:WRITE_PATH_TRUNCATE",
    "gfs.chunk_lease": "genstamp_spec.gfs.systems.chunk_lease:CHUNK_LEASE",
    "gfs.mutation_order": "genstamp_spec.gfs.systems.mutation_order:MUTATION_ORDER",
    "gfs.record_append": "genstamp_spec.gfs.systems.record_append:RECORD_APPEND",
    "gfs.master_log": "genstamp_spec.gfs.systems.master_log:MASTER_LOG",
    "gfs.snapshot": "genstamp_spec.gfs.systems.snapshot:SNAPSHOT",
    "gfs.replicas": "genstamp_spec.gfs.systems.replicas:REPLICAS",
    "gfs.progress": "genstamp_spec.gfs.systems.progress:PROGRESS",
}
"""Where every system that comes with genstamp is declared, by name, in the order in which they are listed and checked.

A system is loaded when it is asked for: whoever checks one does not wait for the others.
"""

_own_places: Final[dict[str, str]] = {}


class UnknownSystemError(GenstampError):
    """There is no system of this name.

    Attributes:
        name: what was asked for.
    """

    def __init__(self, name: str) -> None:
        known = ", ".join(PLACES)
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
    return _own_places.get(name) or PLACES[name]


def system_at(place: str) -> System:
    """The system that "module:NAME" names."""
    module, _, name = place.partition(":")
    system = getattr(importlib.import_module(module), name)
    assert isinstance(system, System), f"{place} is {system!r}"
    return system


def every_system() -> tuple[System, ...]:
    """All systems that come with genstamp, in their order."""
    return tuple(system_at(place) for place in PLACES.values())


def system_named(name: str) -> System:
    """One of the systems that come with genstamp, by its name.

    Raises:
        UnknownSystemError: there is none.
    """
    if name not in PLACES:
        raise UnknownSystemError(name)
    return system_at(PLACES[name])


def found(text: str) -> tuple[System, str]:
    """The system that a text names, and the configuration written after it, if any.

    Raises:
        UnknownSystemError: there is no such system.
        OwnSystemError: a place is named where there is none.
    """
    name, _, configuration = text.partition(":")
    attribute, _, own_configuration = configuration.partition(":")
    if not attribute or name in PLACES:
        return system_named(name), configuration
    system = _own(name, attribute)
    _own_places[system.name] = f"{name}:{attribute}"
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
        ConfigurationError: the system has no such configuration, or all are on demand.
    """
    system, configuration = found(text)
    if configuration:
        return system, [system.configuration(configuration)]
    return system, system.every_time
