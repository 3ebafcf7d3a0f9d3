package genstamp.adapter.lease;

import genstamp.adapter.Host;
import genstamp.adapter.Ports;
import genstamp.adapter.Run;
import genstamp.adapter.Start;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.NameNodeProxiesClient;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.apache.hadoop.hdfs.protocolPB.DatanodeProtocolClientSideTranslatorPB;
import org.apache.hadoop.hdfs.security.token.block.ExportedBlockKeys;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockAccess;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.datanode.DataStorage;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol;
import org.apache.hadoop.hdfs.server.protocol.DatanodeRegistration;
import org.apache.hadoop.hdfs.server.protocol.HeartbeatResponse;
import org.apache.hadoop.hdfs.server.protocol.NamespaceInfo;
import org.apache.hadoop.hdfs.server.protocol.SlowDiskReports;
import org.apache.hadoop.hdfs.server.protocol.SlowPeerReports;
import org.apache.hadoop.hdfs.server.protocol.StorageReport;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.Time;
import org.apache.hadoop.util.VersionInfo;

/**
 * A NameNode of Apache HDFS in this process without datanodes: they are registrations, heartbeats
 * and reports.
 */
public final class LeaseCluster implements Host {
  final Configuration conf = configuration();
  final MiniDFSCluster mini;
  final List<Faked> nodes = new ArrayList<>();
  ClientProtocol nn;
  DatanodeProtocol dn;
  FSNamesystem fsn;
  private int runs;

  public LeaseCluster(File where) throws Exception {
    mini =
        new MiniDFSCluster.Builder(conf, where)
            .numDataNodes(0)
            .nameNodePort(Ports.free())
            .build();
    Time.freeze();
    connect();
    nn.setSafeMode(SafeModeAction.SAFEMODE_LEAVE, false);
  }

  /** The monitors have endless periods, and safe mode never ends by itself. */
  private static Configuration configuration() {
    Configuration conf = new HdfsConfiguration();
    conf.setInt("dfs.namenode.lease-recheck-interval-ms", Integer.MAX_VALUE);
    conf.setInt("dfs.namenode.redundancy.interval.seconds", 1_000_000);
    conf.setInt("dfs.namenode.heartbeat.recheck-interval", Integer.MAX_VALUE);
    conf.setLong("dfs.namenode.stale.datanode.interval", 1_000_000_000_000L);
    conf.setBoolean("dfs.namenode.redundancy.considerLoad", false);
    conf.setInt("dfs.namenode.fs-limits.min-block-size", 1);
    conf.setInt("dfs.namenode.replication.min", 1);
    conf.set("dfs.namenode.http-address", "127.0.0.1:0");
    conf.setInt("dfs.namenode.handler.count", 2);
    conf.setBoolean("dfs.namenode.edits.noeditlogchannelflush", true);
    conf.setInt("dfs.namenode.safemode.min.datanodes", 1000);
    conf.setFloat("dfs.namenode.safemode.threshold-pct", 1.5f);
    conf.setBoolean("dfs.namenode.datanode.registration.ip-hostname-check", false);
    return conf;
  }

  @Override
  public Run start(Start request) throws Exception {
    return new LeaseRun(this, ++runs, request);
  }

  void connect() throws Exception {
    fsn = mini.getNamesystem();
    InetSocketAddress address = mini.getNameNode().getNameNodeAddress();
    for (int i = 0; ; i++) {
      try {
        nn =
            NameNodeProxiesClient.createNonHAProxyWithClientProtocol(
                address, conf, UserGroupInformation.getCurrentUser(), false, new AtomicBoolean());
        dn = new DatanodeProtocolClientSideTranslatorPB(address, conf);
        nn.getStats();
        dn.versionRequest();
        return;
      } catch (IOException broken) { // the connection was to the one before
        if (i == 20) {
          throw broken;
        }
        Thread.sleep(20);
      }
    }
  }

  private static Object field(Object of, String name) throws ReflectiveOperationException {
    for (Class<?> one = of.getClass(); one != null; one = one.getSuperclass()) {
      for (Field field : one.getDeclaredFields()) {
        if (field.getName().equals(name)) {
          field.setAccessible(true);
          return field.get(of);
        }
      }
    }
    throw new NoSuchFieldException(of.getClass() + " " + name);
  }

  private static void empty(Object set) throws ReflectiveOperationException {
    if (set instanceof org.apache.hadoop.util.LightWeightGSet) {
      Field entries = org.apache.hadoop.util.LightWeightGSet.class.getDeclaredField("entries");
      entries.setAccessible(true);
      entries.set(set, null);
    }
  }

  /** Something keeps every NameNode that was before; at least not with its tables. */
  void forget(FSNamesystem old) throws ReflectiveOperationException {
    empty(field(field(old.getBlockManager(), "blocksMap"), "blocks"));
    empty(field(field(old.getFSDirectory(), "inodeMap"), "map"));
    Object retries = field(old, "retryCache");
    if (retries != null) {
      empty(field(retries, "set"));
    }
    empty(field(field(old, "cacheManager"), "cachedBlocks"));
  }

  BlockManager bm() {
    return fsn.getBlockManager();
  }

  DatanodeDescriptor known(Faked node) {
    return bm().getDatanodeManager().getDatanode(node.uuid);
  }

  Faked node(int index) {
    while (nodes.size() <= index) {
      nodes.add(new Faked(nodes.size()));
    }
    return nodes.get(index);
  }

  void register(Faked node) throws IOException {
    NamespaceInfo space = dn.versionRequest();
    DatanodeRegistration fresh =
        new DatanodeRegistration(
            new DatanodeID(
                "127.0.0.1",
                "localhost",
                node.uuid,
                20_000 + node.index,
                30_000 + node.index,
                0,
                40_000 + node.index),
            new DataStorage(space),
            new ExportedBlockKeys(),
            VersionInfo.getVersion());
    node.registration = dn.registerDatanode(fresh);
    node.registration.setNamespaceInfo(space);
    BlockAccess.forget(known(node));
  }

  HeartbeatResponse heartbeat(Faked node) throws IOException {
    StorageReport[] reports = {new StorageReport(node.storage, false, 1L << 44, 0, 1L << 44, 0, 0)};
    return dn.sendHeartbeat(
        node.registration,
        reports,
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
}
