"""Machine functions do what the same text does in Python, but for what 64 bits cannot hold."""

import random
import threading
from collections.abc import Callable

import numpy as np
import pytest

from genstamp_model.explore import machine
from genstamp_model.explore.machine import Function, Halves, Library, Word, Words, build, call, function, inlined
from genstamp_model.explore.table import memory_at, prefetch

STEP = 3
LARGE = 2**63 + 5


@inlined
def larger(a: Word, b: Word) -> Word:
    return a if a > b else b


@function
def arithmetic(a: Word, b: Word) -> Word:
    c = a * 3 + (b - 7) * -2
    c ^= a | 12
    c += (a & b) << 2
    return ~c - (-a)


@function
def comparisons(a: Word, b: Word) -> Word:
    bits = 0
    if a < b:
        bits |= 1
    if a <= b:
        bits |= 2
    if a == b or a > b + 100:
        bits |= 4
    if not a >= b and a != 5:
        bits |= 8
    elif b > 0:
        bits |= 16
    else:
        bits |= 32
    return bits + (a > 0) * 64


@function
def loops(a: Word, b: Word) -> Word:
    total = 0
    for i in range(a & 15):
        if i == 3:
            continue
        for j in range(i, b & 15, STEP):
            if j > 11:
                break
            total += i * 100 + j
    for k in range(b & 15, -1, -1):
        total = total * 3 + k
    left = a & 63
    while True:
        if left == 0:
            break
        left &= left - 1
        total += 1
    return total


@function
def choices(a: Word, b: Word) -> Word:
    first, second = b, a
    if larger(first, second) == a and (b != 0 or a != 0):
        return larger(a, 7) - b
    return larger(b, STEP)


ALL: list[Function[[Word, Word], Word]] = [arithmetic, comparisons, loops, choices]


@pytest.fixture(scope="module")
def library() -> Library:
    return build(*ALL, memory, copied, by_address, wrapped, fetched)


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.name)
def test_words_are_computed_as_python_computes_numbers(library: Library, one: Function[[Word, Word], Word]) -> None:
    generator = random.Random(5)
    python: Callable[[int, int], int] = one.python
    names = python.__globals__
    before, names["larger"] = names["larger"], larger.python
    try:
        for _ in range(200):
            a, b = generator.randint(-200, 200), generator.randint(-200, 200)
            assert library.run(one, a, b) == python(a, b), (a, b)
    finally:
        names["larger"] = before


@function
def wrapped(a: Word) -> Word:
    return (a * LARGE) >> 60


def test_words_wrap_around_and_shifts_fill_up_with_zeros(library: Library) -> None:
    assert library.run(wrapped, 1) == LARGE >> 60
    assert library.run(wrapped, -1) == (-LARGE % 2**64) >> 60


@function
def memory(words: Words, halves: Halves, length: Word) -> Word:
    behind = words + 1
    for i in range(length - 1):
        behind[i] += words[0]
        halves[i] = behind[i]
    return halves[length - 2]


def test_memory_is_read_and_written(library: Library) -> None:
    words, halves = np.array([-1, 5, 0, 2**40], np.int64), np.zeros(4, np.uint32)
    assert library.run(memory, words, halves, 4) == 2**32 - 1
    assert words.tolist() == [-1, 4, -1, 2**40 - 1]
    assert halves.tolist() == [4, 2**32 - 1, 2**32 - 1, 0]


@function
def copied(source: Word, target: Words) -> None:
    for k in range(STEP):
        target[k] = memory_at(source)[k]


def test_a_build_may_replace_constants(library: Library) -> None:
    source, target = np.arange(1, 9), np.zeros(8, np.int64)
    library.run(copied, source, target)
    assert target.tolist() == [1, 2, 3, 0, 0, 0, 0, 0]
    build(copied, constants={"STEP": 5}).run(copied, source, target)
    assert target.tolist() == [1, 2, 3, 4, 5, 0, 0, 0]


@function
def by_address(address: Word, a: Word, b: Word) -> Word:
    return call(address, a, b) + 1


def test_a_function_is_called_by_its_address(library: Library) -> None:
    assert library.run(by_address, library.address(choices), 9, 4) == library.run(choices, 9, 4) + 1


@function
def fetched(words: Words) -> Word:
    prefetch(words + 1)
    return words[1]


def test_llvm_text_is_called_like_a_function(library: Library) -> None:
    assert library.run(fetched, np.array([3, 4])) == 4


def test_a_machine_function_does_not_run_as_python() -> None:
    with pytest.raises(AssertionError, match="choices is a machine function"):
        choices(1, 2)


@function
def divides(a: Word) -> Word:
    return a // 2


@function
def changes_kind(a: Words) -> Word:
    a = a[0]  # type: ignore[assignment]
    return 0


def test_what_is_not_part_of_the_language_is_an_assertion() -> None:
    with pytest.raises(AssertionError, match="machine functions have no FloorDiv"):
        build(divides)
    with pytest.raises(AssertionError, match="a is Words, and given i64"):
        build(changes_kind)


@function
def noted(memory: Words, number: Word, threads: Word) -> Word:
    memory[number] = threads
    return number + 10


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_are_told_their_numbers(threads: int) -> None:
    seen = np.zeros(3, np.int64)
    assert build(noted).side_by_side(threads, noted, seen) == 10
    assert seen.tolist() == [threads] * threads + [0] * (3 - threads)


def test_no_thread_begins_where_one_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    seen, started = np.zeros(3, np.int64), list[threading.Thread]()
    start = threading.Thread.start

    def one_alone(thread: threading.Thread) -> None:
        if started:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", one_alone)
    with pytest.raises(RuntimeError, match="can't start"):
        build(noted).side_by_side(2, noted, seen)
    started[0].join()
    assert not seen.any()


def test_threads_have_finished_when_an_exception_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    seen, join, joined = np.zeros(3, np.int64), threading.Thread.join, list[threading.Thread]()

    def interrupted(thread: threading.Thread) -> None:
        joined.append(thread)
        if len(joined) == 1:
            raise KeyboardInterrupt
        join(thread)

    monkeypatch.setattr(threading.Thread, "join", interrupted)
    with pytest.raises(KeyboardInterrupt):
        build(noted).side_by_side(2, noted, seen)
    assert set(joined[1:]) >= {joined[0]}
    assert seen.tolist() == [2, 2, 0]


def test_only_what_is_named_can_be_called_from_outside(library: Library) -> None:
    with pytest.raises(AssertionError, match="larger is not part of this build"):
        library.address(larger)
    assert isinstance(library, machine.Library)
