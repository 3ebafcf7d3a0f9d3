"""What goes wrong where replicas need not follow the primary's order, as changes to gfs.mutation_order.

None of them is known of GFS: they are what an implementer may get wrong.
"""

from genstamp_model.language import *
from genstamp_spec.gfs.parts.lease_state import Chunkserver
from genstamp_spec.gfs.parts.mutation_steps import NewLease


class OrderOfArrival(NewLease, lane=Chunkserver):
    """A secondary applies mutations in the order in which they arrive, and not in that of the primary."""

    @action
    def apply_mutation(s, chunkserver: Chunkserver) -> None:
        """The next or the one after it; what was overtaken is applied afterwards."""
        later = pick("later", 0, 1)
        s.is_next(chunkserver)
        done = s.processed[chunkserver]
        require(done + later < s.queue.size(), "it was forwarded")
        first, second = s.queue.at(done + later), s.queue.at(done)
        s.content[chunkserver][first.piece] = first.client
        s.content[chunkserver][second.piece] = second.client
        s.newest[chunkserver] = done + later + 1
        s.processed[chunkserver] = done + later + 1


ORDER_OF_ARRIVAL = Bug(
    "order-of-arrival", parts=(OrderOfArrival,), source="section 3.1: all replicas follow the primary's order"
).at("retries", "write_that_succeeded_stands")


class AppliedTwice(NewLease, lane=Chunkserver):
    """A secondary applies a mutation again whose forward arrives again, over those that came after it."""

    @action
    def apply_again(s, chunkserver: Chunkserver) -> None:
        """A secondary does not look whether it has applied the serial number."""
        require(s.processed[chunkserver] > 0, "something was forwarded to it")
        require(s.queue.size() > 0, "there is a first mutation")
        first = s.queue.at(0)
        s.content[chunkserver][first.piece] = first.client
        s.newest[chunkserver] = 1


APPLIED_TWICE = Bug(
    "forward-applied-twice", parts=(AppliedTwice,), source="section 3.1: in the order of serial numbers"
).at("retries", "replicas_apply_in_one_order", "replicas_that_fail_nothing_skip_nothing")
ANSWERED_TOO_EARLY = Bug(
    "answered-before-all-have-applied",
    "the primary answers without waiting for every secondary",
    drops=(("answer", "every replica has answered"),),
    source="section 3.1, step 6",
).at("retries", "write_that_succeeded_stands")
ERROR_NOT_REPORTED = Bug(
    "error-of-a-secondary-not-reported",
    "the primary answers with success although a secondary has failed",
    drops=(("answer", "every replica has applied it"),),
    source="section 3.1, step 7",
).at("retries", "write_that_succeeded_stands")


class StaleTakesPart(NewLease, lane="master"):
    """A replica that was left out comes back, and takes part again."""

    @action
    def take_in(s, chunkserver: Chunkserver) -> None:
        """Its version is not looked at."""
        require(~s.current.has(chunkserver), "it was left out")
        s.current.add(chunkserver)
        s.processed[chunkserver] = s.queue.size()
        s.newest[chunkserver] = s.queue.size()


STALE_TAKES_PART = Bug(
    "stale-replica-takes-part",
    "a replica that was left out takes part again, although mutations went on without it",
    parts=(StaleTakesPart,),
    source="section 4.5",
).at("retries", "write_that_succeeded_stands")

MUTATION_ORDER_BUGS = (ORDER_OF_ARRIVAL, APPLIED_TWICE, ANSWERED_TOO_EARLY, ERROR_NOT_REPORTED, STALE_TAKES_PART)
"""Each breaks a promise of gfs.mutation_order."""
