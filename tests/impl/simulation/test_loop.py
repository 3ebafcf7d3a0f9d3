"""The event loop: order, time, cancelling, and what a crash does."""

from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from genstamp_dfs.simulation.loop import Future, Life, Loop, ProcessCrashedError

Heard = list[tuple[int, str]]


async def note(loop: Loop, heard: Heard, name: str, *delays_us: int) -> None:
    for delay_us in delays_us:
        await loop.sleep_us(delay_us)
        heard.append((loop.now_us, name))


def test_processes_run_in_the_order_of_their_times_and_ties_go_to_who_came_first() -> None:
    loop, life = Loop(), Life("a")
    heard: Heard = []
    loop.spawn(life, note(loop, heard, "one", 10, 10), "one")
    loop.spawn(life, note(loop, heard, "two", 5, 15), "two")
    loop.run()
    assert heard == [(5, "two"), (10, "one"), (20, "two"), (20, "one")]


def test_time_stops_where_the_run_is_to_end_and_goes_on_from_there() -> None:
    loop, life = Loop(), Life("a")
    heard: Heard = []
    loop.spawn(life, note(loop, heard, "one", 10, 10), "one")
    loop.run(until_us=15)
    assert (loop.now_us, heard) == (15, [(10, "one")])
    loop.run(until_us=40)
    assert (loop.now_us, heard) == (40, [(10, "one"), (20, "one")])


def test_a_cancelled_timer_does_not_hold_time_up() -> None:
    loop = Loop()
    loop.at(1_000, lambda: None).cancel()
    loop.at(10, lambda: None)
    loop.run()
    assert loop.now_us == 10


def test_a_failure_is_raised_where_the_value_is_waited_for() -> None:
    loop, life, heard = Loop(), Life("a"), list[str]()
    future: Future[int] = loop.future()

    async def wait() -> None:
        try:
            await future
        except OSError as problem:
            heard.append(str(problem))

    loop.spawn(life, wait(), "wait")
    loop.at(5, lambda: future.fail(OSError("no")))
    loop.at(6, lambda: future.succeed(1))
    loop.run()
    assert heard == ["no"]


def endless(loop: Loop, heard: list[str], name: str) -> Coroutine[Any, Any, None]:
    async def run() -> None:
        try:
            await loop.sleep_us(1_000)
        finally:
            heard.append(f"{name} cleaned up")

    return run()


def test_a_cancelled_process_cleans_up_and_one_that_dies_does_not() -> None:
    loop, heard = Loop(), list[str]()
    program, dying = Life("program"), Life("dying")
    task = loop.spawn(program, endless(loop, heard, "program"), "program")
    loop.spawn(dying, endless(loop, heard, "dying"), "dying")
    loop.at(10, task.cancel)
    loop.at(20, lambda: loop.kill(dying))
    loop.run()
    assert heard == ["program cleaned up"]
    assert loop.now_us == 1_000
    loop.close()


def crash(node: str) -> Callable[[], Coroutine[Any, Any, None]]:
    async def run() -> None:
        raise ProcessCrashedError(node)

    return run


def test_a_process_that_crashes_takes_all_of_its_life_with_it_and_no_other() -> None:
    ended: list[str] = []
    heard: Heard = []
    loop = Loop(on_crash=lambda life: ended.append(life.node))
    one, other = Life("one"), Life("other")
    loop.spawn(one, note(loop, heard, "one", 10), "note")
    loop.spawn(other, note(loop, heard, "other", 10), "note")
    loop.spawn(one, crash("one")(), "crash")
    loop.run()
    assert ended == ["one"]
    assert heard == [(10, "other")]


def test_an_interrupt_while_the_dead_are_let_go_of_is_not_lost() -> None:
    """It is for whoever runs the simulation, and not for a process that is dead."""

    async def work() -> None:
        try:
            await loop.sleep_us(1_000)
        finally:
            raise KeyboardInterrupt

    loop, dying = Loop(), Life("dying")
    loop.spawn(dying, work(), "work")
    loop.at(10, lambda: loop.kill(dying))
    loop.run()
    with pytest.raises(KeyboardInterrupt):
        loop.close()
