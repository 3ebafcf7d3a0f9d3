"""hdfs.block_recovery_ends:two_dead_recoveries, decided: only a crash, a late call and lost reports go wrong.

There the limits cut off every other mishap, so that what is owed stays open. Here these are no steps at all, and stamps
suffice for all that is left.
"""

from dataclasses import replace

import pytest
from tests.impl.clients.operations import ON_DEMAND

from genstamp_model.explore import Verdict
from genstamp_model.language import Configuration, action, require
from genstamp_model.liveness import judge
from genstamp_spec.hdfs.parts.bounded_faults import BoundedFaults
from genstamp_spec.hdfs.parts.datanode_replicas import DatanodeContact
from genstamp_spec.hdfs.parts.state import Datanode, File
from genstamp_spec.hdfs.systems.block_recovery_ends import BLOCK_RECOVERY_ENDS


class FewKinds(BoundedFaults, lane=Datanode):
    """One crash, one call at a time that comes late, and reports that are lost."""

    def may_crash(s) -> None:
        """Checks also: no datanode has crashed before."""
        require(s.crashes == 0, "nobody has crashed before")
        super().may_crash()

    def may_fail(s) -> None:
        """Checks also: no other call is on its way."""
        require(s.calls.size() == 0, "no call is on its way")
        super().may_fail()

    def never(s, *anybody: File | Datanode) -> None:
        """Checks: no step of this kind is taken, of whomever."""
        del anybody
        require(s.crashes < 0, "this does not go wrong here")

    @action(hidden=True)
    def disk_breaks(s, file: File, datanode: Datanode) -> None:
        """Never."""
        s.never(file, datanode)

    @action(hidden=True)
    def attempt_takes_long(s, file: File) -> None:
        """Never."""
        s.never(file)

    @action(hidden=True)
    def recovery_command_is_lost(s, file: File, datanode: Datanode) -> None:
        """Never."""
        s.never(file, datanode)


class NothingIsForgotten(DatanodeContact, lane="namenode"):
    """The NameNode forgets no storage."""

    @action(hidden=True)
    def storage_is_forgotten(s, datanode: Datanode) -> None:
        """Never."""
        del datanode
        require(s.crashes < 0, "this does not go wrong here")


TWO_DEAD = replace(
    BLOCK_RECOVERY_ENDS,
    parts=[*BLOCK_RECOVERY_ENDS.parts, FewKinds, NothingIsForgotten],
    semantics={"repaired": ()},
    bugs=(),
    configurations=[
        Configuration(
            name,
            sizes={"Client": 1, "File": 1, "Datanode": 2, "Mishap": mishaps},
            limits={"bytes": num_bytes, "stamps": 6, "silences": 2},
            doc=doc,
        )
        for name, mishaps, num_bytes, doc in (
            ("decided", 3, 2, "the mishaps of two_dead_recoveries"),
            ("fewer", 2, 1, "two of them, and one byte"),
        )
    ],
)


@pytest.mark.slow
@pytest.mark.parametrize("configuration", [pytest.param("decided", marks=ON_DEMAND), "fewer"])
def test_what_two_dead_recoveries_leaves_open_holds(configuration: str) -> None:
    found = {one.claim.name: one.verdict for one in judge(TWO_DEAD.instance(configuration), renumber=True)}
    assert found == dict.fromkeys(
        (
            "files_of_silent_writers_are_closed",
            "recoveries_end",
            "committed_blocks_become_complete",
            "queued_commands_are_taken",
        ),
        Verdict.HOLDS,
    )
