package genstamp.museum;

import java.io.File;
import java.util.Arrays;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.MiniDFSCluster.DataNodeProperties;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerTestUtil;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorage;
import org.apache.hadoop.hdfs.server.protocol.ReceivedDeletedBlockInfo;
import org.apache.hadoop.hdfs.server.protocol.ReceivedDeletedBlockInfo.BlockStatus;
import org.apache.hadoop.hdfs.server.protocol.StorageReceivedDeletedBlocks;

/** Faults of open blocks whose datanodes leave, come back, or are known by other storages. */
final class Replicas {
  /** HDFS-11486: a file whose only datanode is being decommissioned cannot be closed. */
  static void closedWhileDecommissioning(File directory, Seen seen) throws Exception {
    try (Cluster cluster =
        new Cluster(directory, 1, "dfs.client.block.write.locateFollowingBlock.retries", "3")) {
      HdfsDataOutputStream stream = flushed(cluster);
      cluster.decommission();
      seen.noteAnswer(
          "close",
          () -> {
            stream.close();
            return null;
          });
      seen.note("state of the block", cluster.stateOfLastBlock("/f"));
    }
  }

  /** HDFS-11499: a recovery of replicas on decommissioning datanodes cannot close its file. */
  static void recoveredWhileDecommissioning(File directory, Seen seen) throws Exception {
    try (Cluster cluster = new Cluster(directory, 1)) {
      flushed(cluster);
      cluster.decommission();
      cluster.nameNode.recoverLease("/f", "other");
      seen.note("the file is closed", cluster.closes("/f"));
      seen.note("state of the block", cluster.stateOfLastBlock("/f"));
    }
  }

  /**
   * HDFS-9600: a block that is open for an append is queued for reconstruction when a replica of it
   * goes. The monitor that takes blocks from the queue does not run.
   */
  static void openBlockIsQueued(File directory, Seen seen) throws Exception {
    try (Cluster cluster = new Cluster(directory, 2, "dfs.namenode.replication.interval", "3600")) {
      Path path = new Path("/f");
      DFSTestUtil.createFile(cluster.mini.getFileSystem(), path, 512, (short) 2, 0L);
      DFSTestUtil.waitReplication(cluster.mini.getFileSystem(), path, (short) 2);
      cluster.append("/f", "writer");
      String datanode = cluster.mini.getDataNodes().get(0).getDatanodeId().getXferAddr();
      cluster.mini.stopDataNode(0);
      BlockManagerTestUtil.noticeDeadDatanode(cluster.mini.getNameNode(), datanode);
      BlockManagerTestUtil.updateState(cluster.mini.getNamesystem().getBlockManager());
      seen.note("state of the block", cluster.stateOfLastBlock("/f"));
      seen.note("queued blocks", cluster.mini.getNamesystem().getUnderReplicatedBlocks());
    }
  }

  /**
   * HDFS-13840: a replica of an older generation becomes a location of the open block. A datanode
   * stops, the pipeline goes on without it under a new stamp, and the datanode comes back.
   */
  static void oldReplicaIsALocation(File directory, Seen seen) throws Exception {
    try (Cluster cluster =
        new Cluster(
            directory, 2, "dfs.client.block.write.replace-datanode-on-failure.enable", "false")) {
      HdfsDataOutputStream stream = flushed(cluster);
      String stopped = cluster.mini.getDataNodes().get(0).getDatanodeId().getDatanodeUuid();
      DataNodeProperties properties = cluster.mini.stopDataNode(0);
      stream.write(1);
      stream.hflush();
      seen.note("the datanode that stopped is a location", isLocation(cluster, stopped));
      cluster.mini.restartDataNode(properties, true);
      cluster.mini.waitActive();
      for (DataNode datanode : cluster.mini.getDataNodes()) {
        DataNodeTestUtils.triggerBlockReport(datanode);
      }
      seen.note("it is one after its return", isLocation(cluster, stopped));
    }
  }

  private static boolean isLocation(Cluster cluster, String datanode) throws Exception {
    return Arrays.stream(cluster.lastLocated("/f").getLocations())
        .anyMatch(one -> one.getDatanodeUuid().equals(datanode));
  }

  /**
   * HDFS-12299: updatePipeline names a storage that the NameNode does not know, as after a new
   * registration of its datanode. The block keeps a location that is null, which the next
   * updatePipeline and a reader meet.
   */
  static void pipelineOfAnUnknownStorage(File directory, Seen seen) throws Exception {
    try (Cluster cluster = new Cluster(directory, 1)) {
      HdfsFileStatus file = cluster.create("/f", "writer", 1);
      LocatedBlock located = cluster.addLocated("/f", "writer", null, file);
      String[] unknown = {"of an earlier registration"};
      ExtendedBlock old = located.getBlock(), first = restamped(cluster, old);
      seen.noteAnswer("updatePipeline", () -> updated(cluster, old, first, located, unknown));
      ExtendedBlock second = restamped(cluster, first);
      seen.noteAnswer(
          "the next updatePipeline",
          () -> updated(cluster, first, second, located, located.getStorageIDs()));
      seen.noteAnswer("getBlockLocations", () -> cluster.lastLocated("/f"));
    }
  }

  private static ExtendedBlock restamped(Cluster cluster, ExtendedBlock block) throws Exception {
    ExtendedBlock newer = new ExtendedBlock(block);
    newer.setGenerationStamp(
        cluster.nameNode.updateBlockForPipeline(block, "writer").getBlock().getGenerationStamp());
    return newer;
  }

  private static Object updated(
      Cluster cluster, ExtendedBlock from, ExtendedBlock to, LocatedBlock at, String[] storages)
      throws Exception {
    DatanodeID[] nodes = {at.getLocations()[0]};
    cluster.nameNode.updatePipeline("writer", from, to, nodes, storages);
    return null;
  }

  /**
   * HDFS-11960: a late report of an older generation ends the wait for a copy of the present one.
   * The copy was ordered, and is not made, as there are no heartbeats; the report is made by hand.
   */
  static void lateReportEndsTheWait(File directory, Seen seen) throws Exception {
    try (Cluster cluster = new Cluster(directory, 2)) {
      DFSTestUtil.createFile(cluster.mini.getFileSystem(), new Path("/f"), 512, (short) 1, 0L);
      DFSTestUtil.waitReplication(cluster.mini.getFileSystem(), new Path("/f"), (short) 1);
      cluster.stopHeartbeats();
      cluster.nameNode.setReplication("/f", (short) 2);
      BlockManagerTestUtil.computeAllPendingWork(cluster.mini.getNamesystem().getBlockManager());
      seen.note("copies that are waited for", pendingCopies(cluster));
      LocatedBlock located = cluster.lastLocated("/f");
      Block older = new Block(located.getBlock().getLocalBlock());
      older.setGenerationStamp(older.getGenerationStamp() - 1);
      reportReceived(cluster, older, located.getLocations()[0]);
      seen.note("after a report of an older generation", pendingCopies(cluster));
    }
  }

  private static long pendingCopies(Cluster cluster) {
    BlockManagerTestUtil.updateState(cluster.mini.getNamesystem().getBlockManager());
    return cluster.mini.getNamesystem().getPendingReplicationBlocks();
  }

  /** Reports a replica by the datanode that is not the given one. */
  private static void reportReceived(Cluster cluster, Block block, DatanodeID notThis)
      throws Exception {
    String pool = cluster.mini.getNamesystem().getBlockPoolId();
    for (DataNode datanode : cluster.mini.getDataNodes()) {
      if (!datanode.getDatanodeId().equals(notThis)) {
        Object[] storages =
            (Object[]) Cluster.called(cluster.descriptor(datanode), "getStorageInfos");
        String storage = (String) Cluster.called(storages[0], "getStorageID");
        ReceivedDeletedBlockInfo[] received = {
          new ReceivedDeletedBlockInfo(block, BlockStatus.RECEIVED_BLOCK, null)
        };
        StorageReceivedDeletedBlocks[] reports = {
          new StorageReceivedDeletedBlocks(new DatanodeStorage(storage), received)
        };
        cluster
            .mini
            .getNameNodeRpc()
            .blockReceivedAndDeleted(
                DataNodeTestUtils.getDNRegistrationForBP(datanode, pool), pool, reports);
      }
    }
  }

  /** A file with one byte, which its client has flushed. */
  private static HdfsDataOutputStream flushed(Cluster cluster) throws Exception {
    HdfsDataOutputStream stream =
        (HdfsDataOutputStream) cluster.mini.getFileSystem().create(new Path("/f"), (short) 2);
    stream.write(1);
    stream.hflush();
    return stream;
  }

  private Replicas() {}
}
