package genstamp.adapter.pipeline;

import genstamp.adapter.NotPossible;
import java.util.Map;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;

/** What goes wrong, and how the writer comes to know it. */
final class FaultSteps {
  private final PipelineRun run;
  private final Writer writer;
  private final Chain chain;

  FaultSteps(PipelineRun run) {
    this.run = run;
    writer = run.writer;
    chain = run.chain;
  }

  void crash(int datanode, Map<String, String> a) throws Exception {
    run.running(datanode);
    chain.disconnect(datanode);
    run.cluster.hdfs.stopDatanode(datanode);
    run.restarts.restarting.remove(datanode);
    run.byNode(datanode, "datanode_crash", a);
  }

  void restart(int datanode, Map<String, String> a) throws Exception {
    NotPossible.needs(!run.isRunning(datanode), "the datanode is up");
    NotPossible.needs(!isRestarting(datanode), "the datanode has said that it will be back");
    run.restarts.start(datanode);
    run.byNode(datanode, "datanode_restart", a);
  }

  void receiverFails(int datanode, Map<String, String> a) throws Exception {
    NotPossible.needs(chain.connected.contains(datanode), "the datanode's receiver is not up");
    NotPossible.needs(!chain.hasEnded(datanode), "the receiver has ended by itself");
    chain.disconnect(datanode);
    run.byNode(datanode, "receiver_fails", a);
  }

  void receiverHangs(int datanode, Map<String, String> a) {
    NotPossible.needs(
        chain.connected.contains(datanode) && !chain.hung.contains(datanode),
        "the datanode's receiver does not work");
    NotPossible.needs(!chain.hasEnded(datanode), "the receiver has ended by itself");
    chain.hung.add(datanode);
    run.byNode(datanode, "receiver_hangs", a);
  }

  void clientCrash(Map<String, String> a) {
    NotPossible.needs(writer.alive, "the writer is down");
    writer.alive = false;
    run.byWriter("client_crash", a);
  }

  /** The node finds the connection to the next one closed, and acknowledges with that. */
  void mirrorFails(int datanode, Map<String, String> a) throws Exception {
    chain.works(datanode);
    Integer mirror = writer.mirror(datanode);
    NotPossible.needs(chain.bad[datanode] == null, "a node after it was found bad");
    NotPossible.needs(
        mirror != null && chain.setUp.contains(mirror) && chain.isSilent(mirror),
        "the next node is not silent");
    NotPossible.needs(!writer.isLast(chain.confirmed[datanode]), "the block is acknowledged here");
    NotPossible.needs(writer.stage.request == null, "the pipeline is not set up yet");
    Gate gate = chain.gate(datanode);
    NotPossible.needs(gate.stop() == Gate.Stop.NONE, "an acknowledgement has come before");
    Passage below = chain.passage(mirror);
    if (isRestarting(mirror)) {
      NotPossible.needs(
          !below.answer().asAck().isSuccess(), "an acknowledgement has come before the news");
      below.passAnswer();
    } else {
      below.cutUp();
    }
    writeError(datanode);
    chain.bad[datanode] = mirror;
    run.byNode(datanode, "mirror_fails", a);
  }

  private boolean isRestarting(int datanode) {
    return run.restarts.restarting.contains(datanode);
  }

  void errorAckPasses(int datanode, Map<String, String> a) throws Exception {
    chain.works(datanode);
    Integer mirror = writer.mirror(datanode);
    NotPossible.needs(chain.bad[datanode] == null, "a node after it was found bad");
    NotPossible.needs(
        mirror != null && chain.bad[mirror] != null, "no acknowledgement calls a node bad");
    NotPossible.needs(
        chain.confirmed[datanode] == chain.confirmed[mirror], "an acknowledgement has come before");
    Passage below = chain.passage(mirror);
    Chain.expect(!below.answer().asAck().isSuccess(), "the next acknowledgement is the error");
    below.passAnswer();
    writeError(datanode);
    chain.bad[datanode] = chain.bad[mirror];
    run.byNode(datanode, "error_ack_passes", a);
  }

  /** The responder has found an error, and writes it upwards once. */
  private void writeError(int datanode) throws InterruptedException {
    Gate gate = chain.gate(datanode);
    Chain.expect(
        gate.comesTo(Gate.Stop.ACKNOWLEDGE, Gate.Stop.ACKNOWLEDGE) && gate.sequence() < 0,
        "the responder finds the error");
    chain.writeAck(datanode);
  }

  void errorAckComes(int bad, Map<String, String> a) throws Exception {
    writer.hasToRecover();
    NotPossible.needs(!isRestarting(bad), "the datanode restarts");
    int first = writer.pipeline.first();
    NotPossible.needs(
        chain.bad[first] != null && chain.bad[first] == bad, "no acknowledgement calls it bad");
    NotPossible.needs(
        chain.confirmed[first] == writer.acked, "an acknowledgement has come before");
    chain.passage(first).passAnswer();
    int found = writer.farthest(chain.upstream.ack(), status -> status != Status.SUCCESS);
    giveUp("error_ack_comes", bad, found, a);
  }

  void connectionFails(int bad, Map<String, String> a) throws Exception {
    writer.hasToRecover();
    NotPossible.needs(writer.isFirst(bad), "it is not the first node");
    NotPossible.needs(chain.isSilent(bad), "the datanode works");
    NotPossible.needs(!isRestarting(bad), "the datanode restarts");
    giveUp("connection_fails", bad, bad, a);
  }

  private void giveUp(String event, int bad, int found, Map<String, String> a) throws Exception {
    chain.end();
    writer.givesUp(bad);
    run.byWriter(event, a)
        .putObject("observed")
        .put("bad_node", found < 0 ? "none" : run.datanodes.get(found));
  }
}
