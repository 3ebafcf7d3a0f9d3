"""The acknowledgements of one node, with a receiver that is a script. Facts C.2, W.4.5."""

import random
from dataclasses import dataclass, field

import pytest

from genstamp_dfs.errors import EOFException, HdfsIOException, SocketTimeoutException
from genstamp_dfs.hdfs.datanode.packet_responder import MAX_WAITING, PacketResponder, WaitingPacket
from genstamp_dfs.hdfs.messages.data_transfer import Message, PipelineAck, Status
from genstamp_dfs.simulation.loop import Life, Loop
from genstamp_dfs.simulation.network import Network
from genstamp_dfs.simulation.runtime import SimulatedRuntime

OK, ERROR, CORRUPT = Status.SUCCESS, Status.ERROR, Status.ERROR_CHECKSUM


@dataclass
class Receiver:
    """Notes what is done to the replica, together with what is sent."""

    story: list[str]
    is_interrupted: bool = False
    in_time: bool = True
    refusal: HdfsIOException | None = None

    async def finalize(self) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.story.append("finalize")

    def acknowledge(self, end: int) -> None:
        self.story.append(f"acknowledge {end}")

    def forwarded_in_time(self) -> bool:
        return self.in_time


@dataclass
class Line:
    """A connection that gives what it was given, and then fails."""

    story: list[str] = field(default_factory=list)
    incoming: list[PipelineAck | HdfsIOException] = field(default_factory=list)
    peer: str = "datanode1"

    async def send(self, message: Message) -> None:
        assert isinstance(message, PipelineAck)
        self.story.append(f"{message.seqno} {' '.join(reply.name for reply in message.replies)}")

    async def receive(self, timeout_us: int | None = None) -> Message:
        del timeout_us
        message = self.incoming.pop(0) if self.incoming else EOFException("closed")
        if isinstance(message, HdfsIOException):
            raise message
        return message

    def close(self) -> None:
        """Nothing to do."""


def play(
    packets: list[WaitingPacket], mirror: list[PipelineAck | HdfsIOException] | None = None, **receiver: object
) -> tuple[list[str], bool]:
    """What happens, and whether the responder comes to its end by itself."""
    story: list[str] = []
    loop = Loop()
    runtime = SimulatedRuntime(loop, Network(loop, random.Random(0)), Life("datanode2"), random.Random(0))
    responder = PacketResponder(
        Receiver(story, **receiver),  # type: ignore[arg-type]
        runtime,
        Line(story),
        None if mirror is None else Line(incoming=mirror),
        1,
        lambda: story.append("end"),
    )
    for packet in packets:
        responder.enqueue(packet)
    runtime.spawn(responder.run(), "responder")
    loop.run()
    return story, responder.has_acknowledged_last


DATA, LAST = WaitingPacket(4, 700, False, OK), WaitingPacket(5, 700, True, OK)


def test_the_last_node_finalizes_before_it_acknowledges_and_raises_before_it_answers() -> None:
    assert play([DATA, LAST]) == (
        ["acknowledge 700", "4 SUCCESS", "finalize", "acknowledge 700", "5 SUCCESS", "end"],
        True,
    )


def test_a_node_in_between_answers_after_those_below_with_its_own_status_in_front() -> None:
    assert play([DATA, LAST], [PipelineAck(4, (OK,)), PipelineAck(5, (OK,))])[0] == [
        "acknowledge 700",
        "4 SUCCESS SUCCESS",
        "finalize",
        "acknowledge 700",
        "5 SUCCESS SUCCESS",
        "end",
    ]


def test_bytes_that_a_node_below_did_not_take_are_not_raised() -> None:
    assert play([DATA], [PipelineAck(4, (OK, ERROR))])[0][:1] == ["4 SUCCESS SUCCESS ERROR"]


@pytest.mark.parametrize("failure", [EOFException("closed"), SocketTimeoutException("late")])
@pytest.mark.parametrize("packets", [[], [DATA, LAST]])
def test_a_broken_mirror_is_told_at_once_and_nothing_is_finalized(
    failure: HdfsIOException, packets: list[WaitingPacket]
) -> None:
    assert play(packets, [failure])[0] == ["-2 SUCCESS ERROR"]


def test_a_mirror_that_acknowledges_something_else_is_told_to_be_broken() -> None:
    assert play([DATA, LAST], [PipelineAck(3, (OK,))])[0] == ["4 SUCCESS ERROR", "-2 SUCCESS ERROR"]


def test_news_of_a_broken_mirror_goes_up_and_ends_no_block() -> None:
    """A node further down may have failed before it had the last packet."""
    assert play([LAST], [PipelineAck(-2, (OK, ERROR))])[0] == ["-2 SUCCESS SUCCESS ERROR", "-2 SUCCESS ERROR"]


def test_who_has_not_forwarded_in_time_blames_itself() -> None:
    """HDFS-9178: it closes, and the node before takes it for the bad one."""
    assert play([DATA], [EOFException("closed")], in_time=False) == (["end"], False)


def test_a_corrupt_copy_below_makes_the_node_close_without_an_answer() -> None:
    """HDFS-3875."""
    assert play([DATA], [PipelineAck(4, (CORRUPT,))]) == (["end"], False)


def test_own_corrupt_data_are_answered_before_the_end() -> None:
    assert play([WaitingPacket(4, 0, False, CORRUPT)]) == (["4 ERROR_CHECKSUM", "end"], False)


def test_an_out_of_band_answer_goes_up_behind_a_success() -> None:
    assert play([], [PipelineAck(-2, (Status.OOB_RESTART,))])[0][0] == "-2 SUCCESS OOB_RESTART"


def test_a_replica_that_cannot_be_finalized_is_not_acknowledged() -> None:
    assert play([LAST], refusal=HdfsIOException("under recovery")) == (["end"], False)


def test_who_is_interrupted_does_nothing_more() -> None:
    """S23: no byte becomes visible, and nothing is finalized, once a recovery has the replica."""
    assert play([DATA, LAST], is_interrupted=True) == (["end"], False)


class Deaf(Line):
    """A connection whose other end takes nothing."""

    def __init__(self, runtime: SimulatedRuntime) -> None:
        super().__init__()
        self._takes = runtime.condition()

    async def send(self, message: Message) -> None:
        del message
        await self._takes.wait()


def test_who_takes_no_acknowledgements_may_send_so_many_packets_and_no_more() -> None:
    loop = Loop()
    runtime = SimulatedRuntime(loop, Network(loop, random.Random(0)), Life("datanode2"), random.Random(0))
    responder = PacketResponder(Receiver([]), runtime, Deaf(runtime), None, 1, lambda: None)
    taken: list[int] = []
    refusals: list[SocketTimeoutException] = []

    async def receive() -> None:
        try:
            for seqno in range(10 * MAX_WAITING):
                await responder.has_room(1_000_000)
                responder.enqueue(WaitingPacket(seqno, 0, False, OK))
                taken.append(seqno)
        except SocketTimeoutException as refusal:
            refusals.append(refusal)

    runtime.spawn(receive(), "receiver")
    runtime.spawn(responder.run(), "responder")
    loop.run()
    assert len(taken) in (MAX_WAITING, MAX_WAITING + 1)
    assert [str(refusal) for refusal in refusals] == ["256 packets of datanode1 wait to be acknowledged"]
