package genstamp.losses;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DFSOutputStream;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerTestUtil;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.hdfs.server.datanode.LossAccess;
import org.apache.hadoop.hdfs.server.protocol.BlockRecoveryCommand.RecoveringBlock;
import org.apache.hadoop.hdfs.server.protocol.BlockReportContext;
import org.apache.hadoop.hdfs.server.protocol.StorageBlockReport;

/** Replicas that the NameNode counts, or does not count, although their block has changed since. */
final class Reports {
  private static final Path FILE = new Path("/f");
  private static final String[] TWO = {
    "dfs.replication", "2",
    "dfs.client.block.write.replace-datanode-on-failure.policy", "NEVER",
    "dfs.namenode.redundancy.interval.seconds", "3600",
    "ipc.client.connect.max.retries", "0"
  };

  /**
   * No heartbeat fetches the order to delete before the append takes it back; the datanode that does not have it is
   * stopped. A report of the other one arrives before updatePipeline.
   */
  static void excessOutlivesReopening(File directory, Seen seen) throws Exception {
    try (Cluster cluster = Cluster.of(directory, 2, TWO)) {
      cluster.write("/f", 1000);
      DFSTestUtil.waitReplication(cluster.files(), FILE, (short) 2);
      cluster.heartbeats(false);
      cluster.files().setReplication(FILE, (short) 1);
      seen.note("excess replicas", excess(cluster));
      DataNode[] datanodes = cluster.mini.getDataNodes().toArray(new DataNode[0]);
      DataNode other = isExcess(cluster, datanodes[0]) ? datanodes[1] : datanodes[0];
      cluster.mini.stopDataNode(other.getDatanodeId().getXferAddr());
      DFSClient client =
          cluster.client("updatePipeline", cluster.mini::triggerBlockReports, () -> {});
      HdfsDataOutputStream stream = client.append("/f", 4096, EnumSet.of(CreateFlag.APPEND), null, null);
      stream.write(new byte[10]);
      stream.hflush();
      cluster.heartbeats(true);
      seen.note("bytes acknowledged after an append", 1010);
      seen.noteAnswer(
          "close",
          () -> {
            stream.close();
            return null;
          });
      cluster.mini.triggerBlockReports();
      BlockInfo last = cluster.lastBlock("/f");
      seen.note("state of the block after a full report", last.getBlockUCState().name());
      seen.note("replicas", last.numNodes());
      seen.note("excess replicas after a full report", excess(cluster));
      seen.noteAnswer("complete after it", () -> complete(cluster, client.getClientName()));
    }
  }

  /**
   * By hand: the writer's set-up of a pipeline without the second datanode, and the finalization of the replica that
   * stays there (facts I.2).
   */
  static void staleReplicaJoinsARecovery(File directory, Seen seen) throws Exception {
    try (Cluster cluster = Cluster.of(directory, 2, TWO)) {
      ExtendedBlock block = cluster.writtenByADeadClient("/f", 1000);
      LocatedBlock located = cluster.nameNode().getBlockLocations("/f", 0, 1).get(0);
      DatanodeInfo[] pipeline = located.getLocations();
      String client = cluster.file("/f").getFileUnderConstructionFeature().getClientName();
      cluster.heartbeats(false);
      ExtendedBlock next = cluster.newStamp(block, client);
      DataNode stays = cluster.datanode(pipeline[0].getXferPort());
      DataNode left = cluster.datanode(pipeline[1].getXferPort());
      Cluster.asAWriter(
          () -> {
            stays
                .getFSDataset()
                .recoverRbw(new ExtendedBlock(block), next.getGenerationStamp(), 0, 1000)
                .close();
            return null;
          });
      cluster
          .nameNode()
          .updatePipeline(
              client,
              block,
              next,
              new DatanodeID[] {pipeline[0]},
              new String[] {located.getStorageIDs()[0]});
      left.getFSDataset().finalizeBlock(new ExtendedBlock(block), false);
      cluster.nameNode().recoverLease("/f", "another");
      seen.note("stamp of the block", cluster.lastBlock("/f").getGenerationStamp());
      seen.note("state of the block", cluster.lastBlock("/f").getBlockUCState().name());
      seen.note("locations before the report", expected(cluster));
      seen.note("stamp of the replica that is reported", stamp(left, block));
      DataNodeTestUtils.triggerBlockReport(left);
      seen.note("locations after the report", expected(cluster));
    }
  }

  /**
   * The first attempt of a truncate by copy is by hand: its primary copies the block at the first datanode, and dies.
   * The second one is Hadoop's, while that datanode is down (facts G.6).
   */
  static void copiesOfEarlierAttempts(File directory, Seen seen) throws Exception {
    try (Cluster cluster = Cluster.of(directory, 2, TWO)) {
      cluster.files().allowSnapshot(new Path("/"));
      cluster.write("/f", 1000);
      DFSTestUtil.waitReplication(cluster.files(), FILE, (short) 2);
      cluster.files().createSnapshot(new Path("/"), "before");
      String pool = cluster.namesystem().getBlockPoolId();
      ExtendedBlock old = new ExtendedBlock(pool, new Block(cluster.lastBlock("/f")));
      DataNode first = cluster.mini.getDataNodes().get(0);
      cluster.heartbeats(false);
      seen.noteAnswer("truncate to 400", () -> cluster.nameNode().truncate("/f", 400, "client"));
      Block copied = new Block(cluster.lastBlock("/f"));
      long recoveryId = cluster.lastBlock("/f").getUnderConstructionFeature().getBlockRecoveryId();
      first.initReplicaRecovery(new RecoveringBlock(old, DatanodeInfo.EMPTY_ARRAY, recoveryId));
      first.updateReplicaUnderRecovery(old, recoveryId, copied.getBlockId(), 400);
      seen.note("stamp of the first copy", stamp(first, new ExtendedBlock(pool, copied)));
      Cluster.await("the copy is reported", () -> cluster.lastBlock("/f").numNodes() == 1);
      cluster.mini.stopDataNode(first.getDatanodeId().getXferAddr());
      cluster.heartbeats(true);
      cluster.namesystem().getBlockManager().setBlockRecoveryTimeout(1);
      cluster.nameNode().recoverLease("/f", "another");
      seen.note("closed", cluster.closes("/f", 60));
      BlockInfo last = cluster.lastBlock("/f");
      seen.note("stamp of the block", last.getGenerationStamp());
      Cluster.await("the second copy is reported", () -> last.numNodes() == 2);
      seen.note("live replicas", blocks(cluster).countNodes(last).liveReplicas());
      seen.note("corrupt replicas", blocks(cluster).countNodes(last).corruptReplicas());
    }
  }

  /**
   * A full report is made and sent by hand while the incremental ones are held, as if the replica had been finalized
   * between the two. The datanode with the other replica is stopped then; a third one has no replica.
   */
  static void pendingCopyEndsUnseen(File directory, Seen seen) throws Exception {
    try (Cluster cluster = Cluster.of(directory, 3, "dfs.replication", "2")) {
      FSDataOutputStream stream = cluster.files().create(FILE);
      stream.write(new byte[1000]);
      stream.hflush();
      DatanodeInfo[] pipeline = ((DFSOutputStream) stream.getWrappedStream()).getPipeline();
      DataNode late = cluster.datanode(pipeline[1].getXferPort());
      DataNodeTestUtils.pauseIBR(late);
      stream.close();
      noteCounts(cluster, "after complete", seen);
      fullReport(cluster, late);
      noteCounts(cluster, "after the full report", seen);
      cluster.mini.setDataNodeDead(pipeline[0]);
      cluster.mini.stopDataNode(pipeline[0].getXferAddr());
      Cluster.await("one is dead", () -> cluster.namesystem().getNumDeadDataNodes() == 1);
      noteCounts(cluster, "after the other datanode died", seen);
      DataNodeTestUtils.resumeIBR(late);
      DataNodeTestUtils.triggerHeartbeat(late);
      Cluster.await("nothing is pending", () -> pending(cluster) == 0);
      seen.note("copied within 20 s", Cluster.happens(() -> live(cluster) == 2, 20));
      noteCounts(cluster, "after the incremental report", seen);
    }
  }

  private static boolean complete(Cluster cluster, String client) throws IOException {
    ExtendedBlock last =
        new ExtendedBlock(
            cluster.namesystem().getBlockPoolId(), new Block(cluster.lastBlock("/f")));
    return cluster.nameNode().complete("/f", client, last, cluster.file("/f").getId());
  }

  private static BlockManager blocks(Cluster cluster) throws IOException {
    return cluster.namesystem().getBlockManager();
  }

  private static int excess(Cluster cluster) throws IOException {
    return blocks(cluster).countNodes(cluster.lastBlock("/f")).excessReplicas();
  }

  private static boolean isExcess(Cluster cluster, DataNode datanode) throws IOException {
    return blocks(cluster)
        .isExcess(
            blocks(cluster).getDatanodeManager().getDatanode(datanode.getDatanodeUuid()),
            cluster.lastBlock("/f"));
  }

  private static int expected(Cluster cluster) throws IOException {
    return cluster.lastBlock("/f").getUnderConstructionFeature().getNumExpectedLocations();
  }

  private static long stamp(DataNode datanode, ExtendedBlock block) {
    return LossAccess.stamp(datanode, block.getBlockPoolId(), block.getBlockId());
  }

  private static void fullReport(Cluster cluster, DataNode datanode) throws Exception {
    String pool = cluster.namesystem().getBlockPoolId();
    List<StorageBlockReport> reports = new ArrayList<>();
    datanode
        .getFSDataset()
        .getBlockReports(pool)
        .forEach((storage, blocks) -> reports.add(new StorageBlockReport(storage, blocks)));
    cluster
        .mini
        .getNameNodeRpc()
        .blockReport(
            DataNodeTestUtils.getDNRegistrationForBP(datanode, pool),
            pool,
            reports.toArray(new StorageBlockReport[0]),
            new BlockReportContext(1, 0, 1, 0));
  }

  private static void noteCounts(Cluster cluster, String when, Seen seen) throws IOException {
    seen.note("live replicas " + when, live(cluster));
    seen.note("pending copies " + when, pending(cluster));
    seen.note("to be copied " + when, needed(cluster));
  }

  private static int live(Cluster cluster) throws IOException {
    return blocks(cluster).countNodes(cluster.lastBlock("/f")).liveReplicas();
  }

  private static long pending(Cluster cluster) throws IOException {
    BlockManagerTestUtil.updateState(blocks(cluster));
    return blocks(cluster).getPendingReconstructionBlocksCount();
  }

  private static boolean needed(Cluster cluster) throws IOException {
    BlockManagerTestUtil.updateState(blocks(cluster));
    return blocks(cluster).getLowRedundancyBlocksCount() > 0;
  }

  private Reports() {}
}
