"""The systems that the command line knows, by name, and what is written after a name.

A user's system is named by the place of its declaration: `module:NAME`, or `file.py:NAME`.
"""

import difflib
import importlib
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Final, TypeVar

from genstamp.errors import GenstampError
from genstamp_model.errors import Source
from genstamp_model.language import Configuration, System
from genstamp_model.language.author import authored, similar

T = TypeVar("T")

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

A system is loaded when it is asked for: the check of one does not wait for the others.
"""

_own_places: Final[dict[str, str]] = {}


class UnknownSystemError(GenstampError):
    """There is no system of this name.

    Attributes:
        name: what was asked for.
    """

    def __init__(self, name: str) -> None:
        near = difflib.get_close_matches(name, PLACES, n=5, cutoff=0.5)
        names = f"similar names: {', '.join(near)}" if near else f"there are {', '.join(list(PLACES)[:5])} and more"
        super().__init__(
            f"there is no system '{name}'; {names} (`genstamp list` shows all); name your own system as module:NAME or "
            "FILE.py:NAME"
        )
        self.name = name


class OwnSystemError(GenstampError):
    """A user's system or its driving cannot be loaded.

    Attributes:
        place: where it was looked for.
        reason: what is wrong there.
        wanted: what was looked for.
    """

    def __init__(self, place: str, reason: str, wanted: str = "system") -> None:
        super().__init__(f"'{place}' gives no {wanted}: {reason}")
        self.place = place
        self.reason = reason


def place_of(name: str) -> str:
    """Where a system that was named before is declared, as "module:NAME"."""
    return _own_places.get(name) or PLACES[name]


def system_at(place: str) -> System:
    """The system that "module:NAME" or "FILE.py:NAME" names.

    Raises:
        OwnSystemError: there is no such file, or no such system in it.
        SpecError: the file raises an exception, or misuses the language.
    """
    module, _, name = place.rpartition(":")
    if module.endswith(".py"):
        return own(place, System)
    system = getattr(importlib.import_module(module), name)
    assert isinstance(system, System), f"{place} is {system!r}"
    return system


def module_of(system: System) -> ModuleType | None:
    """The module in which a system of one's own was named; None for those that come with genstamp."""
    module, _, _ = _own_places.get(system.name, "").rpartition(":")
    return _loaded(module, module) if module else None


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
        SpecError: the module there raises an exception, or misuses the language.
    """
    name, _, configuration = text.partition(":")
    attribute, _, own_configuration = configuration.partition(":")
    if not attribute and name.endswith(".py"):
        attribute, *others = systems_in(Path(name))
        if others:
            names = ", ".join([attribute, *others])
            raise OwnSystemError(name, f"there are several in the file; write {name}:NAME, with one of {names}")
    if not attribute or name in PLACES:
        return system_named(name), configuration
    system = own(f"{name}:{attribute}", System)
    _own_places[system.name] = f"{name}:{attribute}"
    return system, own_configuration


def own(text: str, kind: type[T]) -> T:
    """What "module:NAME" or "file.py:NAME" names, an object of this kind.

    Raises:
        OwnSystemError: there is no such module or file, or no such object in it.
        SpecError: the module there raises an exception, or misuses the language.
    """
    module, _, attribute = text.rpartition(":")
    loaded = _loaded(module, text, kind)
    found = getattr(loaded, attribute, None)
    if not isinstance(found, kind):
        reason = f"'{attribute}' is no {kind.__name__} there; {_objects_of(loaded, kind, attribute)}"
        raise OwnSystemError(text, reason, kind.__name__.lower())
    return found


def systems_in(path: Path) -> dict[str, System]:
    """The systems that a file declares or imports, by the names that it gives them.

    Raises:
        OwnSystemError: the file cannot be read, has no system, or is no Python file.
        SpecError: the module there raises an exception, or misuses the language.
    """
    if path.suffix != ".py":
        whole, _, name = str(path).partition(":")
        one = f"; one system alone is checked by genstamp check {path}" if name else ""
        raise OwnSystemError(str(path), f"expected a file, as {Path(whole).with_suffix('.py')}{one}")
    loaded = _loaded(str(path), str(path))
    systems = {name: value for name, value in vars(loaded).items() if isinstance(value, System)}
    if not systems:
        raise OwnSystemError(str(path), _objects_of(loaded, System))
    _own_places.update({system.name: f"{path}:{name}" for name, system in systems.items()})
    return systems


def _objects_of(loaded: ModuleType, kind: type, wanted: str = "") -> str:
    """The objects of a kind in a module, as text."""
    names = [name for name, value in vars(loaded).items() if isinstance(value, kind)]
    none = f"there is none; write NAME = {kind.__name__}(...)"
    return f"there is {', '.join(names)}{similar(wanted, names)}" if names else none


def _loaded(module: str, place: str, kind: type = System) -> ModuleType:
    """The module of a user's system, loaded once.

    Raises:
        OwnSystemError: there is no such file or module.
        SpecError: it raises an exception.
    """
    wanted = kind.__name__.lower()
    return _from_file(Path(module), place, wanted) if module.endswith(".py") else _from_name(module, place, wanted)


def _from_name(module: str, place: str, wanted: str) -> ModuleType:
    # As with `python -m`: what lies in the current directory can be named.
    sys.path.insert(0, str(Path.cwd()))
    try:
        with authored(Source(module, 1)):
            loaded = importlib.import_module(module) if _is_there(module) else None
    finally:
        sys.path.pop(0)
    if loaded is None:
        raise OwnSystemError(place, f"there is no module '{module}'", wanted)
    return loaded


def _is_there(module: str) -> bool:
    names = module.split(".")
    if not all(names):
        return False
    # Step by step: a package that there is not is no error of the author's, one that cannot be imported is.
    return all(importlib.util.find_spec(".".join(names[: i + 1])) is not None for i in range(len(names)))


_files: Final[dict[Path, tuple[bytes, ModuleType]]] = {}


def _from_file(path: Path, place: str, wanted: str) -> ModuleType:
    try:
        text = path.read_bytes()
    except OSError as problem:
        raise OwnSystemError(place, f"{path} cannot be read: {problem.strerror or problem}", wanted) from problem
    resolved = path.resolve()
    if resolved in _files and _files[resolved][0] == text:
        return _files[resolved][1]
    name = _module_name(resolved)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None, path
    module = importlib.util.module_from_spec(spec)
    # Dataclasses and enumerations look up their module by its name.
    sys.modules[name] = module
    # As with `python file.py`: what lies beside the file can be imported.
    sys.path.insert(0, str(resolved.parent))
    try:
        with authored(Source(str(path), 1)):
            spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    finally:
        sys.path.remove(str(resolved.parent))
    _files[resolved] = (text, module)
    return module


def _module_name(path: Path) -> str:
    """The file's name, unless a module has it: `queue.py` of one's own does not take the place of Python's."""
    known = sys.modules.get(path.stem)
    is_own = known is not None and path in _files and _files[path][1] is known
    is_free = known is None and path.stem not in sys.stdlib_module_names
    return path.stem if is_own or is_free else f"own_{path.stem}"


def chosen(text: str) -> tuple[System, Sequence[Configuration]]:
    """The instances that `SYSTEM` or `SYSTEM:CONFIGURATION` names: a system and one configuration, or all that are not
    on demand.

    Raises:
        UnknownSystemError: there is no such system.
        OwnSystemError: a place is named where there is none.
        ConfigurationError: the system has no such configuration, or all are on demand.
    """
    system, configuration = found(text)
    if configuration:
        return system, [system.configuration(configuration)]
    return system, system.every_time
