"""Makes a failing run short: requests are left out and names made simple as long as the run fails at the same event.

Repeating the requests themselves, rather than the draws that led to them, allows each to be omitted separately. Not
here: any promise of the shortest: no single request can be left out of the result, but two together might.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from genstamp.adapters import Cluster
from genstamp.errors import AdapterError
from genstamp.stateful.figures import Figures
from genstamp.stateful.request import Request
from genstamp.stateful.run import Bench, NonconformingError, Run
from genstamp.stateful.story import Failure


def shorten(bench: Bench, failure: Failure, seconds: float) -> tuple[Failure, bool]:
    """A short run that fails at the same event, and whether the given one failed again when it was repeated.

    Args:
        bench: what the run was made on.
        failure: how it failed.
        seconds: how long to try.
    """
    again = _failure_of(bench, failure.requests, failure.cluster)
    if again is None or again.event != failure.event:
        return failure, False
    until = time.monotonic() + seconds
    best, improved = again, True
    while improved:
        improved = False
        for fewer, smaller in _simpler(list(best.requests), best.cluster):
            if time.monotonic() > until:
                return best, True
            found = _failure_of(bench, fewer, smaller)
            if found is not None and found.event == failure.event:
                best, improved = found, True
                break
    return best, True


def _failure_of(bench: Bench, requests: Sequence[Request], cluster: Cluster) -> Failure | None:
    """How a run of these requests fails; None if it does not, or the implementation cannot be driven to its end."""
    try:
        run = Run(bench, cluster, Figures())
        run.start()
        for request in requests:
            run.request(request)
    except NonconformingError as error:
        return error.failure
    except AdapterError:
        return None
    return None


def _simpler(requests: list[Request], cluster: Cluster) -> Iterator[tuple[list[Request], Cluster]]:
    """Simpler runs, those first that are much simpler."""
    size = len(requests) // 2
    while size:
        for start in range(len(requests) - size, -1, -1):
            yield requests[:start] + requests[start + size :], cluster
        size //= 2
    yield from ((requests, smaller) for smaller in _smaller(cluster, _used(requests)))
    for names in (cluster.files, cluster.clients, cluster.datanodes):
        used = [name for name in names if name in _used(requests)]
        for position, name in enumerate(used):
            for earlier in names[: names.index(name)]:
                # Either the two become one, or the earlier one was not used at all.
                if earlier not in used or earlier in used[:position]:
                    yield [_renamed(request, name, earlier) for request in requests], cluster


def _smaller(cluster: Cluster, used: set[str]) -> Iterator[Cluster]:
    """The cluster without its last file, client or datanode if that is not used, or with a lower seed."""
    for smaller in (
        replace(cluster, files=cluster.files[:-1]),
        replace(cluster, clients=cluster.clients[:-1]),
        replace(cluster, datanodes=cluster.datanodes[:-1]),
    ):
        names = {*smaller.files, *smaller.clients, *smaller.datanodes}
        if smaller.files and smaller.clients and smaller.datanodes and used <= names:
            yield smaller
    yield from (replace(cluster, seed=seed) for seed in range(cluster.seed))


def _used(requests: Sequence[Request]) -> set[str]:
    return {word for request in requests for _, word in request.arguments}


def _renamed(request: Request, name: str, other: str) -> Request:
    arguments = tuple((key, other if word == name else word) for key, word in request.arguments)
    return Request(request.event, arguments, request.ms)
