"""The steps of a write, with the numbers of figure 2 of the paper: client, primary, secondaries, and a new lease."""

from genstamp_model.language import *
from genstamp_spec.gfs.lifecycles.mutation import MutationLifecycle
from genstamp_spec.gfs.parts.lease_state import Chunkserver
from genstamp_spec.gfs.parts.mutation_state import Client, MutationState, Piece, Serial

UNDER_WAY = (MutationLifecycle.data_pushed, MutationLifecycle.ordered, MutationLifecycle.applied)


class WritingClient(MutationState, lane=Client):
    """What a client does. It may wait with a piece for as long as it likes, and give up for good."""

    @action
    def push_data(s, client: Client, piece: Piece) -> None:
        """Step 3: every replica has the data of a piece in its buffer."""
        s.write[client][piece].state.fire(MutationLifecycle.push)
        s.overlapped = s.overlapped | exists(Client, lambda other: (other != client) & s.is_writing(other))

    def is_writing(s, client: Client) -> Bool:
        """It has begun, and has not heard of every piece that it succeeded."""
        begun = exists(Piece, lambda piece: ~s.write[client][piece].state.at(MutationLifecycle.absent))
        return begun & ~s.has_written(client)

    def has_written(s, client: Client) -> Bool:
        """It has heard of every piece that it succeeded."""
        return forall(Piece, lambda piece: s.write[client][piece].state.at(MutationLifecycle.acknowledged))

    @action
    def retry(s, client: Client, piece: Piece) -> None:
        """A piece that failed is written again, from step 3 on."""
        s.write[client][piece].state.fire(MutationLifecycle.retry)

    @action
    def acknowledge(s, client: Client, piece: Piece) -> None:
        """Step 7: the client hears that the mutation succeeded."""
        s.write[client][piece].state.fire(MutationLifecycle.acknowledge)
        s.forget(client, piece)

    @action
    def time_out(s, client: Client, piece: Piece) -> None:
        """No answer comes: the client takes the mutation for failed, whatever becomes of it."""
        write = s.write[client][piece]
        require(write.state.at(MutationLifecycle.ordered, MutationLifecycle.applied), "an answer is awaited")
        s.fail(client, piece)

    def fail(s, client: Client, piece: Piece) -> None:
        """The client takes the mutation for failed."""
        s.write[client][piece].state.fire(MutationLifecycle.fail)
        s.forget(client, piece)
        s.failed = True

    def forget(s, client: Client, piece: Piece) -> None:
        """Nobody waits for this serial number any more."""
        s.write[client][piece].serial = 0
        s.write[client][piece].failed_somewhere = False


class WritingReplicas(WritingClient, lane=Chunkserver):
    """The primary and the secondaries; what is forwarded may take any time."""

    @action
    def order_mutation(s, client: Client, piece: Piece) -> None:
        """Step 4: the primary gives the mutation a serial number and applies it; step 5: it forwards that."""
        write = s.write[client][piece]
        require(~s.primary.is_none(), "there is a primary")
        write.state.fire(MutationLifecycle.order)
        write.serial = s.queue.size()
        observe(serial=s.queue.size(), primary=s.primary)
        s.last_of[piece] = s.queue.size()
        s.stands[piece] = none
        s.newest[s.primary] = s.queue.size() + 1
        s.processed[s.primary] = s.queue.size() + 1
        s.content[s.primary][piece] = client
        s.queue.append(Serial(client=client, piece=piece))

    @action
    def fail_at_primary(s, client: Client, piece: Piece) -> None:
        """Step 4 fails: no serial number is given, and nothing is forwarded."""
        require(s.write[client][piece].state.at(MutationLifecycle.data_pushed), "the data is pushed")
        s.fail(client, piece)

    @action
    def apply_mutation(s, chunkserver: Chunkserver) -> None:
        """Step 5: a secondary applies what comes next in the primary's order."""
        s.is_next(chunkserver)
        observe(serial=s.processed[chunkserver])
        next_ = s.queue.at(s.processed[chunkserver])
        s.content[chunkserver][next_.piece] = next_.client
        s.newest[chunkserver] = s.processed[chunkserver] + 1
        s.processed[chunkserver] = s.processed[chunkserver] + 1

    @action
    def fail_to_apply(s, chunkserver: Chunkserver) -> None:
        """Step 6: a secondary answers with an error, and goes on with what comes after."""
        s.is_next(chunkserver)
        serial = s.processed[chunkserver]
        observe(serial=serial)
        next_ = s.queue.at(serial)
        write = s.write[next_.client][next_.piece]
        awaited = write.state.at(MutationLifecycle.ordered) & (write.serial == serial)
        s.write[next_.client][next_.piece].failed_somewhere = write.failed_somewhere | awaited
        s.skipped.add(chunkserver)
        s.processed[chunkserver] = serial + 1

    def is_next(s, chunkserver: Chunkserver) -> None:
        """Checks: a secondary to which something was forwarded."""
        require(s.current.has(chunkserver), "it is a replica of the lease")
        require(s.processed[chunkserver] < s.queue.size(), "a mutation was forwarded to it")

    @action
    def answer(s, client: Client, piece: Piece) -> None:
        """Every replica has applied the mutation (step 6), or some has failed, and the client is told so (step 7)."""
        write = s.write[client][piece]
        require(write.state.at(MutationLifecycle.ordered), "the mutation is ordered")
        answered = forall(Chunkserver, lambda other: ~s.current.has(other) | (s.processed[other] > write.serial))
        require(answered, "every replica has answered")
        if case("failure", write.failed_somewhere, "some replica has failed", "every replica has applied it"):
            s.fail(client, piece)
            return
        observe(serial=s.write[client][piece].serial)
        s.write[client][piece].state.fire(MutationLifecycle.apply)
        is_last = s.write[client][piece].serial == s.last_of[piece]
        s.stands[piece] = when(is_last, client, s.stands[piece])


class NewLease(WritingReplicas, lane="master"):
    """The master grants a lease; whoever is not reached is stale from then on."""

    @action
    def grant_lease(s, chunkserver: Chunkserver, left_out: Maybe[Chunkserver]) -> None:
        """A new lease, at times without one of the replicas (sections 3.1 and 4.5).

        Coarser  clients of mutations that hang with the old primary have given up before.
        """
        require(s.current.has(chunkserver), "the primary is a current replica")
        require(left_out != chunkserver, "it is not left out itself")
        require(left_out.is_none() | s.current.has(left_out), "what is left out was current")
        waiting = exists(
            Client,
            lambda client: exists(Piece, lambda piece: s.write[client][piece].state.at(MutationLifecycle.ordered)),
        )
        require(~waiting, "no client waits for the old primary")
        s.leases = s.leases + 1
        s.primary = chunkserver
        s.current.remove(left_out)
        s.queue.clear()
        s.skipped.clear()
        s.processed.update(lambda other: 0)
        s.newest.update(lambda other: 0)
        s.last_of.update(lambda piece: 0)
