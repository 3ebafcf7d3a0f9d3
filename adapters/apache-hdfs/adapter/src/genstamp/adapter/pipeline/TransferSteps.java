package genstamp.adapter.pipeline;

import genstamp.adapter.NotPossible;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.Sender;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.hdfs.protocolPB.PBHelperClient;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenSecretManager;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.ReplicaAccess;

/** Another datanode takes the place of one that has failed: the NameNode names it, one copies. */
final class TransferSteps {
  private final PipelineRun run;
  private final PipelineCluster cluster;
  private final Writer writer;

  TransferSteps(PipelineRun run) {
    this.run = run;
    cluster = run.cluster;
    writer = run.writer;
  }

  void add(int source, int target, Map<String, String> a) throws Exception {
    isNamed(source, target);
    NotPossible.needs(canCopy(source), "the source has no replica to copy");
    Chain.expect(isGiven(target), "the NameNode names this datanode");
    // The answer is the same if the target takes no copy (failed-transfer-is-a-success).
    Chain.expect(isCopied(source, target), "the source answers that the replica is copied");
    writer.pipeline.add(target);
    writer.hasReplaced = true;
    run.byWriter("add_datanode", a);
  }

  void fails(int source, int target, Map<String, String> a) throws Exception {
    isNamed(source, target);
    NotPossible.needs(!canCopy(source), "the source answers that the replica is copied");
    Chain.expect(isGiven(target), "the NameNode names this datanode");
    Chain.expect(!run.isRunning(source) || !isCopied(source, target), "the copy fails");
    writer.passedOver.add(target);
    run.byWriter("transfer_fails", a);
  }

  /** The NameNode names no other datanode, or refuses to, and the write ends. */
  void none(Map<String, String> a) throws Exception {
    looksForNode();
    try {
      NotPossible.needs(!isAnswered() || spare() < 0, "there is another datanode");
      Chain.expect(isGiven(-1), "the NameNode names none");
      run.byWriter("no_datanode_to_add", a);
    } catch (IOException refusal) {
      run.byWriter("no_datanode_to_add", a).put("refused_with", PipelineRun.refusal(refusal));
    }
    writer.stage = Stage.FAILED;
  }

  private void looksForNode() {
    writer.setsUp();
    NotPossible.needs(writer.newStamp == 0, "a stamp was asked for");
    NotPossible.needs(writer.wantsReplacement(), "no replacement is wanted");
  }

  /** The writer has its lease, and the NameNode knows the storages of its pipeline. */
  private boolean isAnswered() {
    return run.isUnderConstruction() && writer.pipeline.stream().noneMatch(run.unknown::containsKey);
  }

  private void isNamed(int source, int target) {
    looksForNode();
    NotPossible.needs(isAnswered(), "the NameNode refuses to name a datanode");
    NotPossible.needs(spare() == target, "another datanode is to be named");
    NotPossible.needs(writer.pipeline.contains(source), "the source is not in the pipeline");
  }

  /** The first datanode that may be added, of those with storages that are known; -1 if none. */
  private int spare() {
    for (int i = 0; i < run.datanodes.size(); i++) {
      if (!writer.pipeline.contains(i)
          && !writer.excluded.contains(i)
          && !writer.passedOver.contains(i)
          && !run.unknown.containsKey(i)) {
        return i;
      }
    }
    return -1;
  }

  private boolean canCopy(int source) {
    ReplicaAccess replica = run.isRunning(source) ? run.replica(source) : null;
    return replica != null
        && replica.stamp >= writer.stamp
        && (replica.state == ReplicaState.RBW || replica.state == ReplicaState.FINALIZED);
  }

  /** Whether the NameNode names this datanode, all others being excluded. */
  private boolean isGiven(int target) throws IOException {
    List<DatanodeInfo> excluded = new ArrayList<>();
    for (int i = 0; i < cluster.size(); i++) {
      if (i != target && !writer.pipeline.contains(i)) {
        excluded.add(cluster.known(i));
      }
    }
    LocatedBlock located =
        cluster.hdfs.nn.getAdditionalDatanode(
            run.path,
            writer.inode,
            run.block(writer.stamp, writer.ackedBytes()),
            writer.pipeline.stream().map(cluster::known).toArray(DatanodeInfo[]::new),
            writer.pipeline.stream().map(i -> cluster.storages[i]).toArray(String[]::new),
            excluded.toArray(new DatanodeInfo[0]),
            1,
            run.holder);
    List<Integer> named = new ArrayList<>();
    for (DatanodeInfo one : located.getLocations()) {
      named.add(cluster.indexOf(one));
    }
    named.removeAll(writer.pipeline);
    return target < 0 ? named.isEmpty() : named.equals(List.of(target));
  }

  private boolean isCopied(int source, int target) throws IOException {
    try (Socket socket = new Socket()) {
      socket.setSoTimeout(8_000);
      socket.connect(run.running(source).getXferAddress());
      DataOutputStream out =
          new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
      new Sender(out)
          .transferBlock(
              run.block(writer.stamp, writer.ackedBytes()),
              BlockTokenSecretManager.DUMMY_TOKEN,
              run.holder,
              new DatanodeInfo[] {cluster.behindGateway(target)},
              new StorageType[] {StorageType.DISK},
              new String[] {cluster.storages[target]});
      out.flush();
      BlockOpResponseProto response =
          BlockOpResponseProto.parseFrom(
              PBHelperClient.vintPrefixed(new DataInputStream(socket.getInputStream())));
      return response.getStatus() == Status.SUCCESS;
    } catch (EOFException | SocketException closed) {
      return false;
    }
  }
}
