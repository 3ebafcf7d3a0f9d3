package genstamp.losses;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.Syncable;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.hdfs.server.datanode.LossAccess;

/**
 * Machines of datanodes that fail, and come back with fewer bytes: a datanode of MiniDFSCluster is stopped, the file of
 * its replica is cut, and it is started again. Writers die after their hflush.
 */
final class Crashes {
  private static final int BYTES = 1000;
  private static final int KEPT = 512;
  private static final int STALE_MS = 5000;

  /** The datanode that has all bytes is stopped, and does not answer the primary (facts G.4). */
  static void waitingReplicasDoNotDecideAlone(File directory, Seen seen) throws Exception {
    try (Cluster cluster = cluster(directory, 2)) {
      recoverWithoutAnAnswer(cluster, KEPT, seen);
    }
  }

  /** The datanode that has all bytes is stopped; the other one has none left (facts G.3, G.4). */
  static void unreachableIsNotEmpty(File directory, Seen seen) throws Exception {
    try (Cluster cluster = cluster(directory, 2)) {
      recoverWithoutAnAnswer(cluster, 0, seen);
    }
  }

  private static void recoverWithoutAnAnswer(Cluster cluster, int kept, Seen seen)
      throws Exception {
    ExtendedBlock block = cluster.writtenByADeadClient("/f", BYTES);
    seen.note("bytes acknowledged", BYTES);
    List<DataNode> datanodes = cluster.mini.getDataNodes();
    DataNode whole = datanodes.get(0);
    DataNode cut = datanodes.get(1);
    seen.note("replica that does not answer", replica(whole, block));
    cluster.mini.stopDataNode(whole.getDatanodeId().getXferAddr());
    seen.note("replica that answers", replica(cluster.losingBytes(cut, block, kept), block));
    recover(cluster, seen);
  }

  /**
   * The datanode that has all bytes sends no heartbeats until it is stale; it would answer the primary (facts G.2).
   */
  static void staleIsNotGone(File directory, Seen seen) throws Exception {
    for (boolean stale : new boolean[] {false, true}) {
      String when = stale ? ", one is stale" : ", none is stale";
      try (Cluster cluster = cluster(new File(directory, String.valueOf(stale)), 3)) {
        ExtendedBlock block = cluster.writtenByADeadClient("/f", BYTES);
        seen.note("bytes acknowledged" + when, BYTES);
        DataNode[] datanodes = cluster.mini.getDataNodes().toArray(new DataNode[0]);
        for (int i = 1; i < datanodes.length; i++) {
          cluster.losingBytes(datanodes[i], block, KEPT);
        }
        if (stale) {
          DataNodeTestUtils.setHeartbeatsDisabledForTests(datanodes[0], true);
          DatanodeDescriptor named = named(cluster, datanodes[0]);
          Cluster.await("it is stale", () -> named.isStale(STALE_MS));
        }
        seen.note("replica of the first" + when, replica(datanodes[0], block));
        cluster.nameNode().recoverLease("/f", "another");
        seen.note("closed" + when, cluster.closes("/f", 60));
        seen.note("bytes left" + when, cluster.length("/f"));
      }
    }
  }

  /**
   * After a NameNode restart the datanode that has all bytes is live, and its first full report is late
   * (dfs.blockreport.initialDelay); that of the other one is sent at once (facts I.4).
   */
  static void safeModeWaitsForReports(File directory, Seen seen) throws Exception {
    try (Cluster cluster = cluster(directory, 2, "dfs.blockreport.initialDelay", "20000")) {
      ExtendedBlock block = cluster.writtenByADeadClient("/f", BYTES);
      seen.note("bytes acknowledged", BYTES);
      DataNode[] datanodes = cluster.mini.getDataNodes().toArray(new DataNode[0]);
      cluster.mini.triggerBlockReports(); // so that no incremental report is left
      cluster.mini.restartNameNode(0, true);
      cluster.losingBytes(datanodes[1], block, 0);
      seen.note("replica of the datanode that has not reported", replica(datanodes[0], block));
      seen.note("live datanodes", cluster.namesystem().getNumLiveDataNodes());
      seen.note("safe mode", cluster.namesystem().isInSafeMode());
      seen.note("datanodes that a recovery asks", expected(cluster));
      recover(cluster, seen);
      seen.note("the other replica, then", replica(datanodes[0], block));
    }
  }

  /**
   * A file is closed while one datanode's reports are held. The other one loses its bytes after an append has reopened
   * the block, and before the append is set up (facts A.4, G.3).
   */
  static void knownBytesAreNotDeleted(File directory, Seen seen) throws Exception {
    String[] noCopies = {"dfs.namenode.redundancy.interval.seconds", "3600"};
    try (Cluster cluster = cluster(directory, 2, noCopies)) {
      DataNode late = cluster.mini.getDataNodes().get(0);
      DataNodeTestUtils.pauseIBR(late);
      cluster.write("/f", BYTES);
      ExtendedBlock block =
          new ExtendedBlock(cluster.namesystem().getBlockPoolId(), cluster.lastBlock("/f"));
      seen.note("bytes of the closed file", cluster.length("/f"));
      seen.note("replica that is not reported", replica(late, block));
      cluster.append("/f", "client");
      DataNode cut = cluster.losingBytes(cluster.mini.getDataNodes().get(1), block, 0);
      seen.note("replica that is reported", replica(cut, block));
      seen.note("length at the NameNode", cluster.lastBlock("/f").getNumBytes());
      recover(cluster, seen);
    }
  }

  /**
   * The NameNode restarts when addBlock is answered, and gets full reports before the pipeline is set up. Incremental
   * reports of one datanode are held then; the machine of the other one loses its bytes (facts C.4, E.10).
   */
  static void hflushWaitsForReports(File directory, Seen seen) throws Exception {
    try (Cluster cluster = cluster(directory, 2)) {
      DataNode late = cluster.mini.getDataNodes().get(0);
      DFSClient writer =
          cluster.client(
              "addBlock",
              () -> {},
              () -> {
                cluster.restartNameNode();
                DataNodeTestUtils.pauseIBR(late);
              });
      OutputStream stream = writer.create("/f", true);
      stream.write(new byte[BYTES]);
      ((Syncable) stream).hflush();
      seen.note("bytes acknowledged", BYTES);
      ExtendedBlock block =
          new ExtendedBlock(
              cluster.namesystem().getBlockPoolId(), new Block(cluster.lastBlock("/f")));
      seen.note("replica whose report is held", replica(late, block));
      DataNode reported = cluster.mini.getDataNodes().get(1);
      DataNodeTestUtils.triggerHeartbeat(reported);
      Cluster.await("the other replica is reported", () -> expected(cluster) > 0);
      seen.note("datanodes that a recovery asks", expected(cluster));
      writer.closeAllFilesBeingWritten(true);
      cluster.losingBytes(reported, block, 0);
      recover(cluster, seen);
    }
  }

  /** The other datanode is stopped before the recovery, which so takes the shorter length. */
  static void marksOfLengthAndStateStay(File directory, Seen seen) throws Exception {
    try (Cluster cluster = cluster(directory, 2)) {
      cluster.write("/f", BYTES);
      DFSTestUtil.waitReplication(cluster.files(), new Path("/f"), (short) 2);
      ExtendedBlock block =
          new ExtendedBlock(cluster.namesystem().getBlockPoolId(), cluster.lastBlock("/f"));
      DataNode other = cluster.mini.getDataNodes().get(0);
      DataNode cut = cluster.losingBytes(cluster.mini.getDataNodes().get(1), block, KEPT);
      Cluster.await("the cut replica is corrupt", () -> !mark(cluster, cut).equals("none"));
      seen.note("mark of the cut replica", mark(cluster, cut));
      cluster.append("/f", "client");
      cluster.mini.stopDataNode(other.getDatanodeId().getXferAddr());
      recover(cluster, seen);
      cluster.mini.triggerBlockReports();
      seen.note("stamp of the block", cluster.lastBlock("/f").getGenerationStamp());
      seen.note("stamp of the replica", LossAccess.stamp(cut, block.getBlockPoolId(), block.getBlockId()));
      seen.note("the replica", replica(cut, block));
      seen.note("its mark after a full report", mark(cluster, cut));
    }
  }

  private static Cluster cluster(File directory, int datanodes, String... more) throws Exception {
    String[] settings = {
      "dfs.replication", String.valueOf(datanodes),
      "dfs.client.block.write.replace-datanode-on-failure.policy", "NEVER",
      "dfs.namenode.stale.datanode.interval", String.valueOf(STALE_MS),
      "dfs.datanode.replica.cache.expiry.time", "0",
      "ipc.client.connect.max.retries", "0"
    };
    String[] all = Arrays.copyOf(settings, settings.length + more.length);
    System.arraycopy(more, 0, all, settings.length, more.length);
    return Cluster.of(directory, datanodes, all);
  }

  private static void recover(Cluster cluster, Seen seen) throws Exception {
    seen.noteAnswer("recoverLease", () -> cluster.nameNode().recoverLease("/f", "another"));
    seen.note("closed", cluster.closes("/f", 60));
    seen.note("bytes left", cluster.length("/f"));
  }

  private static int expected(Cluster cluster) throws IOException {
    return cluster.lastBlock("/f").getUnderConstructionFeature().getNumExpectedLocations();
  }

  private static String mark(Cluster cluster, DataNode datanode) throws IOException {
    BlockManager blocks = cluster.namesystem().getBlockManager();
    String reason = blocks.getCorruptReason(cluster.lastBlock("/f"), named(cluster, datanode));
    return reason == null ? "none" : reason;
  }

  private static DatanodeDescriptor named(Cluster cluster, DataNode datanode) throws IOException {
    return cluster
        .namesystem()
        .getBlockManager()
        .getDatanodeManager()
        .getDatanode(datanode.getDatanodeUuid());
  }

  private static String replica(DataNode datanode, ExtendedBlock block) {
    return LossAccess.replica(datanode, block.getBlockPoolId(), block.getBlockId());
  }

  private Crashes() {}
}
