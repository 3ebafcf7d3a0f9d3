"""All twins, by the number of their issue."""

from tests.conformance.twins.client_twins import CLIENT_TWINS
from tests.conformance.twins.datanode_twins import DATANODE_TWINS
from tests.conformance.twins.judging import Noticed, Twin, judge, judge_steps
from tests.conformance.twins.namenode_twins import NAMENODE_TWINS


def _number(twin: Twin) -> int:
    return int(twin.jira.partition("-")[2])


TWINS = tuple(sorted((*NAMENODE_TWINS, *DATANODE_TWINS, *CLIENT_TWINS), key=_number))


def notice(twin: Twin) -> Noticed | None:
    """Let the implementation be the twin until a judge notices it; None if none does."""
    with twin.in_place():
        return judge_steps() if twin.scenario is None else judge(twin.scenario)
