"""Two recoveries of one HDFS block, with every call a message: the twin of a Promela model written by hand.

`tests/model/anchors/block_recovery.pml` says the same as processes and channels. The two correspond state by state: a
channel is a sequence, a worker's place in its text is its stage, and a step is what happens there between two stored
states. "two" has 11 496 states.
"""

import enum
from typing import cast

from genstamp_model.language import *

# States of a replica, a better one first, and what else an answer can say.
NONE, FINALIZED, RBW, RWR, RUR, PREEMPTED, FAILED = range(7)
MAX_LENGTH, MAX_RESTARTS, FIRST_ID, LAST_ID = 2, 1, 2, 3


class Worker(Index):
    """A worker that leads a recovery; one of them runs under id 2, the later one under id 3."""

    LATER = named()


class Datanode(Index):
    """A datanode."""


class Stage(enum.Enum):
    """How far a worker is."""

    IDLE = enum.auto()
    COLLECTING = enum.auto()
    UPDATING = enum.auto()
    OVER = enum.auto()


class Call(enum.Enum):
    """What a worker asks of a datanode."""

    INIT = enum.auto()
    UPDATE = enum.auto()


class Replica(Record):
    """A replica; `original` and `recovery` are those of a RUR."""

    state = number(NONE, RUR, initially=RBW)
    stamp = number(0, LAST_ID, initially=1)
    length = number(0, MAX_LENGTH, initially=1)
    original = number(NONE, RUR)
    recovery = number(0, LAST_ID)


class Request(Record):
    """A call on its way to a datanode."""

    call = enumeration(Call)
    worker = reference(Worker)
    length = number(0, MAX_LENGTH)


class Reply(Record):
    """An answer on its way to a worker."""

    datanode = reference(Datanode)
    answer = number(NONE, FAILED)
    length = number(0, MAX_LENGTH)


class Report(Record):
    """What a worker tells the NameNode in the end."""

    worker = reference(Worker)
    length = number(0, MAX_LENGTH)
    updated = members(Datanode)


class Found(Record):
    """What a datanode has answered; NONE if nothing that counts."""

    rank = number(NONE, RUR)
    length = number(0, MAX_LENGTH)


class Recovery(Part):
    """NameNode, workers, datanodes, and the channels between them."""

    replica = per(Datanode, record(Replica))
    restarts = number(0, MAX_RESTARTS)

    recovery_id = number(1, LAST_ID)
    closed = flag()
    block_stamp = number(1, LAST_ID)
    block_length = number(0, MAX_LENGTH)
    locations = members(Datanode)

    stage = per(Worker, enumeration(Stage))
    waiting = per(Worker, members(Datanode))
    found = per(Worker, per(Datanode, record(Found)))
    agreed = per(Worker, number(0, MAX_LENGTH))
    updated = per(Worker, members(Datanode))

    commanded = members(Worker)
    request = per(Datanode, sequence(record(Request), capacity=4))
    reply = per(Worker, sequence(record(Reply), capacity=2))
    report = sequence(record(Report), capacity=2)

    def _id(s, worker: Worker) -> Number:
        return cast(Number, when(worker == Worker.LATER, LAST_ID, FIRST_ID))

    # The NameNode.

    @action
    def begin_recovery(s, worker: Worker) -> None:
        """A recovery begins, and preempts the one before."""
        require(~s.closed, "the file is open")
        require(s.recovery_id + 1 == s._id(worker), "the id is the next one")
        s.recovery_id = s.recovery_id + 1
        s.commanded.add(worker)

    @action
    def commit_block_synchronization(s) -> None:
        """A worker's report arrives; one that comes late changes nothing."""
        require(s.report.size() > 0, "there is a report")
        report = s.report.first()
        good = ~s.closed & (s._id(report.worker) == s.recovery_id)
        s.block_stamp = when(good, s.recovery_id, s.block_stamp)
        s.block_length = when(good, report.length, s.block_length)
        s.locations = when(good, report.updated, s.locations)
        s.closed = s.closed | good
        s.report.drop_first()

    # A worker.

    @action
    def ask(s, worker: Worker, first: Datanode, other: Datanode) -> None:
        """A worker asks every datanode for its replica."""
        require(s.stage[worker].at(Stage.IDLE) & s.commanded.has(worker), "the worker has its command")
        require(first != other, "there are two datanodes")
        s.commanded.remove(worker)
        s.stage[worker] = Stage.COLLECTING
        s.waiting[worker] = those(Datanode, lambda dn: True)
        s.request[first].append(Request(call=Call.INIT, worker=worker, length=0))
        s.request[other].append(Request(call=Call.INIT, worker=worker, length=0))

    def _others(s, worker: Worker) -> Members[Datanode]:
        """Whose answer is missing after this one."""
        answering = s.reply[worker].first().datanode
        return s.waiting[worker] - those(Datanode, lambda dn: dn == answering)

    def _require_answer(s, worker: Worker, *, last: bool) -> None:
        require(s.stage[worker].at(Stage.COLLECTING) & (s.reply[worker].size() > 0), "the worker has an answer")
        require(s.reply[worker].first().answer != PREEMPTED, "no later recovery has been there")
        require(s._others(worker).is_empty() == last, "it is the last one" if last else "it is not the last one")

    def _rank(s, worker: Worker, dn: Datanode) -> Number:
        """What is known of a datanode's replica with the answer that has just come."""
        reply = s.reply[worker].first()
        return when(reply.datanode == dn, when(reply.answer != FAILED, reply.answer, NONE), s.found[worker][dn].rank)

    def _length(s, worker: Worker, dn: Datanode) -> Number:
        reply = s.reply[worker].first()
        return when(reply.datanode == dn, reply.length, s.found[worker][dn].length)

    def _best(s, worker: Worker) -> Number:
        return minimum(
            Datanode, lambda dn: s._rank(worker, dn), where=lambda dn: s._rank(worker, dn) != NONE, default=RUR
        )

    def _new_length(s, worker: Worker) -> Number:
        best = s._best(worker)
        return minimum(
            Datanode, lambda dn: s._length(worker, dn), where=lambda dn: s._rank(worker, dn) == best, default=0
        )

    def _can_agree(s, worker: Worker) -> Bool:
        """Somebody has a replica, and finalized ones have one length."""
        best, length = s._best(worker), s._new_length(worker)
        return (best != RUR) & (
            (best != FINALIZED)
            | forall(Datanode, lambda dn: (s._rank(worker, dn) != FINALIZED) | (s._length(worker, dn) == length))
        )

    def _forget(s, worker: Worker) -> None:
        s.stage[worker] = Stage.OVER
        s.waiting[worker].clear()
        s.found[worker].update(lambda dn: Found(rank=NONE, length=0))
        s.agreed[worker] = 0
        s.updated[worker].clear()

    @action
    def give_up(s, worker: Worker) -> None:
        """A later recovery was there first."""
        require(s.stage[worker].at(Stage.COLLECTING) & (s.reply[worker].size() > 0), "the worker has an answer")
        require(s.reply[worker].first().answer == PREEMPTED, "a later recovery has been there")
        s.reply[worker].drop_first()
        s._forget(worker)

    @action
    def collect(s, worker: Worker) -> None:
        """An answer comes, and others are missing."""
        s._require_answer(worker, last=False)
        s.waiting[worker] = s._others(worker)
        s.found[worker].update(lambda dn: Found(rank=s._rank(worker, dn), length=s._length(worker, dn)))
        s.reply[worker].drop_first()

    @action
    def agree(s, worker: Worker, first: Datanode, other: Datanode) -> None:
        """The last answer comes: a length is agreed on, and those that take part are told to update."""
        s._require_answer(worker, last=True)
        require(s._can_agree(worker), "an agreement is possible")
        require(first != other, "there are two datanodes")
        best, length = s._best(worker), s._new_length(worker)

        def takes_part(dn: Datanode) -> Bool:
            rank = s._rank(worker, dn)
            return (rank == best) | ((best == FINALIZED) & (rank == RBW) & (s._length(worker, dn) == length))

        taking_part = those(Datanode, takes_part)
        update = Request(call=Call.UPDATE, worker=worker, length=length)
        s.request[when(takes_part(first), first, none)].append(update)
        s.request[when(takes_part(other), other, none)].append(update)
        s.stage[worker] = Stage.UPDATING
        s.agreed[worker] = length
        s.waiting[worker] = taking_part
        s.found[worker].update(lambda dn: Found(rank=s._rank(worker, dn), length=s._length(worker, dn)))
        s.reply[worker].drop_first()

    @action
    def fail(s, worker: Worker) -> None:
        """The last answer comes, and no agreement is possible."""
        s._require_answer(worker, last=True)
        require(~s._can_agree(worker), "no agreement is possible")
        s.reply[worker].drop_first()
        s._forget(worker)

    def _updated(s, worker: Worker) -> Members[Datanode]:
        reply = s.reply[worker].first()
        return s.updated[worker] | those(Datanode, lambda dn: (dn == reply.datanode) & (reply.answer == FINALIZED))

    def _require_update(s, worker: Worker, *, last: bool) -> None:
        require(s.stage[worker].at(Stage.UPDATING) & (s.reply[worker].size() > 0), "the worker has an answer")
        require(s._others(worker).is_empty() == last, "it is the last one" if last else "it is not the last one")

    @action
    def hear_of_update(s, worker: Worker) -> None:
        """A datanode has updated its replica, or has not, and others are missing."""
        s._require_update(worker, last=False)
        s.updated[worker] = s._updated(worker)
        s.waiting[worker] = s._others(worker)
        s.reply[worker].drop_first()

    @action
    def report_recovery(s, worker: Worker) -> None:
        """The last datanode has answered, and one of them has updated its replica."""
        s._require_update(worker, last=True)
        require(~s._updated(worker).is_empty(), "a replica is updated")
        s.report.append(Report(worker=worker, length=s.agreed[worker], updated=s._updated(worker)))
        s.reply[worker].drop_first()
        s._forget(worker)

    @action
    def fail_to_update(s, worker: Worker) -> None:
        """The last datanode has answered, and none of them has updated its replica."""
        s._require_update(worker, last=True)
        require(s._updated(worker).is_empty(), "no replica is updated")
        s.reply[worker].drop_first()
        s._forget(worker)

    # A datanode.

    @action
    def receive_packet(s, dn: Datanode) -> None:
        """The writer's next byte arrives."""
        require(s.replica[dn].state == RBW, "the replica is being written")
        require(s.replica[dn].length < MAX_LENGTH, "there is more to write")
        s.replica[dn].length = s.replica[dn].length + 1

    @action
    def restart(s, dn: Datanode) -> None:
        """The datanode restarts."""
        replica = s.replica[dn]
        require((replica.state == RBW) | (replica.state == RUR), "the replica is not finalized")
        require(s.restarts < MAX_RESTARTS, "restarts are rare")
        s.restarts = s.restarts + 1
        replica.state = when(replica.original == FINALIZED, FINALIZED, RWR)
        replica.original = NONE
        replica.recovery = 0

    @action
    def init_replica_recovery(s, dn: Datanode) -> None:
        """A datanode freezes its replica for a recovery, or refuses."""
        request, replica = s.request[dn].first(), s.replica[dn]
        require((s.request[dn].size() > 0) & request.call.at(Call.INIT), "the datanode is asked")
        recovery, worker = s._id(request.worker), request.worker
        failed = replica.stamp >= recovery
        preempted = ~failed & (replica.state == RUR) & (replica.recovery >= recovery)
        good = ~failed & ~preempted
        original = when(replica.state == RUR, replica.original, replica.state)
        answer = when(failed, FAILED, when(preempted, PREEMPTED, original))
        length = when(good, replica.length, 0)
        s.request[dn].drop_first()
        s.reply[worker].append(Reply(datanode=dn, answer=answer, length=length))
        replica.original = when(good, original, replica.original)
        replica.recovery = when(good, recovery, replica.recovery)
        replica.state = when(good, RUR, replica.state)

    def _require_call(s, dn: Datanode) -> None:
        request = s.request[dn].first()
        require((s.request[dn].size() > 0) & request.call.at(Call.UPDATE), "the datanode is told to update")

    @action
    def update_replica(s, dn: Datanode) -> None:
        """A datanode takes over stamp and length."""
        request, replica = s.request[dn].first(), s.replica[dn]
        s._require_call(dn)
        require(replica.state == RUR, "the replica is under recovery")
        require(replica.recovery == s._id(request.worker), "the recovery is the last one begun here")
        require(replica.length >= request.length, "the replica is long enough")
        worker, recovery, length = request.worker, s._id(request.worker), request.length
        s.request[dn].drop_first()
        s.reply[worker].append(Reply(datanode=dn, answer=FINALIZED, length=0))
        s.replica[dn] = Replica(state=FINALIZED, stamp=recovery, length=length, original=NONE, recovery=0)

    @action
    def refuse_update(s, dn: Datanode) -> None:
        """A datanode does not update its replica."""
        request, replica = s.request[dn].first(), s.replica[dn]
        s._require_call(dn)
        last = (replica.state == RUR) & (replica.recovery == s._id(request.worker))
        require(~(last & (replica.length >= request.length)), "the replica cannot be updated")
        worker = request.worker
        s.request[dn].drop_first()
        s.reply[worker].append(Reply(datanode=dn, answer=FAILED, length=0))

    @invariant
    def replicas_match(s, dn: Datanode) -> Bool:
        """Once the file is closed, every replica that counts is finalized, with the block's stamp and length."""
        replica = s.replica[dn]
        same = (replica.stamp == s.block_stamp) & (replica.length == s.block_length)
        return (s.closed & s.locations.has(dn)).implies((replica.state == FINALIZED) & same)

    @witness
    def closed_by_the_later_one(s) -> Bool:
        """The recovery that preempts can succeed."""
        return s.closed & (s.block_stamp == LAST_ID)


BLOCK_RECOVERY = System(
    "block_recovery",
    parts=[Recovery],
    configurations=[Configuration("two", sizes={"Worker": 1, "Datanode": 2}, doc="two recoveries, two datanodes")],
)
