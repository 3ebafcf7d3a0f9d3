"""The steps of a record append (section 3.3): client, primary, secondaries, a new lease, the next chunk."""

from genstamp_model.language import *
from genstamp_spec.gfs.lifecycles.mutation import MutationLifecycle
from genstamp_spec.gfs.parts.append_state import AppendState, Bytes, Forward, Offset, Replica, Slot, no_offset, nothing
from genstamp_spec.gfs.parts.lease_state import Chunkserver
from genstamp_spec.gfs.parts.mutation_state import Client


class AppendingClient(AppendState, lane=Client):
    """What a client does: it appends one record, and tries again until it is told an offset, or gives up."""

    @action
    def push_data(s, client: Client) -> None:
        """Every replica of the last chunk has the record in its buffer."""
        s.begin(client)

    def begin(s, client: Client) -> None:
        """The first attempt begins."""
        s.append[client].state.fire(MutationLifecycle.push)

    @action
    def retry(s, client: Client) -> None:
        """The record is appended again: it may stand there already, whole or in part."""
        s.append[client].state.fire(MutationLifecycle.retry)

    @action
    def acknowledge(s, client: Client) -> None:
        """The client hears at which offset its record stands."""
        s.append[client].state.fire(MutationLifecycle.acknowledge)
        s.forget(client)

    @action
    def time_out(s, client: Client) -> None:
        """No answer comes: the client takes the append for failed, whatever becomes of it."""
        awaited = s.append[client].state.at(MutationLifecycle.ordered, MutationLifecycle.applied)
        require(awaited, "an answer is awaited")
        s.fail(client)

    def fail(s, client: Client) -> None:
        """The client takes the append for failed."""
        s.append[client].state.fire(MutationLifecycle.fail)
        s.forget(client)

    def forget(s, client: Client) -> None:
        """Nobody waits for this serial number any more."""
        s.append[client].serial = 0
        s.append[client].failed_somewhere = False


class AppendingReplicas(AppendingClient, lane=Chunkserver):
    """The primary and the secondaries; what is forwarded may take any time."""

    @action
    def order_append(s, client: Client) -> None:
        """The record fits: the primary appends it at its own end, and forwards it with that offset."""
        require(~s.primary.is_none(), "there is a primary")
        replica = s.replica[s.primary]
        offset = choose(Offset, lambda one: ~replica.taken.has(one))
        require(~replica.padded & ~offset.is_none(), "the record fits into the chunk")
        observe(primary=s.primary, serial=s.queue.size(), offset=offset, fits=True)
        s.append[client].state.fire(MutationLifecycle.order)
        s.append[client].serial = s.queue.size()
        s.put(s.primary, offset, Slot(bytes=Bytes.WHOLE, client=client))
        s.forward(Forward(client=client, offset=offset))

    @action
    def pad_chunk(s, client: Client) -> None:
        """The record does not fit: the primary pads the chunk, and tells the secondaries to do the same.

        Coarser  a record may be too long for the rest of the chunk, whatever that is, but fits into an empty one.
        """
        require(s.append[client].state.at(MutationLifecycle.data_pushed), "the data is pushed")
        require(~s.primary.is_none(), "there is a primary")
        require(~s.replica[s.primary].taken.is_empty(), "something stands in the chunk")
        require(~s.replica[s.primary].padded, "the chunk is not padded yet")
        observe(primary=s.primary, serial=s.queue.size(), fits=False)
        s.replica[s.primary].padded = True
        s.forward(Forward(client=none, offset=none))

    def forward(s, forward: Forward) -> None:
        """The primary has done it itself, and the secondaries will in its order."""
        s.processed[s.primary] = s.queue.size() + 1
        s.queue.append(forward)

    def put(s, chunkserver: Chunkserver, offset: Offset, slot: Slot) -> None:
        """The slot at the offset, and the length that comes of it."""
        s.content[chunkserver][offset] = slot
        s.replica[chunkserver].taken = s.replica[chunkserver].taken | s.up_to(offset)

    @action
    def fail_at_primary(s, client: Client) -> None:
        """The primary fails before it has given a serial number: nothing is forwarded."""
        require(s.append[client].state.at(MutationLifecycle.data_pushed), "the data is pushed")
        s.fail(client)

    @action
    def apply_append(s, chunkserver: Chunkserver) -> None:
        """A secondary does what comes next in the primary's order."""
        s.is_next(chunkserver)
        s.shows_next(chunkserver)
        s.write_next(chunkserver, Bytes.WHOLE)

    @action
    def fail_to_apply(s, chunkserver: Chunkserver) -> None:
        """A secondary fails half-way, so that a part of the record stands at the offset, or before it has written."""
        s.is_next(chunkserver)
        s.shows_next(chunkserver)
        if either("in_part", "a part is written"):
            require(~s.queue.at(s.processed[chunkserver]).offset.is_none(), "it is a record")
            s.report_error(chunkserver)
            s.write_next(chunkserver, Bytes.PART)
            return
        s.report_error(chunkserver)
        s.processed[chunkserver] = s.processed[chunkserver] + 1

    def is_next(s, chunkserver: Chunkserver) -> None:
        """Checks: a secondary to which something was forwarded."""
        require(s.current.has(chunkserver), "it is a replica of the lease")
        require(s.processed[chunkserver] < s.queue.size(), "something was forwarded to it")

    def shows_next(s, chunkserver: Chunkserver) -> None:
        """What it does: its place in the primary's order, and the offset."""
        observe(serial=s.processed[chunkserver], offset=s.queue.at(s.processed[chunkserver]).offset)

    def write_next(s, chunkserver: Chunkserver, bytes_: Bytes) -> None:
        """It writes at the offset that the primary has chosen, whatever stands there, or pads its replica."""
        next_ = s.queue.at(s.processed[chunkserver])
        pads = next_.offset.is_none()
        slot = Slot(bytes=bytes_, client=next_.client)
        taken = s.replica[chunkserver].taken
        s.content[chunkserver].update(lambda offset: when(next_.offset == offset, slot, s.content[chunkserver][offset]))
        s.replica[chunkserver].taken = when(pads, taken, taken | s.up_to(next_.offset))
        s.replica[chunkserver].padded = s.replica[chunkserver].padded | pads
        s.processed[chunkserver] = s.processed[chunkserver] + 1

    def report_error(s, chunkserver: Chunkserver) -> None:
        """The primary hears that this secondary has failed, if anybody waits for that."""
        serial = s.processed[chunkserver]
        client = s.queue.at(serial).client
        append = s.append[client]
        awaited = append.state.at(MutationLifecycle.ordered) & (append.serial == serial)
        s.append[client].failed_somewhere = append.failed_somewhere | awaited

    @action
    def answer(s, client: Client) -> None:
        """All have answered. Where every replica has the record at this offset, the client is answered with it.

        Where some replica has failed the client is told so, and may try again.
        """
        append = s.append[client]
        require(append.state.at(MutationLifecycle.ordered), "the append is ordered")
        answered = forall(Chunkserver, lambda other: ~s.current.has(other) | (s.processed[other] > append.serial))
        require(answered, "every replica has answered")
        if case("failure", append.failed_somewhere, "some replica has failed", "every replica has applied it"):
            s.fail(client)
            return
        observe(serial=s.append[client].serial, offset=s.queue.at(s.append[client].serial).offset)
        s.append[client].state.fire(MutationLifecycle.apply)
        s.told[client] = s.queue.at(s.append[client].serial).offset


class NextChunk(AppendingReplicas, lane="master"):
    """The master grants leases and adds chunks; clients that wait for the old primary have given up before."""

    @action
    def grant_lease(s, chunkserver: Chunkserver, left_out: Maybe[Chunkserver]) -> None:
        """A new lease, at times without one of the replicas (sections 3.1 and 4.5)."""
        require(s.current.has(chunkserver), "the primary is a current replica")
        require(left_out != chunkserver, "it is not left out itself")
        require(left_out.is_none() | s.current.has(left_out), "what is left out was current")
        require(~s.is_awaited(), "no client waits for the old primary")
        s.leases = s.leases + 1
        s.primary = chunkserver
        s.current.remove(left_out)
        s.drop_queue()

    @action(caller="client")
    def add_chunk(s, client: Client) -> None:
        """A client was told to retry on the next chunk: there is a new last one, which is empty."""
        require(s.append[client].state.at(MutationLifecycle.data_pushed), "a client has something to append")
        require(~s.primary.is_none(), "there is a primary")
        require(s.replica[s.primary].padded, "the last chunk is padded")
        require(~s.is_awaited(), "no client waits for the old primary")
        s.chunks = s.chunks + 1
        s.replica.update(lambda other: Replica(taken=no_offset(), padded=False))
        s.content.update(lambda other: each(Offset, lambda offset: nothing()))
        s.told.update(lambda other: none)
        s.drop_queue()

    def is_awaited(s) -> Bool:
        """A client waits for the primary's answer."""
        return exists(Client, lambda client: s.append[client].state.at(MutationLifecycle.ordered))

    def drop_queue(s) -> None:
        """Nothing is ordered yet."""
        s.queue.clear()
        s.processed.update(lambda other: 0)
