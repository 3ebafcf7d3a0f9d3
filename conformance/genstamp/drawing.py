"""A sample of the mutants of all systems, each with the same chance, which can be enlarged and resumed.

`genstamp mutate --all --keep` writes spec/mutants/drawn.json after each system; a system whose text has changed since
is judged again. Not here: judging.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from genstamp.mutation import ALIKE, MUTANTS, NOTICED, PROVED, SAME, KeptError, Sample
from genstamp_model.mutate.report import percent

DRAWN: Final = MUTANTS / "drawn.json"


class Draw(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A sample across systems.

    Attributes:
        seed: by which it was drawn.
        of: mutants of all systems together.
        size: how many of them were drawn.
        samples: what was drawn of each system, by its name; only those that have been judged.
    """

    seed: int
    of: int
    size: int = 0
    samples: dict[str, Sample]

    def with_sample(self, system: str, sample: Sample) -> "Draw":
        """The draw, in which this is what became of the mutants of one system."""
        return msgspec.structs.replace(self, samples=self.samples | {system: sample})

    def only(self, names: Mapping[str, Collection[str]]) -> "Draw":
        """The draw without what a larger one had besides.

        Args:
            names: of the mutants that are drawn, by system.
        """
        samples = {
            system: msgspec.structs.replace(
                sample, outcomes={name: one for name, one in sample.outcomes.items() if name in names[system]}
            )
            for system, sample in self.samples.items()
            if system in names
        }
        return msgspec.structs.replace(self, samples=samples)


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """How many mutants of a draw were noticed.

    Attributes:
        judged: mutants that were drawn and judged.
        counted: those that change something that is reached, and are not reviewed.
        by_claims: noticed by what the specification claims, of those counted.
        noticed: noticed by a claim or by the numbers in the lock.
        same, proved, alike, reviewed: mutants left out: no other program, proved to change nothing, no difference is
            reached, reviewed.
        by_judge: those noticed, by the judge that noticed them: the lock where no claim did.
    """

    judged: int
    counted: int
    by_claims: int
    noticed: int
    same: int
    proved: int
    alike: int
    reviewed: int
    by_judge: dict[str, int]

    def lines(self) -> Iterator[str]:
        """The figures in lines, that by claims first."""
        of = self.counted
        yield f"{self.by_claims} of {of} mutants ({percent(self.by_claims, of)}) are noticed by a claim"
        yield f"{self.noticed} of {of} ({percent(self.noticed, of)}) by a claim or by the numbers in the lock"
        left = self.judged - self.counted
        yield (
            f"{left} of {self.judged} judged are left out: {self.same} are no other program, {self.proved} are proved "
            f"to change nothing, {self.alike} differ in no state that is reached, {self.reviewed} were reviewed"
        )
        if self.alike:
            many = of + self.alike
            rates = f"{percent(self.by_claims, many)} by a claim, {percent(self.noticed, many)} in all"
            yield f"if those {self.alike} counted as survivors, it would be {rates}"
        for name, count in self.by_judge.items():
            yield f"  noticed by {name}: {count} ({percent(count, self.counted)})"


def figures(draw: Draw, reviewed: Mapping[str, Mapping[str, str]]) -> Figures:
    """The figures of a draw.

    Args:
        reviewed: by system the mutants that were reviewed and change nothing that matters.
    """
    samples = draw.samples.items()
    judged = sum(len(one.outcomes) for _, one in samples)
    same, proved, alike = (sum(one.count(found) for _, one in samples) for found in (SAME, PROVED, ALIKE))
    noticed = sum(one.count(NOTICED) for _, one in samples)
    survivors = sum(len(one.survivors(reviewed.get(name, {}))) for name, one in samples)
    by_judge = sum((one.by_judge for _, one in samples), Counter[str]())
    return Figures(
        judged=judged,
        counted=noticed + survivors,
        by_claims=noticed - sum(one.by_lock_alone for _, one in samples),
        noticed=noticed,
        same=same,
        proved=proved,
        alike=alike,
        reviewed=judged - same - proved - alike - noticed - survivors,
        by_judge=dict(by_judge.most_common()),
    )


def names_drawn(
    names: Mapping[str, Sequence[str]], size: int | None, seed: int, before: Mapping[str, Collection[str]]
) -> dict[str, list[str]]:
    """Which mutants of each system are drawn, each of all with the same chance.

    Whether one is drawn depends on its own name, so that a draw can be enlarged after the text has changed elsewhere: a
    larger one by the same seed has the smaller one in it, and what was drawn before stays drawn while there is room.

    Args:
        names: of all mutants, by system.
        size: how many are drawn; None for all.
        seed: by which they are drawn.
        before: names of those that were drawn before by this seed.
    """

    def place(one: tuple[str, str]) -> tuple[bool, bytes]:
        system, name = one
        return name not in before.get(system, ()), sha256(f"{seed} {system} {name}".encode()).digest()

    every = [(system, name) for system, some in names.items() for name in some]
    drawn = set(sorted(every, key=place)[:size])
    found = {system: [name for name in some if (system, name) in drawn] for system, some in names.items()}
    return {system: some for system, some in found.items() if some}


def kept_draw(repository: Path) -> Draw | None:
    """The draw that is kept; None if there is none.

    Raises:
        KeptError: the file holds something else.
    """
    path = repository / DRAWN
    if not path.exists():
        return None
    try:
        return msgspec.json.decode(path.read_bytes(), type=Draw)
    except (OSError, msgspec.MsgspecError) as problem:
        raise KeptError(path, str(problem)) from problem


def keep_draw(repository: Path, draw: Draw) -> None:
    """Keep a draw in place of the former one."""
    path = repository / DRAWN
    path.parent.mkdir(parents=True, exist_ok=True)
    before = path.with_suffix(".part")
    before.write_bytes(msgspec.json.format(msgspec.json.encode(draw), indent=1) + b"\n")
    before.replace(path)
