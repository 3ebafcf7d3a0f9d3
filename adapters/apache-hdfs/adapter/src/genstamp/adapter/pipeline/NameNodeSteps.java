package genstamp.adapter.pipeline;

import com.fasterxml.jackson.databind.node.ObjectNode;
import genstamp.adapter.NotPossible;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.hdfs.AddBlockFlag;
import org.apache.hadoop.hdfs.DFSUtilClient;
import org.apache.hadoop.hdfs.protocol.ClientDatanodeProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockAccess;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.StorageAccess;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.BlockUCState;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.ReplicaAccess;
import org.apache.hadoop.io.EnumSetWritable;
import org.apache.hadoop.ipc.RPC;

/** The block's beginning and end at the NameNode, reports, readers, and whoever recovers it. */
final class NameNodeSteps {
  private final PipelineRun run;
  private final PipelineCluster cluster;
  private final Writer writer;
  private final Map<String, Integer> shown = new HashMap<>();

  NameNodeSteps(PipelineRun run) {
    this.run = run;
    cluster = run.cluster;
    writer = run.writer;
  }

  /** The file is created, too; the chain is in the order of the names, whatever the answer's is. */
  void addBlock(Map<String, String> a) throws Exception {
    int last = run.index(a.get("last"));
    writer.isAt(Stage.NONE);
    Map<String, String> arguments = new TreeMap<>(a);
    arguments.putIfAbsent("always", String.valueOf(Math.floorMod(run.seed, 2)));
    writer.always = arguments.get("always").equals("1");
    writer.replication = last + 1;
    writer.inode =
        cluster.hdfs.create(run.path, run.holder, writer.replication).getFileId();
    List<DatanodeInfo> excluded = new ArrayList<>();
    for (int i = last + 1; i < cluster.size(); i++) {
      excluded.add(cluster.known(i));
    }
    LocatedBlock located =
        cluster.hdfs.nn.addBlock(
            run.path,
            run.holder,
            null,
            excluded.toArray(new DatanodeInfo[0]),
            writer.inode,
            null,
            EnumSet.noneOf(AddBlockFlag.class));
    writer.block = located.getBlock().getBlockId();
    writer.stamp = located.getBlock().getGenerationStamp();
    writer.newStamp = writer.stamp;
    for (DatanodeInfo one : located.getLocations()) {
      writer.pipeline.add(cluster.indexOf(one));
    }
    writer.stage = Stage.SETUP_CREATE;
    run.byNameNode("add_block", arguments).put("generation_stamp", writer.stamp);
  }

  /** The first one of a block tells the NameNode its length. */
  void hflush(Map<String, String> a) throws Exception {
    writer.isAt(Stage.STREAMING);
    NotPossible.needs(
        writer.acked > 0 && writer.acked == writer.bytesSent, "not everything is acknowledged");
    NotPossible.needs(writer.hflushed < writer.acked, "nothing new was written");
    if (!writer.hasFlushed) {
      NotPossible.needs(run.isUnderConstruction(), "the block is under recovery");
      cluster.hdfs.nn.fsync(
          run.path, writer.inode, run.holder, (long) writer.acked * Upstream.CHUNK);
    }
    writer.hasFlushed = true;
    writer.hflushed = writer.acked;
    run.byWriter("hflush", a).put("num_bytes", writer.acked);
  }

  void complete(Map<String, String> a) throws Exception {
    writer.isAt(Stage.ENDED);
    NotPossible.needs(
        run.stored().getBlockUCState() != BlockUCState.COMMITTED,
        "no replica was reported yet, so that the answer is to wait");
    try {
      boolean closed =
          cluster.hdfs.nn.complete(
              run.path, run.holder, run.block(writer.stamp, writer.ackedBytes()), writer.inode);
      writer.hflushed = writer.ackedBytes();
      if (closed) {
        writer.stage = Stage.CLOSED;
      }
      ObjectNode told = run.byNameNode("complete", a);
      told.putObject("observed").put("block_state", run.stored().getBlockUCState().name());
    } catch (IOException refusal) {
      writer.stage = Stage.FAILED;
      run.byNameNode("complete", a).put("refused_with", PipelineRun.refusal(refusal));
    }
  }

  /** The writer opens its closed file again. */
  void append(Map<String, String> a) throws Exception {
    writer.isAt(Stage.CLOSED);
    NotPossible.needs(writer.bytesSent > 0, "there is nothing to append to");
    run.chain.end();
    LocatedBlock located =
        cluster
            .hdfs
            .nn
            .append(run.path, run.holder, new EnumSetWritable<>(EnumSet.of(CreateFlag.APPEND)))
            .getLastBlock();
    writer.pipeline.clear();
    for (DatanodeInfo one : located.getLocations()) {
      writer.pipeline.add(cluster.indexOf(one));
    }
    writer.acked = Upstream.chunks(located.getBlock().getNumBytes());
    writer.sent = writer.acked;
    writer.stamp = located.getBlock().getGenerationStamp();
    writer.appends++;
    writer.hasFlushed = false;
    writer.excluded.clear();
    writer.stage = Stage.SETUP_APPEND;
    writer.forgetAttempt();
    run.byNameNode("append", a);
  }

  void blockReceived(int datanode, Map<String, String> a) throws Exception {
    DataNode reporting = run.running(datanode);
    BlockInfo known = run.stored();
    NotPossible.needs(known != null, "there is no block");
    BlockUCState state = known.getBlockUCState();
    NotPossible.needs(
        state == BlockUCState.COMMITTED || state == BlockUCState.COMPLETE,
        "the block is not committed");
    ReplicaAccess replica = run.replica(datanode);
    NotPossible.needs(
        replica != null
            && replica.state == ReplicaState.FINALIZED
            && replica.stamp == known.getGenerationStamp()
            && replica.bytes == known.getNumBytes(),
        "the datanode has no replica that matches");
    cluster.hdfs.reportReceived(reporting, writer.block, replica);
    if (run.unknown.containsKey(datanode)) {
      StorageAccess.forgetStorage(cluster.known(datanode));
    }
    ObjectNode told = run.byNameNode("block_received", a);
    told.putObject("observed").put("block_state", run.stored().getBlockUCState().name());
  }

  /** A reader asks the NameNode for the block, and one of its locations how much is visible. */
  void read(String client, int datanode, Map<String, String> a) throws Exception {
    DataNode asked = run.running(datanode);
    if (!run.clients.contains(client)) {
      throw new IllegalArgumentException("no client " + client);
    }
    BlockInfo known = run.stored();
    NotPossible.needs(known != null, "there is no block");
    ReplicaAccess replica = run.replica(datanode);
    NotPossible.needs(
        isLocation(datanode) && replica != null && replica.stamp >= known.getGenerationStamp(),
        "the datanode is no location of the block");
    NotPossible.needs(
        Upstream.chunks(replica.visible) > shown.getOrDefault(client, 0),
        "nothing new would be shown");
    ExtendedBlock block = run.block(known.getGenerationStamp(), 0);
    int visible;
    try {
      visible = visibleLength(asked, block);
    } catch (EOFException closed) {
      // The connection was to the datanode before a restart.
      visible = visibleLength(asked, block);
    }
    shown.put(client, visible);
    run.byNode(datanode, "read", a).put("num_bytes", visible);
  }

  private int visibleLength(DataNode asked, ExtendedBlock block) throws IOException {
    ClientDatanodeProtocol proxy =
        DFSUtilClient.createClientDatanodeProtocolProxy(
            asked.getDatanodeId(), cluster.hdfs.conf, 8_000, false);
    try {
      return Upstream.chunks(proxy.getReplicaVisibleLength(block));
    } finally {
      RPC.stopProxy(proxy);
    }
  }

  /** As whoever opens the file now is told, or has been told while it was written. */
  private boolean isLocation(int datanode) throws IOException {
    LocatedBlock located =
        cluster.hdfs.nn.getBlockLocations(run.path, 0, Long.MAX_VALUE).getLastLocatedBlock();
    if (located == null) {
      return false;
    }
    for (DatanodeInfo one : located.getLocations()) {
      if (cluster.indexOf(one) == datanode) {
        return true;
      }
    }
    return run.stored().isComplete() && writer.pipeline.contains(datanode);
  }

  void recoveryStarts() throws Exception {
    BlockInfo known = run.stored();
    NotPossible.needs(known != null && !known.isComplete(), "the block is complete, or not there");
    NotPossible.needs(
        known.getBlockUCState() != BlockUCState.UNDER_RECOVERY, "a recovery has begun");
    NotPossible.needs(
        !BlockAccess.expected(known).isEmpty(),
        "an empty block without a location is dropped, and the file is closed");
    try {
      cluster.hdfs.nn.recoverLease(run.path, "somebody");
    } catch (IOException refusal) {
      throw new NotPossible("the NameNode refuses: " + refusal.getMessage());
    }
    NotPossible.needs(
        run.stored().getBlockUCState() == BlockUCState.UNDER_RECOVERY, "no recovery has begun");
  }

  /** The NameNode forgets the storages of a datanode until they are reported: not in this run. */
  void registersAgain(int datanode) {
    run.running(datanode);
    NotPossible.needs(writer.block != 0, "a block is placed on storages that are known");
    NotPossible.needs(!run.unknown.containsKey(datanode), "the storages are unknown");
    run.unknown.put(datanode, StorageAccess.forgetStorage(cluster.known(datanode)));
  }
}
