"""The NameNode's counter of generation stamps, as the lines of its log show it: an event where a stamp is not new.

Not here: which stamps are new (`log_grants`), and the block that a line is about (`log_namenode`).
"""

from collections.abc import Iterator

from genstamp.logs.readers import log_grants
from genstamp.logs.readers.log_message import Message
from genstamp.logs.readers.log_state import NAMENODE
from genstamp.logs.readers.sighting import NO_START_IS_MISSING, OF_NO_POOL, OF_ONE_TIME, Concern, Sighting


def shows_stamp(
    message: Message, namespace: str, group: str, concerns: list[Concern], *, is_own: bool = True, is_now: bool = True
) -> Iterator[Sighting]:
    """Takes a stamp that a line shows; one that is not new concerns the NameNode's counter, too.

    Args:
        message: the line.
        namespace: of the NameNode.
        group: what has found the stamp in the line.
        concerns: of the event, to which the counter is added.
        is_own: whether no other block may have the stamp.
        is_now: whether it was granted when the line was written; else to a block that has a lower one.
    """
    stamp, block, time_us = message.number(group), message.number("block"), message.line.time_us
    if stamp is None or block is None:
        return
    granted, before = message.state.granted(namespace, message.line.thread), message.number("stamp") or 0
    if not is_now and before >= stamp:
        if log_grants.is_of(granted, before, block):
            return  # An earlier line has shown it with that stamp: the rules for a block find the same.
        highest = before
    elif is_own and log_grants.taken_by_another(granted, stamp, block):
        highest = stamp
    elif is_now and log_grants.is_below(granted, stamp, block) and not log_grants.is_of_one_time(granted, time_us):
        highest = log_grants.highest(granted)
    else:
        if is_now and log_grants.is_below(granted, stamp, block):
            message.state.counts.remarks[message.place.file, OF_ONE_TIME] += 1
        if not len(granted):
            message.state.counts.remarks[message.place.file, OF_NO_POOL] += 1
        log_grants.grant(granted, stamp, block, time_us)
        return
    if is_now or before < stamp:  # The line alone does not show it.
        message.state.counts.remarks[message.place.file, NO_START_IS_MISSING] += 1
    concerns.append(Concern("node", NAMENODE, "grants" if is_now else "shows_stamp"))
    yield message.seen("stamps_in_log", "node", NAMENODE, namespace=namespace, generation_stamp=highest)
    log_grants.fall(granted)
    log_grants.grant(granted, stamp, block, time_us)
