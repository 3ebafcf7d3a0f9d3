"""The systems that the command line knows, by name, and what is written after a name."""

from collections.abc import Sequence
from typing import Final

from genstamp.errors import GenstampError
from genstamp_model.language import Configuration, System
from genstamp_spec.hdfs.systems.recovery import RECOVERY

SYSTEMS: tuple[System, ...] = (RECOVERY,)

_PLACES: Final = {RECOVERY.name: "genstamp_spec.hdfs.systems.recovery:RECOVERY"}


class UnknownSystemError(GenstampError):
    """There is no system of this name.

    Attributes:
        name: what was asked for.
    """

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no system '{name}'; there is {', '.join(system.name for system in SYSTEMS)}")
        self.name = name


def system_named(name: str) -> System:
    """A system by its name.

    Raises:
        UnknownSystemError: there is none.
    """
    for system in SYSTEMS:
        if system.name == name:
            return system
    raise UnknownSystemError(name)


def place_of(name: str) -> str:
    """Where a system is declared, as "module:NAME"."""
    return _PLACES[name]


def chosen(text: str) -> tuple[System, Sequence[Configuration]]:
    """What `SYSTEM` or `SYSTEM:CONFIGURATION` names: a system and one configuration, or all that are not on demand.

    Raises:
        UnknownSystemError: there is no such system.
        ConfigurationError: the system has no such configuration.
    """
    name, _, configuration = text.partition(":")
    system = system_named(name)
    if configuration:
        return system, [system.configuration(configuration)]
    return system, [one for one in system.configurations if not one.on_demand]
