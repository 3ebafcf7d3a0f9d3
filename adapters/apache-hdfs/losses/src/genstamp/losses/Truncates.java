package genstamp.losses;

import java.io.File;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LastBlockWithStatus;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;

/** Truncates that a restart, a repeated call or a later writer makes wrong. */
final class Truncates {
  private static final Path SNAPSHOTTED = new Path("/s");

  /** truncateBlock is not in the image: the file closes at its old length (facts A.7). */
  static void lostByACheckpoint(File directory, Seen seen) throws Exception {
    try (Cluster cluster = Cluster.of(directory, 1)) {
      cluster.write("/f", 1000);
      cluster.heartbeats(false);
      seen.noteAnswer("truncate to 400", () -> cluster.nameNode().truncate("/f", 400, "client"));
      cluster.saveNamespace();
      cluster.heartbeats(true);
      cluster.restartNameNode();
      BlockInfo block = cluster.lastBlock("/f");
      seen.note(
          "block it is truncated to, after a restart",
          String.valueOf(block.getUnderConstructionFeature().getTruncateBlock()));
      seen.noteAnswer("recoverLease", () -> cluster.nameNode().recoverLease("/f", "another"));
      seen.note("closed", cluster.closes("/f", 30));
      seen.note("length", cluster.length("/f"));
    }
  }

  /**
   * The same by copy: the new block has no location, so no recovery can ever close the file (facts
   * A.7).
   */
  static void copyLostByACheckpoint(File directory, Seen seen) throws Exception {
    try (Cluster cluster = Cluster.of(directory, 1)) {
      inASnapshot(cluster, 100);
      cluster.heartbeats(false);
      seen.noteAnswer("truncate to 40", () -> cluster.nameNode().truncate("/s/f", 40, "client"));
      cluster.saveNamespace();
      cluster.heartbeats(true);
      cluster.restartNameNode();
      cluster.mini.getNamesystem().getBlockManager().setBlockRecoveryTimeout(1);
      for (String attempt : new String[] {"first", "second"}) {
        seen.noteAnswer(
            attempt + " recoverLease", () -> cluster.nameNode().recoverLease("/s/f", "another"));
        cluster.mini.triggerHeartbeats();
        seen.note("closed after the " + attempt, cluster.closes("/s/f", 5));
      }
      seen.note(
          "datanodes that a recovery would ask",
          cluster.lastBlock("/s/f").getUnderConstructionFeature().getNumExpectedLocations());
      seen.noteAnswer("a reader", () -> cluster.bytesRead("/s/f"));
    }
  }

  /**
   * A truncate by copy that is asked for again is refused; the old length is accepted (facts E.4).
   */
  static void copyAskedAgain(File directory, Seen seen) throws Exception {
    try (Cluster cluster = Cluster.of(directory, 1)) {
      inASnapshot(cluster, 100);
      cluster.heartbeats(false);
      seen.noteAnswer("truncate to 40", () -> cluster.nameNode().truncate("/s/f", 40, "client"));
      seen.noteAnswer(
          "truncate to 40 again", () -> cluster.nameNode().truncate("/s/f", 40, "client"));
      seen.noteAnswer("truncate to 100", () -> cluster.nameNode().truncate("/s/f", 100, "client"));
      cluster.heartbeats(true);
      cluster.nameNode().recoverLease("/s/f", "another");
      seen.note("closed", cluster.closes("/s/f", 30));
      seen.note("length", cluster.length("/s/f"));
    }
  }

  /**
   * An entry of a recovery that ended long ago lets complete() take a block that no datanode has
   * (facts A9, E.9).
   */
  static void completeForced(File directory, Seen seen) throws Exception {
    try (Cluster cluster = Cluster.of(directory, 1)) {
      inASnapshot(cluster, 100);
      cluster.heartbeats(false);
      cluster.nameNode().truncate("/s/f", 40, "client");
      cluster.nameNode().recoverLease("/s/f", "another");
      cluster.heartbeats(true);
      seen.note("closed by the recovery", cluster.closes("/s/f", 30));
      completeWithoutAReplica(cluster, "/s/f", "after a recovery", seen);
      cluster.write("/never-recovered", 100);
      completeWithoutAReplica(cluster, "/never-recovered", "without one", seen);
    }
  }

  private static void completeWithoutAReplica(Cluster cluster, String path, String when, Seen seen)
      throws Exception {
    LastBlockWithStatus last = cluster.append(path, "client");
    ExtendedBlock old = last.getLastBlock().getBlock();
    ExtendedBlock next = cluster.newStamp(old, "client");
    cluster
        .nameNode()
        .updatePipeline(
            "client",
            old,
            next,
            last.getLastBlock().getLocations(),
            last.getLastBlock().getStorageIDs());
    ExtendedBlock claimed = new ExtendedBlock(next);
    claimed.setNumBytes(177);
    long id = last.getFileStatus().getFileId();
    seen.noteAnswer(
        "complete with 177 bytes, " + when,
        () -> cluster.nameNode().complete(path, "client", claimed, id));
    seen.note("state of the block, " + when, cluster.lastBlock(path).getBlockUCState().name());
    seen.note("replicas, " + when, cluster.lastBlock(path).numNodes());
  }

  private static void inASnapshot(Cluster cluster, int bytes) throws Exception {
    cluster.files().mkdirs(SNAPSHOTTED);
    cluster.files().allowSnapshot(SNAPSHOTTED);
    cluster.write("/s/f", bytes);
    cluster.files().createSnapshot(SNAPSHOTTED, "before");
  }

  private Truncates() {}
}
