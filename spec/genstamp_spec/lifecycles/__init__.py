"""The life of one block, one replica, one lease, one file: which steps are legal, and nothing about why they are taken.

Each lifecycle is a python-statemachine `StateMachine`: an illegal event raises `TransitionNotAllowed` and changes
nothing. (Its newer base class `StateChart` swallows illegal events and is not used.) Guards on stamps, lengths and
holders belong to the parts, which fire these events; a lifecycle knows states alone.

How to read a line: `commit = under_construction.to(committed)  # A7  BlockManager#commitBlock`. The event bears HDFS'
name of the step in snake case, without the entity's name where the class says it already; behind it stand the row of
the tables in `spec/README.md` and the method of Hadoop 3.4.1 that takes the step. From one state an event leads to one
state: where HDFS goes one of two ways under one name, each way has an event of its own (`restart_over_finalized`,
`restart_over_unfinalized`).

Do not subclass a lifecycle to add an edge: python-statemachine shares the states with the base class, which would get
the edge as well.
"""

from genstamp_spec.lifecycles.block import BlockLifecycle
from genstamp_spec.lifecycles.file import FileLifecycle
from genstamp_spec.lifecycles.lease import LeaseLifecycle
from genstamp_spec.lifecycles.replica import ReplicaLifecycle

__all__ = ["BlockLifecycle", "FileLifecycle", "LeaseLifecycle", "ReplicaLifecycle"]
