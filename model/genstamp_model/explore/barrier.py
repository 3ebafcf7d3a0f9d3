"""Where the threads of a search wait for each other: machine functions.

The barrier is three slots of a board that all threads share, a line of the cache apart. A waiting thread spins, and
yields only after a while: the phases of a search end at nearly the same time on all threads. Not here: threads that
come and go; as many must come each time as are said to.
"""

from __future__ import annotations

from typing import Final

from genstamp_model.explore.machine import Word, Words, assembly, call, function

# Slots of the board.
YIELD: Final = 12  # address of a function that lets other threads run, or 0
ARRIVED: Final = 16  # threads that wait for others
TURN: Final = 24  # how often all have waited

SPINS: Final = 2000  # looks before other threads are let run


@assembly("""
    %place = getelementptr i64, ptr %memory, i64 %position
    %before = atomicrmw add ptr %place, i64 1 seq_cst
    %after = add i64 %before, 1
    ret i64 %after
""")
def count_up(memory: Words, position: Word) -> Word:
    """Add one to a word that threads share, at once; gives the sum."""
    raise NotImplementedError


@assembly("""
    %place = getelementptr i64, ptr %memory, i64 %position
    %value = load atomic i64, ptr %place seq_cst, align 8
    ret i64 %value
""")
def shared(memory: Words, position: Word) -> Word:
    """A word that other threads write."""
    raise NotImplementedError


@function
def wait(board: Words, threads: Word) -> None:
    """Continue when all threads have come here."""
    if threads == 1:
        return
    turn = shared(board, TURN)
    if count_up(board, ARRIVED) == threads:
        board[ARRIVED] = 0
        count_up(board, TURN)
        return
    spins = 0
    while shared(board, TURN) == turn:
        spins += 1
        if spins > SPINS and board[YIELD] != 0:
            call(board[YIELD])
