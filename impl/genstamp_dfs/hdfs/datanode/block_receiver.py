"""The process that writes the packets of one block: into the replica, and on to the next node.

It is the replica's writer: another operation on the replica interrupts it, which closes its connections, and waits for
its end. Between two waits nothing else happens, so no packet is ever left half-written by an interruption.

Not here: setting the pipeline up (`data_xceiver`); dropping pages from the cache; throttling.

Source: DN/BlockReceiver#receiveBlock, #receivePacket, Hadoop 3.4.1; facts C.2, B.6, W.4.5, W.4.6.
"""

from functools import partial

from genstamp_dfs.errors import EOFException, HdfsIOException
from genstamp_dfs.hdfs.checksums import chunk_count, first_mismatch
from genstamp_dfs.hdfs.datanode.packet_responder import PacketResponder, WaitingPacket
from genstamp_dfs.hdfs.datanode.replica_steps import ReplicaSteps
from genstamp_dfs.hdfs.datanode.replicas import Replica
from genstamp_dfs.hdfs.messages.data_transfer import CHECKSUM_BYTES, HEARTBEAT_SEQNO, Message, Packet, Status
from genstamp_dfs.hdfs.protocol import ReplicaState
from genstamp_dfs.hdfs.runtime import Connection
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND

IDLE_SHARE = 0.9
"""Share of the read time-out after which the next node may have given up because nothing came (HDFS-9178)."""


class BlockReceiver:
    """Receives one block.

    Args:
        steps: the replicas.
        upstream: where the packets come from.
        client_name: whose packets they are, for events; empty if a datanode copies.
        nodes_below: how many nodes come after this one.

    Attributes:
        is_interrupted: it was told to end.
        has_last_packet: it has received the last packet of the block, and waits for its acknowledgement.
        found_corrupt: it has ended because the data did not match their checksums.
    """

    def __init__(self, steps: ReplicaSteps, upstream: Connection, client_name: str, nodes_below: int) -> None:
        self.is_interrupted = False
        self.has_last_packet = False
        self.found_corrupt = False
        self.client_name = client_name
        self._steps = steps
        self._upstream = upstream
        self._mirror: Connection | None = None
        self._replica: Replica | None = None
        self._responder: PacketResponder | None = None
        self._is_set_up = False
        self._has_ended = False
        self._ended = steps.runtime.condition()
        configuration = steps.configuration
        self._timeout_us = configuration.socket_timeout_ms * MICROSECONDS_A_MILLISECOND
        self._ack_timeout_us = (
            configuration.socket_timeout_ms + nodes_below * configuration.socket_timeout_extension_ms
        ) * MICROSECONDS_A_MILLISECOND
        self._forwarded_us = steps.runtime.now_us()

    # -- as the replica's writer --------------------------------------------------------------------------------

    @property
    def is_alive(self) -> bool:
        """Whether it may still do something to the replica."""
        if not self._is_set_up:
            return not (self.is_interrupted or self._has_ended)
        return not self._has_ended or (self._responder is not None and self._responder.is_running)

    def interrupt(self) -> None:
        """Receive and acknowledge nothing more."""
        self.is_interrupted = True
        self._upstream.close()
        if self._mirror is not None:
            self._mirror.close()
        if self._responder is not None:
            self._responder.wake()

    async def join(self, timeout_us: int) -> bool:
        """Wait for the end of it and its responder."""
        limit_us = self._steps.runtime.now_us() + timeout_us
        while self.is_alive:
            left_us = limit_us - self._steps.runtime.now_us()
            if left_us <= 0 or not await self._ended.wait(left_us):
                return not self.is_alive
        return True

    def end(self) -> None:
        """It writes nothing more, whatever the reason."""
        self._has_ended = True
        if self._responder is not None and self._responder.is_running:
            self.interrupt()
        if self._mirror is not None:
            self._mirror.close()
        self._ended.notify_all()

    # -- receiving ----------------------------------------------------------------------------------------------

    async def receive_block(self, replica: Replica, mirror: Connection | None, *, acknowledges: bool) -> None:
        """Receive to the last packet, and with acknowledgements until that one is acknowledged.

        Args:
            replica: where the bytes go.
            mirror: where they are sent on to.
            acknowledges: whether somebody waits for acknowledgements.

        Raises:
            HdfsIOException: a connection is broken, the data are corrupt or out of order, or somebody interrupted.
            DiskError: the disk fails.
        """
        self._replica, self._mirror, self._is_set_up = replica, mirror, True
        if self.is_interrupted:
            raise EOFException(f"the writer of {replica.name} was interrupted")
        responder = None
        if acknowledges:
            runtime = self._steps.runtime
            responder = self._responder = PacketResponder(
                self, runtime, self._upstream, mirror, self._ack_timeout_us, self._responder_has_ended
            )
            runtime.spawn(responder.run(), f"responder of {replica.name}")
        while not self.has_last_packet:
            self.has_last_packet = await self._receive_packet(replica)
        while responder is not None and responder.is_running:
            await self._ended.wait()
        if responder is not None and not responder.has_acknowledged_last:
            raise EOFException(f"the last packet of {replica.name} was not acknowledged")

    async def send_restart(self) -> None:
        """Tell the nodes before this one that the datanode restarts soon (BlockReceiver#sendOOB)."""
        if self._responder is not None and self._responder.is_running:
            await self._responder.send_out_of_band(Status.OOB_RESTART)

    def _responder_has_ended(self) -> None:
        responder = self._responder
        if responder is not None and not responder.has_acknowledged_last:
            self.interrupt()
        self._ended.notify_all()

    async def _receive_packet(self, replica: Replica) -> bool:
        """Take one packet; whether it was the last of the block."""
        packet = await self._next_packet()
        if packet.seqno == HEARTBEAT_SEQNO:
            self._enqueue(packet)
            await self._forward(packet)
            return False
        self._check(replica, packet)
        if replica.is_inherited and (packet.sync or self._steps.dataset.files.has_synced_part(replica)):
            # Before it is enqueued: nobody may interrupt this process between the acknowledgement and the write.
            await self._steps.make_own(replica)
            self._check_interrupted(replica)
        end = packet.offset + len(packet.data)
        replica.num_bytes = max(replica.num_bytes, end)
        # Whoever is not the last may acknowledge what is not on its disk yet; the last one verifies and writes first.
        is_settled_later = packet.sync or self._mirror is None
        if not is_settled_later:
            self._enqueue(packet)
        await self._forward(packet)
        self._check_interrupted(replica)
        if self._mirror is None and first_mismatch(packet.data, packet.checksums) is not None:
            await self._answer_corrupt(packet)
        if packet.data:
            self._steps.dataset.write(replica, packet.offset, packet.data, packet.checksums)
        if packet.sync:
            # Nobody changes the replica meanwhile: whoever wants to interrupts this process, and waits for its end.
            await self._steps.hsync(replica)
        self._steps.done("receive_packet", replica.block_id, replica, arguments={"client": self.client_name})
        if is_settled_later:
            self._enqueue(packet)
        return packet.is_last

    async def _next_packet(self) -> Packet:
        if self._responder is not None:
            await self._responder.has_room(self._timeout_us)
        message: Message = await self._upstream.receive(self._timeout_us)
        if not isinstance(message, Packet):
            raise HdfsIOException(f"{type(message).__name__} came from {self._upstream.peer}, accepted: Packet")
        return message

    def _check(self, replica: Replica, packet: Packet) -> None:
        """A packet must be well formed, and fit to the end of the replica."""
        self._check_interrupted(replica)
        wanted = chunk_count(len(packet.data)) * CHECKSUM_BYTES
        if len(packet.checksums) != wanted:
            raise HdfsIOException(
                f"packet {packet.seqno} of {replica.name} has {len(packet.data)} bytes of data and "
                f"{len(packet.checksums)} of checksums, accepted: {wanted}"
            )
        if packet.is_last and packet.data:
            raise HdfsIOException(f"the last packet of {replica.name} has {len(packet.data)} bytes, accepted: none")
        self._steps.dataset.files.check_place(replica, packet.offset, len(packet.data))

    def _check_interrupted(self, replica: Replica) -> None:
        """Whoever was interrupted writes nothing more, and neither does one whose replica is another's now."""
        if self.is_interrupted or not self._steps.dataset.is_written_by(replica.block_id, self):
            raise EOFException(f"the writer of {replica.name} was interrupted")

    async def _forward(self, packet: Packet) -> None:
        """Send a packet on; if that fails, the acknowledgements tell, and this node goes on."""
        if self._mirror is None:
            return
        try:
            await self._mirror.send(packet)
            self._forwarded_us = self._steps.runtime.now_us()
        except EOFException:
            if self._responder is not None:
                self._responder.mirror_is_broken()

    async def _answer_corrupt(self, packet: Packet) -> None:
        """Tell the nodes before this one that the data are bad, and end."""
        replica = self._replica
        assert replica is not None
        if self._responder is not None:
            self._responder.enqueue(WaitingPacket(packet.seqno, packet.offset, False, Status.ERROR_CHECKSUM))
            while self._responder.is_running:
                await self._ended.wait()
        self.found_corrupt = True
        raise HdfsIOException(f"packet {packet.seqno} of {replica.name} does not match its checksums")

    def _enqueue(self, packet: Packet) -> None:
        if self._responder is not None:
            end = 0 if packet.seqno == HEARTBEAT_SEQNO else packet.offset + len(packet.data)
            self._responder.enqueue(WaitingPacket(packet.seqno, end, packet.is_last, Status.SUCCESS))

    # -- what its responder does to the replica -----------------------------------------------------------------

    async def finalize(self) -> None:
        """The last packet is acknowledged further down (PacketResponder#finalizeBlock; facts B8)."""
        replica, steps = self._replica, self._steps
        assert replica is not None
        arguments = {"client": self.client_name}
        forces = steps.configuration.sync_on_close or steps.dataset.is_promised(replica)

        def finalize() -> None:
            self._check_interrupted(replica)
            steps.dataset.finalize_block(replica.block())

        try:
            await steps.carry_out(replica.block_id, finalize, partial(steps.sync_ahead, replica) if forces else None)
        except HdfsIOException as refusal:
            steps.refused("finalize_replica", replica.block_id, refusal, arguments=arguments)
            raise
        steps.done("finalize_replica", replica.block_id, replica, arguments=arguments)

    def acknowledge(self, end: int) -> None:
        """The bytes up to `end` become visible here (HDFS-2021: before the acknowledgement goes up)."""
        replica = self._replica
        assert replica is not None
        if replica.state is ReplicaState.RBW and end > replica.bytes_acked:
            self._steps.dataset.acknowledge(replica, end)
            arguments = {"client": self.client_name}
            self._steps.done("receive_ack", replica.block_id, replica, arguments=arguments, num_bytes=end)

    def forwarded_in_time(self) -> bool:
        """Whether the next node was sent something so lately that it cannot have given up for want of it."""
        return self._steps.runtime.now_us() - self._forwarded_us <= int(self._timeout_us * IDLE_SHARE)
