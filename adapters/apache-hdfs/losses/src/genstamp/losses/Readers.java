package genstamp.losses;

import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSOutputStream;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster.DataNodeProperties;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeFaultInjector;
import org.apache.hadoop.hdfs.server.datanode.LossAccess;

/** What readers of an open file are told. Faults come from Hadoop's own DataNodeFaultInjector. */
final class Readers {
  private static final Path FILE = new Path("/f");
  private static final String[] TWO = {
    "dfs.replication", "2", "dfs.client.block.write.replace-datanode-on-failure.policy", "NEVER"
  };

  /** The last datanode's ack of 800 more bytes is held (facts C.3). */
  static void firstAnswerCounts(File directory, Seen seen) throws Exception {
    HeldAcks fault = new HeldAcks();
    try (Cluster cluster = Cluster.of(directory, 2, TWO);
        Injected injected = new Injected(fault)) {
      Written file = new Written(cluster, fault, seen);
      fault.held.await();
      seen.note("visible length at the first", visible(file.first, file.block));
      seen.note("visible length at the last", visible(file.last, file.block));
      DistributedFileSystem reader = cluster.anotherClient();
      seen.note(
          "a reader is told of 1500 bytes, and reads them",
          Cluster.happens(() -> reads(reader, 1500), 60));
      seen.note(
          "a later reader is told of 700 bytes", Cluster.happens(() -> reads(reader, 700), 60));
    }
  }

  /**
   * The first datanode writes 800 more bytes and cannot send them on; it restarts for an upgrade before the writer
   * knows of it.
   */
  static void restartKeepsWhatWasAcknowledged(File directory, Seen seen) throws Exception {
    NoMirror fault = new NoMirror();
    try (Cluster cluster = Cluster.of(directory, 2, TWO);
        Injected injected = new Injected(fault)) {
      Written file = new Written(cluster, fault, seen);
      Cluster.await(
          "the first has written", () -> replica(file.first, file.block).contains("1500 on disk"));
      seen.note("replica at the first", replica(file.first, file.block));
      seen.note("visible length at the first", visible(file.first, file.block));
      seen.note("visible length at the last", visible(file.last, file.block));
      int index = cluster.mini.getDataNodes().indexOf(file.first);
      DataNodeProperties down = cluster.mini.stopDataNodeForUpgrade(index);
      Cluster.await("it is shut down", () -> !isShuttingDown());
      DataNode back = cluster.restarted(down, false);
      seen.note("replica after the restart", replica(back, file.block));
      seen.note("visible length after the restart", visible(back, file.block));
      seen.note("visible length at the last, then", visible(file.last, file.block));
    }
  }

  /** A shutdown for an upgrade goes on in a thread of this name after stopDataNodeForUpgrade. */
  private static boolean isShuttingDown() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals("Async datanode shutdown thread"));
  }

  private static String replica(DataNode datanode, ExtendedBlock block) {
    return LossAccess.replica(datanode, block.getBlockPoolId(), block.getBlockId());
  }

  private static long visible(DataNode datanode, ExtendedBlock block) throws IOException {
    return datanode.getFSDataset().getReplicaVisibleLength(block);
  }

  private static boolean reads(DistributedFileSystem files, int bytes) throws IOException {
    try (HdfsDataInputStream stream = (HdfsDataInputStream) files.open(FILE)) {
      if (stream.getVisibleLength() != bytes) {
        return false;
      }
      stream.readFully(0, new byte[bytes]);
      return true;
    }
  }

  /** A file of which 700 bytes are acknowledged; 800 more are sent under the fault. */
  private static final class Written {
    final ExtendedBlock block;
    final DataNode first;
    final DataNode last;

    Written(Cluster cluster, Armed fault, Seen seen) throws Exception {
      FSDataOutputStream stream = cluster.files().create(FILE);
      stream.write(new byte[700]);
      stream.hflush();
      seen.note("bytes acknowledged", 700);
      block = DFSTestUtil.getFirstBlock(cluster.files(), FILE);
      DatanodeInfo[] pipeline = ((DFSOutputStream) stream.getWrappedStream()).getPipeline();
      first = cluster.datanode(pipeline[0].getXferPort());
      last = cluster.datanode(pipeline[1].getXferPort());
      fault.armed = true;
      stream.write(new byte[800]);
      Thread writer = new Thread(() -> flushInVain(stream));
      writer.setDaemon(true);
      writer.start();
    }

    private static void flushInVain(FSDataOutputStream stream) {
      try {
        stream.hflush();
      } catch (IOException failed) {
        System.err.println("  writer: " + failed.getClass().getSimpleName());
      }
    }
  }

  /** A fault that begins when it is armed. */
  private abstract static class Armed extends DataNodeFaultInjector {
    final CountDownLatch released = new CountDownLatch(1);
    volatile boolean armed;
  }

  /** The acks of the last datanode are held. */
  private static final class HeldAcks extends Armed {
    final CountDownLatch held = new CountDownLatch(1);

    @Override
    public void delaySendingAckToUpstream(String upstream) throws IOException {
      if (armed && Thread.currentThread().getName().contains("LAST_IN_PIPELINE")) {
        held.countDown();
        try {
          released.await();
        } catch (InterruptedException interrupted) {
          Thread.currentThread().interrupt();
          throw new InterruptedIOException();
        }
      }
    }
  }

  /** The first datanode cannot send packets on. */
  private static final class NoMirror extends Armed {
    @Override
    public void stopSendingPacketDownstream(String mirror) throws IOException {
      if (armed) {
        throw new IOException("a packet is not sent on");
      }
    }
  }

  /** A fault while it is open. */
  private static final class Injected implements AutoCloseable {
    private final DataNodeFaultInjector former = DataNodeFaultInjector.get();
    private final Armed fault;

    Injected(Armed fault) {
      this.fault = fault;
      DataNodeFaultInjector.set(fault);
    }

    @Override
    public void close() {
      fault.released.countDown();
      DataNodeFaultInjector.set(former);
    }
  }

  private Readers() {}
}
