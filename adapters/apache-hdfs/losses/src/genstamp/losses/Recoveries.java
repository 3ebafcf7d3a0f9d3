package genstamp.losses;

import java.io.File;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

/** Recoveries of leases and blocks that stop half-way. */
final class Recoveries {
  /**
   * The last block is recovered, the block before it is not COMPLETE: the file can never be closed
   * (facts G.6).
   */
  static void committedBlockBeforeTheLast(File directory, Seen seen) throws Exception {
    try (Cluster cluster = Cluster.of(directory, 1)) {
      LocatedBlock last = twoBlocks(cluster, "/f");
      cluster.heartbeats(false);
      seen.noteAnswer("recoverLease", () -> cluster.nameNode().recoverLease("/f", "another"));
      long recoveryId = cluster.lastBlock("/f").getUnderConstructionFeature().getBlockRecoveryId();
      for (String time : new String[] {"first", "second"}) {
        seen.noteAnswer(
            time + " commitBlockSynchronization",
            () -> {
              cluster
                  .mini
                  .getNameNodeRpc()
                  .commitBlockSynchronization(
                      last.getBlock(),
                      recoveryId,
                      10,
                      true,
                      false,
                      last.getLocations(),
                      last.getStorageIDs());
              return null;
            });
      }
      seen.note("state of the last block", cluster.lastBlock("/f").getBlockUCState().name());
      cluster.mini.getNamesystem().getBlockManager().setBlockRecoveryTimeout(1);
      for (String time : new String[] {"second", "third"}) {
        seen.noteAnswer(
            time + " recoverLease", () -> cluster.nameNode().recoverLease("/f", "another"));
      }
      seen.noteAnswer("append by another", () -> cluster.append("/f", "one more"));
      seen.note("open", cluster.file("/f").isUnderConstruction());
    }
  }

  /**
   * An empty last block without a location is dropped, closing throws, and the drop is in no edit
   * (facts F.3).
   */
  static void emptyBlockDropped(File directory, Seen seen) throws Exception {
    try (Cluster cluster = Cluster.of(directory, 1)) {
      LocatedBlock last = twoBlocks(cluster, "/f");
      ExtendedBlock old = last.getBlock();
      DatanodeInfo datanode = last.getLocations()[0];
      DatanodeID unknown =
          new DatanodeID(
              datanode.getIpAddr(),
              datanode.getHostName(),
              "no-such-uuid",
              datanode.getXferPort(),
              datanode.getInfoPort(),
              0,
              datanode.getIpcPort());
      cluster
          .nameNode()
          .updatePipeline(
              "client",
              old,
              cluster.newStamp(old, "client"),
              new DatanodeID[] {unknown},
              new String[] {"no-such-storage"});
      seen.note("blocks before", cluster.file("/f").getBlocks().length);
      long edits = edits(cluster);
      seen.noteAnswer("recoverLease", () -> cluster.nameNode().recoverLease("/f", "another"));
      seen.note("blocks after", cluster.file("/f").getBlocks().length);
      seen.note("edits written", edits(cluster) - edits);
      seen.note("open", cluster.file("/f").isUnderConstruction());
    }
  }

  private static long edits(Cluster cluster) {
    return cluster.mini.getNamesystem().getEditLog().getLastWrittenTxId();
  }

  /** A file of a COMMITTED block without a replica and an empty one after it; the last block. */
  private static LocatedBlock twoBlocks(Cluster cluster, String path) throws Exception {
    HdfsFileStatus file = cluster.create(path, "client");
    LocatedBlock first =
        cluster.nameNode().addBlock(path, "client", null, null, file.getFileId(), null, null);
    ExtendedBlock full = new ExtendedBlock(first.getBlock());
    full.setNumBytes(Cluster.BLOCK);
    return cluster.nameNode().addBlock(path, "client", full, null, file.getFileId(), null, null);
  }

  private Recoveries() {}
}
