package genstamp.adapter.recovery;

import genstamp.adapter.Host;
import genstamp.adapter.Ports;
import genstamp.adapter.Run;
import genstamp.adapter.Start;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.crypto.CryptoProtocolVersion;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.MiniDFSCluster.DataNodeProperties;
import org.apache.hadoop.hdfs.NameNodeProxiesClient;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocolPB.DatanodeProtocolClientSideTranslatorPB;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockAccess;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeManager;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeFaultInjector;
import org.apache.hadoop.hdfs.server.datanode.PrimaryAccess;
import org.apache.hadoop.hdfs.server.datanode.ReplicaAccess;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorage;
import org.apache.hadoop.hdfs.server.protocol.HeartbeatResponse;
import org.apache.hadoop.hdfs.server.protocol.ReceivedDeletedBlockInfo;
import org.apache.hadoop.hdfs.server.protocol.SlowDiskReports;
import org.apache.hadoop.hdfs.server.protocol.SlowPeerReports;
import org.apache.hadoop.hdfs.server.protocol.StorageReceivedDeletedBlocks;
import org.apache.hadoop.io.EnumSetWritable;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.Time;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;

/**
 * A NameNode and three datanodes of Apache HDFS in this process. Time stands still but for {@code
 * tick}; nothing is sent, checked or deleted unless a step asks for it.
 */
public final class RecoveryCluster implements Host {
  public static final int DATANODES = 3;

  /** After such a silence a datanode is stale, and so by a step only. */
  static final long STALE_MS = 1_000_000_000_000L;

  public final MiniDFSCluster mini;
  public final FSNamesystem fsn;
  public final ClientProtocol nn;
  public final DatanodeProtocol nnOfDatanodes;
  public final Configuration conf;
  public final String pool;
  public final DataNodeProperties[] stopped = new DataNodeProperties[DATANODES];
  public final String[] uuids = new String[DATANODES];
  private final List<String> heard = new ArrayList<>();
  private int runs;

  public RecoveryCluster(File where) throws Exception {
    conf = configuration();
    Listener listener = new Listener(heard);
    for (String name :
        new String[] {
          "org.apache.hadoop.hdfs.server.namenode.FSNamesystem",
          "org.apache.hadoop.hdfs.server.datanode.DataNode"
        }) {
      Logger logger = Logger.getLogger(name);
      logger.setLevel(Level.INFO);
      logger.setAdditivity(false);
      logger.addAppender(listener);
    }
    mini =
        new MiniDFSCluster.Builder(conf, where)
            .numDataNodes(DATANODES)
            .storagesPerDatanode(1)
            .nameNodePort(Ports.free())
            .dataNodeConfOverlays(Ports.ofDatanodes(DATANODES))
            .checkDataNodeAddrConfig(true)
            .build();
    mini.waitActive();
    fsn = mini.getNamesystem();
    BlockAccess.stopRemoval();
    InetSocketAddress address = mini.getNameNode().getNameNodeAddress();
    nn =
        NameNodeProxiesClient.createNonHAProxyWithClientProtocol(
            address, conf, UserGroupInformation.getCurrentUser(), false, new AtomicBoolean());
    nnOfDatanodes = new DatanodeProtocolClientSideTranslatorPB(address, conf);
    pool = mini.getNamesystem().getBlockPoolId();
    for (int i = 0; i < DATANODES; i++) {
      PrimaryAccess.quiet(mini.getDataNodes().get(i));
      uuids[i] = mini.getDataNodes().get(i).getDatanodeUuid();
    }
    DataNodeFaultInjector.set(new Parked());
    Time.freeze();
    // A datanode that was never heard of, by its time of 0, leads no recovery: a stale one was.
    Time.pass(4 * STALE_MS);
    for (String uuid : uuids) {
      manager().getDatanode(uuid).setLastUpdateMonotonic(Time.monotonicNow());
    }
  }

  private static Configuration configuration() {
    Configuration conf = new HdfsConfiguration();
    conf.setInt("dfs.namenode.lease-recheck-interval-ms", Integer.MAX_VALUE);
    conf.setInt("dfs.namenode.redundancy.interval.seconds", 1_000_000);
    conf.setInt("dfs.namenode.heartbeat.recheck-interval", Integer.MAX_VALUE);
    conf.setLong("dfs.namenode.stale.datanode.interval", STALE_MS);
    conf.setBoolean("dfs.namenode.redundancy.considerLoad", false);
    conf.setInt("dfs.namenode.fs-limits.min-block-size", 1);
    conf.setInt("dfs.namenode.replication.min", 1);
    conf.setInt("dfs.heartbeat.interval", 3);
    conf.setLong("dfs.blockreport.initialDelay", 100_000_000L);
    conf.setInt("dfs.client.socket-timeout", 600_000);
    conf.setInt("dfs.datanode.scan.period.hours", -1);
    conf.setInt("dfs.datanode.directoryscan.interval", -1);
    conf.set("dfs.namenode.http-address", "127.0.0.1:0");
    conf.setLong("dfs.datanode.xceiver.stop.timeout.millis", 5_000);
    conf.setInt("dfs.namenode.handler.count", 2);
    conf.setBoolean("dfs.namenode.edits.noeditlogchannelflush", true);
    return conf;
  }

  @Override
  public Run start(Start request) throws Exception {
    return new RecoveryRun(this, ++runs, request);
  }

  public List<String> heard() {
    synchronized (heard) {
      List<String> all = new ArrayList<>(heard);
      heard.clear();
      return all;
    }
  }

  public DataNode datanode(int index) {
    for (DataNode dn : mini.getDataNodes()) {
      if (uuids[index].equals(dn.getDatanodeUuid())) {
        return dn;
      }
    }
    return null;
  }

  @Override
  public boolean takesTimes() {
    return true;
  }

  public DatanodeManager manager() {
    return fsn.getBlockManager().getDatanodeManager();
  }

  /** The NameNode hears nothing of it. */
  public void stopDatanode(int index) {
    stopped[index] = mini.stopDataNode(datanode(index).getDatanodeId().getXferAddr());
  }

  /** The datanode registers anew, under its old address. */
  public void startDatanode(int index) throws Exception {
    DataNodeProperties old = stopped[index];
    stopped[index] = null;
    mini.restartDataNode(old, true);
    for (int i = 0; !isBack(index); i++) {
      if (i > 2000) {
        throw new IllegalStateException("datanode " + index + " does not come back");
      }
      Thread.sleep(5);
    }
    PrimaryAccess.quiet(datanode(index));
    heartbeatWithoutCommands(index);
    manager().getDatanode(uuids[index]).setLastUpdateMonotonic(Time.monotonicNow());
  }

  private boolean isBack(int index) {
    DatanodeDescriptor known = manager().getDatanode(uuids[index]);
    return datanode(index) != null
        && known != null
        && known.isAlive()
        && PrimaryAccess.isRegistered(datanode(index), pool);
  }

  /** A file that must not be there yet, of blocks of 1 MiB. */
  public HdfsFileStatus create(String path, String holder, int replication) throws IOException {
    return nn.create(
        path,
        FsPermission.getFileDefault(),
        holder,
        new EnumSetWritable<>(EnumSet.of(CreateFlag.CREATE)),
        true,
        (short) replication,
        1 << 20,
        CryptoProtocolVersion.supported(),
        null,
        null);
  }

  /** A datanode reports a finalized replica, and the NameNode has dealt with it. */
  public void reportReceived(DataNode reporting, long block, ReplicaAccess replica)
      throws IOException {
    StorageReceivedDeletedBlocks[] report = {
      new StorageReceivedDeletedBlocks(
          new DatanodeStorage(replica.storage),
          new ReceivedDeletedBlockInfo[] {
            new ReceivedDeletedBlockInfo(
                new Block(block, replica.bytes, replica.stamp),
                ReceivedDeletedBlockInfo.BlockStatus.RECEIVED_BLOCK,
                null)
          })
    };
    nnOfDatanodes.blockReceivedAndDeleted(
        PrimaryAccess.registration(reporting, pool), pool, report);
    fsn.getBlockManager().flushBlockOps();
  }

  /** A heartbeat that brings no recovery command: those that wait go on waiting. */
  void heartbeatWithoutCommands(int index) throws IOException {
    DatanodeDescriptor known = manager().getDatanode(uuids[index]);
    List<BlockInfo> queued = BlockAccess.queued(known);
    BlockAccess.queue(known, Collections.emptyList());
    heartbeat(datanode(index));
    BlockAccess.queue(known, queued);
  }

  HeartbeatResponse heartbeat(DataNode dn) throws IOException {
    return nnOfDatanodes.sendHeartbeat(
        PrimaryAccess.registration(dn, pool),
        dn.getFSDataset().getStorageReports(pool),
        0,
        0,
        0,
        0,
        0,
        null,
        false,
        SlowPeerReports.EMPTY_REPORT,
        SlowDiskReports.EMPTY_REPORT);
  }

  /** Keeps datanodes from what they do by themselves once they have registered. */
  public static class Parked extends DataNodeFaultInjector {
    @Override
    public void startOfferService() {
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException stopped) {
        // The datanode ends.
      }
    }
  }

  /** Keeps what Hadoop says at INFO of what it does by itself. */
  private static final class Listener extends AppenderSkeleton {
    private final List<String> heard;

    Listener(List<String> heard) {
      this.heard = heard;
    }

    @Override
    protected void append(LoggingEvent event) {
      synchronized (heard) {
        heard.add(event.getRenderedMessage());
      }
    }

    @Override
    public void close() {}

    @Override
    public boolean requiresLayout() {
      return false;
    }
  }
}
