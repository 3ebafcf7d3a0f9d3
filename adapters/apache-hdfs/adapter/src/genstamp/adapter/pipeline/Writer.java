package genstamp.adapter.pipeline;

import genstamp.adapter.NotPossible;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.apache.hadoop.hdfs.protocol.datatransfer.PipelineAck;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;

/** What the writer knows: a client of ours that does what DataStreamer does, one step at a time. */
final class Writer {
  /** How often in a row a pipeline is set up again without an acknowledgement in between. */
  private static final int MOST_RECOVERIES = 5;

  boolean alive = true;
  Stage stage = Stage.NONE;
  long inode;
  long block;
  long stamp;

  /** Under which the pipeline is being set up; 0: not asked for yet. */
  long newStamp;

  /** The chain, in the order of the datanodes' names. */
  SortedSet<Integer> pipeline = new TreeSet<>();

  final Set<Integer> excluded = new HashSet<>();
  final Set<Integer> passedOver = new HashSet<>();
  int recoveries;
  int replication;
  int sent;
  int bytesSent;
  int acked;
  int hflushed;
  int appends;
  boolean hasFlushed;
  boolean always;
  boolean hasReplaced;

  void isAt(Stage... wanted) {
    NotPossible.needs(alive, "the writer is down");
    NotPossible.needs(Set.of(wanted).contains(stage), "the writer is at " + stage);
  }

  /** Needs a connection with packets that are not acknowledged yet. */
  void hasToRecover() {
    isAt(Stage.STREAMING, Stage.CLOSE);
    NotPossible.needs(!isLast(acked), "the last packet is acknowledged");
  }

  void setsUp() {
    NotPossible.needs(alive, "the writer is down");
    NotPossible.needs(stage.request != null, "the writer sets no pipeline up");
  }

  /** The packet is the empty one that ends the block. */
  boolean isLast(int packet) {
    return packet > bytesSent;
  }

  int ackedBytes() {
    return isLast(acked) ? bytesSent : acked;
  }

  boolean isFirst(int datanode) {
    return pipeline.first() == datanode;
  }

  /** The next node of the chain, or null. */
  Integer mirror(int datanode) {
    SortedSet<Integer> after = pipeline.tailSet(datanode + 1);
    return after.isEmpty() ? null : after.first();
  }

  /** The policy wants another datanode before the pipeline is set up again. */
  boolean wantsReplacement() {
    int nodes = pipeline.size();
    boolean grave = 2 * nodes <= replication || appends > 0 || hasFlushed;
    return (always || replication >= 3 && grave)
        && nodes < replication
        && stage != Stage.SETUP_CREATE
        && !hasReplaced;
  }

  /** The stage becomes its recovery stage; the caller has closed the connections. */
  void setsUpAgain() {
    stage = stage.again();
    sent = acked;
    forgetAttempt();
  }

  void forgetAttempt() {
    newStamp = 0;
    hasReplaced = false;
    passedOver.clear();
  }

  /** Without this node, or not at all if it was the only one or it was tried too often. */
  void givesUp(int bad) {
    setsUpAgain();
    boolean over = recoveries == MOST_RECOVERIES;
    recoveries = over ? recoveries : recoveries + 1;
    if (over || pipeline.size() == 1) {
      stage = Stage.FAILED;
    }
    if (pipeline.size() > 1) {
      pipeline.remove(bad);
    }
    excluded.add(bad);
  }

  /** The farthest node with such a status in an acknowledgement; -1 if there is none. */
  int farthest(PipelineAck ack, Predicate<Status> wanted) {
    List<Integer> nodes = new ArrayList<>(pipeline);
    for (int i = ack.getNumOfReplies() - 1; i >= 0; i--) {
      if (wanted.test(PipelineAck.getStatusFromHeader(ack.getHeaderFlag(i)))) {
        return nodes.get(i);
      }
    }
    return -1;
  }
}
