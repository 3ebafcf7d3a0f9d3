package genstamp.adapter.pipeline;

import genstamp.adapter.NotPossible;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;

/** The connections of one pipeline: who is set up, and what has passed each datanode. */
final class Chain {
  final Set<Integer> setUp = new HashSet<>();
  final Set<Integer> connected = new HashSet<>();
  final Set<Integer> hung = new HashSet<>();
  final int[] taken;
  final int[] confirmed;

  /** By datanode, whom its acknowledgements call bad, or null. */
  final Integer[] bad;

  Upstream upstream;
  private final PipelineCluster cluster;
  private final Writer writer;

  Chain(PipelineCluster cluster, Writer writer) {
    this.cluster = cluster;
    this.writer = writer;
    taken = new int[cluster.size()];
    confirmed = new int[cluster.size()];
    bad = new Integer[cluster.size()];
  }

  Gate gate(int datanode) {
    return cluster.gates[datanode];
  }

  Passage passage(int datanode) {
    return cluster.gateways[datanode].held();
  }

  /** Needs receiver and responder of a node of the pipeline. */
  void works(int datanode) {
    NotPossible.needs(
        writer.pipeline.contains(datanode) && connected.contains(datanode),
        "the datanode's receiver is not up");
    NotPossible.needs(!hung.contains(datanode), "the datanode's threads hang");
  }

  /** The next packet to be acknowledged is here; gives its number. */
  int hasPacket(int datanode) {
    works(datanode);
    int packet = confirmed[datanode] + 1;
    NotPossible.needs(bad[datanode] == null, "a node after it was found bad");
    NotPossible.needs(taken[datanode] >= packet, "no packet waits for its acknowledgement");
    return packet;
  }

  /** The next packet and the acknowledgement of the nodes below are here; gives its number. */
  int answers(int datanode) {
    int packet = hasPacket(datanode);
    Integer mirror = writer.mirror(datanode);
    NotPossible.needs(
        mirror == null || confirmed[mirror] >= packet, "the next node has not acknowledged it");
    return packet;
  }

  /** The last packet that was sent to a node. */
  int offered(int datanode) {
    int least = writer.sent;
    for (int before : writer.pipeline.headSet(datanode)) {
      least = Math.min(least, taken[before]);
    }
    return least;
  }

  /** Whoever reads from the node finds its connection closed, or waits for too long. */
  boolean isSilent(int datanode) {
    return !connected.contains(datanode) || hung.contains(datanode);
  }

  /** The last packet is acknowledged here, so that receiver and responder end by themselves. */
  boolean hasEnded(int datanode) {
    return writer.sent > 0 && writer.isLast(confirmed[datanode]);
  }

  boolean allBeforeAreConnected(int datanode) {
    return connected.containsAll(writer.pipeline.headSet(datanode));
  }

  /** Waits for the request that is on its way to a node. */
  Passage requested(int datanode) throws InterruptedException {
    for (int i = 0; i < 2_000 && passage(datanode) == null; i++) {
      Thread.sleep(1);
    }
    if (passage(datanode) == null) {
      throw new IllegalStateException("no request comes to datanode " + datanode);
    }
    return passage(datanode);
  }

  /**
   * The responder of a node takes the next acknowledgement from below, if it has taken none yet,
   * and is about to act on it.
   */
  void takeAck(int datanode) throws IOException, InterruptedException {
    Gate gate = gate(datanode);
    if (gate.stop() == Gate.Stop.NONE) {
      Integer mirror = writer.mirror(datanode);
      if (mirror != null) {
        Passage below = passage(mirror);
        expect(below.await(() -> below.answer() != null), "an acknowledgement has come");
        below.passAnswer();
      }
      expect(
          gate.comesTo(Gate.Stop.ACKNOWLEDGE, Gate.Stop.FINALIZE), "the responder takes the ack");
    }
  }

  /** The responder writes the acknowledgement that it has taken. */
  void writeAck(int datanode) throws InterruptedException {
    Gate gate = gate(datanode);
    Passage passage = passage(datanode);
    if (gate.stop() == Gate.Stop.ACKNOWLEDGE) {
      gate.permit();
      expect(gate.comesTo(Gate.Stop.SEND, Gate.Stop.SEND), "the responder acknowledges");
    }
    int before = passage.answers();
    gate.permit();
    expect(passage.await(() -> passage.answers() > before), "the acknowledgement goes up");
  }

  /** Receiver and responder of a node end, and what was on its way to them or from them is lost. */
  void disconnect(int datanode) throws InterruptedException {
    Passage passage = passage(datanode);
    if (passage != null && passage.isConnected()) {
      gate(datanode).close();
      passage.endDown();
      Integer mirror = writer.mirror(datanode);
      if (mirror != null && passage(mirror) != null) {
        passage(mirror).cutUp();
      }
      passage.awaitEnd();
    }
    connected.remove(datanode);
    hung.remove(datanode);
    taken[datanode] = 0;
    confirmed[datanode] = 0;
    bad[datanode] = null;
  }

  /** All connections of this attempt end. */
  void end() throws InterruptedException {
    if (upstream != null) {
      upstream.close();
      upstream = null;
    }
    for (int i = 0; i < cluster.size(); i++) {
      gate(i).close();
      if (passage(i) != null) {
        passage(i).endDown();
        passage(i).cutUp();
      }
    }
    for (int i = 0; i < cluster.size(); i++) {
      if (passage(i) != null) {
        passage(i).awaitEnd();
      }
      cluster.gateways[i].forget();
      taken[i] = 0;
      confirmed[i] = 0;
      bad[i] = null;
    }
    setUp.clear();
    connected.clear();
    hung.clear();
  }

  static void expect(boolean holds, String what) {
    if (!holds) {
      throw new NotPossible("it does not come about that " + what);
    }
  }
}
