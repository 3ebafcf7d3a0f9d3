"""What the calls of a run may name, whatever the protocol.

Not here: what a run does with the names.
"""

from collections.abc import Mapping, Sequence

from genstamp_dfs.errors import ConfigurationError, UnknownNameError, WrongArgumentsError
from genstamp_dfs.hdfs.protocol import NAMENODE, Semantics

Arguments = Mapping[str, tuple[str, ...]]


def check_files(files: Sequence[str], clients: Sequence[str]) -> None:
    """Raise ConfigurationError unless there are files, each once, and clients."""
    if not files or not clients or len(set(files)) != len(files):
        raise ConfigurationError(f"files are {list(files)} and clients {list(clients)}, accepted: 1 or more, each once")


def check_nodes(clients: Sequence[str], datanodes: Sequence[str]) -> None:
    """Raise ConfigurationError unless there are datanodes, and each node has a name of its own."""
    names = [*clients, *datanodes, NAMENODE]
    if len(set(names)) != len(names):
        raise ConfigurationError(f"node names are {names}, accepted: each once, and {NAMENODE!r} for the namenode")
    if not datanodes:
        raise ConfigurationError("there are no datanodes, accepted: 1 or more")


def semantics_named(name: str) -> Semantics:
    """The semantics of a name.

    Raises:
        ConfigurationError: there is none.
    """
    accepted = [choice.value for choice in Semantics]
    if name not in accepted:
        raise ConfigurationError(f"semantics is {name!r}, accepted: {', '.join(accepted)}")
    return Semantics(name)


def check_call(
    event: str,
    arguments: Mapping[str, str],
    accepted: Arguments,
    known: Mapping[str, Sequence[str]],
    optional: frozenset[str] = frozenset(),
) -> None:
    """Check that an event is known, and that its arguments are those that it has.

    Args:
        event, arguments: the call.
        accepted: the events, with the names of their arguments.
        known: what an argument may name.
        optional: arguments that may be missing.

    Raises:
        UnknownNameError: there is no such event, or an argument names nothing that there is.
        WrongArgumentsError: an argument is missing or too many.
    """
    if event not in accepted:
        raise UnknownNameError("event", event, accepted)
    if set(arguments) - optional != set(accepted[event]):
        raise WrongArgumentsError(event, arguments, accepted[event])
    for argument, name in arguments.items():
        if name not in known[argument]:
            raise UnknownNameError(argument, name, known[argument])
