package genstamp.differential;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import genstamp.adapter.Ports;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.NameNodeProxiesClient;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.BlockListAsLongs;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocolPB.DatanodeProtocolClientSideTranslatorPB;
import org.apache.hadoop.hdfs.security.token.block.ExportedBlockKeys;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockAccess;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.DataStorage;
import org.apache.hadoop.hdfs.server.datanode.FinalizedReplica;
import org.apache.hadoop.hdfs.server.datanode.Replica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaBeingWritten;
import org.apache.hadoop.hdfs.server.datanode.ReplicaWaitingToBeRecovered;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.LeaseAccess;
import org.apache.hadoop.hdfs.server.protocol.BlockCommand;
import org.apache.hadoop.hdfs.server.protocol.BlockRecoveryCommand;
import org.apache.hadoop.hdfs.server.protocol.BlockRecoveryCommand.RecoveringBlock;
import org.apache.hadoop.hdfs.server.protocol.BlockReportContext;
import org.apache.hadoop.hdfs.server.protocol.DatanodeCommand;
import org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol;
import org.apache.hadoop.hdfs.server.protocol.DatanodeRegistration;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorage;
import org.apache.hadoop.hdfs.server.protocol.NamespaceInfo;
import org.apache.hadoop.hdfs.server.protocol.ReceivedDeletedBlockInfo;
import org.apache.hadoop.hdfs.server.protocol.ReceivedDeletedBlockInfo.BlockStatus;
import org.apache.hadoop.hdfs.server.protocol.SlowDiskReports;
import org.apache.hadoop.hdfs.server.protocol.SlowPeerReports;
import org.apache.hadoop.hdfs.server.protocol.StorageBlockReport;
import org.apache.hadoop.hdfs.server.protocol.StorageReceivedDeletedBlocks;
import org.apache.hadoop.hdfs.server.protocol.StorageReport;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.Time;
import org.apache.hadoop.util.VersionInfo;

/**
 * A NameNode of Apache HDFS in this process, whose datanodes are registrations, heartbeats and
 * reports. Time passes with a call only; blocks of deleted files leave the block map after each call.
 */
final class ApacheNameNode {
  static final Set<String> CALLS =
      Set.of("register", "heartbeat", "received", "report", "commit", "pass", "scrub");

  private final Configuration conf = configuration();
  private final MiniDFSCluster mini;
  private final DatanodeProtocol datanodes;
  private final Map<String, DatanodeRegistration> registered = new HashMap<>();
  private long reports;

  ApacheNameNode(File directory) throws Exception {
    mini =
        new MiniDFSCluster.Builder(conf, directory)
            .numDataNodes(0)
            .nameNodePort(Ports.free())
            .build();
    Time.freeze();
    BlockAccess.stopRemoval();
    datanodes = new DatanodeProtocolClientSideTranslatorPB(address(), conf);
  }

  /** Monitors have endless periods, and safe mode never ends by itself. */
  private static Configuration configuration() {
    Configuration conf = new HdfsConfiguration();
    conf.setInt("dfs.namenode.lease-recheck-interval-ms", Integer.MAX_VALUE);
    conf.setInt("dfs.namenode.redundancy.interval.seconds", 1_000_000);
    conf.setInt("dfs.namenode.heartbeat.recheck-interval", Integer.MAX_VALUE);
    conf.setLong("dfs.namenode.stale.datanode.interval", 1_000_000_000_000L);
    conf.setBoolean("dfs.namenode.redundancy.considerLoad", false);
    conf.setInt("dfs.namenode.fs-limits.min-block-size", 1024);
    conf.setInt("dfs.namenode.fs-limits.max-blocks-per-file", 6);
    conf.setLong("dfs.namenode.accesstime.precision", 0);
    conf.setInt("dfs.namenode.replication.min", 1);
    conf.set("dfs.namenode.http-address", "127.0.0.1:0");
    conf.setInt("dfs.namenode.handler.count", 2);
    conf.setBoolean("dfs.namenode.edits.noeditlogchannelflush", true);
    conf.setInt("dfs.namenode.safemode.min.datanodes", 1000);
    conf.setFloat("dfs.namenode.safemode.threshold-pct", 1.5f);
    conf.setBoolean("dfs.namenode.datanode.registration.ip-hostname-check", false);
    return conf;
  }

  InetSocketAddress address() {
    return mini.getNameNode().getNameNodeAddress();
  }

  String blockPool() {
    return namesystem().getBlockPoolId();
  }

  private FSNamesystem namesystem() {
    return mini.getNamesystem();
  }

  ClientProtocol proxy(InetSocketAddress address) throws IOException {
    return NameNodeProxiesClient.createNonHAProxyWithClientProtocol(
        address, conf, UserGroupInformation.getCurrentUser(), false, new AtomicBoolean());
  }

  JsonNode call(String name, JsonNode request) throws Exception {
    switch (name) {
      case "register":
        register(request.get("datanode").asText());
        return null;
      case "heartbeat":
        return heartbeat(request.get("datanode").asText());
      case "received":
        received(request.get("datanode").asText(), request);
        return null;
      case "report":
        report(request.get("datanode").asText(), request.get("replicas"));
        return null;
      case "commit":
        commit(request);
        return null;
      case "scrub":
        BlockAccess.removeDeleted(namesystem());
        return null;
      default: // pass
        Time.pass(request.get("ms").asLong());
        LeaseAccess.checkLeases(namesystem());
        return null;
    }
  }

  /** A datanode as both namenodes know it, by the number at the end of its name. */
  static DatanodeID datanode(String name) {
    int port = 20_000 + 100 * Integer.parseInt(name.substring(2));
    return new DatanodeID("127.0.0.1", "localhost", name, port, port + 10, 0, port + 20);
  }

  private void register(String datanode) throws IOException {
    NamespaceInfo space = datanodes.versionRequest();
    DatanodeRegistration fresh =
        new DatanodeRegistration(
            datanode(datanode),
            new DataStorage(space),
            new ExportedBlockKeys(),
            VersionInfo.getVersion());
    DatanodeRegistration answer = datanodes.registerDatanode(fresh);
    answer.setNamespaceInfo(space);
    registered.put(datanode, answer);
  }

  /** The recoveries that the datanode is to lead, and the replicas that it is to delete. */
  private JsonNode heartbeat(String datanode) throws IOException {
    BlockAccess.work(namesystem().getBlockManager());
    StorageReport[] reports = {new StorageReport(storage(datanode), false, 1L << 44, 0, 1L << 44, 0, 0)};
    ArrayNode orders = JsonNodeFactory.instance.arrayNode();
    for (DatanodeCommand one :
        datanodes
            .sendHeartbeat(
                registered.get(datanode),
                reports,
                0,
                0,
                0,
                0,
                0,
                null,
                false,
                SlowPeerReports.EMPTY_REPORT,
                SlowDiskReports.EMPTY_REPORT)
            .getCommands()) {
      if (one instanceof BlockRecoveryCommand) {
        for (RecoveringBlock block : ((BlockRecoveryCommand) one).getRecoveringBlocks()) {
          orders.add(Shown.recovery(block));
        }
      } else if (one.getAction() == DatanodeProtocol.DNA_INVALIDATE) {
        for (Block block : ((BlockCommand) one).getBlocks()) {
          orders.add(Shown.deletion(block, datanode));
        }
      }
    }
    return orders;
  }

  private void received(String datanode, JsonNode request) throws IOException {
    ReceivedDeletedBlockInfo one =
        new ReceivedDeletedBlockInfo(
            block(request.get("block")),
            BlockStatus.valueOf(request.get("status").asText() + "_BLOCK"),
            null);
    datanodes.blockReceivedAndDeleted(
        registered.get(datanode),
        blockPool(),
        new StorageReceivedDeletedBlocks[] {
          new StorageReceivedDeletedBlocks(storage(datanode), new ReceivedDeletedBlockInfo[] {one})
        });
    namesystem().getBlockManager().flushBlockOps();
  }

  private void report(String datanode, JsonNode replicas) throws IOException {
    List<Replica> all = new ArrayList<>();
    for (JsonNode one : replicas) {
      all.add(replica(block(one.get("block")), ReplicaState.valueOf(one.get("state").asText())));
    }
    BlockListAsLongs.Builder blocks = BlockListAsLongs.builder();
    all.forEach(blocks::add);
    datanodes.blockReport(
        registered.get(datanode),
        blockPool(),
        new StorageBlockReport[] {new StorageBlockReport(storage(datanode), blocks.build())},
        new BlockReportContext(1, 0, ++reports, 0));
  }

  private static Replica replica(Block block, ReplicaState state) {
    switch (state) {
      case FINALIZED:
        return new FinalizedReplica(block, null, null);
      case RBW:
        return new ReplicaBeingWritten(block, null, null, null);
      default:
        return new ReplicaWaitingToBeRecovered(block, null, null);
    }
  }

  private void commit(JsonNode request) throws IOException {
    List<DatanodeID> targets = new ArrayList<>();
    List<String> storages = new ArrayList<>();
    for (JsonNode one : request.get("targets")) {
      targets.add(registered.get(one.asText()));
      storages.add(storage(one.asText()).getStorageID());
    }
    datanodes.commitBlockSynchronization(
        new ExtendedBlock(blockPool(), block(request.get("block"))),
        request.get("stamp").asLong(),
        request.get("bytes").asLong(),
        request.get("close").asBoolean(),
        request.get("delete").asBoolean(),
        targets.toArray(new DatanodeID[0]),
        storages.toArray(new String[0]));
  }

  private static DatanodeStorage storage(String datanode) {
    return new DatanodeStorage("DS-" + datanode);
  }

  private static Block block(JsonNode block) {
    return new Block(
        block.get("id").asLong(), block.get("bytes").asLong(), block.get("stamp").asLong());
  }
}
