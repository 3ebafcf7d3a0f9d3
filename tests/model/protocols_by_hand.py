"""Two of `examples/protocols` once more in plain Python, searched by a loop of its own: to compare numbers of states.

Written from the papers' rules over sets of messages, not from the examples' text.
"""

from collections import deque
from collections.abc import Callable, Hashable, Iterator
from typing import Any, Final, NamedTuple, TypeVar

State = TypeVar("State", bound=Hashable)
FOLLOWER, CANDIDATE, LEADER = range(3)
MARKER: Final = -1


def search(initial: State, successors: Callable[[State], Iterator[State]]) -> dict[State, int]:
    """The steps to each reachable state, breadth first."""
    depth, queue = {initial: 0}, deque([initial])
    while queue:
        state = queue.popleft()
        for after in successors(state):
            if after not in depth:
                depth[after] = depth[state] + 1
                queue.append(after)
    return depth


def put(row: tuple[Any, ...], i: int, value: object) -> tuple[Any, ...]:
    return (*row[:i], value, *row[i + 1 :])


class Raft(NamedTuple):
    """Terms, votes and roles by server; requests as (term, candidate), answers as (term, voter, candidate), and the
    elected as (term, leader).
    """

    term: tuple[int, ...]
    voted_for: tuple[int | None, ...]
    role: tuple[int, ...]
    votes: tuple[frozenset[int], ...]
    requests: frozenset[tuple[int, int]] = frozenset()
    answers: frozenset[tuple[int, int, int]] = frozenset()
    elected: frozenset[tuple[int, int]] = frozenset()


def raft(servers: int, last_term: int, *, forgets: bool = False) -> dict[Raft, int]:
    """Raft's leader election.

    Args:
        servers: how many.
        last_term: the first term is 0.
        forgets: a restart loses the vote.
    """
    none = (frozenset[int](),) * servers
    return search(
        Raft((0,) * servers, (None,) * servers, (FOLLOWER,) * servers, none),
        lambda s: (after for i in range(servers) for after in _of_server(s, i, last_term, forgets=forgets)),
    )


def _of_server(s: Raft, i: int, last_term: int, *, forgets: bool) -> Iterator[Raft]:
    now = s.term[i] + 1
    if s.role[i] != LEADER and now <= last_term:
        yield Raft(
            put(s.term, i, now),
            put(s.voted_for, i, i),
            put(s.role, i, CANDIDATE),
            put(s.votes, i, frozenset({i})),
            s.requests | {(now, i)},
            s.answers | {(now, i, i)},
            s.elected,
        )
    for term, candidate in s.requests:
        same = term == s.term[i] and s.voted_for[i] in (None, candidate)
        if candidate != i and (term > s.term[i] or same):
            yield s._replace(
                term=put(s.term, i, term),
                voted_for=put(s.voted_for, i, candidate),
                role=s.role if same else put(s.role, i, FOLLOWER),
                answers=s.answers | {(term, i, candidate)},
            )
    if s.role[i] == CANDIDATE:
        for term, voter, candidate in s.answers:
            if (term, candidate) == (s.term[i], i):
                yield s._replace(votes=put(s.votes, i, s.votes[i] | {voter}))
        if 2 * len(s.votes[i]) > len(s.term):
            yield s._replace(role=put(s.role, i, LEADER), elected=s.elected | {(s.term[i], i)})
    vote = put(s.voted_for, i, None) if forgets else s.voted_for
    yield s._replace(role=put(s.role, i, FOLLOWER), votes=put(s.votes, i, frozenset()), voted_for=vote)


def has_two_leaders(s: Raft) -> bool:
    return len({term for term, _ in s.elected}) < len(s.elected)


class Snapshot(NamedTuple):
    """Tokens by process; channels by (from, to); and by process what it has recorded, None before."""

    at: tuple[frozenset[int], ...]
    channels: tuple[tuple[int, ...], ...]
    is_begun: bool
    kept: tuple[frozenset[int] | None, ...]
    caught: tuple[frozenset[int], ...]
    closed: tuple[frozenset[int], ...]


def chandy_lamport(processes: int, tokens: int) -> dict[Snapshot, int]:
    """Chandy and Lamport's snapshot, begun once, with all tokens at process 0."""
    empty = (frozenset[int](),) * processes
    at = put(empty, 0, frozenset(range(tokens)))
    initial = Snapshot(at, ((),) * processes**2, False, (None,) * processes, empty, empty)
    return search(initial, lambda s: _of_processes(s, processes))


def _recording(s: Snapshot, process: int, n: int) -> Snapshot:
    sent = tuple(
        (*line, MARKER) if i // n == process and i % n != process else line for i, line in enumerate(s.channels)
    )
    return s._replace(kept=put(s.kept, process, s.at[process]), channels=sent)


def _of_processes(s: Snapshot, n: int) -> Iterator[Snapshot]:
    for one in range(n):
        if not s.is_begun:
            yield _recording(s._replace(is_begun=True), one, n)
        for other in range(n):
            if other != one:
                out, into = one * n + other, other * n + one
                for token in s.at[one]:
                    line = (*s.channels[out], token)
                    yield s._replace(at=put(s.at, one, s.at[one] - {token}), channels=put(s.channels, out, line))
                if s.channels[into]:
                    yield _receiving(s, one, other, into, n)


def _receiving(s: Snapshot, one: int, other: int, channel: int, n: int) -> Snapshot:
    message, *rest = s.channels[channel]
    s = s._replace(channels=put(s.channels, channel, tuple(rest)))
    if message == MARKER:
        s = s._replace(closed=put(s.closed, one, s.closed[one] | {other}))
        return s if s.kept[one] is not None else _recording(s, one, n)
    if s.kept[one] is not None and other not in s.closed[one]:
        s = s._replace(caught=put(s.caught, one, s.caught[one] | {message}))
    return s._replace(at=put(s.at, one, s.at[one] | {message}))
