"""spec.lock: the results of all checks in every configuration, kept under version control.

A change of a specification changes these results. `genstamp verify` fails until the lock is rewritten on purpose with
`genstamp lock --write`, so that the change is seen in the diff: states that appear or vanish, properties that no longer
hold or are no longer checked, a released version's known violation that is not found again.

Not here: how things are found (`genstamp.verify`), and times: they are the machine's, not the specification's.
"""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from genstamp.errors import LockError

VIOLATED: Final = "violated"
"""How the verdict of a property that breaks begins."""

_VERSION: Final = 2

T = TypeVar("T")


class SearchEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The results of the search of one configuration.

    Attributes:
        sizes: members of each index set.
        limits: largest value of each limit.
        distinct: distinct states.
        generated: the initial state and every step taken.
        depth: most steps on a shortest path to a state.
        cut: steps that each limit cut off.
        properties: verdict by name; a violation and a witness with the steps that it takes.
        missing: actions never taken and refusals never given here, as `genstamp.coverage` names them, sorted.
    """

    sizes: dict[str, int]
    limits: dict[str, int]
    distinct: int
    generated: int
    depth: int
    cut: dict[str, int]
    properties: dict[str, str]
    missing: list[str] = []


class AgreedEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """Agreement of other checkers in one configuration; recorded because it takes too long to run them every time.

    Attributes:
        digest: of the model that they were asked about.
        distinct: distinct states.
        peers: versions of those that agreed, by name.
        limits: those that are other ones than the configuration's, where it is too large for them.
        texts: SHA-256 of the whole text that each was given, by its name; empty in records of before it was kept.
    """

    digest: str
    distinct: int
    peers: dict[str, str]
    limits: dict[str, int] = {}
    texts: dict[str, str] = {}


class SemanticsEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A system under one semantics.

    Attributes:
        digest: SHA-256 of the traced model's text.
        searches: by name of the configuration.
        agreed: likewise, of what `genstamp agree --keep` was asked for.
    """

    digest: str
    searches: dict[str, SearchEntry] = {}
    agreed: dict[str, AgreedEntry] = {}


class VariationEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """How a variation is caught: a historic fault, a hole of a released version, or what one does otherwise.

    Attributes:
        breaks: the property that is seen to break first; none where nothing breaks.
        shows: what is seen instead, as `genstamp.coverage` names it.
        configuration: where.
        depth: steps of the shortest counterexample, or to the witness that is shown; 0 for a lasso, which need not be a
            shortest one, and where a step or a refusal is shown.
        distinct: distinct states that the search saw until then.
        digest: of the model with it.
    """

    breaks: str
    shows: str = ""
    configuration: str
    depth: int
    distinct: int
    digest: str


class SystemEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All that is locked of one system.

    Attributes:
        semantics: by name.
        variations: bugs, holes and differences, by name.
        proved: the properties that are proved by induction, and relative to which others.
        for_any_size: those that are proved so for any size of every index set; none where the model has what such a
            proof cannot mention.
    """

    semantics: dict[str, SemanticsEntry] = {}
    variations: dict[str, VariationEntry] = {}
    proved: dict[str, list[str]] = {}
    for_any_size: dict[str, list[str]] = {}


Lock = dict[str, SystemEntry]
"""The entries of the lock, by name of the system."""


class _File(msgspec.Struct, forbid_unknown_fields=True):
    version: int
    systems: Lock


def read(path: Path) -> Lock:
    """The lock in a file.

    Raises:
        LockError: there is no such file, or it holds no lock.
    """
    try:
        file = msgspec.json.decode(path.read_bytes(), type=_File)
    except FileNotFoundError as problem:
        raise LockError(path, "it does not exist; `genstamp lock --write` writes it") from problem
    except (OSError, msgspec.MsgspecError) as problem:
        raise LockError(path, str(problem)) from problem
    if file.version != _VERSION:
        raise LockError(path, f"its version is {file.version}; expected {_VERSION}")
    return file.systems


def write(path: Path, lock: Lock) -> None:
    """Write a lock: JSON, sorted, a line for each value."""
    path.write_bytes(text(lock).encode())


def text(lock: Lock) -> str:
    """The text of the lock file.

    >>> text({"two_phase": SystemEntry()}).splitlines()[2]
    '  "two_phase": {'
    """
    plain = {"version": _VERSION, "systems": msgspec.to_builtins(lock)}
    return msgspec.json.format(msgspec.json.encode(plain, order="sorted"), indent=1).decode() + "\n"


def merged(parts: Iterable[Lock]) -> Lock:
    """One lock of several, each with a part of what was found."""
    whole: dict[str, Any] = {}
    for part in parts:
        _merge(whole, msgspec.to_builtins(part))
    return msgspec.convert(whole, Lock)


def _merge(into: dict[str, Any], part: Mapping[str, Any]) -> None:
    for name, value in part.items():
        if isinstance(value, dict) and isinstance(into.get(name), dict):
            _merge(into[name], value)
        else:
            assert name not in into or into[name] == value, (name, into[name], value)
            into[name] = value


def common(locked: Lock, found: Lock) -> Lock:
    """The part of a lock that can be compared with the results of an incomplete search."""
    return {
        name: SystemEntry(
            semantics={
                semantics: SemanticsEntry(
                    digest=entry.digest,
                    searches=_known(entry.searches, found[name].semantics[semantics].searches),
                    agreed=_known(entry.agreed, found[name].semantics[semantics].agreed),
                )
                for semantics, entry in _known(system.semantics, found[name].semantics).items()
            },
            variations=_known(system.variations, found[name].variations),
            proved=_known(system.proved, found[name].proved),
            for_any_size=_known(system.for_any_size, found[name].for_any_size),
        )
        for name, system in _known(locked, found).items()
    }


def _known(entries: Mapping[str, T], names: Collection[str]) -> dict[str, T]:
    return {name: entry for name, entry in entries.items() if name in names}


def carrying(found: Lock, locked: Lock) -> Lock:
    """The results, with the agreements that a lock records for the same models and counts."""
    carried: Lock = {}
    for name, system in found.items():
        before = locked[name].semantics if name in locked else {}
        semantics = {
            which: msgspec.structs.replace(entry, agreed=_still_agreed(entry, before[which].agreed))
            if which in before
            else entry
            for which, entry in system.semantics.items()
        }
        carried[name] = msgspec.structs.replace(system, semantics=semantics)
    return carried


def _still_agreed(entry: SemanticsEntry, agreed: Mapping[str, AgreedEntry]) -> dict[str, AgreedEntry]:
    return {
        where: one
        for where, one in agreed.items()
        if one.digest == entry.digest
        and (where not in entry.searches or bool(one.limits) or entry.searches[where].distinct == one.distinct)
    }


def agreeing(locked: Lock, system: str, semantics: str, configuration: str, entry: AgreedEntry) -> Lock:
    """The lock with what other checkers have found in one configuration.

    Raises:
        KeyError: the lock knows no such system and semantics.
    """
    before = locked[system].semantics[semantics]
    after = msgspec.structs.replace(before, agreed=before.agreed | {configuration: entry})
    known = locked[system].semantics | {semantics: after}
    return locked | {system: msgspec.structs.replace(locked[system], semantics=known)}


def without(lock: Lock, system: str, left_out: Collection[tuple[str, str]]) -> Lock:
    """The lock without what it says of some searches of a system: pairs of a semantics and a configuration."""
    if system not in lock:
        return lock
    kept = {
        name: msgspec.structs.replace(
            entry,
            searches={where: found for where, found in entry.searches.items() if (name, where) not in left_out},
        )
        for name, entry in lock[system].semantics.items()
    }
    return lock | {system: msgspec.structs.replace(lock[system], semantics=kept)}


def differences(locked: Lock, found: Lock) -> list[str]:
    """What differs between a lock and what was found, a line each; empty if nothing does.

    An entry of only one of them is a difference too, so that a property that is no longer checked is reported.

    >>> entry = VariationEntry(breaks="one_lease", configuration="one_file", depth=7, distinct=9, digest="00")
    >>> before, after = ({"leases": SystemEntry(variations={"HDFS-1": entry})}, {"leases": SystemEntry()})
    >>> differences(before, after)[2]
    'leases, HDFS-1: depth: 7 in the lock, nothing found'
    """
    before, after = _flat(msgspec.to_builtins(locked)), _flat(msgspec.to_builtins(found))
    return [
        _line(path, before.get(path), after.get(path))
        for path in sorted(before.keys() | after.keys())
        if before.get(path) != after.get(path)
    ]


def _flat(tree: Mapping[str, Any], above: tuple[str, ...] = ()) -> dict[tuple[str, ...], str]:
    found: dict[tuple[str, ...], str] = {}
    for name, value in tree.items():
        if isinstance(value, dict):
            found |= _flat(value, (*above, name))
        elif isinstance(value, list):
            found[*above, name] = f"given {', '.join(value) or 'nothing'}"
        else:
            found[*above, name] = str(value)
    return found


# These only say what kind of name comes next, and a reader knows.
_SILENT: Final = {"semantics", "searches", "variations", "properties"}
_WORDS: Final = {
    "agreed": "agreement in",
    "cut": "steps cut off by",
    "digest": "digest of the model",
    "distinct": "distinct states",
    "for_any_size": "proved for any size",
    "generated": "transitions generated",
    "limits": "limit",
    "sizes": "number of",
}
_DIGEST_SHOWN: Final = 12


def _line(path: tuple[str, ...], before: str | None, after: str | None) -> str:
    *where, what = [_WORDS.get(word, word) for word in path if word not in _SILENT]
    if path[-2] in ("cut", "limits", "proved", "for_any_size", "sizes"):
        what = f"{where.pop()} {what}"
    if path[-1] == "digest":
        before, after = before and before[:_DIGEST_SHOWN], after and after[:_DIGEST_SHOWN]
    line = f"{', '.join(where)}: {what}: {before or 'nothing'} in the lock, {after or 'nothing'} found"
    if before is not None and before.startswith(VIOLATED) and not (after or "").startswith(VIOLATED):
        line += ", so that a known violation has vanished"
    return line
