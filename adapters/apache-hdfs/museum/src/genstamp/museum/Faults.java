package genstamp.museum;

import java.io.File;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;

/** One method a fault: the calls that show it, and what is seen of it. */
final class Faults {
  /** HDFS-10240: complete() commits a block that is under recovery. */
  static void completeUnderRecovery(File directory, Seen seen) throws Exception {
    try (Cluster cluster = new Cluster(directory, 1)) {
      HdfsFileStatus file = cluster.create("/f", "writer", 1);
      ExtendedBlock block = cluster.addBlock("/f", "writer", null, file);
      cluster.stopHeartbeats();
      cluster.nameNode.recoverLease("/f", "writer");
      seen.note("state before complete", cluster.stateOfLastBlock("/f"));
      block.setNumBytes(1);
      seen.noteAnswer(
          "complete by the client that asked for the recovery",
          () -> cluster.nameNode.complete("/f", "writer", block, Cluster.id(file)));
      seen.note("state after complete", cluster.stateOfLastBlock("/f"));
    }
  }

  /** HDFS-9289: a block is committed under a stamp from before the last pipeline recovery. */
  static void committedUnderAnOldStamp(File directory, Seen seen) throws Exception {
    try (Cluster cluster = new Cluster(directory, 1)) {
      HdfsFileStatus file = cluster.create("/f", "writer", 1);
      ExtendedBlock block = cluster.addBlock("/f", "writer", null, file);
      long granted =
          cluster.nameNode.updateBlockForPipeline(block, "writer").getBlock().getGenerationStamp();
      ExtendedBlock newer = new ExtendedBlock(block);
      newer.setGenerationStamp(granted);
      cluster.nameNode.updatePipeline("writer", block, newer, new DatanodeID[0], new String[0]);
      block.setNumBytes(1);
      seen.noteAnswer(
          "complete under the old stamp",
          () -> cluster.nameNode.complete("/f", "writer", block, Cluster.id(file)));
      seen.note("state of the block", cluster.stateOfLastBlock("/f"));
    }
  }

  /** HDFS-9690: a repeated addBlock is refused while the previous block lacks replicas. */
  static void repeatedAddBlock(File directory, Seen seen) throws Exception {
    try (Cluster cluster = new Cluster(directory, 1)) {
      HdfsFileStatus file = cluster.create("/f", "writer", 1);
      ExtendedBlock first = cluster.addBlock("/f", "writer", null, file);
      first.setNumBytes(Cluster.BLOCK);
      seen.noteAnswer("addBlock", () -> cluster.addBlock("/f", "writer", first, file));
      seen.noteAnswer("the same addBlock", () -> cluster.addBlock("/f", "writer", first, file));
    }
  }

  /** HDFS-11576: an attempt may start while the last one is under way, and overtakes it. */
  static void attemptOvertakesAttempt(File directory, Seen seen) throws Exception {
    try (Cluster cluster = new Cluster(directory, 1)) {
      HdfsFileStatus file = cluster.create("/f", "writer", 1);
      cluster.addBlock("/f", "writer", null, file);
      cluster.stopHeartbeats();
      cluster.nameNode.recoverLease("/f", "other");
      long first = cluster.recoveryId("/f");
      cluster.nameNode.recoverLease("/f", "other");
      seen.note("the second call overtakes the first attempt", cluster.recoveryId("/f") > first);
    }
  }

  private Faults() {}
}
