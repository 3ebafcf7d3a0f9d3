package genstamp.adapter.pipeline;

import com.fasterxml.jackson.databind.node.ObjectNode;
import genstamp.adapter.NotPossible;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.ReplicaAccess;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;

/** The writer sets its pipeline up, and agrees on it with the NameNode. */
final class SetUpSteps {
  /** An updatePipeline call that was answered, and comes again. */
  private record Call(
      ExtendedBlock before, ExtendedBlock after, DatanodeID[] nodes, String[] ids) {}

  // Since HDFS-17299 a create under a new stamp replaces what is there.
  private static final boolean REPLACES =
      Arrays.stream(FsDatasetSpi.class.getMethods())
          .anyMatch(m -> m.getName().equals("createRbw") && m.getParameterCount() == 5);

  /** DataStreamer says how large the block will be, in chunks. */
  private static final int BLOCK_SIZE = (1 << 20) / Upstream.CHUNK;

  private final PipelineRun run;
  private final PipelineCluster cluster;
  private final Writer writer;
  private final Chain chain;
  private Call answered;
  private Call late;

  SetUpSteps(PipelineRun run) {
    this.run = run;
    cluster = run.cluster;
    writer = run.writer;
    chain = run.chain;
  }

  void setUp(String event, int datanode, Map<String, String> a, Stage stage) throws Exception {
    NotPossible.needs(writer.stage == stage, "the writer is at " + writer.stage);
    isAsked(datanode);
    run.running(datanode);
    cluster.hdfs.heard(); // What was said before is not about this request.
    NotPossible.needs(isGranted(datanode), "the datanode refuses: " + cluster.hdfs.heard());
    chain.setUp.add(datanode);
    chain.connected.add(datanode);
    run.restarts.restarting.remove(datanode);
    chain.taken[datanode] = writer.acked;
    chain.confirmed[datanode] = writer.acked;
    run.byReplica(datanode, event, a).put("generation_stamp", run.replica(datanode).stamp);
  }

  /** A node is down, refuses, or has failed before the answers have come through. */
  void fails(int bad, Map<String, String> a) throws Exception {
    writer.setsUp();
    NotPossible.needs(writer.newStamp > 0, "no stamp was asked for");
    NotPossible.needs(
        !run.restarts.restarting.contains(bad) || run.isRunning(bad), "the datanode restarts");
    NotPossible.needs(
        writer.pipeline.contains(bad) && chain.allBeforeAreConnected(bad),
        "a node before it is not set up");
    if (chain.setUp.contains(bad)) {
      NotPossible.needs(!chain.connected.contains(bad), "the datanode is set up");
    } else {
      isAsked(bad);
      if (run.isRunning(bad)) {
        NotPossible.needs(wouldRefuse(bad), "the datanode does not refuse");
        Chain.expect(!isGranted(bad), "the datanode refuses");
      }
    }
    chain.requested(bad).cutUp();
    int found = passFailure(bad);
    chain.end();
    writer.givesUp(bad);
    run.byWriter("set_up_fails", a)
        .putObject("observed")
        .put("bad_node", found < 0 ? "none" : run.datanodes.get(found));
  }

  void startStreaming(Map<String, String> a) throws Exception {
    wholePipelineIsUp();
    NotPossible.needs(writer.newStamp == writer.stamp, "the stamp is a new one");
    passAnswers();
    writer.stage = Stage.STREAMING;
    writer.newStamp = 0;
    run.byWriter("start_streaming", a);
  }

  void updateBlock(Map<String, String> a) throws Exception {
    asksForStamp();
    try {
      writer.newStamp =
          cluster
              .hdfs
              .nn
              .updateBlockForPipeline(run.block(writer.stamp, writer.ackedBytes()), run.holder)
              .getBlock()
              .getGenerationStamp();
      run.byNameNode("update_block_for_pipeline", a).put("generation_stamp", writer.newStamp);
    } catch (IOException refusal) {
      writer.stage = Stage.FAILED;
      run.byNameNode("update_block_for_pipeline", a)
          .put("refused_with", PipelineRun.refusal(refusal));
    }
  }

  /** A client that requests no stamp. */
  void reuseStamp(Map<String, String> a) {
    asksForStamp();
    NotPossible.needs(
        writer.stage != Stage.SETUP_CREATE && writer.stage != Stage.CLOSE_RECOVERY,
        "a block is created or closed");
    writer.newStamp = writer.stamp;
    run.byWriter("reuse_stamp", a);
  }

  void updatePipeline(Map<String, String> a) throws Exception {
    wholePipelineIsUp();
    NotPossible.needs(writer.newStamp > writer.stamp, "the stamp is the block's");
    passAnswers();
    Call call =
        new Call(
            run.block(writer.stamp, writer.ackedBytes()),
            run.block(writer.newStamp, writer.ackedBytes()),
            writer.pipeline.stream().map(cluster::known).toArray(DatanodeID[]::new),
            storages());
    ObjectNode told = run.byNameNode("update_pipeline", a);
    try {
      make(call);
    } catch (IOException refusal) {
      writer.stage = Stage.FAILED;
      told.put("refused_with", PipelineRun.refusal(refusal));
      return;
    }
    answered = call;
    writer.stamp = writer.newStamp;
    writer.newStamp = 0;
    if (writer.stage == Stage.CLOSE_RECOVERY) {
      writer.acked = writer.bytesSent + 1;
      writer.stage = Stage.ENDED;
    } else {
      writer.stage = Stage.STREAMING;
    }
  }

  void isSentTwice() {
    NotPossible.needs(writer.stage == Stage.STREAMING, "the writer is at " + writer.stage);
    NotPossible.needs(answered != null && late == null, "there was no call, or a copy of it is on");
    late = answered;
  }

  void comesLate(Map<String, String> a) {
    NotPossible.needs(late != null, "no copy is on its way");
    ObjectNode told = run.byNameNode("late_update_pipeline", a);
    try {
      make(late);
    } catch (IOException refusal) {
      told.put("refused_with", PipelineRun.refusal(refusal));
    }
    late = null;
  }

  private void make(Call call) throws IOException {
    cluster.hdfs.nn.updatePipeline(run.holder, call.before, call.after, call.nodes, call.ids);
  }

  private String[] storages() {
    return writer.pipeline.stream().map(i -> cluster.storages[i]).toArray(String[]::new);
  }

  private void asksForStamp() {
    writer.setsUp();
    NotPossible.needs(writer.newStamp == 0, "a stamp was asked for");
    NotPossible.needs(!writer.wantsReplacement(), "another datanode is to be added first");
  }

  private void wholePipelineIsUp() {
    writer.setsUp();
    NotPossible.needs(writer.newStamp > 0, "no stamp was asked for");
    NotPossible.needs(chain.connected.containsAll(writer.pipeline), "not every node is set up");
  }

  /** Needs a request that is on its way to the node; the writer sends it with the first need. */
  private void isAsked(int datanode) throws Exception {
    NotPossible.needs(
        writer.stage.request != null && writer.newStamp > 0, "the writer sets no pipeline up");
    NotPossible.needs(
        writer.pipeline.contains(datanode) && !chain.setUp.contains(datanode),
        "the datanode is set up, or not in the pipeline");
    NotPossible.needs(chain.allBeforeAreConnected(datanode), "a node before it is not set up");
    if (chain.upstream == null) {
      List<DatanodeInfo> nodes = new ArrayList<>();
      writer.pipeline.forEach(i -> nodes.add(cluster.behindGateway(i)));
      boolean creates = writer.stage == Stage.SETUP_CREATE;
      boolean first = creates && writer.newStamp == writer.stamp;
      chain.upstream =
          new Upstream(
              cluster.gateways[writer.pipeline.first()].address(),
              new Upstream.Request(
                  // DataStreamer takes the new stamp at once where it creates the block.
                  run.block(creates ? writer.newStamp : writer.stamp, BLOCK_SIZE),
                  writer.stage.request,
                  run.holder,
                  nodes.toArray(new DatanodeInfo[0]),
                  storages(),
                  writer.ackedBytes(),
                  writer.bytesSent,
                  first ? 0 : writer.newStamp));
    }
  }

  /** Lets the request through; whether the node has passed it on, or as the last has answered. */
  private boolean isGranted(int datanode) throws Exception {
    Passage passage = chain.requested(datanode);
    if (!passage.isConnected()) {
      chain.gate(datanode).open();
      passage.connect(run.running(datanode).getXferAddress());
    }
    Integer mirror = writer.mirror(datanode);
    Chain.expect(
        passage.await(
            () ->
                mirror != null && chain.passage(mirror) != null
                    || passage.answer() != null
                    || passage.hasEnded()),
        "the datanode answers");
    return mirror != null ? chain.passage(mirror) != null : passage.answer() != null;
  }

  /**
   * Whether a refusal is to be expected. The request itself cannot be taken back; a step that asks
   * for the other answer is declined before it is sent.
   */
  private boolean wouldRefuse(int datanode) {
    ReplicaAccess replica = run.replica(datanode);
    if (writer.stage == Stage.SETUP_CREATE) {
      return replica != null
          && (!REPLACES || writer.newStamp == writer.stamp || replica.stamp >= writer.newStamp);
    }
    if (replica == null
        || replica.stamp < writer.stamp
        || replica.stamp > writer.newStamp
        || Upstream.chunks(replica.bytes) < writer.ackedBytes()) {
      return true;
    }
    boolean whole = Upstream.chunks(replica.bytes) == writer.ackedBytes();
    boolean isRbw = replica.state == ReplicaState.RBW;
    boolean isFinal = replica.state == ReplicaState.FINALIZED;
    return switch (writer.stage) {
      case SETUP_APPEND -> !isFinal || !whole;
      case STREAMING_RECOVERY -> !isRbw || Upstream.chunks(replica.bytes) > writer.bytesSent;
      default -> !(isRbw || isFinal) || !whole;
    };
  }

  /** The answers come back from the last node to the writer. */
  private void passAnswers() throws Exception {
    List<Integer> nodes = new ArrayList<>(writer.pipeline);
    for (int i = nodes.size() - 1; i >= 0; i--) {
      Passage passage = chain.passage(nodes.get(i));
      Chain.expect(passage.await(() -> passage.answer() != null), "the datanode answers");
      passage.passAnswer();
    }
    Chain.expect(chain.upstream.response().getStatus() == Status.SUCCESS, "the set-up succeeds");
  }

  /** The failure of a node comes back to the writer; gives whom that takes for bad. */
  private int passFailure(int bad) throws Exception {
    List<Integer> before = new ArrayList<>(writer.pipeline.headSet(bad));
    for (int i = before.size() - 1; i >= 0; i--) {
      Passage passage = chain.passage(before.get(i));
      Chain.expect(passage.await(() -> passage.answer() != null), "the failure is answered");
      passage.passAnswer();
    }
    try {
      BlockOpResponseProto response = chain.upstream.response();
      Chain.expect(response.getStatus() != Status.SUCCESS, "the set-up fails");
      return cluster.behind(response.getFirstBadLink());
    } catch (EOFException | java.net.SocketException closed) {
      return writer.pipeline.first();
    }
  }
}
