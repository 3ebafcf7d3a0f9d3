"""No call is both answered and refused: where an action of a call can be taken, none of its kind refuses it.

A system tells one call in several actions, by what comes of it, and mostly only one of them has the refusals. So what
one action does not ask for and another refuses would leave it open whether the call is refused.

Left out: actions with a choice of their own, as of the datanode that leads a recovery.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import pytest

from genstamp_model.explore import Verdict, explore
from genstamp_model.language import Instance, System, ir
from genstamp_model.language.model import Action, Model, Property
from genstamp_model.language.types import IndexSet
from genstamp_spec.hdfs.systems.expiry import EXPIRY
from genstamp_spec.hdfs.systems.journal import JOURNAL
from genstamp_spec.hdfs.systems.lease import LEASE
from genstamp_spec.hdfs.systems.write_path import WRITE_PATH

OTHER_CALLS: Final = frozenset({"create_over", "add_block_goes_on", "add_block_was_repeated", "fsync_arrives_late"})
"""They have the event of another call: one with another flag, and calls that come late."""


def refused_by(action: Action, check: int) -> ir.Expr:
    """The check is the first one that fails."""
    before = [one.condition for one in action.checks[:check]]
    return ir.conjunction([*before, ir.negation(action.checks[check].condition)])


def both(model: Model) -> Iterator[Property]:
    """A witness for each pair of an action that answers a call, and a refusal of the same call."""
    calls = [action for action in model.actions if action.name not in OTHER_CALLS]
    calls = [action for action in calls if all(isinstance(p.domain, IndexSet) for p in action.parameters)]
    for answers in calls:
        can = ir.conjunction([check.condition for check in answers.checks])
        for refuses in calls:
            same = refuses.event == answers.event and refuses.parameters == answers.parameters
            if answers.refuses or not same:
                continue
            for place, check in enumerate(refuses.checks):
                if check.refuses:
                    yield Property(
                        name=f"{answers.name} is taken, and {refuses.name} refused: {check.label}",
                        kind="witness",
                        parameters=answers.parameters,
                        condition=ir.conjunction([can, refused_by(refuses, place)]),
                        target=None,
                        inductive=False,
                        given=(),
                        fair=(),
                        doc="",
                        source=answers.source,
                    )


def answered_and_refused(system: System, configuration: str, bugs: tuple[str, ...] = ()) -> list[str]:
    """Every pair that some reachable state shows."""
    model = system.model(bugs=bugs)
    judged = replace(model, properties=tuple(both(model)), refinements=())
    result = explore(Instance(judged, system.configuration(configuration)))
    assert result.verdict is Verdict.HOLDS
    return [name for name, steps in result.witnesses.items() if steps is not None]


@pytest.mark.parametrize(
    ("system", "configuration"),
    [
        (LEASE, "two_clients"),
        (LEASE, "blocks"),
        (LEASE, "late_calls"),
        (LEASE, "outages"),
        (EXPIRY, "one_client"),
        (JOURNAL, "deletions"),
        (WRITE_PATH, "two_blocks"),
    ],
    ids=lambda one: one.name if isinstance(one, System) else one,
)
def test_no_call_is_answered_and_refused(system: System, configuration: str) -> None:
    assert answered_and_refused(system, configuration) == []


def test_a_call_that_is_answered_and_refused_is_found() -> None:
    """HDFS-10240: complete() goes through in one action, and the other refuses it still."""
    found = answered_and_refused(LEASE, "two_clients", ("HDFS-10240",))
    assert "complete_under_recovery is taken, and complete refused: the block is not under recovery" in found
