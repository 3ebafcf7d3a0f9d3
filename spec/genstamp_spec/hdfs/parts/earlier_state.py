"""What the NameNode keeps of a file's blocks before the last one: the variables, with no steps."""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import Datanode, File, no_datanode
from genstamp_spec.lifecycles.block import BlockLifecycle


class Earlier(Record):
    """The block before the last one."""

    state = lifecycle(BlockLifecycle)
    stamp = ordered(limit="stamps")
    num_bytes = number(limit="bytes")
    locations = members(Datanode)
    stored = members(Datanode)


def no_earlier() -> Earlier:
    """There is no such block."""
    return Earlier(state=BlockLifecycle.absent, stamp=0, num_bytes=0, locations=no_datanode(), stored=no_datanode())


def complete_block() -> Earlier:
    """A complete block of which no more is known."""
    return Earlier(state=BlockLifecycle.complete, stamp=0, num_bytes=0, locations=no_datanode(), stored=no_datanode())


class EarlierState(Part):
    """What the NameNode keeps of the blocks before the last one."""

    earlier = per(File, record(Earlier))
    older = per(File, number(limit="older"))  # how many there are before that, all complete
