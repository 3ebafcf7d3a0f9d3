package genstamp.adapter.pipeline;

import com.fasterxml.jackson.databind.node.ObjectNode;
import genstamp.adapter.NotPossible;
import genstamp.adapter.Refusals;
import genstamp.adapter.Run;
import genstamp.adapter.Start;
import genstamp.adapter.Told;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockAccess;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeStorageInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.StorageAccess;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.ReplicaAccess;

/** A run of hdfs.pipeline: one file of a directory of its own, and one writer. */
final class PipelineRun implements Run {
  final PipelineCluster cluster;
  final String root;
  final String path;
  final String holder;
  final List<String> clients;
  final List<String> datanodes;
  final long seed;
  final Writer writer = new Writer();
  final Chain chain;
  final RestartSteps restarts;

  /** Storages that the NameNode does not know, by datanode. */
  final Map<Integer, DatanodeStorageInfo> unknown = new HashMap<>();

  private final Told told;
  private final long first;
  private final NameNodeSteps atNameNode;
  private final PacketSteps packets;
  private final SetUpSteps setUps;
  private final FaultSteps faults;
  private final TransferSteps transfers;

  PipelineRun(PipelineCluster cluster, int number, Start request) throws Exception {
    this.cluster = cluster;
    root = "/pipeline" + number;
    path = root + "/file";
    holder = "writer@" + number;
    clients = request.clients();
    datanodes = request.datanodes();
    seed = request.seed();
    if (datanodes.size() > cluster.size()) {
      throw new IllegalArgumentException(
          "at most " + cluster.size() + " datanodes, not " + datanodes.size());
    }
    chain = new Chain(cluster, writer);
    told = new Told(cluster.hdfs.pool);
    restarts = new RestartSteps(this);
    atNameNode = new NameNodeSteps(this);
    packets = new PacketSteps(this);
    setUps = new SetUpSteps(this);
    faults = new FaultSteps(this);
    transfers = new TransferSteps(this);
    for (int i = 0; i < cluster.size(); i++) {
      if (cluster.hdfs.stopped[i] != null) {
        cluster.startDatanode(i);
      }
    }
    cluster.hdfs.nn.mkdirs(root, FsPermission.getDirDefault(), true);
    first = cluster.hdfs.fsn.getBlockManager().getBlockIdManager().getGenerationStamp() + 1;
  }

  @Override
  public long firstStamp() {
    return first;
  }

  @Override
  public Told told() {
    return told;
  }

  @Override
  public void step(String name, Map<String, String> a) throws Exception {
    switch (name) {
      case "add_block" -> atNameNode.addBlock(a);
      case "complete" -> atNameNode.complete(a);
      case "block_received" -> atNameNode.blockReceived(index(a), a);
      case "read" -> atNameNode.read(a.get("client"), index(a), a);
      case "append" -> atNameNode.append(a);
      case "add_datanode" -> transfers.add(index(a.get("source")), index(a.get("target")), a);
      case "transfer_fails" -> transfers.fails(index(a.get("source")), index(a.get("target")), a);
      case "no_datanode_to_add" -> transfers.none(a);
      case "datanode_stops_to_restart" -> restarts.stops(index(a), a);
      case "datanode_comes_back" -> restarts.comesBack(index(a), a);
      case "restart_takes_too_long" -> restarts.takesTooLong(index(a), a);
      case "client_waits_for_restart" -> restarts.writerWaits(index(a), a);
      case "hflush" -> atNameNode.hflush(a);
      case "recovery_starts" -> atNameNode.recoveryStarts();
      case "datanode_registers_again" -> atNameNode.registersAgain(index(a));
      case "send_packet" -> packets.send(a);
      case "send_last_packet" -> packets.sendLast(a);
      case "receive_packet" -> packets.receive(index(a), a);
      case "raise_bytes_acked" -> packets.raise(index(a), a);
      case "finalize_replica" -> packets.finish(index(a), a);
      case "send_ack" -> packets.sendAck(index(a), a);
      case "receive_ack" -> packets.receiveAck(a);
      case "end_block" -> packets.endBlock(a);
      case "set_up_create" -> setUps.setUp(name, index(a), a, Stage.SETUP_CREATE);
      case "set_up_append" -> setUps.setUp(name, index(a), a, Stage.SETUP_APPEND);
      case "set_up_append_recovery" ->
          setUps.setUp(name, index(a), a, Stage.SETUP_APPEND_RECOVERY);
      case "set_up_streaming_recovery" ->
          setUps.setUp(name, index(a), a, Stage.STREAMING_RECOVERY);
      case "set_up_close_recovery" -> setUps.setUp(name, index(a), a, Stage.CLOSE_RECOVERY);
      case "set_up_fails" -> setUps.fails(index(a.get("bad")), a);
      case "start_streaming" -> setUps.startStreaming(a);
      case "update_block_for_pipeline" -> setUps.updateBlock(a);
      case "reuse_stamp" -> setUps.reuseStamp(a);
      case "update_pipeline" -> setUps.updatePipeline(a);
      case "update_pipeline_is_sent_twice" -> setUps.isSentTwice();
      case "late_update_pipeline" -> setUps.comesLate(a);
      case "datanode_crash" -> faults.crash(index(a), a);
      case "datanode_restart" -> faults.restart(index(a), a);
      case "receiver_fails" -> faults.receiverFails(index(a), a);
      case "receiver_hangs" -> faults.receiverHangs(index(a), a);
      case "client_crash" -> faults.clientCrash(a);
      case "mirror_fails" -> faults.mirrorFails(index(a), a);
      case "error_ack_passes" -> faults.errorAckPasses(index(a), a);
      case "error_ack_comes" -> faults.errorAckComes(index(a.get("bad")), a);
      case "connection_fails" -> faults.connectionFails(index(a.get("bad")), a);
      default -> throw new IllegalArgumentException("unknown event " + name);
    }
  }

  @Override
  public void tick(long ms) {}

  @Override
  public void end() throws Exception {
    chain.end();
    unknown.forEach((i, storage) -> StorageAccess.knowStorage(cluster.known(i), storage));
    unknown.clear();
    cluster.hdfs.nn.delete(root, true);
    BlockAccess.removeDeleted(cluster.hdfs.fsn);
  }

  ObjectNode byNode(int datanode, String event, Map<String, String> a) {
    String name = datanodes.get(datanode);
    return told.add(name, "node", name, event, a, 0);
  }

  ObjectNode byReplica(int datanode, String event, Map<String, String> a) {
    String name = datanodes.get(datanode);
    return told.add(name, "replica", writer.block + "@" + name, event, a, 0);
  }

  ObjectNode byWriter(String event, Map<String, String> a) {
    return told.add("writer", "block", String.valueOf(writer.block), event, a, 0);
  }

  ObjectNode byNameNode(String event, Map<String, String> a) {
    return told.add("namenode", "block", String.valueOf(writer.block), event, a, 0);
  }

  /** A refusal in the words of the protocol: that the lease is lost is an IOException. */
  static String refusal(IOException why) {
    String name = Refusals.name(why);
    return name.equals("LeaseExpiredException") ? "IOException" : name;
  }

  int index(String datanode) {
    int found = datanodes.indexOf(datanode);
    if (found < 0) {
      throw new IllegalArgumentException("no datanode " + datanode);
    }
    return found;
  }

  private int index(Map<String, String> a) {
    return index(a.get("datanode"));
  }

  boolean isRunning(int datanode) {
    return cluster.hdfs.stopped[datanode] == null;
  }

  DataNode running(int datanode) {
    NotPossible.needs(isRunning(datanode), "the datanode is down");
    return cluster.hdfs.datanode(datanode);
  }

  /** The replica of a datanode that is up; null if it has none. */
  ReplicaAccess replica(int datanode) {
    return ReplicaAccess.of(cluster.hdfs.datanode(datanode), cluster.hdfs.pool, writer.block);
  }

  /** How much of a replica a reader is shown, in chunks. */
  int visible(int datanode) {
    return Upstream.chunks(replica(datanode).visible);
  }

  ExtendedBlock block(long stamp, int chunks) {
    return new ExtendedBlock(
        cluster.hdfs.pool, writer.block, (long) chunks * Upstream.CHUNK, stamp);
  }

  /** The block at the NameNode; null if there is none. */
  BlockInfo stored() {
    return writer.block == 0
        ? null
        : cluster.hdfs.fsn.getBlockManager().getStoredBlock(new Block(writer.block));
  }

  boolean isUnderConstruction() {
    BlockInfo stored = stored();
    return stored != null && stored.getBlockUCState().name().equals("UNDER_CONSTRUCTION");
  }
}
