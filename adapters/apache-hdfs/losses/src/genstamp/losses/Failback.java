package genstamp.losses;

import java.io.File;
import java.io.IOException;
import java.util.Collections;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.RecoveryInProgressException;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeStorageInfo;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.LossAccess;
import org.apache.hadoop.hdfs.server.protocol.BlockRecoveryCommand.RecoveringBlock;
import org.apache.hadoop.ipc.RemoteException;

/**
 * A NameNode that was active, standby and active again keeps the recoveries of its first time
 * (facts A.7).
 */
final class Failback {
  /**
   * The order of the first time is carried out late; its commit is accepted under a stamp below the
   * block's.
   */
  static void lateCommit(File directory, Seen seen) throws Exception {
    try (Cluster cluster = Cluster.highlyAvailable(directory, 2, "dfs.replication", "2")) {
      FSDataOutputStream stream = cluster.files().create(new Path("/f"));
      stream.write(new byte[3]);
      stream.hflush();
      cluster.heartbeats(false);
      startRecovery(cluster, seen);
      RecoveringBlock order = order(cluster);
      DataNode last =
          cluster.datanode(order.getLocations()[order.getLocations().length - 1].getXferPort());
      cluster.mini.transitionToStandby(0);
      cluster.heartbeats(true);
      cluster.mini.transitionToActive(1);
      LossAccess.closeAllPeers(last);
      stream.write(new byte[4]);
      stream.hflush();
      Cluster.hsyncWithLength(stream);
      seen.note("bytes acknowledged", cluster.length("/f"));
      long stamp = cluster.lastBlock("/f").getGenerationStamp();
      seen.note("stamp of the block", stamp);
      cluster.mini.transitionToStandby(1);
      cluster.mini.transitionToActive(0);
      seen.note("state after the failback", cluster.lastBlock("/f").getBlockUCState().name());
      cluster.mini.triggerHeartbeats();
      last.getBlockRecoveryWorker().recoverBlocks("late", Collections.singletonList(order)).join();
      seen.note("closed", cluster.closes("/f", 10));
      seen.note("stamp of the block, closed", cluster.lastBlock("/f").getGenerationStamp());
      seen.note("bytes left", cluster.length("/f"));
      seen.note("bytes that a reader gets", cluster.bytesRead("/f"));
    }
  }

  /**
   * Another client appends past the soft limit, which starts a recovery that no datanode hears of
   * yet.
   */
  private static void startRecovery(Cluster cluster, Seen seen) throws Exception {
    cluster.mini.setLeasePeriod(1, 3_600_000, 0);
    Cluster.await("an append starts a recovery", () -> appendStartsARecovery(cluster));
    cluster.mini.setLeasePeriod(60_000, 3_600_000, 0);
    seen.note(
        "recovery id", cluster.lastBlock("/f").getUnderConstructionFeature().getBlockRecoveryId());
  }

  private static boolean appendStartsARecovery(Cluster cluster) throws IOException {
    try {
      cluster.append("/f", "another");
    } catch (RemoteException refusal) {
      return refusal.unwrapRemoteException() instanceof RecoveryInProgressException;
    }
    throw new IOException("an open file was appended to");
  }

  private static RecoveringBlock order(Cluster cluster) throws Exception {
    BlockInfo block = cluster.lastBlock("/f");
    DatanodeStorageInfo[] storages =
        block.getUnderConstructionFeature().getExpectedStorageLocations();
    DatanodeInfo[] datanodes = new DatanodeInfo[storages.length];
    for (int i = 0; i < storages.length; i++) {
      datanodes[i] = storages[i].getDatanodeDescriptor();
    }
    ExtendedBlock named =
        new ExtendedBlock(cluster.mini.getNamesystem(0).getBlockPoolId(), new Block(block));
    return new RecoveringBlock(
        named, datanodes, block.getUnderConstructionFeature().getBlockRecoveryId());
  }

  private Failback() {}
}
