"""Threads, small tables and interrupts change nothing about what a search finds."""

import signal
import threading
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from tests.model.systems.every_form import EVERY_FORM
from tests.model.systems.small_recovery import SMALL_RECOVERY
from tests.model.systems.two_phase import TWO_PHASE

from genstamp_model.errors import ConfigurationError
from genstamp_model.explore import INTERRUPTED, Compiled, Result, Search, Verdict, explore, memory, search
from genstamp_model.explore.machine import Library
from genstamp_model.language import Instance
from genstamp_spec.hdfs.systems.recovery import RECOVERY

# What may differ between two searches of one instance.
TIMES = {"instance", "seconds", "compile_seconds"}


def found(result: Result) -> dict[str, Any]:
    return {field.name: getattr(result, field.name) for field in fields(Result) if field.name not in TIMES}


def with_bug(number: int) -> Instance:
    """An instance that breaks."""
    system = (TWO_PHASE, SMALL_RECOVERY, EVERY_FORM)[number]
    bug = system.bugs[0]
    return system.instance(bug.configuration, bugs=[bug.name])


@pytest.mark.slow
@pytest.mark.parametrize(
    "instance",
    [
        TWO_PHASE.instance("three"),
        SMALL_RECOVERY.instance("three"),
        EVERY_FORM.instance("tiny"),
        RECOVERY.instance("takeover"),
        *(with_bug(number) for number in range(3)),
    ],
    ids=lambda instance: (
        f"{instance.model.system}:{instance.configuration.name} {'with a bug' * bool(instance.model.bugs)}"
    ),
)
def test_any_number_of_threads_finds_the_same(instance: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    # So that the second thread is there from the second level on.
    monkeypatch.setattr(search, "_FIRST_QUOTA", 1)
    compiled = Compiled(instance)
    one, two = Search(compiled, threads=1), Search(compiled, threads=2)
    assert found(one.run()) == found(two.run())
    assert np.array_equal(one.states(), two.states())
    assert np.array_equal(one.places(), two.places())
    for claim in instance.model.properties:
        if claim.kind == "witness":
            assert one.witness(claim.name) == two.witness(claim.name)


def test_threads_work_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_FIRST_QUOTA", 1)
    started: list[str] = []
    start = threading.Thread.start

    def noting(thread: threading.Thread) -> None:
        started.append(thread.name)
        start(thread)

    # Compiled before, as the compiler has a thread of its own.
    one, two = (Search(Compiled(TWO_PHASE.instance("three")), threads=threads) for threads in (1, 2))
    monkeypatch.setattr(threading.Thread, "start", noting)
    assert one.run().states == 288
    assert not started
    assert two.run().states == 288
    assert started


def test_there_are_as_many_threads_as_make_sense() -> None:
    with pytest.raises(ConfigurationError, match="a search runs on 1 to 2 threads, not on 3"):
        explore(TWO_PHASE.instance("three"), threads=3)
    with pytest.raises(ConfigurationError, match="not on 0"):
        explore(TWO_PHASE.instance("three"), threads=0)


@pytest.mark.parametrize("buckets", [2, 3, 17])
def test_a_table_that_begins_small_finds_the_same(buckets: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = Compiled(EVERY_FORM.instance("tiny"))
    usual = Search(compiled)
    result = usual.run()
    monkeypatch.setattr(memory, "FIRST_BUCKETS", buckets)
    small = Search(compiled)
    assert (small.run().states, result.states) == (result.states, len(usual.states()))
    assert np.array_equal(usual.states(), small.states())


def test_states_are_all_different_and_begin_with_the_initial_one() -> None:
    compiled = Compiled(TWO_PHASE.instance("three"))
    searched = Search(compiled)
    searched.run()
    states = searched.states()
    assert states.shape == (288, compiled.program.layout.words)
    assert len(np.unique(states, axis=0)) == 288
    assert states[0].tolist() == searched.way_to(int(searched.places()[0]))[0]


@pytest.mark.slow
def test_searches_stay_within_the_memory_that_is_promised_at_every_size() -> None:
    compiled = Compiled(SMALL_RECOVERY.instance("three"))
    sizes = [int(2_000 * 1.15**step) for step in range(30)]
    taken = [Search(compiled, size).run().bytes_a_state for size in sizes]
    assert max(taken) <= memory.bytes_at_most(compiled.program.layout.words) + 1
    # The sweep has met tables that had just grown, and full ones.
    assert max(taken) > 1.1 * min(taken)


def test_an_interrupt_in_a_callback_ends_a_search_of_two_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_FIRST_QUOTA", 1)

    def interrupt(progress: object) -> None:
        raise KeyboardInterrupt

    result = explore(SMALL_RECOVERY.instance("three"), progress=interrupt, threads=2)
    assert (result.verdict, result.undetermined) == (Verdict.UNDETERMINED, "interrupted")


@pytest.fixture
def plain_interrupts() -> Iterator[None]:
    """An interrupt does what it does in a new process: Spark, once it was started, sees to it otherwise."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("plain_interrupts")
def test_an_interrupt_in_the_last_turn_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who searches several instances stops after this one."""
    side_by_side = Library.side_by_side

    def interrupted(library: Library, *arguments: Any) -> int:
        signal.raise_signal(signal.SIGINT)
        return side_by_side(library, *arguments)

    monkeypatch.setattr(Library, "side_by_side", interrupted)
    result = explore(TWO_PHASE.instance("three"))
    assert (result.verdict, result.undetermined, result.states) == (Verdict.UNDETERMINED, INTERRUPTED, 288)
