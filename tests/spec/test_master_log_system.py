"""gfs.master_log: each fault loses what a client has seen."""

from dataclasses import replace

import pytest

from genstamp_model.explore import explore
from genstamp_model.language import Instance
from genstamp_spec.gfs.systems.master_log import MASTER_LOG

PROMISE = "what_was_seen_survives"


def promise_alone(instance: Instance) -> Instance:
    """The instance without what the promise rests on, which breaks some steps earlier."""
    claims = tuple(claim for claim in instance.model.properties if claim.name == PROMISE)
    return replace(instance, model=replace(instance.model, properties=claims))


@pytest.mark.parametrize("bug", [bug.name for bug in MASTER_LOG.bugs])
def test_each_fault_loses_what_a_client_has_seen(bug: str) -> None:
    violation = explore(promise_alone(MASTER_LOG.instance("small", bugs=[bug]))).violation
    assert violation is not None
    assert violation.name == PROMISE
