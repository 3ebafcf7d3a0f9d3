"""Makes a failing run short: requests are left out and names made simple as long as the run fails at the same event.

Repeating the requests themselves, rather than the draws that led to them, lets each be left out by itself. Leaves out
any promise of the shortest: no single request can be left out of the result, but two together might.
"""

import time
from collections.abc import Iterator, Sequence

from genstamp.stateful.figures import Figures
from genstamp.stateful.run import Bench, NonconformingError, Request, Run
from genstamp.stateful.story import Failure


def shorten(
    bench: Bench, failure: Failure, requests: Sequence[Request], seed: int, seconds: float
) -> tuple[Failure, bool]:
    """A short run that fails at the same event, and whether the given one failed again when it was repeated.

    Args:
        bench: what the run was made on.
        failure: how it failed.
        requests: its requests, up to the one that failed.
        seed: its seed.
        seconds: how long to try.

    Raises:
        AdapterError: the implementation can be driven no longer.
    """
    again = _failure_of(bench, requests, seed)
    if again is None or again.event != failure.event:
        return failure, False
    until = time.monotonic() + seconds
    best, improved = (again, list(requests), seed), True
    while improved:
        improved = False
        for fewer, other_seed in _simpler(bench, *best[1:]):
            if time.monotonic() > until:
                return best[0], True
            found = _failure_of(bench, fewer, other_seed)
            if found is not None and found.event == failure.event:
                best, improved = (found, fewer[: found.steps], other_seed), True
                break
    return best[0], True


def _failure_of(bench: Bench, requests: Sequence[Request], seed: int) -> Failure | None:
    """How a run of these requests fails; None if it does not."""
    try:
        run = Run(bench, seed, Figures())
        run.start()
        for request in requests:
            run.request(request)
    except NonconformingError as error:
        return error.failure
    return None


def _simpler(bench: Bench, requests: list[Request], seed: int) -> Iterator[tuple[list[Request], int]]:
    """Simpler runs, those first that are much simpler."""
    size = len(requests) // 2
    while size:
        for start in range(len(requests) - size, -1, -1):
            yield requests[:start] + requests[start + size :], seed
        size //= 2
    yield from ((requests, other) for other in range(seed))
    for names in (bench.cluster.files, bench.cluster.clients, bench.cluster.datanodes):
        used = [name for name in names if any(name in dict(request.arguments).values() for request in requests)]
        for position, name in enumerate(used):
            for earlier in names[: names.index(name)]:
                # Either the two are one, or the earlier one is not used at all.
                if earlier not in used or earlier in used[:position]:
                    yield [_renamed(request, name, earlier) for request in requests], seed


def _renamed(request: Request, name: str, other: str) -> Request:
    arguments = tuple((key, other if word == name else word) for key, word in request.arguments)
    return Request(request.event, arguments, request.ms)
