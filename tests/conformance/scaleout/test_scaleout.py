"""The search on Spark finds what the local search finds, state for state.

Most tests run the tasks of a level one after the other in this process, through a stand-in that shuffles as Spark does;
one asks Spark itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from genstamp.scaleout import explore_on_spark
from genstamp.scaleout.states import Directory, Known, in_order
from genstamp.scaleout.work import Entering, Expanding, Order, parts_of, place
from genstamp.systems import found
from genstamp_model.errors import ConfigurationError
from genstamp_model.explore import Result, Verdict, explore
from genstamp_model.language.model import Instance

TWO_PHASE = "tests.model.systems.two_phase:TWO_PHASE"
EVERY_FORM = "tests.model.systems.every_form:EVERY_FORM"

Task = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]


@dataclass(frozen=True)
class Row:
    """What `collect` gives."""

    owner: int
    new: int


class Tasks:
    """Stands in for Spark: batches in partitions, each mapped by a task."""

    def __init__(self, partitions: list[list[pa.RecordBatch]], twice: bool = False) -> None:
        self._partitions = partitions
        self._twice = twice

    def range(self, count: int, *, numPartitions: int) -> Tasks:  # noqa: N803 - Spark's name
        assert count == numPartitions
        ids = [pa.RecordBatch.from_pydict({"id": [i]}) for i in range(count)]
        return Tasks([[batch] for batch in ids], self._twice)

    def mapInArrow(self, task: Task, schema: object) -> Tasks:  # noqa: ARG002 - Spark needs it
        done = [list(task(iter(batches))) for batches in self._partitions]
        # Spark may run a task again, and takes what it gives then.
        again = [list(task(iter(batches))) for batches in self._partitions] if self._twice else done
        assert done == again
        return Tasks(done, self._twice)

    def repartition(self, count: int, column: str) -> Tasks:
        assert column == "owner"
        parts: list[list[pa.RecordBatch]] = [[] for _ in range(count)]
        for batch in (batch for batches in self._partitions for batch in batches):
            owners = batch.column(0).to_numpy()
            for i in range(count):
                # Two owners may come to one partition, and none to another.
                chosen = pa.array((owners * 7 % 3) % count == i)
                parts[i].append(batch.filter(chosen))
        return Tasks([[one for one in part if len(one)] for part in parts], self._twice)

    def collect(self) -> list[Row]:
        return [Row(**row) for batches in self._partitions for batch in batches for row in batch.to_pylist()]


def order(system: str, configuration: str, directory: Path, **changed: Any) -> Order:
    declared, _ = found(system)
    plain = Order(
        system=system,
        semantics=declared.default_semantics,
        bugs=(),
        configuration=declared.configuration(configuration),
        renumber=False,
        symmetry=False,
        directory=str(directory),
        owners=4,
        check_deadlock=True,
    )
    return replace(plain, **changed)


def local(one: Order) -> Result:
    declared, _ = found(one.system)
    return explore(
        Instance(declared.model(one.semantics, one.bugs), one.configuration),
        symmetry=one.symmetry,
        renumber=one.renumber,
    )


def counts(result: Result) -> object:
    return (
        result.verdict,
        result.states,
        result.generated,
        result.levels,
        result.cuts,
        result.taken,
        result.refusals,
        result.witnesses,
        result.reductions,
    )


def search(one: Order, spark: Any = None, **options: Any) -> Result:
    stand_in: Any = Tasks([])
    return explore_on_spark(spark or stand_in, one, **options)


@pytest.mark.parametrize(
    ("system", "configuration", "changed"),
    [
        (TWO_PHASE, "five", {}),
        (TWO_PHASE, "five", {"owners": 1}),
        (TWO_PHASE, "five", {"owners": 7}),
        (TWO_PHASE, "five", {"symmetry": True}),
        pytest.param(EVERY_FORM, "tiny", {}, marks=pytest.mark.slow),
    ],
)
def test_the_counts_are_those_of_the_local_search(
    tmp_path: Path, system: str, configuration: str, changed: dict[str, Any]
) -> None:
    one = order(system, configuration, tmp_path, **changed)
    assert counts(search(one)) == counts(local(one))


def test_a_violation_comes_with_a_shortest_path_at_the_same_depth(tmp_path: Path) -> None:
    declared, _ = found(TWO_PHASE)
    (bug,) = declared.bugs
    one = order(TWO_PHASE, bug.configuration, tmp_path, bugs=(bug.name,))
    spark, engine = search(one), local(one)
    here, there = spark.violation, engine.violation
    assert here is not None and there is not None
    assert spark.depth == engine.depth == len(there.path)
    assert (here.kind, here.name, len(here.path)) == (there.kind, there.name, len(there.path))


def test_a_step_that_goes_wrong_is_found(tmp_path: Path) -> None:
    one = order(EVERY_FORM, "tiny", tmp_path, bugs=("overpaid",))
    here, there = search(one).violation, local(one).violation
    assert here is not None and there is not None
    assert (here.kind, here.name, len(here.path)) == (there.kind, there.name, len(there.path))


def test_a_task_that_is_run_again_finds_the_same(tmp_path: Path) -> None:
    one = order(TWO_PHASE, "three", tmp_path)
    assert counts(search(one, Tasks([], twice=True))) == counts(local(one))


def test_another_process_reads_what_this_one_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("genstamp.scaleout.work._kept", Forgetful())
    one = order(TWO_PHASE, "three", tmp_path)
    assert counts(search(one)) == counts(local(one))


class Forgetful(dict[Any, Any]):
    """Keeps nothing, as an executor that has just begun."""

    def __setitem__(self, key: object, value: object) -> None:
        return


class Unseen(Directory):
    """A directory of which an executor does not see one file, as one that is not shared."""

    def states(self, level: int, owner: int, words: int) -> Any:
        rows = super().states(level, owner, words)
        return rows[:0] if level == 2 and owner == 1 else rows


def test_states_that_an_executor_does_not_see_are_no_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Order, "files", lambda one: Unseen(Path(one.directory)))
    with pytest.raises(ConfigurationError, match="must be a directory that all of them see"):
        search(order(TWO_PHASE, "three", tmp_path))


def test_a_task_that_tells_nothing_is_no_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = Directory.notes
    monkeypatch.setattr(Directory, "notes", lambda *a: None if a[1:] == ("expanded", 1, 0) else told(*a))
    with pytest.raises(ConfigurationError, match="of level 1, which has"):
        search(order(TWO_PHASE, "three", tmp_path))


def test_too_many_states_are_undetermined(tmp_path: Path) -> None:
    result = search(order(TWO_PHASE, "five", tmp_path), max_states=1000)
    assert result.verdict is Verdict.UNDETERMINED
    assert result.undetermined == "there are more than 1000 states"
    assert 1000 < result.states < 8832


def test_longer_paths_than_a_place_can_tell_are_undetermined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("genstamp.scaleout.board.MOST_LEVELS", 4)
    result = search(order(TWO_PHASE, "three", tmp_path))
    assert (result.verdict, result.levels) == (Verdict.UNDETERMINED, 4)
    assert result.undetermined == "paths are longer than 3 steps"


def test_a_directory_with_something_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "something").write_text("")
    with pytest.raises(ConfigurationError, match="is no empty directory"):
        search(order(TWO_PHASE, "three", tmp_path))


def test_so_many_owners_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="5000 owners cannot share the states"):
        search(order(TWO_PHASE, "three", tmp_path, owners=5000))


def test_known_states_are_added_once() -> None:
    draw = np.random.default_rng(1)
    known, seen = Known(2), set[tuple[int, ...]]()
    for _ in range(20):
        rows = draw.integers(0, 60, (500, 2))
        new = [tuple(row) for row in known.add(rows).tolist()]
        assert len(set(new)) == len(new)
        assert set(new) == {tuple(row) for row in rows.tolist()} - seen
        seen |= set(new)
    assert known.count == len(seen) > 3000


def test_files_hold_what_was_written_and_nothing_else(tmp_path: Path) -> None:
    files = Directory(tmp_path)
    rows = in_order(np.array([[2, 1], [1, 9], [1, 3]], np.int64))
    files.write_states(3, 1, rows)
    files.write_notes("entered", 3, 1, {"row": 5})
    assert files.states(3, 1, 2).tolist() == [[1, 3], [1, 9], [2, 1]]
    assert files.states(3, 2, 2).shape == (0, 2)
    assert (files.notes("entered", 3, 1), files.notes("entered", 4, 1)) == ({"row": 5}, None)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_place_tells_level_owner_and_row() -> None:
    assert parts_of(place(40, 1023, 2**39)) == (40, 1023, 2**39)


def test_tasks_travel_to_executors(tmp_path: Path) -> None:
    from pyspark import cloudpickle

    dumps: Any = cloudpickle.dumps

    one = order(TWO_PHASE, "three", tmp_path)
    for task in (Expanding(one, 3), Entering(one, 3)):
        assert len(dumps(task)) < 2000


@pytest.mark.slow
def test_spark_itself_finds_the_same(tmp_path: Path, spark: SparkSession) -> None:
    one = order(TWO_PHASE, "three", tmp_path, owners=2)
    assert counts(explore_on_spark(spark, one)) == counts(local(one))
