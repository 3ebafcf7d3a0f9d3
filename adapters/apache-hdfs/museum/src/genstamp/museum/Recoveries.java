package genstamp.museum;

import java.io.File;
import java.nio.file.Files;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

/** Faults by which a block's recovery does not close its file. */
final class Recoveries {
  /** HDFS-12886: a recovery that leaves too few storages cannot close its file. */
  static void tooFewStorages(File directory, Seen seen) throws Exception {
    try (Cluster cluster = new Cluster(directory, 2, "dfs.namenode.replication.min", "2")) {
      HdfsFileStatus file = cluster.create("/f", "writer", 2);
      LocatedBlock block = cluster.addLocated("/f", "writer", null, file);
      cluster.stopHeartbeats();
      cluster.nameNode.recoverLease("/f", "other");
      seen.noteAnswer(
          "the report of a recovery with one replica of two",
          () -> cluster.reportRecovery("/f", block));
      seen.note("the file is open", cluster.isOpen("/f"));
    }
  }

  /**
   * HDFS-12070: one participant that cannot be updated makes the recovery fail. Two datanodes have
   * the last block of a file that is open for an append; one's file is deleted by hand, so that it
   * answers the recovery, and fails when it is to take the length that was agreed on.
   */
  static void oneCannotBeUpdated(File directory, Seen seen) throws Exception {
    try (Cluster cluster = new Cluster(directory, 2)) {
      Path path = new Path("/f");
      DFSTestUtil.createFile(cluster.mini.getFileSystem(), path, 512, (short) 2, 0L);
      DFSTestUtil.waitReplication(cluster.mini.getFileSystem(), path, (short) 2);
      cluster.append("/f", "writer");
      ExtendedBlock block = cluster.lastLocated("/f").getBlock();
      Files.delete(cluster.filesOf(block).get(0));
      seen.noteAnswer("recoverLease", () -> cluster.nameNode.recoverLease("/f", "other"));
      seen.note("the file is closed", cluster.closes("/f"));
      String before = "_" + block.getGenerationStamp() + ".meta";
      long updated =
          cluster.filesOf(block).stream()
              .filter(one -> one.toString().endsWith(".meta") && !one.toString().endsWith(before))
              .count();
      seen.note("replicas that were updated", updated);
    }
  }

  private Recoveries() {}
}
