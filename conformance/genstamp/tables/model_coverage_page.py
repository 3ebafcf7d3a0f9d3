"""The pages of model coverage: how much of each system was reached on implementations, and what was not.

The walks take minutes and are not made here; their results are kept (`genstamp.walk.kept`).
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from genstamp.systems import system_named
from genstamp.walk import kept, random_runs
from genstamp.walk.kept import Kept, Left
from genstamp.walk.random_runs import Recorded

FOLDER: Final = "model-coverage"
"""Where the pages of what was not reached are, in docs."""

_BEGINNING: Final = """# How much of the model was reached

Made by `genstamp tables` from `spec/walks/`, which `genstamp conform --walk --keep` writes; a test walks again and
compares. A *walk* searches all states of a small configuration, and then drives the implementation (the reference
implementation, if no other is named) by a shortest path to each *abstract transition*, one run after the other. Every
step of a run is checked against the model, as by `genstamp conform`.

An abstract transition is an action, or a check that refuses it, together with the lifecycle states, before and after,
of the entities in its arguments, and the order of their stamps and lengths before it. It was reached *for certain* if
a step was that transition in every state in which the run can have been, and *perhaps* if it was in some of them. The
models have no times. Walks use other times than HDFS' defaults where a transition needs them, such as an attempt that
is still young when the hard limit passes.

The last column says whether the model's steps, and what they show, are those that were walked; its properties may have
changed. The page of a system lists the transitions that were not reached, with reasons.
"""
_OF_APACHE: Final = """Walked by `python adapters/apache-hdfs/run.py --release {release} --keep-walks`, under the
semantics of the release, which have other abstract transitions than `repaired`.
"""
_RANDOM: Final = """Random runs, made by `python adapters/apache-hdfs/run.py --release {release} --minutes N`, in
slices with one seed each:
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
    there, releases = _kept(systems, repository), _of_apache(repository)
    lines = [_BEGINNING, *_table(there, None)]
    missing = [system for system in systems if system not in there]
    if missing:
        lines += [f"Not walked: {', '.join(missing)}.", ""]
    made = {release: random_runs.read(repository, release) for release in random_runs.releases(repository)}
    for release in sorted({*releases, *made}):
        lines += [f"## Apache HDFS {release}", ""]
        if release in releases:
            lines += [_OF_APACHE.format(release=release), *_table(releases[release], release)]
        if release in made:
            lines += [_RANDOM.format(release=release), *_random_table(made[release])]
    return "\n".join(lines)


def pages(systems: Sequence[str], repository: Path) -> dict[str, str]:
    """The pages of transitions that were not reached, for each system and implementation, by file name.

    Args, Raises: as `page`.
    """
    walked: list[tuple[str | None, dict[str, Kept]]] = [(None, _kept(systems, repository))]
    walked += _of_apache(repository).items()
    return {
        f"{_name(system, release)}.md": "\n".join(_left(system, release, one))
        for release, some in walked
        for system, one in some.items()
    }


def _name(system: str, release: str | None) -> str:
    return system if release is None else f"{system}-{release}"


def _of_apache(repository: Path) -> dict[str, dict[str, Kept]]:
    """Walks of each release of Apache HDFS."""
    return {release: _kept(walked, repository, release) for release, walked in kept.of_apache(repository).items()}


def _kept(systems: Sequence[str], repository: Path, release: str | None = None) -> dict[str, Kept]:
    found = {system: kept.read(repository, system, release) for system in systems}
    return {system: one for system, one in found.items() if one is not None}


def _table(found: Mapping[str, Kept], release: str | None) -> Iterator[str]:
    yield "| system | configuration | states | abstract transitions | for certain | perhaps too | left | its steps |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |"
    for system, one in found.items():
        steps, linked = _steps(system, one), f"[{system}]({FOLDER}/{_name(system, release)}.md)"
        for name, walk in one.walks.items():
            perhaps, left = walk.possible - walk.certain, walk.transitions - walk.possible
            share = f"{walk.certain:,} ({walk.certain / walk.transitions:.1%})"
            counts = f"{walk.states:,} | {walk.transitions:,} | {share} | {perhaps} | {left}"
            yield f"| {linked} | {name} | {counts} | {steps} |"
        if len(one.walks) > 1:
            share = f"{one.certain:,} ({one.certain / one.transitions:.1%})"
            left = one.transitions - one.certain
            yield f"| {linked} | **all of these** | | {one.transitions:,} | **{share}** | | {left} | {steps} |"
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
    steps = system_named(system).model(one.semantics).digest_of_steps
    return "as they are" if steps == one.digest else "changed since"


def _left(system: str, release: str | None, one: Kept) -> Iterator[str]:
    yield f"# {system}: what was not reached{'' if release is None else f' on Apache HDFS {release}'}"
    yield ""
    yield f"Made by `genstamp tables`. Semantics {one.semantics}. The transitions of each configuration that were not"
    yield "reached for certain, by the step at which the implementation did something else; the numbers are in"
    yield "[the table](../model-coverage.md)."
    yield ""
    for name, walk in one.walks.items():
        limits = {**walk.sizes, **walk.limits}
        yield f"## {name}"
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
