"""Runs one search for the verb `check`, with its progress on standard error.

Not here: the report (`report`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from genstamp import progress as showing
from genstamp.cli.check.spark import search_on_spark
from genstamp_model.explore import Compiled, Progress, Result, Verdict, explore
from genstamp_model.explore.new_states import new_states
from genstamp_model.language import Instance


@dataclass(frozen=True, kw_only=True)
class Options:
    """How to search, as `explore` takes it.

    Attributes:
        directory: for what has no room in memory; with Spark a URI for checkpoints of all states.
        new_states: whether to count the states that each action is the first to reach.
        place: where executors find the system; None searches on this machine.
        master: Spark's.
    """

    max_states: int | None = None
    max_seconds: float | None = None
    renumber: bool = False
    symmetry: bool = False
    fingerprints: bool = False
    memory_bytes: int | None = None
    directory: str | None = None
    threads: int | None = None
    new_states: bool = False
    place: str | None = None
    master: str | None = None

    @property
    def keeps_states(self) -> bool:
        """Whether the search keeps every state here, as it is: otherwise no leads-to can be judged on them."""
        return not (self.fingerprints or self.symmetry or self.place is not None)


def search(instance: Instance, options: Options) -> Result:
    """One search."""
    with showing.live() as show:
        return _searched(instance, options, lambda progress: show(progress_line(instance, progress)))


def _searched(instance: Instance, options: Options, progress: Callable[[Progress], None]) -> Result:
    if options.place is not None:
        return search_on_spark(
            options.place,
            instance.model.semantics,
            instance.model.bugs,
            instance.configuration,
            renumber=options.renumber,
            symmetry=options.symmetry,
            max_states=options.max_states,
            max_seconds=options.max_seconds,
            master=options.master,
            directory=options.directory,
            progress=progress,
        )
    return explore(
        instance,
        max_states=options.max_states,
        max_seconds=options.max_seconds,
        renumber=options.renumber,
        symmetry=options.symmetry,
        fingerprints=options.fingerprints,
        memory_bytes=options.memory_bytes,
        spill=None if options.directory is None else Path(options.directory),
        threads=options.threads,
        progress=progress,
    )


def counted(result: Result, options: Options) -> dict[str, int] | None:
    """The states that each action is the first to reach; None where that is not asked, or not all was searched."""
    if not options.new_states or result.verdict is not Verdict.HOLDS:
        return None
    return new_states(Compiled(result.instance, symmetry=options.symmetry, renumber=options.renumber))


def progress_line(instance: Instance, progress: Progress) -> str:
    """The progress of a search."""
    speed = progress.states / progress.seconds / 1e6 if progress.seconds else 0.0
    return (
        f"{instance.configuration.name}: {progress.states:,} states, {progress.waiting:,} waiting, "
        f"{progress.generated:,} steps, level {progress.levels}, {speed:.1f} M states/s, {progress.seconds:.0f} s"
    )
