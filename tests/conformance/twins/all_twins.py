"""All twins, by the number of their issue."""

from tests.conformance.twins.client_twins import CLIENT_TWINS
from tests.conformance.twins.datanode_twins import DATANODE_TWINS
from tests.conformance.twins.judging import Judge, Noticed, Twin, judge, judge_steps, judge_walk
from tests.conformance.twins.namenode_twins import NAMENODE_TWINS


def _number(twin: Twin) -> int:
    return int(twin.jira.partition("-")[2])


TWINS = tuple(sorted((*NAMENODE_TWINS, *DATANODE_TWINS, *CLIENT_TWINS), key=_number))


def notice(twin: Twin) -> Noticed | None:
    """Let the implementation be the twin until a judge notices it; None if none does."""
    with twin.in_place():
        if twin.scenario is not None:
            return judge(twin.scenario)
        return judge_walk() if twin.judge is Judge.WALK else judge_steps()


def notice_by_walk(twin: Twin) -> Noticed | None:
    """Walk the implementation while it is the twin, whatever else notices it; None if the walk conforms."""
    with twin.in_place():
        return judge_walk()
