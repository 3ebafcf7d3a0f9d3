package genstamp.adapter.pipeline;

import genstamp.adapter.NotPossible;
import java.io.File;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hdfs.protocol.datatransfer.PipelineAck;
import org.apache.hadoop.hdfs.server.blockmanagement.StorageAccess;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.ReplicaAccess;

/** Planned restarts: a datanode says so to those before it, and the writer waits for it. */
final class RestartSteps {
  /** Datanodes that have said that they will be back, and are not in a pipeline again. */
  final Set<Integer> restarting = new HashSet<>();

  /** Where a datanode writes down until when its replica is to be found as it was. */
  private final Map<Integer, File> notes = new HashMap<>();

  private final PipelineRun run;
  private final Writer writer;
  private final Chain chain;

  RestartSteps(PipelineRun run) {
    this.run = run;
    writer = run.writer;
    chain = run.chain;
  }

  void stops(int datanode, Map<String, String> a) throws Exception {
    NotPossible.needs(
        writer.stage == Stage.STREAMING || writer.stage == Stage.CLOSE, "no packets flow");
    chain.works(datanode);
    NotPossible.needs(
        chain.gate(datanode).stop() != Gate.Stop.SEND, "an acknowledgement is being written");
    NotPossible.needs(!chain.hasEnded(datanode), "the receiver has ended by itself");
    NotPossible.needs(chain.bad[datanode] == null, "an error is being written");
    Passage passage = chain.passage(datanode);
    int before = passage.answers();
    DataNode stopping = run.running(datanode);
    notes.put(datanode, ReplicaAccess.restartNote(run.replica(datanode).data));
    stopping.shutdownDatanode(true);
    Chain.expect(passage.await(() -> passage.answers() > before), "the datanode says so");
    Thread shutdown = shutdown();
    if (shutdown != null) {
      shutdown.join(30_000);
    }
    run.cluster.hdfs.stopDatanode(datanode);
    chain.disconnect(datanode);
    restarting.add(datanode);
    run.byNode(datanode, "datanode_stops_to_restart", a);
  }

  private static Thread shutdown() {
    for (Thread one : Thread.getAllStackTraces().keySet()) {
      if (one.getName().equals("Async datanode shutdown thread")) {
        return one;
      }
    }
    return null;
  }

  void comesBack(int datanode, Map<String, String> a) throws Exception {
    NotPossible.needs(
        restarting.contains(datanode) && !run.isRunning(datanode), "it does not restart");
    start(datanode);
    run.byNode(datanode, "datanode_comes_back", a);
  }

  /** The time is over: what the datanode has written down for its restart does not count. */
  void takesTooLong(int datanode, Map<String, String> a) throws Exception {
    NotPossible.needs(
        restarting.contains(datanode) && !run.isRunning(datanode), "it does not restart");
    restarting.remove(datanode);
    File written = notes.get(datanode);
    if (written.exists()) {
      Files.writeString(written.toPath(), "0");
    }
    run.byNode(datanode, "restart_takes_too_long", a);
  }

  void start(int datanode) throws Exception {
    run.cluster.startDatanode(datanode);
    if (run.unknown.containsKey(datanode)) {
      StorageAccess.forgetStorage(run.cluster.known(datanode));
    }
  }

  /** The writer hears that a node restarts, and sets the same nodes up again. */
  void writerWaits(int datanode, Map<String, String> a) throws Exception {
    writer.hasToRecover();
    NotPossible.needs(
        writer.pipeline.contains(datanode) && restarting.contains(datanode), "it does not restart");
    int first = writer.pipeline.first();
    boolean isTold =
        first == datanode
            || chain.bad[first] != null
                && chain.bad[first] == datanode
                && chain.confirmed[first] == writer.acked;
    NotPossible.needs(isTold, "the writer was not told");
    Passage passage = chain.passage(first);
    NotPossible.needs(
        restartingNode(passage.answer().asAck()) == datanode, "another answer has come before");
    passage.passAnswer();
    Chain.expect(restartingNode(chain.upstream.ack()) == datanode, "the ack names the datanode");
    chain.end();
    writer.setsUpAgain();
    run.byWriter("client_waits_for_restart", a);
  }

  private int restartingNode(PipelineAck ack) {
    return writer.farthest(ack, PipelineAck::isRestartOOBStatus);
  }
}
