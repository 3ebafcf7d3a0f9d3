package genstamp.adapter.lease;

import com.fasterxml.jackson.databind.node.ObjectNode;
import genstamp.adapter.NotPossible;
import genstamp.adapter.Refusals;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockAccess;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.BlockUCState;
import org.apache.hadoop.hdfs.server.namenode.INodeFile;
import org.apache.hadoop.hdfs.server.namenode.LeaseAccess;
import org.apache.hadoop.hdfs.server.protocol.BlockRecoveryCommand.RecoveringBlock;
import org.apache.hadoop.hdfs.server.protocol.ReceivedDeletedBlockInfo.BlockStatus;
import org.apache.hadoop.ipc.RemoteException;

/** What datanodes report, and what primaries bring back. */
final class DatanodeSteps {
  private final LeaseRun run;
  private final LeaseCluster cluster;

  DatanodeSteps(LeaseRun run) {
    this.run = run;
    cluster = run.cluster;
  }

  void finalizeReplicas(String file) {
    BlockInfo last = run.last(file);
    NotPossible.needs(
        last != null
            && (last.getBlockUCState() == BlockUCState.UNDER_CONSTRUCTION
                || last.getBlockUCState() == BlockUCState.COMMITTED),
        file + " has no block that is written");
    NotPossible.needs(!run.running.isEmpty(), "no datanode is running");
    Replicas there = run.of(last.getBlockId());
    NotPossible.needs(
        there.bytes > 0 && !there.finalized, "there are no replicas that are written");
    boolean ended =
        run.streams.entrySet().stream()
            .anyMatch(
                one ->
                    one.getKey().get(1).equals(file)
                        && one.getValue().stage.equals("closing")
                        && run.matches(last, one.getValue().block));
    NotPossible.needs(
        last.getBlockUCState() != BlockUCState.UNDER_CONSTRUCTION || ended,
        "nobody has sent the last packet");
    there.finalized = true;
  }

  void blockReceived(String file, String datanode, Map<String, String> a) throws Exception {
    run.up(datanode);
    BlockInfo last = run.last(file);
    NotPossible.needs(
        last != null && run.of(last.getBlockId()).finalized,
        datanode + " has no finalized replica of " + file);
    NotPossible.needs(
        last.isComplete() || BlockAccess.expected(last).contains(run.faked(datanode).uuid),
        "no location");
    run.tell(datanode, last, BlockStatus.RECEIVED_BLOCK);
    report(file, datanode, "block_received", a)
        .putObject("observed")
        .put("block_state", run.last(file).getBlockUCState().name());
  }

  void blockReceivedEarlier(String file, String datanode, Map<String, String> a) throws Exception {
    run.up(datanode);
    INodeFile inode = run.inode(file);
    BlockInfo before = LeaseAccess.penultimate(inode);
    NotPossible.needs(
        before != null && before.getBlockUCState() == BlockUCState.COMMITTED,
        "the block before is not COMMITTED");
    run.tell(datanode, before, BlockStatus.RECEIVED_BLOCK);
    report(file, datanode, "block_received_earlier", a)
        .putObject("observed")
        .put("block_state", LeaseAccess.penultimate(run.inode(file)).getBlockUCState().name());
  }

  void replicaReported(String file, String datanode, Map<String, String> a) throws Exception {
    run.up(datanode);
    BlockInfo last = run.last(file);
    NotPossible.needs(
        last != null && !last.isComplete() && run.of(last.getBlockId()).bytes > 0,
        "no replica that is written");
    NotPossible.needs(
        !BlockAccess.expected(last).contains(run.faked(datanode).uuid),
        "the namenode knows of the replica");
    run.tell(datanode, last, BlockStatus.RECEIVING_BLOCK);
    report(file, datanode, "replica_reported", a);
  }

  ObjectNode report(String file, String datanode, String event, Map<String, String> a) {
    return run.event("namenode", "replica", file + "@" + datanode, event, a);
  }

  void commit(String primary, String file, Map<String, String> a) throws Exception {
    run.up(primary);
    RecoveringBlock recovering = run.led.get(List.of(primary, file));
    NotPossible.needs(recovering != null, primary + " leads no recovery of " + file);
    ExtendedBlock block = recovering.getBlock();
    BlockInfo last = run.last(file);
    boolean deletes =
        cluster.bm().getStoredBlock(block.getLocalBlock()) != null
            ? run.of(block.getBlockId()).bytes == 0
            : last != null && last.isComplete();
    if (deletes) {
      run.needsBlockBefore(file);
    }
    run.led.remove(List.of(primary, file));
    long bytes = deletes ? 0 : run.of(block.getBlockId()).bytes;
    DatanodeID[] targets =
        deletes ? new DatanodeID[0] : new DatanodeID[] {run.faked(primary).registration};
    String[] storages =
        deletes ? new String[0] : new String[] {run.faked(primary).storage.getStorageID()};
    String refused = null;
    try {
      cluster.dn.commitBlockSynchronization(
          block, recovering.getNewGenerationStamp(), bytes, true, deletes, targets, storages);
    } catch (RemoteException refusal) {
      refused = Refusals.name(refusal);
    }
    BlockInfo now = run.last(file);
    if (now != null && now.isComplete()) {
      run.of(now.getBlockId()).finalized = true;
    }
    ObjectNode told =
        run.event("namenode", "block", file, "commit_block_synchronization", a)
            .put("recovery_id", recovering.getNewGenerationStamp());
    if (refused != null) {
      told.put("refused_with", refused);
      return;
    }
    if (!deletes) {
      told.put("num_bytes", bytes);
    }
    INodeFile inode = run.inode(file);
    if (last != null && last.getBlockId() == block.getBlockId()) {
      told.putObject("observed")
          .put("closed", String.valueOf(inode == null || !inode.isUnderConstruction()))
          .put("deleted", String.valueOf(now == null || now.getBlockId() != block.getBlockId()));
    }
  }
}
