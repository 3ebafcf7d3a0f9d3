"""Chandy and Lamport's snapshot: processes that pass tokens on over FIFO channels record a consistent global state.

After Chandy and Lamport, "Distributed Snapshots" (1985). Every process has a channel to every other one; one process
begins one snapshot. `tests/model/protocols_by_hand.py` counts the same states.
"""

from genstamp_model.language import *

MARKER = none


class Process(Index, ordered=True):
    """Process1 begins with all tokens."""


class Token(Index, symmetric=True):
    """Is at one process, or on its way."""


class ChandyLamport(Part):
    """The processes, their channels, and what they have recorded."""

    at = per(Process, members(Token), initially=lambda process: those(Token, lambda token: process == Process.first()))
    channel = per(Process, per(Process, sequence(optional(Token), capacity=3)))  # from, to; a marker is none
    is_begun = flag()
    has_recorded = per(Process, flag())
    kept = per(Process, members(Token))  # recorded at the process
    caught = per(Process, members(Token))  # recorded as on their way to the process
    closed = per(Process, members(Process))  # those whose marker has arrived

    def record(s, process: Process) -> None:
        """Record what is here, and send a marker to every other process."""
        s.has_recorded[process] = True
        s.kept[process] = s.at[process]
        sent = s.channel[process]
        sent.update(lambda other: when(other == process, sent[other], sent[other].appended(MARKER)))

    def is_finished(s) -> Bool:
        """Every process has recorded its state, and heard from each other one that it has, too."""

        def is_done(process: Process) -> Bool:
            others = those(Process, lambda other: other != process)
            return s.has_recorded[process] & (others <= s.closed[process])

        return forall(Process, is_done)

    @action
    def send(s, sender: Process, receiver: Process, token: Token) -> None:
        """A process passes a token on."""
        require((sender != receiver) & s.at[sender].has(token), "it has the token")
        s.at[sender].remove(token)
        s.channel[sender][receiver].append(token)

    @action
    def begin(s, process: Process) -> None:
        """Some process begins the snapshot."""
        require(~s.is_begun, "there is none yet")
        s.is_begun = True
        s.record(process)

    @action
    def receive(s, receiver: Process, sender: Process, token: Token) -> None:
        """A token arrives. It was on its way at the snapshot if it arrives between the record and the marker."""
        channel = s.channel[sender][receiver]
        require((channel.size() > 0) & (channel.first() == token), "it is next")
        is_caught = s.has_recorded[receiver] & ~s.closed[receiver].has(sender)
        channel.drop_first()
        s.at[receiver].add(token)
        s.caught[receiver] = when(
            is_caught, s.caught[receiver] | those(Token, lambda one: one == token), s.caught[receiver]
        )

    @action
    def receive_marker(s, receiver: Process, sender: Process) -> None:
        """A marker arrives: nothing that follows on this channel is part of the snapshot."""
        channel = s.channel[sender][receiver]
        require((channel.size() > 0) & (channel.first() == MARKER), "it is next")
        is_first = case("first", ~s.has_recorded[receiver], "it has not recorded its state")
        channel.drop_first()
        s.closed[receiver].add(sender)
        if is_first:
            s.record(receiver)

    @invariant
    def snapshot_has_each_token_once(s, token: Token) -> Bool:
        """No token is lost or doubled in the recorded state."""
        places = count(Process, lambda process: s.kept[process].has(token))
        ways = count(Process, lambda process: s.caught[process].has(token))
        return s.is_finished().implies(places + ways == 1)

    @leads_to(fair=("receive", "receive_marker", "receive_marker_first"))
    def snapshot_ends(s) -> tuple[Bool, Bool]:
        """Every process records its state and hears from all others, if channels deliver."""
        return s.is_begun, s.is_finished()

    @witness
    def a_token_is_caught(s, process: Process) -> Bool:
        """A finished snapshot may have a token on its way."""
        return s.is_finished() & ~s.caught[process].is_empty()


class Overtaking(ChandyLamport):
    """Channels in which markers overtake tokens."""

    @action
    def receive_marker(s, receiver: Process, sender: Process) -> None:
        """A marker arrives before tokens that were sent earlier."""
        channel = s.channel[sender][receiver]
        require(channel.has(MARKER), "it is on its way")
        is_first = case("first", ~s.has_recorded[receiver], "it has not recorded its state")
        channel.remove(MARKER)
        s.closed[receiver].add(sender)
        if is_first:
            s.record(receiver)


CHANDY_LAMPORT = System(
    "chandy_lamport",
    parts=[ChandyLamport],
    may_stop=lambda s: s.is_finished(),
    configurations=[
        Configuration("two", sizes={"Process": 2, "Token": 2}),
        Configuration("three", sizes={"Process": 3, "Token": 1}),
    ],
    bugs=[
        Bug(
            "no-fifo",
            "markers overtake tokens",
            parts=(Overtaking,),
            breaks=("snapshot_has_each_token_once",),
            configuration="two",
            depth=4,
        )
    ],
)
