package genstamp.losses;

import java.io.File;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LastBlockWithStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;

/** Single calls of a client that change more than they should, or less. */
final class Calls {
  /**
   * create with OVERWRITE removes the old file, is refused, and the removal is in no edit (facts
   * E.1).
   */
  static void overwriteNotLogged(File directory, Seen seen) throws Exception {
    try (Cluster cluster = Cluster.of(directory, 1)) {
      cluster.files().mkdirs(new Path("/q"));
      for (String name : new String[] {"/q/f", "/q/other"}) {
        cluster.write(name, 100);
      }
      seen.note("bytes before", cluster.bytesRead("/q/f"));
      DataNode datanode = cluster.mini.getDataNodes().get(0);
      ExtendedBlock block =
          new ExtendedBlock(
              cluster.mini.getNamesystem().getBlockPoolId(), cluster.lastBlock("/q/f"));
      cluster.files().setQuota(new Path("/q"), 2, HdfsConstants.QUOTA_DONT_SET);
      seen.noteAnswer(
          "create with overwrite",
          () -> cluster.create("/q/f", "client", CreateFlag.OVERWRITE).getFileId());
      Cluster.await("the block is deleted", () -> !datanode.getFSDataset().isValidBlock(block));
      cluster.restartNameNode();
      seen.note("length after a restart", cluster.length("/q/f"));
      seen.note("replicas after a restart", cluster.lastBlock("/q/f").numNodes());
      seen.noteAnswer("a reader", () -> cluster.bytesRead("/q/f"));
    }
  }

  /** abandonBlock takes a block away that is COMPLETE (facts E.8). */
  static void abandonOfACompleteBlock(File directory, Seen seen) throws Exception {
    try (Cluster cluster = Cluster.of(directory, 1)) {
      cluster.write("/f", 100);
      seen.note("bytes before", cluster.length("/f"));
      LastBlockWithStatus last = cluster.append("/f", "client", CreateFlag.NEW_BLOCK);
      ExtendedBlock block = last.getLastBlock().getBlock();
      long id = last.getFileStatus().getFileId();
      seen.note("state of the block", cluster.lastBlock("/f").getBlockUCState().name());
      seen.noteAnswer(
          "abandonBlock",
          () -> {
            cluster.nameNode().abandonBlock(block, id, "/f", "client");
            return null;
          });
      seen.noteAnswer("complete", () -> cluster.nameNode().complete("/f", "client", null, id));
      seen.note("bytes after", cluster.length("/f"));
    }
  }

  /** fsync gives a COMPLETE block another length (facts E.10). */
  static void fsyncOfACompleteBlock(File directory, Seen seen) throws Exception {
    try (Cluster cluster = Cluster.of(directory, 1)) {
      cluster.write("/f", 100);
      seen.note("bytes before", cluster.length("/f"));
      LastBlockWithStatus last = cluster.append("/f", "client", CreateFlag.NEW_BLOCK);
      ExtendedBlock block = last.getLastBlock().getBlock();
      long id = last.getFileStatus().getFileId();
      seen.note("state of the block", cluster.lastBlock("/f").getBlockUCState().name());
      seen.noteAnswer(
          "fsync of 5 bytes",
          () -> {
            cluster.nameNode().fsync("/f", id, "client", 5);
            return null;
          });
      seen.noteAnswer("complete", () -> cluster.nameNode().complete("/f", "client", block, id));
      seen.note("bytes after", cluster.length("/f"));
    }
  }

  /**
   * updatePipeline changes stamp and length, then throws; the same call with the right datanode is
   * refused (facts E.7).
   */
  static void updatePipelineHalfDone(File directory, Seen seen) throws Exception {
    try (Cluster cluster = Cluster.of(directory, 1)) {
      HdfsFileStatus file = cluster.create("/f", "client");
      LocatedBlock located =
          cluster.nameNode().addBlock("/f", "client", null, null, file.getFileId(), null, null);
      ExtendedBlock old = located.getBlock();
      ExtendedBlock next = cluster.newStamp(old, "client");
      next.setNumBytes(7);
      seen.note("stamp before", old.getGenerationStamp());
      DatanodeInfo datanode = located.getLocations()[0];
      DatanodeID atAnotherPort =
          new DatanodeID(
              datanode.getIpAddr(),
              datanode.getHostName(),
              datanode.getDatanodeUuid(),
              datanode.getXferPort() + 1,
              datanode.getInfoPort(),
              0,
              datanode.getIpcPort());
      seen.noteAnswer(
          "updatePipeline with another port of the datanode",
          () -> {
            cluster
                .nameNode()
                .updatePipeline(
                    "client", old, next, new DatanodeID[] {atAnotherPort}, located.getStorageIDs());
            return null;
          });
      seen.note("stamp after the refusal", cluster.lastBlock("/f").getGenerationStamp());
      seen.note("length after the refusal", cluster.lastBlock("/f").getNumBytes());
      seen.noteAnswer(
          "updatePipeline as it should be",
          () -> {
            cluster
                .nameNode()
                .updatePipeline(
                    "client", old, next, located.getLocations(), located.getStorageIDs());
            return null;
          });
    }
  }

  private Calls() {}
}
