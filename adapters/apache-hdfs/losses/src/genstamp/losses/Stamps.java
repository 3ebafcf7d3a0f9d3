package genstamp.losses;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.EnumSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DFSOutputStream;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster.DataNodeProperties;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockIdManager;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.namenode.ha.HATestUtil;

/** Generation stamps that do not tell an old replica from a new one. */
final class Stamps {
  private static final Path FILE = new Path("/f");
  private static final String[] THREE_WITHOUT_REPLACEMENT = {
    "dfs.replication", "3", "dfs.client.block.write.replace-datanode-on-failure.policy", "NEVER"
  };

  /**
   * A restart forgets the stamps granted since the last image; a late request then has a new
   * replica's stamp (facts H.4).
   */
  static void grantedTwice(File directory, Seen seen) throws Exception {
    try (Cluster cluster = Cluster.of(directory, 3, THREE_WITHOUT_REPLACEMENT)) {
      FSDataOutputStream stream = cluster.files().create(FILE);
      stream.write(new byte[1000]);
      stream.hflush();
      ExtendedBlock block = DFSTestUtil.getFirstBlock(cluster.files(), FILE);
      DatanodeInfo[] pipeline = ((DFSOutputStream) stream.getWrappedStream()).getPipeline();
      DataNode last = cluster.datanode(pipeline[2].getXferPort());
      String client = cluster.files().getClient().getClientName();
      long first = cluster.newStamp(block, client).getGenerationStamp();
      seen.note("stamp granted before the restart", first);
      cluster.restartNameNode();
      Cluster.asAWriter(
          () -> last.getFSDataset().recoverRbw(new ExtendedBlock(block), first, 1000, 1000));
      stream.write(new byte[1000]);
      stream.hflush();
      seen.note("bytes acknowledged", 2000);
      seen.note("stamp granted after the restart", lastStamp(cluster));
      recover(cluster, seen);
    }
  }

  /**
   * An image that a standby wrote lacks the stamps of the edits that it replayed (facts H.4.7, since
   * HDFS-14941).
   */
  static void grantedTwiceByAStandby(File directory, Seen seen) throws Exception {
    try (Cluster cluster =
        Cluster.highlyAvailable(
            directory,
            1,
            "dfs.namenode.checkpoint.check.period",
            "1",
            "dfs.namenode.checkpoint.txns",
            "1")) {
      FSDataOutputStream stream = cluster.files().create(FILE);
      stream.write(new byte[1000]);
      stream.hflush();
      ExtendedBlock block = DFSTestUtil.getFirstBlock(cluster.files(), FILE);
      String client = cluster.files().getClient().getClientName();
      seen.note(
          "stamp granted by the first NameNode",
          cluster.newStamp(block, client).getGenerationStamp());
      cluster.mini.getNameNodeRpc(0).rollEditLog();
      HATestUtil.waitForStandbyToCatchUp(cluster.mini.getNameNode(0), cluster.mini.getNameNode(1));
      long written = cluster.mini.getNamesystem(0).getFSImage().getLastAppliedOrWrittenTxId() - 1;
      Cluster.await(
          "the standby wrote an image",
          () ->
              cluster.mini.getNamesystem(1).getFSImage().getMostRecentCheckpointTxId() >= written);
      cluster.mini.restartNameNode(1, true);
      BlockIdManager ids = cluster.mini.getNamesystem(1).getBlockManager().getBlockIdManager();
      seen.note("counter of the standby, restarted from that image", ids.getGenerationStamp());
      cluster.mini.transitionToStandby(0);
      cluster.mini.transitionToActive(1);
      seen.note(
          "stamp granted by the second NameNode",
          cluster.newStamp(block, client).getGenerationStamp());
    }
  }

  /**
   * A client that keeps its stamp at append: an old replica counts as a new one (HDFS-17850; facts
   * C.5).
   */
  static void appendUnderTheSameStamp(File directory, Seen seen) throws Exception {
    try (Cluster cluster = Cluster.of(directory, 3, THREE_WITHOUT_REPLACEMENT)) {
      DFSTestUtil.createFile(cluster.files(), FILE, 1000, (short) 3, 0L);
      DFSTestUtil.waitReplication(cluster.files(), FILE, (short) 3);
      seen.note("bytes acknowledged before", 1000);
      DataNodeProperties absent = cluster.mini.stopDataNode(0);
      DFSClient client = clientThatKeepsItsStamp(cluster);
      seen.noteAnswer(
          "hflush of 1000 bytes more",
          () -> {
            HdfsDataOutputStream stream =
                client.append("/f", 4096, EnumSet.of(CreateFlag.APPEND), null, null);
            stream.write(new byte[1000]);
            stream.hflush();
            return null;
          });
      cluster.mini.restartDataNode(absent, true);
      cluster.mini.waitActive();
      cluster.mini.triggerBlockReports();
      Cluster.await("the old replica is reported", () -> locations(cluster) == 3);
      recover(cluster, seen);
    }
  }

  /**
   * A report of a bad block names no stamp that is compared: the only good replica becomes corrupt
   * (facts I.3).
   */
  static void badBlockReport(File directory, Seen seen) throws Exception {
    try (Cluster cluster = Cluster.of(directory, 1)) {
      cluster.write("/f", 1000);
      LocatedBlock old = cluster.nameNode().getBlockLocations("/f", 0, 1000).get(0);
      try (FSDataOutputStream stream = cluster.files().append(FILE)) {
        stream.write(new byte[10]);
      }
      seen.note("stamp of the report", old.getBlock().getGenerationStamp());
      seen.note("stamp of the block", lastStamp(cluster));
      cluster.nameNode().reportBadBlocks(new LocatedBlock[] {old});
      seen.note("corrupt after the report", isCorrupt(cluster));
      cluster.mini.triggerBlockReports();
      seen.note("corrupt after a full report of the good replica", isCorrupt(cluster));
    }
  }

  private static DFSClient clientThatKeepsItsStamp(Cluster cluster) throws Exception {
    ClientProtocol nameNode = cluster.files().getClient().getNamenode();
    ClientProtocol keeping =
        (ClientProtocol)
            Proxy.newProxyInstance(
                Stamps.class.getClassLoader(),
                new Class<?>[] {ClientProtocol.class},
                (proxy, method, arguments) -> {
                  switch (method.getName()) {
                    case "updateBlockForPipeline":
                      return nameNode.getBlockLocations("/f", 0, 1000).getLastLocatedBlock();
                    case "updatePipeline":
                      return null;
                    default:
                      try {
                        return method.invoke(nameNode, arguments);
                      } catch (InvocationTargetException failure) {
                        throw failure.getCause();
                      }
                  }
                });
    return new DFSClient(null, keeping, new Configuration(cluster.mini.getConfiguration(0)), null);
  }

  private static void recover(Cluster cluster, Seen seen) throws Exception {
    cluster.mini.triggerBlockReports();
    DistributedFileSystem another = cluster.anotherClient();
    another.recoverLease(FILE);
    seen.note("closed by lease recovery", cluster.closes("/f", 60));
    seen.note("bytes left", cluster.length("/f"));
  }

  private static long lastStamp(Cluster cluster) throws Exception {
    return cluster.lastBlock("/f").getGenerationStamp();
  }

  private static int locations(Cluster cluster) throws Exception {
    return cluster
        .nameNode()
        .getBlockLocations("/f", 0, 3000)
        .getLastLocatedBlock()
        .getLocations()
        .length;
  }

  private static boolean isCorrupt(Cluster cluster) throws Exception {
    return cluster.nameNode().getBlockLocations("/f", 0, 2000).get(0).isCorrupt();
  }

  private Stamps() {}
}
