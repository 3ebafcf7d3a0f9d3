package genstamp.losses;

import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSOutputStream;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeFaultInjector;
import org.apache.hadoop.hdfs.server.datanode.LossAccess;
import org.apache.hadoop.hdfs.server.namenode.FSEditLog;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.server.namenode.NameNodeAdapter;
import org.apache.hadoop.hdfs.server.protocol.BlockRecoveryCommand.RecoveringBlock;
import org.apache.hadoop.hdfs.server.protocol.ReplicaRecoveryInfo;
import org.mockito.Mockito;

/** Attempts of a recovery that get no further than half-way, or go on too long. */
final class Attempts {
  private static final Path FILE = new Path("/f");
  private static final String[] TWO = {
    "dfs.replication", "2",
    "dfs.client.block.write.replace-datanode-on-failure.policy", "NEVER",
    "ipc.client.connect.max.retries", "0"
  };

  /**
   * The first primary dies at its start (DataNodeFaultInjector). What it would have asked of one datanode is asked by
   * hand: that replica is cut, and the other is not (facts G.4, G.5). The later attempts are Hadoop's.
   */
  static void halfACutIsEnough(File directory, Seen seen) throws Exception {
    Primaries fault = new Primaries();
    DataNodeFaultInjector former = DataNodeFaultInjector.get();
    DataNodeFaultInjector.set(fault);
    try (Cluster cluster = Cluster.of(directory, 2, TWO)) {
      cluster.namesystem().getBlockManager().setBlockRecoveryTimeout(1);
      cluster.write("/f", 1000);
      DFSTestUtil.waitReplication(cluster.files(), FILE, (short) 2);
      ExtendedBlock block = lastBlock(cluster);
      seen.noteAnswer("truncate to 400", () -> cluster.nameNode().truncate("/f", 400, "client"));
      Cluster.await("the first primary dies", () -> fault.started.get() == 1);
      update(cluster.mini.getDataNodes().get(0), block, recoveryId(cluster), 400);
      noteReplicas(cluster, block, seen);
      recoverAgain(cluster, fault, seen);
    } finally {
      DataNodeFaultInjector.set(former);
    }
  }

  /**
   * The last datanode has finalized its replica, and its ack is held; the first primary dies at its start, and the
   * machine of the first datanode loses bytes. What that primary would have asked of the first datanode, had it got no
   * answer of the last, is asked by hand (facts G.4). The later attempts are Hadoop's.
   */
  static void finalizedLengthsNeedNotAgree(File directory, Seen seen) throws Exception {
    Primaries fault = new Primaries();
    DataNodeFaultInjector former = DataNodeFaultInjector.get();
    DataNodeFaultInjector.set(fault);
    try (Cluster cluster = Cluster.of(directory, 2, TWO)) {
      cluster.namesystem().getBlockManager().setBlockRecoveryTimeout(1);
      FSDataOutputStream stream = cluster.anotherClient().create(FILE);
      stream.write(new byte[1024]); // whole chunks, so that close sends no bytes again
      stream.hflush();
      seen.note("bytes acknowledged", 1024);
      ExtendedBlock block = DFSTestUtil.getFirstBlock(cluster.files(), FILE);
      DatanodeInfo[] pipeline = ((DFSOutputStream) stream.getWrappedStream()).getPipeline();
      fault.holdsAcks = true;
      closeInVain(stream);
      DataNode last = cluster.datanode(pipeline[1].getXferPort());
      Cluster.await("the last has finalized it", () -> replica(last, block).startsWith("FINAL"));
      cluster.nameNode().recoverLease("/f", "another");
      Cluster.await("the first primary dies", () -> fault.started.get() == 1);
      DataNode first = cluster.losingBytes(cluster.datanode(pipeline[0].getXferPort()), block, 512);
      update(first, block, recoveryId(cluster), 512);
      noteReplicas(cluster, block, seen);
      recoverAgain(cluster, fault, seen);
    } finally {
      fault.released.countDown();
      DataNodeFaultInjector.set(former);
    }
  }

  /** The real primary is held up at its start (DataNodeFaultInjector) until the file is closed (facts A.7, G.6). */
  static void recoveriesEndWithTheirNameNode(File directory, Seen seen) throws Exception {
    HeldRecovery fault = new HeldRecovery();
    DataNodeFaultInjector former = DataNodeFaultInjector.get();
    try (Cluster cluster = Cluster.of(directory, 1)) {
      FSDataOutputStream stream = cluster.files().create(FILE);
      stream.write(new byte[1000]);
      stream.hflush();
      DataNodeFaultInjector.set(fault);
      Holes.takeOver(cluster, "/f", seen);
      fault.started.await();
      cluster.mini.restartNameNode(0, true);
      cluster.mini.triggerBlockReports();
      seen.note("state after a restart", cluster.lastBlock("/f").getBlockUCState().name());
      seen.noteAnswer(
          "close by the writer",
          () -> {
            stream.close();
            return null;
          });
      ExtendedBlock block = lastBlock(cluster);
      DataNode datanode = cluster.mini.getDataNodes().get(0);
      fault.released.countDown();
      Cluster.await("the recovery has ended", () -> stamp(datanode, block) > block.getGenerationStamp());
      seen.note("state of the block", cluster.lastBlock("/f").getBlockUCState().name());
      seen.note("stamp of the block", cluster.lastBlock("/f").getGenerationStamp());
      seen.note("stamp of its replica", stamp(datanode, block));
      cluster.mini.triggerBlockReports();
      seen.note(
          "corrupt after a full report",
          cluster.nameNode().getBlockLocations("/f", 0, 1000).get(0).isCorrupt());
    } finally {
      fault.released.countDown();
      DataNodeFaultInjector.set(former);
    }
  }

  /**
   * The sync of the edits of a recoverLease is held (without dfs.namenode.edits.asynclogging). The active NameNode fails
   * before it: NameNodeAdapter drops its edits in memory. The standby takes over (facts F.4, H.5).
   */
  static void recoveryIdLeavesUnsynced(File directory, Seen seen) throws Exception {
    Primaries fault = new Primaries();
    DataNodeFaultInjector former = DataNodeFaultInjector.get();
    DataNodeFaultInjector.set(fault);
    try (Cluster cluster =
        Cluster.highlyAvailable(directory, 1, "dfs.namenode.edits.asynclogging", "false")) {
      HdfsFileStatus file = cluster.create("/f", "client");
      ExtendedBlock block =
          cluster
              .nameNode()
              .addBlock("/f", "client", null, null, file.getFileId(), null, null)
              .getBlock();
      NameNode first = cluster.mini.getNameNode(0);
      FSEditLog edits = Mockito.spy(first.getNamesystem().getEditLog());
      DFSTestUtil.setEditLogForTesting(first.getNamesystem(), edits);
      Mockito.doAnswer(call -> fault.released.await(1, TimeUnit.HOURS)).when(edits).logSync();
      ClientProtocol nameNode = cluster.nameNode();
      Thread another = new Thread(() -> recoverInVain(nameNode));
      another.setDaemon(true);
      another.start();
      Cluster.await("a primary begins", () -> fault.started.get() == 1);
      seen.note("recovery id of the primary", recoveryId(cluster));
      seen.note("edits that are not on disk", edits.getLastWrittenTxId() - edits.getSyncTxId());
      NameNodeAdapter.abortEditLogs(first);
      cluster.mini.shutdownNameNode(0);
      cluster.mini.transitionToActive(1);
      seen.note(
          "stamp granted by the next NameNode",
          cluster.newStamp(block, "client").getGenerationStamp());
    } finally {
      fault.released.countDown();
      DataNodeFaultInjector.set(former);
    }
  }

  private static void recoverInVain(ClientProtocol nameNode) {
    try {
      nameNode.recoverLease("/f", "another");
    } catch (IOException failed) {
      System.err.println("  recoverLease: " + failed.getClass().getSimpleName());
    }
  }

  /** What a primary asks of one datanode. */
  private static void update(DataNode datanode, ExtendedBlock block, long recoveryId, int length)
      throws IOException {
    RecoveringBlock asked = new RecoveringBlock(block, DatanodeInfo.EMPTY_ARRAY, recoveryId);
    ReplicaRecoveryInfo frozen = datanode.initReplicaRecovery(asked);
    ExtendedBlock old = new ExtendedBlock(block.getBlockPoolId(), frozen);
    datanode.updateReplicaUnderRecovery(old, recoveryId, block.getBlockId(), length);
  }

  /** Two more attempts, by Hadoop: each has an id of its own, and a primary that carries it out. */
  private static void recoverAgain(Cluster cluster, Primaries fault, Seen seen) throws Exception {
    for (String attempt : new String[] {"second", "third"}) {
      long before = recoveryId(cluster);
      int started = fault.started.get();
      Cluster.await("another attempt is started", () -> isStarted(cluster, before));
      seen.note("recovery id of the " + attempt + " attempt", recoveryId(cluster));
      Cluster.await("a primary begins", () -> fault.started.get() > started);
      seen.note("closed by the " + attempt, cluster.closes("/f", 5));
    }
    seen.noteAnswer("append", () -> cluster.append("/f", "one more"));
  }

  private static boolean isStarted(Cluster cluster, long before) throws IOException {
    cluster.nameNode().recoverLease("/f", "another");
    return recoveryId(cluster) > before;
  }

  private static void noteReplicas(Cluster cluster, ExtendedBlock block, Seen seen) {
    List<String> replicas = new ArrayList<>();
    for (DataNode datanode : cluster.mini.getDataNodes()) {
      replicas.add(replica(datanode, block));
    }
    Collections.sort(replicas);
    seen.note("replicas", replicas);
  }

  private static void closeInVain(FSDataOutputStream stream) {
    Thread writer =
        new Thread(
            () -> {
              try {
                stream.close();
              } catch (IOException takenOver) {
                System.err.println("  writer: " + takenOver.getClass().getSimpleName());
              }
            });
    writer.setDaemon(true);
    writer.start();
  }

  private static ExtendedBlock lastBlock(Cluster cluster) throws IOException {
    return new ExtendedBlock(
        cluster.namesystem().getBlockPoolId(),
        new Block(cluster.lastBlock("/f")));
  }

  private static long recoveryId(Cluster cluster) throws IOException {
    return cluster.lastBlock("/f").getUnderConstructionFeature().getBlockRecoveryId();
  }

  private static String replica(DataNode datanode, ExtendedBlock block) {
    return LossAccess.replica(datanode, block.getBlockPoolId(), block.getBlockId());
  }

  private static long stamp(DataNode datanode, ExtendedBlock block) {
    return LossAccess.stamp(datanode, block.getBlockPoolId(), block.getBlockId());
  }

  /** The first primary dies at its start; acks of the last datanode can be held. */
  private static final class Primaries extends DataNodeFaultInjector {
    final AtomicInteger started = new AtomicInteger();
    final CountDownLatch released = new CountDownLatch(1);
    volatile boolean holdsAcks;

    @Override
    public void delay() {
      if (LossAccess.recovers() && started.incrementAndGet() == 1) {
        throw new IllegalStateException("the first primary dies");
      }
    }

    @Override
    public void delaySendingAckToUpstream(String upstream) throws IOException {
      if (holdsAcks && Thread.currentThread().getName().contains("LAST_IN_PIPELINE")) {
        try {
          released.await();
        } catch (InterruptedException interrupted) {
          Thread.currentThread().interrupt();
          throw new InterruptedIOException();
        }
      }
    }
  }

  /** A recovery is held at its start. */
  private static final class HeldRecovery extends DataNodeFaultInjector {
    final CountDownLatch started = new CountDownLatch(1);
    final CountDownLatch released = new CountDownLatch(1);
    private final AtomicBoolean armed = new AtomicBoolean(true);

    @Override
    public void delay() {
      if (LossAccess.recovers() && armed.compareAndSet(true, false)) {
        started.countDown();
        try {
          released.await();
        } catch (InterruptedException interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }

  private Attempts() {}
}
