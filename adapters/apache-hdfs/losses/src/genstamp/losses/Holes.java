package genstamp.losses;

import java.io.File;
import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LastBlockWithStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.ipc.Client;

/** Holes of the model, by calls of clients at the NameNode; the names are those of the model. */
final class Holes {
  /** A file that another client has had taken over after the soft limit stays with its old writer (facts F.2). */
  static void softLimitTakesTheFile(File directory, Seen seen) throws Exception {
    try (Cluster cluster = Cluster.of(directory, 1)) {
      openBlock(cluster, "/f", "writer");
      cluster.heartbeats(false);
      takeOver(cluster, "/f", seen);
      seen.note("holder of the file", holder(cluster, "/f"));
      seen.note("state of the block", cluster.lastBlock("/f").getBlockUCState().name());
    }
  }

  /** fsync changes the length of a block that is under recovery (facts E.10). */
  static void fsyncStopsForARecovery(File directory, Seen seen) throws Exception {
    try (Cluster cluster = Cluster.of(directory, 1)) {
      HdfsFileStatus file = openBlock(cluster, "/f", "writer");
      cluster.heartbeats(false);
      takeOver(cluster, "/f", seen);
      fsync(cluster, file, 5, seen);
      note(cluster, "after it", seen);
    }
  }

  /** An fsync that comes late lowers a length (facts E.10). */
  static void lateFsyncChangesNothing(File directory, Seen seen) throws Exception {
    try (Cluster cluster = Cluster.of(directory, 1)) {
      HdfsFileStatus file = openBlock(cluster, "/f", "writer");
      fsync(cluster, file, 100, seen);
      note(cluster, "after it", seen);
      fsync(cluster, file, 5, seen);
      note(cluster, "after the late one", seen);
    }
  }

  /** abandonBlock drops a block that is under recovery (facts E.8). */
  static void abandonLooksAtTheBlock(File directory, Seen seen) throws Exception {
    try (Cluster cluster = Cluster.of(directory, 1)) {
      HdfsFileStatus file = cluster.create("/f", "writer");
      LocatedBlock block =
          cluster.nameNode().addBlock("/f", "writer", null, null, file.getFileId(), null, null);
      cluster.heartbeats(false);
      takeOver(cluster, "/f", seen);
      seen.note("blocks before", cluster.file("/f").getBlocks().length);
      seen.noteAnswer(
          "abandonBlock by the old writer",
          () -> {
            cluster.nameNode().abandonBlock(block.getBlock(), file.getFileId(), "/f", "writer");
            return null;
          });
      seen.note("blocks after", cluster.file("/f").getBlocks().length);
    }
  }

  /** After an append to a full block a repeated addBlock is refused (facts E.5). */
  static void appendToAFullBlockPassesNone(File directory, Seen seen) throws Exception {
    try (Cluster cluster = Cluster.of(directory, 1, "dfs.blocksize", "1024")) {
      DFSTestUtil.createFile(cluster.files(), new Path("/f"), 1024, 1024, 1024, (short) 1, 1);
      LastBlockWithStatus last = cluster.append("/f", "client");
      seen.note("append gives a block", last.getLastBlock() != null);
      long id = last.getFileStatus().getFileId();
      for (String time : new String[] {"addBlock", "the same addBlock"}) {
        seen.noteAnswer(
            time,
            () -> cluster.nameNode().addBlock("/f", "client", null, null, id, null, null).getBlock().getLocalBlock()
                .getGenerationStamp());
      }
    }
  }

  /** truncate is not in the retry cache: a repeated call cuts off what others have appended since (facts E.0). */
  static void answersAreKept(File directory, Seen seen) throws Exception {
    try (Cluster cluster = Cluster.of(directory, 1)) {
      cluster.write("/f", 100);
      int call = Client.nextCallId();
      seen.noteAnswer("truncate to 40", () -> truncate(cluster, call, 0));
      seen.note("closed", cluster.closes("/f", 30));
      try (org.apache.hadoop.fs.FSDataOutputStream stream = cluster.files().append(new Path("/f"))) {
        stream.write(new byte[60]);
      }
      seen.note("bytes after an append", cluster.length("/f"));
      seen.noteAnswer("the same call once more", () -> truncate(cluster, call, 1));
      seen.note("closed again", cluster.closes("/f", 30));
      seen.note("bytes left", cluster.length("/f"));
    }
  }

  private static boolean truncate(Cluster cluster, int call, int retry) throws IOException {
    org.apache.hadoop.hdfs.protocol.ClientProtocol nameNode = cluster.nameNode();
    Client.setCallIdAndRetryCount(call, retry, null);
    return nameNode.truncate("/f", 40, "client");
  }

  /** A file that is deleted while its block is copied for a truncate takes the snapshot's block with it. */
  static void deletionSparesSnapshots(File directory, Seen seen) throws Exception {
    try (Cluster cluster = Cluster.of(directory, 1)) {
      Path snapshotted = new Path("/s");
      cluster.files().mkdirs(snapshotted);
      cluster.files().allowSnapshot(snapshotted);
      cluster.write("/s/f", 100);
      cluster.files().createSnapshot(snapshotted, "before");
      String kept = "/s/.snapshot/before/f";
      seen.note("bytes of the snapshot", cluster.bytesRead(kept));
      DataNode datanode = cluster.mini.getDataNodes().get(0);
      ExtendedBlock block =
          new ExtendedBlock(cluster.namesystem().getBlockPoolId(), cluster.lastBlock("/s/f"));
      cluster.heartbeats(false);
      seen.noteAnswer("truncate to 40", () -> cluster.nameNode().truncate("/s/f", 40, "client"));
      seen.noteAnswer("delete", () -> cluster.nameNode().delete("/s/f", false));
      cluster.heartbeats(true);
      seen.note(
          "the snapshot's block is deleted",
          Cluster.happens(() -> !datanode.getFSDataset().isValidBlock(block), 30));
      seen.noteAnswer("a reader of the snapshot", () -> cluster.bytesRead(kept));
    }
  }

  private static HdfsFileStatus openBlock(Cluster cluster, String path, String client) throws Exception {
    HdfsFileStatus file = cluster.create(path, client);
    cluster.nameNode().addBlock(path, client, null, null, file.getFileId(), null, null);
    return file;
  }

  /** Another client's append, past the soft limit of the writer's lease, starts a recovery. */
  static void takeOver(Cluster cluster, String path, Seen seen) throws Exception {
    cluster.mini.setLeasePeriod(1, 3_600_000);
    Cluster.await("the soft limit has passed", () -> isUnderRecovery(cluster, path));
    cluster.mini.setLeasePeriod(60_000, 3_600_000);
    seen.note("recovery id", recoveryId(cluster.lastBlock(path)));
  }

  private static boolean isUnderRecovery(Cluster cluster, String path) throws IOException {
    try {
      cluster.append(path, "another");
    } catch (IOException refused) {
      return recoveryId(cluster.lastBlock(path)) != 0;
    }
    throw new IOException("an open file was appended to");
  }

  private static long recoveryId(BlockInfo block) {
    return block.getUnderConstructionFeature().getBlockRecoveryId();
  }

  private static String holder(Cluster cluster, String path) throws IOException {
    return cluster.file(path).getFileUnderConstructionFeature().getClientName();
  }

  private static void fsync(Cluster cluster, HdfsFileStatus file, long bytes, Seen seen) {
    seen.noteAnswer(
        "fsync of " + bytes + " bytes",
        () -> {
          cluster.nameNode().fsync("/f", file.getFileId(), "writer", bytes);
          return null;
        });
  }

  private static void note(Cluster cluster, String when, Seen seen) throws IOException {
    seen.note("state " + when, cluster.lastBlock("/f").getBlockUCState().name());
    seen.note("length " + when, cluster.lastBlock("/f").getNumBytes());
  }

  private Holes() {}
}
