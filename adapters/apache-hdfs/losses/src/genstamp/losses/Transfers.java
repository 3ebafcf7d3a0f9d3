package genstamp.losses;

import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.RandomAccessFile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeFaultInjector;
import org.apache.hadoop.hdfs.server.datanode.LossAccess;
import org.apache.hadoop.hdfs.server.protocol.BlockRecoveryCommand.RecoveringBlock;
import org.apache.hadoop.test.MetricsAsserts;

/** Datanodes that join a pipeline. Faults come from Hadoop's own DataNodeFaultInjector. */
final class Transfers {
  private static final Path FILE = new Path("/f");

  /**
   * A joining datanode gets bytes up to the checksum chunk, and counts them as acknowledged (facts
   * B.5).
   */
  static void roundsUp(File directory, Seen seen) throws Exception {
    try (Cluster cluster =
        Cluster.of(
            directory,
            4,
            "dfs.replication",
            "3",
            "dfs.client.block.write.replace-datanode-on-failure.policy",
            "ALWAYS")) {
      LastNodeFails fault = new LastNodeFails();
      DataNodeFaultInjector former = DataNodeFaultInjector.get();
      DataNodeFaultInjector.set(fault);
      try {
        FSDataOutputStream stream = cluster.files().create(FILE);
        stream.write(new byte[700]);
        stream.hflush();
        seen.note("bytes acknowledged", 700);
        fault.armed.set(true);
        stream.write(new byte[800]);
        Thread writer = new Thread(() -> flushInVain(stream));
        writer.setDaemon(true);
        writer.start();
        fault.failed.await();
        DistributedFileSystem reader = cluster.anotherClient();
        seen.note(
            "a reader is told of 1024 bytes, and reads them",
            Cluster.happens(() -> readsAll(reader, 1024), 60));
        reader.recoverLease(FILE);
        seen.note("closed by lease recovery", cluster.closes("/f", 60));
        seen.note("bytes left", cluster.length("/f"));
      } finally {
        fault.release();
        DataNodeFaultInjector.set(former);
      }
    }
  }

  private static void flushInVain(FSDataOutputStream stream) {
    try {
      stream.hflush();
    } catch (IOException takenOver) {
      System.err.println("  writer: " + takenOver.getClass().getSimpleName());
    }
  }

  private static boolean readsAll(DistributedFileSystem files, int bytes) throws IOException {
    try (HdfsDataInputStream stream = (HdfsDataInputStream) files.open(FILE)) {
      if (stream.getVisibleLength() != bytes) {
        return false;
      }
      stream.readFully(0, new byte[bytes]);
      return true;
    }
  }

  /** The last datanode of a pipeline fails before its ack, and no packet goes on from then on. */
  private static final class LastNodeFails extends DataNodeFaultInjector {
    final AtomicBoolean armed = new AtomicBoolean();
    final CountDownLatch failed = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    @Override
    public void delaySendingAckToUpstream(String upstream) throws IOException {
      if (Thread.currentThread().getName().contains("LAST_IN_PIPELINE")
          && armed.compareAndSet(true, false)) {
        failed.countDown();
        throw new IOException("the last datanode fails before its ack");
      }
    }

    @Override
    public void stopSendingPacketDownstream(String mirror) throws IOException {
      if (failed.getCount() == 0) {
        try {
          released.await();
        } catch (InterruptedException interrupted) {
          Thread.currentThread().interrupt();
          throw new InterruptedIOException();
        }
      }
    }

    void release() {
      released.countDown();
    }
  }

  /**
   * A transfer whose bytes fail their checksums is answered SUCCESS, and its TEMPORARY bars the
   * next (facts B.5).
   */
  static void failedTransfer(File directory, Seen seen) throws Exception {
    try (Cluster cluster = Cluster.of(directory, 2)) {
      ExtendedBlock block = openBlock(cluster, "/f");
      DataNode source = withReplica(cluster, block, true);
      DataNode target = withReplica(cluster, block, false);
      flip(LossAccess.bytes(source, block.getBlockPoolId(), block.getBlockId()));
      for (String time : new String[] {"first", "second"}) {
        seen.note(time + " transfer", transfer(cluster, block, source, target));
        seen.note("replica at the target after the " + time, replica(target, block));
      }
    }
  }

  /**
   * A TEMPORARY replica at the primary throws past the loop over a command: the next block is not
   * recovered (facts G.3).
   */
  static void temporaryLosesTheCommand(File directory, Seen seen) throws Exception {
    try (Cluster cluster = Cluster.of(directory, 2)) {
      ExtendedBlock block = openBlock(cluster, "/f");
      DataNode source = withReplica(cluster, block, true);
      DataNode target = withReplica(cluster, block, false);
      flip(LossAccess.bytes(source, block.getBlockPoolId(), block.getBlockId()));
      transfer(cluster, block, source, target);
      seen.note("replica at the primary", replica(target, block));
      ExtendedBlock next = openBlock(cluster, "/g");
      DatanodeInfo[] locations = {info(cluster, withReplica(cluster, next, true))};
      cluster.heartbeats(false);
      cluster.nameNode().recoverLease("/g", "another");
      long recoveryId = cluster.lastBlock("/g").getUnderConstructionFeature().getBlockRecoveryId();
      RecoveringBlock first =
          new RecoveringBlock(block, new DatanodeInfo[] {info(cluster, target)}, recoveryId);
      RecoveringBlock second = new RecoveringBlock(next, locations, recoveryId);
      target.getBlockRecoveryWorker().recoverBlocks("loss", Arrays.asList(first, second)).join();
      seen.note("closed after a command of both blocks", cluster.closes("/g", 5));
      target.getBlockRecoveryWorker().recoverBlocks("loss", Arrays.asList(second)).join();
      seen.note("closed after a command of the second", cluster.closes("/g", 30));
    }
  }

  /**
   * The last block of a new file that stays open, of 1,500 bytes that every datanode of its
   * pipeline has.
   */
  private static ExtendedBlock openBlock(Cluster cluster, String path) throws IOException {
    FSDataOutputStream stream = cluster.files().create(new Path(path));
    stream.write(new byte[1500]);
    stream.hflush();
    return DFSTestUtil.getFirstBlock(cluster.files(), new Path(path));
  }

  private static String transfer(
      Cluster cluster, ExtendedBlock block, DataNode source, DataNode target) throws Exception {
    String answer =
        DFSTestUtil.transferRbw(
                new ExtendedBlock(block),
                cluster.files().getClient(),
                info(cluster, source),
                info(cluster, target))
            .getStatus()
            .name();
    Cluster.await("the transfer ends", () -> LossAccess.transfers(target) == 0);
    return answer;
  }

  private static String replica(DataNode datanode, ExtendedBlock block) {
    return LossAccess.replica(datanode, block.getBlockPoolId(), block.getBlockId());
  }

  /**
   * hsync whose packet is sent again does not sync at a datanode that joined in between (facts
   * C.4).
   */
  static void resentPacket(File directory, Seen seen) throws Exception {
    try (Cluster cluster =
        Cluster.of(
            directory,
            3,
            "dfs.replication",
            "2",
            "dfs.client.block.write.replace-datanode-on-failure.policy",
            "ALWAYS")) {
      AtomicBoolean armed = new AtomicBoolean();
      DataNodeFaultInjector former = DataNodeFaultInjector.get();
      DataNodeFaultInjector.set(
          new DataNodeFaultInjector() {
            @Override
            public void delaySendingAckToUpstream(String upstream) throws IOException {
              if (Thread.currentThread().getName().contains("HAS_DOWNSTREAM")
                  && armed.compareAndSet(true, false)) {
                throw new IOException("an ack is not sent");
              }
            }
          });
      try (FSDataOutputStream stream = cluster.files().create(FILE)) {
        stream.write(new byte[100]);
        stream.hflush();
        ExtendedBlock block = DFSTestUtil.getFirstBlock(cluster.files(), FILE);
        DataNode joining = withReplica(cluster, block, false);
        long before = syncs(joining);
        armed.set(true);
        stream.write(new byte[500]);
        stream.hsync();
        seen.note("replica of the datanode that joined", replica(joining, block));
        seen.note("its syncs by the hsync", syncs(joining) - before);
      } finally {
        DataNodeFaultInjector.set(former);
      }
    }
  }

  private static long syncs(DataNode datanode) {
    return MetricsAsserts.getLongCounter(
        "FsyncCount", MetricsAsserts.getMetrics(datanode.getMetrics().name()));
  }

  private static DataNode withReplica(Cluster cluster, ExtendedBlock block, boolean wanted)
      throws IOException {
    List<DataNode> found = new ArrayList<>();
    for (DataNode datanode : cluster.mini.getDataNodes()) {
      if (!replica(datanode, block).equals("none") == wanted) {
        found.add(datanode);
      }
    }
    return found.get(0);
  }

  private static DatanodeInfo info(Cluster cluster, DataNode datanode) throws IOException {
    for (DatanodeInfo each : cluster.nameNode().getDatanodeReport(DatanodeReportType.LIVE)) {
      if (each.getXferPort() == datanode.getXferPort()) {
        return each;
      }
    }
    throw new IOException("not live: " + datanode);
  }

  private static void flip(File file) throws IOException {
    try (RandomAccessFile bytes = new RandomAccessFile(file, "rw")) {
      int value = bytes.read();
      bytes.seek(0);
      bytes.write(value ^ 0xff);
    }
  }

  private Transfers() {}
}
