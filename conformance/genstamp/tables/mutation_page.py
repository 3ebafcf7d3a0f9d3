"""The page of mutation: which changes of what a system does, and of what it claims, are noticed.

Not here: judging mutants, which takes too long to be done for a page: it shows what `genstamp mutate --keep` found.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from genstamp.claim_mutants import Claims, kept_claims
from genstamp.drawing import Draw, figures, kept_draw
from genstamp.lock import Lock
from genstamp.mutation import ALIKE, PROVED, SAME, Sample, kept, reviewed
from genstamp.systems import PLACES
from genstamp.tables import markdown
from genstamp_model.mutate.claims import STRONGER, WEAKER
from genstamp_model.mutate.judging import LOCK

_BEGINNING: Final = """\
# Mutation testing of the specification

Made by `genstamp tables` from the results in [spec/mutants](../spec/mutants).

`genstamp mutate` changes every check, effect, constant and comparison of a system once, and runs the checks on each
such mutant. A mutant that no check notices either changes nothing, or breaks a promise that the specification does not
make.
"""

_COUNTED: Final = """\
## What is counted

- *Drawn*: the number of mutants of a system that were drawn, by a seed, of all its mutants. The configurations in which
  they were judged are listed below.
- *No other program*: in each of these configurations the mutant compiles to the same program as the specification, so
  no search there can notice it.
- *Proved* to change nothing: under the proved invariants, each step of the mutant is the step of the specification, for
  stamps and lengths of any size. The proof is tried for mutants that survive in a small configuration.
- *Alike*: a mutant in none of the groups above whose steps equal the specification's in every reached state of every
  configuration searched. It reaches the same states by the same steps, so no search there can notice it. This is not a
  proof: a larger configuration may show a difference.
- *Reviewed*: no check notices the mutant, and a reader has stated why the change is harmless. The reasons are
  [below](#reviewed).
- *By claims*: a claim of the specification does not hold for the mutant in some configuration. A claim is one of these:
  an invariant, a transition property, a leads-to or the range of a number; an action, a refusal or a witness is reached
  (coverage); an action changes a variable, takes an edge of a lifecycle, or never leaves the state unchanged (effects);
  a step moves an entity along its lifecycle; a call has one outcome, except where
  [leaves_open.py](../spec/genstamp_spec/leaves_open.py) says otherwise (answers); a property is inductive, with numbers
  of any size (proofs); a system below refines the system.
  Coverage and effects require of the mutant what the unchanged text shows.
- *By the lock alone*: all claims hold in every cheap configuration, but the states, steps, levels or refusals differ
  from spec.lock.
- *Rate by claims* and *rate*: the share noticed by claims, and the share noticed by anything. Mutants that are no other
  program, proved, alike or reviewed are not counted. A row is as old as its sample: later claims and judges may notice
  more, and samples from before the group *alike* existed count alike mutants as survivors.
- *Of the text*: whether the system is unchanged or has changed since it was sampled.

## The systems
"""

_AGAIN: Final = """\
## To sample again

```console
$ genstamp mutate --all --sample 1000 --seed 18 --keep
$ genstamp mutate hdfs.recovery --sample 60 --seed 3 --keep
$ genstamp mutate hdfs.recovery --properties --keep
$ genstamp tables
```

The sample across all systems is saved after each system, and the same command resumes it. A larger sample with the same
seed contains the smaller one, even after the text has changed. Configurations are searched in order of size, the
smallest first. Configurations with more than two hundred thousand states are searched only for mutants that are neither
noticed by then nor proved to change nothing, and only if the configuration shows a difference for the mutant. To
strengthen the specification, start with the survivors: for each one either add it to its system's list of reviewed
mutants with a reason, or add the missing property, witness or configuration. `--mutant NAME` judges one mutant again.
On a busy machine `--most-states N` skips large configurations; `--again` runs them later, and runs claims added since,
on the mutants that no claim has noticed. `--all --again` does this for the sample across all systems.
"""


def page(lock: Lock, repository: Path) -> str:
    """The page as Markdown."""
    samples = {name: kept(repository, name) for name in PLACES}
    reasons = {name: reviewed(repository, name) for name in PLACES}
    lines = [
        _BEGINNING,
        *_across(repository, reasons),
        _COUNTED,
        *markdown.table("system", _HEAD, _rows(samples, reasons, lock)),
        "",
        *_not_sampled(samples),
        *_judged_in(samples),
        _AGAIN,
        "## Survivors",
        "",
        *(_survivors(samples, reasons) or ["None.", ""]),
        "## Reviewed",
        "",
        *_reviewed(samples, reasons),
    ]
    return "\n".join(lines)


_HEAD: Final = (
    *("drawn", "seed", "by claims", "rate by claims", "by the lock alone", "noticed", "rate", "survive"),
    *("no other program", "proved", "alike", "reviewed", "of the text"),
)


def _across(repository: Path, reasons: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """The figures of the draw across all systems, and those of mutants of properties."""
    draw = kept_draw(repository)
    if draw is not None:
        found = figures(draw, reasons)
        yield f"Seed {draw.seed} drew {draw.size:,} of {draw.of:,} mutants of actions, each with the same probability."
        yield f"{found.judged:,} of them, in {len(draw.samples)} systems, have been judged:"
        yield ""
        yield from (f"- {line.strip()}" for line in found.lines())
        yield ""
        yield "A survivor may still be noticed in a larger configuration: `--most-states` skips those with more states,"
        yield "and spec/mutants/drawn.json lists the ones that were searched. A mutant that a claim has noticed is not"
        yield "judged again when the text changes. No claim notices these:"
        yield ""
        yield from _unclaimed(draw, reasons)
        yield ""
    kept_ = kept_claims(repository)
    if kept_:
        yield from (_PROPERTIES, *markdown.table("system", _PROPERTY_HEAD, _property_rows(kept_)), "")


def _unclaimed(draw: Draw, reasons: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """The mutants of the sample that survive, or differ in no reached state, and those that only the lock has
    noticed.
    """
    for system, sample in draw.samples.items():
        said = dict.fromkeys(sample.survivors(reasons[system]), "survives")
        said |= {name: "alike" for name, one in sample.outcomes.items() if one.found == ALIKE}
        said |= {name: "by the lock" for name, one in sample.outcomes.items() if one.by == LOCK}
        yield from (f"- {system}, `{name}`, {said[name]}: {sample.outcomes[name].change}" for name in sorted(said))


_PROPERTIES: Final = """\
## Mutants of properties

`genstamp mutate SYSTEM --properties` leaves out one part of an invariant or a transition property. A *weaker* property
is noticed where it misses a fault that the property catches: one that the system declares, or a mutant of an action. A
*stronger* one is noticed where the system itself breaks it. What is not noticed is a part that none of these faults
needs, or a property that could claim more; spec/mutants/properties.json lists them. Witnesses, leads-to properties and
refinements are not changed.
"""

_PROPERTY_HEAD: Final = ("weaker", "noticed", "stronger", "noticed ", "declared faults", "mutants of actions", "seed")


def _property_rows(kept_: Mapping[str, Claims]) -> dict[str, Sequence[str]]:
    return {
        name: (
            *(str(one) for kind in (WEAKER, STRONGER) for one in (found.mutants[kind], found.noticed[kind])),
            *map(str, (found.declared, found.drawn, found.seed)),
        )
        for name, found in kept_.items()
    }


def _rows(
    samples: Mapping[str, Sequence[Sample]], reasons: Mapping[str, Mapping[str, str]], lock: Lock
) -> dict[str, Sequence[str]]:
    found: dict[str, Sequence[str]] = {}
    for name, some in samples.items():
        for i, sample in enumerate(some):
            # The second sample of a system has a row of its own, whose name need not be said again.
            found[name if i == 0 else f"{name}, again" if i == 1 else f"{name}, {i + 1}"] = _cells(
                sample, reasons[name], _digest(lock, name, sample.semantics)
            )
    return found


def _digest(lock: Lock, system: str, semantics: str) -> str | None:
    entry = lock[system].semantics.get(semantics) if system in lock else None
    return entry.digest if entry else None


def _cells(sample: Sample, reasons: Mapping[str, str], digest: str | None) -> tuple[str, ...]:
    noticed, survivors, rate = sum(sample.by_judge.values()), sample.survivors(reasons), sample.kill_rate(reasons)
    drawn = len(sample.outcomes)
    aside = [sample.count(found) for found in (SAME, PROVED, ALIKE)]
    unnoticed = drawn - noticed - sum(aside)
    return (
        f"all {drawn:,}" if sample.seed is None else f"{drawn} of {sample.of:,}",
        "" if sample.seed is None else str(sample.seed),
        str(noticed - sample.by_lock_alone),
        _percent(sample.claim_rate(reasons)),
        str(sample.by_lock_alone),
        str(noticed),
        _percent(rate),
        str(len(survivors)),
        *map(str, aside),
        str(unnoticed - len(survivors)),
        "as it is" if digest == sample.digest else "changed since",
    )


def _percent(rate: float | None) -> str:
    return "none" if rate is None else f"{100 * rate:.1f} %"


def _not_sampled(samples: Mapping[str, Sequence[Sample]]) -> Iterator[str]:
    names = [name for name, some in samples.items() if not some]
    if names:
        yield from (f"Not sampled: {', '.join(names)}.", "")


def _judged_in(samples: Mapping[str, Sequence[Sample]]) -> Iterator[str]:
    yield from ("Configurations that were searched for mutants that were not noticed before:", "")
    for name, some in samples.items():
        for sample in some:
            seed = "" if sample.seed is None else f", seed {sample.seed}"
            yield f"- {name}{seed}: {', '.join(sample.configurations)}"
    yield ""


def _survivors(samples: Mapping[str, Sequence[Sample]], reasons: Mapping[str, Mapping[str, str]]) -> list[str]:
    found = {
        (system, name): sample.outcomes[name].change
        for system, some in samples.items()
        for sample in some
        for name in sample.survivors(reasons[system])
    }
    return [*(f"- {system}, `{name}`: {change}" for (system, name), change in found.items()), ""] if found else []


def _reviewed(samples: Mapping[str, Sequence[Sample]], reasons: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Every reason, with what is changed where a kept sample tells it."""
    for system, known in reasons.items():
        changes = {name: one.change for sample in samples[system] for name, one in sample.outcomes.items()}
        for name, reason in known.items():
            yield f"- {system}, `{name}`" + (f" ({changes[name]})" if name in changes else "") + f": {reason}"
    yield ""
