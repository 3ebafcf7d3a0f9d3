package genstamp.museum;

import java.io.File;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerTestUtil;
import org.apache.hadoop.hdfs.server.namenode.NameNodeAdapter;

/** Faults of leases and of their monitor. */
final class Leases {
  /**
   * HDFS-10763: a lease is removed although closing the file fails. It fails for the block before
   * the last, of which there is no replica. The report of the recovery is made by hand.
   */
  static void leaseGoesFirst(File directory, Seen seen) throws Exception {
    try (Cluster cluster = new Cluster(directory, 1)) {
      HdfsFileStatus file = cluster.create("/f", "writer", 1);
      ExtendedBlock first = cluster.addBlock("/f", "writer", null, file);
      first.setNumBytes(Cluster.BLOCK);
      LocatedBlock last = cluster.addLocated("/f", "writer", first, file);
      cluster.stopHeartbeats();
      cluster.nameNode.recoverLease("/f", "other");
      seen.noteAnswer("the report of the recovery", () -> cluster.reportRecovery("/f", last));
      seen.note("the file is open", cluster.isOpen("/f"));
      seen.note("leases", cluster.leases());
    }
  }

  /** HDFS-11817: the monitor drops the lease of a file that it cannot release. */
  static void monitorDropsLease(File directory, Seen seen) throws Exception {
    try (Cluster cluster = new Cluster(directory, 1)) {
      makeUnreleasable(cluster, "/f", "writer");
      seen.noteAnswer("recoverLease", () -> cluster.nameNode.recoverLease("/f", "other"));
      seen.note("leases before a pass of the monitor", cluster.leases());
      cluster.passOfTheMonitor();
      seen.note("the file is open", cluster.isOpen("/f"));
      seen.note("leases", cluster.leases());
    }
  }

  /** HDFS-15704: a lease that cannot be released keeps the monitor from those behind it. */
  static void monitorStaysWithOneLease(File directory, Seen seen) throws Exception {
    try (Cluster cluster =
        new Cluster(directory, 1, "dfs.namenode.max-lock-hold-to-release-lease-ms", "500")) {
      makeUnreleasable(cluster, "/f", "writer");
      cluster.create("/behind", "another writer", 1);
      cluster.passOfTheMonitor();
      seen.note("/f is open", cluster.isOpen("/f"));
      seen.note("/behind is open", cluster.isOpen("/behind"));
    }
  }

  /** HDFS-10220: all leases that have expired are released under one hold of the lock. */
  static void allLeasesUnderOneLock(File directory, Seen seen) throws Exception {
    try (Cluster cluster =
        new Cluster(directory, 0, "dfs.namenode.max-lock-hold-to-release-lease-ms", "1")) {
      for (int i = 0; i < 2000; i++) {
        cluster.create("/" + i, "writer " + i, 1);
      }
      cluster.passOfTheMonitor();
      seen.note("a pass that may take a millisecond releases all 2,000", cluster.leases() == 0);
    }
  }

  /** HDFS-14498: a file whose last block was committed empty is never released. */
  static void committedEmpty(File directory, Seen seen) throws Exception {
    try (Cluster cluster = new Cluster(directory, 1)) {
      HdfsFileStatus file = cluster.create("/f", "writer", 1);
      ExtendedBlock block = cluster.addBlock("/f", "writer", null, file);
      cluster.nameNode.complete("/f", "writer", block, Cluster.id(file));
      released(cluster, seen);
    }
  }

  /**
   * HDFS-15725: a file whose committed last block no datanode has finalized is never released. Its
   * client has written a byte, and its call of complete() is made by hand, before its last packet.
   */
  static void committedUnfinalized(File directory, Seen seen) throws Exception {
    try (Cluster cluster = new Cluster(directory, 1)) {
      DistributedFileSystem client = cluster.mini.getFileSystem();
      HdfsDataOutputStream stream = (HdfsDataOutputStream) client.create(new Path("/f"));
      stream.write(1);
      stream.hflush();
      ExtendedBlock block = cluster.lastLocated("/f").getBlock();
      block.setNumBytes(1);
      HdfsFileStatus file = cluster.nameNode.getFileInfo("/f");
      String name = client.getClient().getClientName();
      cluster.nameNode.complete("/f", name, block, Cluster.id(file));
      released(cluster, seen);
    }
  }

  private static void released(Cluster cluster, Seen seen) throws Exception {
    seen.note("state of the block", cluster.stateOfLastBlock("/f"));
    seen.noteAnswer("recoverLease", () -> cluster.nameNode.recoverLease("/f", "other"));
    seen.note("the file is closed", cluster.closes("/f"));
    if (cluster.isOpen("/f")) {
      seen.noteAnswer("recoverLease again", () -> cluster.nameNode.recoverLease("/f", "other"));
    }
  }

  /**
   * HDFS-10549: a client whose close has failed goes on renewing the lease of the file. It fails
   * for a NameNode in safe mode, which it leaves after it.
   */
  static void renewedAfterClose(File directory, Seen seen) throws Exception {
    try (Cluster cluster = new Cluster(directory, 1)) {
      DistributedFileSystem client = cluster.mini.getFileSystem();
      HdfsDataOutputStream stream = (HdfsDataOutputStream) client.create(new Path("/f"));
      stream.write(1);
      stream.hflush();
      NameNodeAdapter.enterSafeMode(cluster.mini.getNameNode(), false);
      seen.noteAnswer(
          "close",
          () -> {
            stream.close();
            return null;
          });
      NameNodeAdapter.leaveSafeMode(cluster.mini.getNameNode());
      seen.note("the file is open", cluster.isOpen("/f"));
      seen.note("the client renews its lease", Cluster.called(client.getClient(), "renewLease"));
    }
  }

  /**
   * Leaves a file open that cannot be released: its last block is committed, and the one before
   * has lost its only replica.
   */
  private static void makeUnreleasable(Cluster cluster, String path, String client)
      throws Exception {
    FileSystem files = cluster.mini.getFileSystem();
    DFSTestUtil.createFile(
        files, new Path(path), 512, Cluster.BLOCK, Cluster.BLOCK, (short) 1, 0L);
    HdfsFileStatus file = cluster.append(path, client);
    ExtendedBlock last = cluster.addBlock(path, client, null, file);
    last.setNumBytes(1);
    cluster.nameNode.complete(path, client, last, Cluster.id(file));
    String datanode = cluster.mini.getDataNodes().get(0).getDatanodeId().getXferAddr();
    cluster.mini.stopDataNode(0);
    BlockManagerTestUtil.noticeDeadDatanode(cluster.mini.getNameNode(), datanode);
  }

  private Leases() {}
}
