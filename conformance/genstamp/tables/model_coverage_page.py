"""The page of model coverage: how much of each system implementations have been led to, and what is left.

Leaves out the walks, which take minutes: what they reached is kept (`genstamp.walk.kept`).
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from genstamp.systems import system_named
from genstamp.walk import kept, random_runs
from genstamp.walk.kept import Kept, Left
from genstamp.walk.random_runs import Recorded

_BEGINNING: Final = """# How much of the model the implementation has been led to

Made by `genstamp tables` from `spec/walks/`, which `genstamp conform --walk --keep` writes; a test walks again and
compares. A *walk* goes through every state of a small configuration of a system, and then leads the reference
implementation by shortest ways to each *abstract transition* of it, one run after the other, in lockstep with the
model: each step that it takes is judged, as in `genstamp conform`.

An abstract transition is an action, or the check that refuses it; the lifecycle states, before and after, of the
entities that its arguments name; and how their stamps, and their lengths, compare before it. It was reached *for
certain* if a step was that transition in whatever state the run can have been, *perhaps* if it was in some of them.
The models know no times. What HDFS' usual ones do not allow, such as a recovery that is young still when the hard limit
passes, is walked to with others.

The last column says whether the model's steps, and what they show, are those that were walked; its claims may have
changed.
"""
_OF_APACHE: Final = """Walked by `python adapters/apache-hdfs/run.py --release {release} --keep-walks`, under the
semantics that the release is held against, which have other abstract transitions than `repaired`.
"""
_RANDOM: Final = """Random runs, made by `python adapters/apache-hdfs/run.py --release {release} --minutes N`, in
slices of a seed each:
"""


def page(systems: Sequence[str], repository: Path) -> str:
    """The page as Markdown.

    Args:
        systems: names of the systems that can be walked.
        repository: its root.

    Raises:
        KeptWalksError: what is kept cannot be read.
        RandomRunsError: what is recorded of random runs cannot be read.
    """
    there = _kept(systems, repository)
    releases = {release: _kept(walked, repository, release) for release, walked in kept.of_apache(repository).items()}
    lines = [_BEGINNING, *_table(there)]
    missing = [system for system in systems if system not in there]
    if missing:
        lines += [f"Not walked: {', '.join(missing)}.", ""]
    made = {release: random_runs.read(repository, release) for release in random_runs.releases(repository)}
    for release in sorted({*releases, *made}):
        lines += [f"## Apache HDFS {release}", ""]
        if release in releases:
            lines += [_OF_APACHE.format(release=release), *_table(releases[release])]
        if release in made:
            lines += [_RANDOM.format(release=release), *_random_table(made[release])]
    for system, one in there.items():
        lines += _section(system, one)
    for release, of_apache in releases.items():
        for system, one in of_apache.items():
            lines += _section(f"{system} on Apache HDFS {release}", one)
    return "\n".join(lines)


def _kept(systems: Sequence[str], repository: Path, release: str | None = None) -> dict[str, Kept]:
    found = {system: kept.read(repository, system, release) for system in systems}
    return {system: one for system, one in found.items() if one is not None}


def _table(found: Mapping[str, Kept]) -> Iterator[str]:
    yield "| system | configuration | states | abstract transitions | for certain | perhaps too | left | its steps |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |"
    for system, one in found.items():
        steps = _steps(system, one)
        for name, walk in one.walks.items():
            perhaps, left = walk.possible - walk.certain, walk.transitions - walk.possible
            share = f"{walk.certain:,} ({walk.certain / walk.transitions:.1%})"
            counts = f"{walk.states:,} | {walk.transitions:,} | {share} | {perhaps} | {left}"
            yield f"| {system} | {name} | {counts} | {steps} |"
        if len(one.walks) > 1:
            share = f"{one.certain:,} ({one.certain / one.transitions:.1%})"
            left = one.transitions - one.certain
            yield f"| {system} | **all of these** | | {one.transitions:,} | **{share}** | | {left} | {steps} |"
    yield ""


def _random_table(found: Mapping[str, Recorded]) -> Iterator[str]:
    yield "| system | semantics | slices | runs | events | minutes | that do not conform | undetermined | its steps |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |"
    for system, one in found.items():
        runs, events = sum(some.runs for some in one.slices), sum(some.events for some in one.slices)
        verdicts = Counter(some.verdict for some in one.slices)
        counts = f"{len(one.slices)} | {runs:,} | {events:,} | {sum(some.seconds for some in one.slices) / 60:.1f}"
        told = f"{verdicts['rejected']} | {verdicts['undetermined']}"
        yield f"| {system} | {one.semantics} | {counts} | {told} | {_steps(system, one)} |"
    yield ""


def _steps(system: str, one: Kept | Recorded) -> str:
    """Whether the model's steps are those that were walked or run."""
    return "as they are" if _digest(system, one.semantics) == one.digest else "changed since"


@cache
def _digest(system: str, semantics: str) -> str:
    return system_named(system).model(semantics).digest_of_steps


def _section(title: str, one: Kept) -> Iterator[str]:
    yield f"## {title}"
    yield ""
    yield f"Semantics {one.semantics}. What was not reached for certain, by where the implementation did not follow:"
    yield ""
    for name, walk in one.walks.items():
        limits = {**walk.sizes, **walk.limits}
        yield f"### {title}, {name}"
        yield ""
        yield f"{', '.join(f'{what} {size}' for what, size in limits.items())}."
        yield ""
        by_reason: defaultdict[tuple[str, str], list[Left]] = defaultdict(list)
        for left in walk.left:
            by_reason[left.call.partition("(")[0], left.why].append(left)
        if not by_reason:
            yield "Everything was reached."
            yield ""
        for (action, why), some in sorted(by_reason.items(), key=lambda item: (-len(item[1]), item[0])):
            yield f"- {len(some)} at `{action}`: {why}. For instance:"
            for left in some[: kept.TOLD_OF_A_REASON]:
                yield f"    - {left.transition}; way: {', '.join(f'`{call}`' for call in left.path)}"
        if by_reason:
            yield ""
