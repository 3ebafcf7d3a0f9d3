package genstamp.adapter.pipeline;

import com.fasterxml.jackson.databind.node.ObjectNode;
import genstamp.adapter.NotPossible;
import java.util.Map;
import org.apache.hadoop.hdfs.protocol.datatransfer.PipelineAck;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.ReplicaAccess;

/** Packets down the chain, and acknowledgements up. */
final class PacketSteps {
  private final PipelineRun run;
  private final Writer writer;
  private final Chain chain;

  PacketSteps(PipelineRun run) {
    this.run = run;
    writer = run.writer;
    chain = run.chain;
  }

  void send(Map<String, String> a) throws Exception {
    writer.isAt(Stage.STREAMING);
    chain.upstream.packet(++writer.sent);
    writer.bytesSent = Math.max(writer.bytesSent, writer.sent);
    run.byWriter("send_packet", a);
  }

  void sendLast(Map<String, String> a) throws Exception {
    writer.isAt(Stage.STREAMING);
    NotPossible.needs(writer.acked == writer.bytesSent, "not everything is acknowledged");
    chain.upstream.last(++writer.sent);
    writer.stage = Stage.CLOSE;
    run.byWriter("send_last_packet", a);
  }

  void receive(int datanode, Map<String, String> a) throws Exception {
    chain.works(datanode);
    int packet = chain.taken[datanode] + 1;
    NotPossible.needs(chain.offered(datanode) >= packet, "no packet is on its way");
    Passage passage = chain.passage(datanode);
    Gate gate = chain.gate(datanode);
    Chain.expect(passage.await(passage::hasPacket), "a packet is forwarded");
    int before = gate.received();
    passage.passPacket();
    Chain.expect(
        passage.await(() -> gate.received() > before || passage.hasEnded())
            && gate.received() > before,
        "the packet is received");
    chain.taken[datanode] = packet;
    ObjectNode told = run.byReplica(datanode, "receive_packet", a);
    told.putObject("observed").put("packet", String.valueOf(packet));
  }

  void raise(int datanode, Map<String, String> a) throws Exception {
    int packet = chain.answers(datanode);
    NotPossible.needs(!writer.isLast(packet), "the packet is the last one");
    NotPossible.needs(run.visible(datanode) < packet, "its byte is visible");
    chain.takeAck(datanode);
    Gate gate = chain.gate(datanode);
    gate.permit();
    Chain.expect(gate.comesTo(Gate.Stop.SEND, Gate.Stop.SEND), "the responder acknowledges");
    ObjectNode told = run.byReplica(datanode, "raise_bytes_acked", a);
    told.putObject("observed").put("bytes_acked", String.valueOf(run.visible(datanode)));
  }

  void finish(int datanode, Map<String, String> a) throws Exception {
    int packet = chain.answers(datanode);
    NotPossible.needs(writer.isLast(packet), "the packet is not the last one");
    NotPossible.needs(!isFinalized(datanode), "the replica is finalized");
    chain.takeAck(datanode);
    Gate gate = chain.gate(datanode);
    Chain.expect(gate.stop() == Gate.Stop.FINALIZE, "the responder finalizes the replica");
    gate.permit();
    Chain.expect(
        gate.comesTo(Gate.Stop.ACKNOWLEDGE, Gate.Stop.ACKNOWLEDGE), "the replica is finalized");
    Chain.expect(isFinalized(datanode), "the replica is finalized");
    run.byReplica(datanode, "finalize_replica", a);
  }

  void sendAck(int datanode, Map<String, String> a) throws Exception {
    int packet = chain.hasPacket(datanode);
    boolean last = writer.isLast(packet);
    // What the responder has acted on it acknowledges, whatever has become of the next node.
    if (!last || !isFinalized(datanode)) {
      chain.answers(datanode);
    }
    NotPossible.needs(!last || isFinalized(datanode), "the replica is not finalized");
    NotPossible.needs(last || run.visible(datanode) >= packet, "its byte is not visible");
    chain.takeAck(datanode);
    chain.writeAck(datanode);
    PipelineAck ack = chain.passage(datanode).lastAnswer().asAck();
    Chain.expect(ack.isSuccess() && ack.getSeqno() == packet - 1, "the packet is acknowledged");
    chain.confirmed[datanode] = packet;
    run.byReplica(datanode, "send_ack", a);
  }

  void receiveAck(Map<String, String> a) throws Exception {
    writer.isAt(Stage.STREAMING, Stage.CLOSE);
    int first = writer.pipeline.first();
    NotPossible.needs(chain.confirmed[first] > writer.acked, "no acknowledgement has come");
    chain.passage(first).passAnswer();
    PipelineAck ack = chain.upstream.ack();
    Chain.expect(ack.isSuccess() && ack.getSeqno() == writer.acked, "the packet is acknowledged");
    writer.acked++;
    writer.recoveries = 0;
    run.byWriter("receive_ack", a);
  }

  void endBlock(Map<String, String> a) {
    writer.isAt(Stage.CLOSE);
    NotPossible.needs(writer.isLast(writer.acked), "the last packet is not acknowledged");
    writer.stage = Stage.ENDED;
    run.byWriter("end_block", a);
  }

  private boolean isFinalized(int datanode) {
    ReplicaAccess replica = run.replica(datanode);
    return replica != null && replica.state == ReplicaState.FINALIZED;
  }
}
