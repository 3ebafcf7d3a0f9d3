"""Judges mutants of a system's properties with its declared faults and mutants of its actions, and records the results.

`genstamp mutate SYSTEM --properties --keep` writes spec/mutants/properties.json. Not here: what a mutant of a property
is, and when it is noticed (`genstamp_model.mutate.claims`).
"""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from genstamp.judging import in_order
from genstamp.mutation import MUTANTS, KeptError
from genstamp.progress import each_minute
from genstamp_model.language import System
from genstamp_model.mutate import mutants
from genstamp_model.mutate.claims import STRONGER, WEAKER, ClaimJudging, claim_mutants

PROPERTIES: Final = MUTANTS / "properties.json"
FAULTS: Final = 60
"""How many mutants of actions are drawn as faults by default."""

_MOST_STATES: Final = 500_000
"""Limit of states in the search of a fault."""


class Claims(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The results for the mutants of a system's properties.

    Attributes:
        digest: SHA-256 of the model's text, as in spec.lock.
        declared: the number of declared faults, each tried in its configuration.
        drawn, seed: the number of mutants of actions that were drawn as faults, and the seed.
        configurations: where the unchanged system was searched.
        mutants: the number of mutants of each kind.
        noticed: the number of noticed mutants of each kind.
        unnoticed: the change of each unnoticed mutant, by kind.
    """

    digest: str
    declared: int
    drawn: int
    seed: int
    configurations: list[str]
    mutants: dict[str, int]
    noticed: dict[str, int]
    unnoticed: dict[str, list[str]]

    def lines(self) -> Iterator[str]:
        """The results in lines of text."""
        faults = f"{self.declared} declared faults and {self.drawn} mutants of actions, seed {self.seed}"
        meaning = {WEAKER: f"miss one of {faults}", STRONGER: "are broken by the system itself"}
        for kind, said in meaning.items():
            yield f"{self.noticed[kind]} of {self.mutants[kind]} {kind} properties {said}"
        for kind in meaning:
            for change in self.unnoticed[kind]:
                yield f"  not noticed: {change}"


def judge_claims(repository: Path, system: System, drawn: int, seed: int) -> Claims:
    """Judge the mutants of a system's properties.

    Args:
        repository: the repository whose spec.lock has the number of states of each configuration; the cheap ones are
            searched.
        system: the system whose properties are changed.
        drawn: how many mutants of actions are drawn as faults.
        seed: the seed of the draw.

    Raises:
        ConfigurationError: the configuration of a declared fault does not exist.
    """
    model, show = system.model(), each_minute()
    cheap, dear = in_order(repository, model, [one for one in system.configurations if not one.on_demand], None)
    searched = cheap or dear[:1]
    changed = claim_mutants(model)
    judging = ClaimJudging(changed)
    variants, *_ = [judging.held(model, one) for one in searched]
    declared = [one for one in system.variations if one.breaks]
    for i, fault in enumerate(declared, 1):
        where = system.configuration(fault.configuration or None)
        judging.fault(system.model(bugs=[fault.name]), where, fault.name, _MOST_STATES)
        show(f"declared faults: {i} of {len(declared)}")
    every = [one for one in mutants(model) if one.action]
    faults = random.Random(seed).sample(every, min(drawn, len(every)))
    for i, one in enumerate(faults, 1):
        judging.mutant(variants, one, _MOST_STATES)
        show(f"mutants of actions: {i} of {len(faults)}")
    kinds = (WEAKER, STRONGER)
    noticed = judging.noticed
    return Claims(
        digest=model.digest,
        declared=len(declared),
        drawn=len(faults),
        seed=seed,
        configurations=[one.name for one in searched],
        mutants={kind: sum(one.kind == kind for one in changed) for kind in kinds},
        noticed={kind: sum(one.kind == kind for one in noticed) for kind in kinds},
        unnoticed={kind: [str(one) for one in changed if one.kind == kind and one not in noticed] for kind in kinds},
    )


def kept_claims(repository: Path) -> dict[str, Claims]:
    """The recorded results by system; empty if there are none.

    Raises:
        KeptError: the file cannot be read or has another format.
    """
    path = repository / PROPERTIES
    if not path.exists():
        return {}
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Claims])
    except (OSError, msgspec.MsgspecError) as problem:
        raise KeptError(path, str(problem)) from problem


def keep_claims(repository: Path, system: str, claims: Claims) -> Path:
    """Record the results of a system in place of its former ones; returns the path of the file."""
    path = repository / PROPERTIES
    path.parent.mkdir(parents=True, exist_ok=True)
    found = dict(sorted((kept_claims(repository) | {system: claims}).items()))
    path.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
    return path
