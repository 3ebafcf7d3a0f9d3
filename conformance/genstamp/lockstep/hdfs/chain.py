"""State that is kept for one block and its write pipeline, and the effects of packets.

A packet that is sent, or an acknowledgement that goes up the chain, has no event: these are put where what follows from
them is shown, as late as can be. The model says whether they were possible then.

Not here: who fails, and the NameNode (`pipeline`).
"""

from dataclasses import dataclass, field
from enum import Enum, auto

from genstamp.events import Event
from genstamp.lockstep.projection import Step, model_step


class Phase(Enum):
    """The progress of the block."""

    SETTING_UP = auto()
    STREAMING = auto()
    CLOSING = auto()
    ENDED = auto()
    COMMITTED = auto()
    CLOSED = auto()


@dataclass
class Node:
    """A datanode of a pipeline; packets are numbered as in the model.

    Attributes:
        word: its name in the model.
        taken: the last packet that it has received on this connection.
        confirmed: the last one that it has acknowledged on it.
        shown: the last one whose bytes are visible.
        is_connected: its receiver is up, in the model.
        is_final: its replica is finalized.
        has_restarted: it has been down, which the model does not know yet unless its block had ended.
    """

    word: str
    taken: int = 0
    confirmed: int = 0
    shown: int = 0
    is_connected: bool = False
    is_final: bool = False
    has_restarted: bool = False

    def restarts(self) -> list[Step]:
        """The node was down, and is up again."""
        named = {"datanode": self.word}
        return [model_step("datanode_crash", named), model_step("datanode_restart", named)]


@dataclass
class Chain:
    """A block from its first pipeline on.

    Attributes:
        block, inode, writer: whose.
        key: under which it is checked.
        stamp: of the block, as the run counts.
        stamps: the run's stamps -> the model's.
        pipeline: its datanodes, in order.
        always: whether the policy replaces a failed node, because the stream was flushed in an earlier block.
        known: all datanodes that ever were in it.
        begins_at: where in its file it begins, if that is known.
        sent, bytes_sent, acked: packets of its writer, as in the model.
        phase: how far it is.
        is_over: it is not checked any further.
        flushed: the last packet whose flush is checked.
        is_flushed_unseen: a flush found nothing in this block.
        is_resuming: its pipeline is being set up again, and the NameNode does not know yet.
        asked: stamps that the writer was given since its pipeline failed, as events.
        copies: of the datanodes that join, from whom and to whom bytes were copied.
        reported: datanodes whose finalized replica was reported, each with its stamp.
        perhaps: datanodes whose finalized replica may have been reported.
    """

    block: str
    inode: str
    writer: str
    key: str
    stamp: int
    stamps: dict[int, int]
    pipeline: dict[str, Node]
    always: bool
    known: set[str]
    begins_at: int | None
    sent: int = 0
    bytes_sent: int = 0
    acked: int = 0
    phase: Phase = Phase.SETTING_UP
    is_over: bool = False
    flushed: int = 0
    is_flushed_unseen: bool = False
    is_resuming: bool = False
    asked: list[Event] = field(default_factory=list)
    copies: list[tuple[str, str]] = field(default_factory=list)
    reported: list[tuple[str, int]] = field(default_factory=list)
    perhaps: list[str] = field(default_factory=list)

    @property
    def nodes(self) -> list[Node]:
        """Its datanodes, in order."""
        return list(self.pipeline.values())

    @property
    def is_committed(self) -> bool:
        """The NameNode has its length."""
        return self.phase in (Phase.COMMITTED, Phase.CLOSED)

    @property
    def last_packet(self) -> int:
        """Number of the empty packet that ends the block."""
        return self.bytes_sent + 1

    # -- packets ------------------------------------------------------------------------------------------------

    def close(self) -> list[Step]:
        """The last packet is sent."""
        if self.phase is not Phase.STREAMING:
            return []
        self.phase = Phase.CLOSING
        self.sent += 1
        return [model_step("send_last_packet", {})]

    def sends(self, packet: int) -> list[Step]:
        """The writer sends packets up to this one."""
        steps: list[Step] = []
        while self.sent < packet and self.phase is Phase.STREAMING:
            self.sent += 1
            self.bytes_sent = max(self.bytes_sent, self.sent)
            steps.append(model_step("send_packet", {}))
        return steps

    def takes(self, place: int, packet: int) -> list[Step]:
        """A datanode receives packets up to this one, as do those before it."""
        node = self.nodes[place]
        if node.taken >= packet:
            return []
        steps = self.sends(packet) if place == 0 else self.takes(place - 1, packet)
        while node.taken < packet:
            node.taken += 1
            step = model_step("receive_packet", {"datanode": node.word})
            step.observed["packet"] = str(node.taken)
            steps.append(step)
        return steps

    def confirms(self, place: int, packet: int) -> list[Step]:
        """A datanode acknowledges packets up to this one, as do those after it; whether it may, the model says."""
        if place == len(self.pipeline):
            return []
        node = self.nodes[place]
        steps: list[Step] = []
        while node.confirmed < packet:
            node.confirmed += 1
            steps += self.takes(place, node.confirmed)
            steps += self.confirms(place + 1, node.confirmed)
            steps.append(model_step("send_ack", {"datanode": node.word}))
        return steps

    def shows(self, place: int, packet: int) -> list[Step]:
        """Bytes become visible at a datanode, up to this packet."""
        node = self.nodes[place]
        steps: list[Step] = []
        while node.shown < packet:
            node.shown += 1
            steps += self.takes(place, node.shown)
            steps += self.confirms(place, node.shown - 1)
            steps += self.confirms(place + 1, node.shown)
            step = model_step("raise_bytes_acked", {"datanode": node.word})
            step.observed["bytes_acked"] = str(node.shown)
            steps.append(step)
        return steps

    def finalizes(self, place: int) -> list[Step]:
        """A datanode finalizes its replica."""
        node, steps = self.nodes[place], self.close()
        node.is_final = True
        steps += self.takes(place, self.last_packet)
        steps += self.confirms(place, self.last_packet - 1)
        steps += self.confirms(place + 1, self.last_packet)
        return [*steps, model_step("finalize_replica", {"datanode": node.word})]

    def hears(self, packet: int) -> list[Step]:
        """The writer hears that all datanodes have the packets up to this one."""
        steps: list[Step] = []
        while self.acked < packet:
            self.acked += 1
            steps += [*self.confirms(0, self.acked), model_step("receive_ack", {})]
        return steps

    # -- failures -----------------------------------------------------------------------------------------------

    def fails(self, bad: str) -> list[Step] | None:
        """The writer learns that a datanode is bad; None if acknowledgements were lost on the way."""
        place = list(self.pipeline).index(bad)
        nodes = self.nodes
        named = {"bad": nodes[place].word}
        steps: list[Step] = []
        if nodes[place].is_connected:
            steps.append(model_step("receiver_fails", {"datanode": nodes[place].word}))
        if place == 0:
            return [*steps, model_step("connection_fails", named)]
        if any(node.confirmed != self.acked or not node.is_connected for node in nodes[:place]):
            return None
        steps.append(model_step("mirror_fails", {"datanode": nodes[place - 1].word}))
        steps += [model_step("error_ack_passes", {"datanode": node.word}) for node in reversed(nodes[: place - 1])]
        return [*steps, model_step("error_ack_comes", named)]

    def reconnects(self, names: list[str]) -> None:
        """The pipeline consists of these datanodes from here on; none is connected yet."""
        self.pipeline = {name: self.pipeline[name] for name in names}
        self.sent = self.acked
        for node in self.nodes:
            node.is_connected = False
            node.taken = node.confirmed = self.acked
