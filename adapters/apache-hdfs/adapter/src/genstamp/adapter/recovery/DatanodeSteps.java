package genstamp.adapter.recovery;

import com.fasterxml.jackson.databind.node.ObjectNode;
import genstamp.adapter.NotPossible;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockAccess;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.ReplicaAccess;
import org.apache.hadoop.hdfs.server.protocol.BlockCommand;
import org.apache.hadoop.hdfs.server.protocol.DatanodeCommand;
import org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol;

/** Reports, deletions and crashes. */
final class DatanodeSteps {
  private final RecoveryRun run;
  private final RecoveryCluster cluster;

  DatanodeSteps(RecoveryRun run) {
    this.run = run;
    cluster = run.cluster;
  }

  void blockReceived(String file, String datanode, Map<String, String> a) throws IOException {
    long id = run.block(file);
    DataNode dn = run.up(datanode);
    ReplicaAccess now = run.replica(file, run.index(datanode));
    NotPossible.needs(
        now != null && now.state == ReplicaState.FINALIZED,
        datanode + " has no finalized replica to report");
    run.contact.isKnownByReport(datanode);
    BlockInfo known = run.stored(id);
    cluster.reportReceived(dn, id, now);
    ObjectNode told =
        run.event("namenode", "replica", id + "@" + datanode, "block_received", a)
            .put("generation_stamp", now.stamp)
            .put("num_bytes", now.bytes);
    told.putObject("observed").put("block_state", known == null ? "removed" : run.stateOf(known));
  }

  /**
   * The datanode reports what it has, as a full report would (a replica under recovery as what it
   * was before), the NameNode orders its deletion, and it is done.
   */
  void invalidate(String file, String datanode, Map<String, String> a) throws Exception {
    long id = run.block(file);
    run.up(datanode);
    int index = run.index(datanode);
    ReplicaAccess now = run.replica(file, index);
    NotPossible.needs(now != null, datanode + " has no replica");
    BlockInfo known = run.stored(id);
    NotPossible.needs(known == null || known.isComplete(), "the block is not complete");
    NotPossible.needs(
        known == null
            || now.state != ReplicaState.FINALIZED
            || now.stamp != known.getGenerationStamp()
            || now.bytes != known.getNumBytes(),
        "the replica is good");
    run.contact.isHeardByHeartbeat(datanode);
    // An order that waits from before may name an older generation, and deletes nothing.
    NotPossible.needs(
        isOrdered(id, now, index) || isOrdered(id, now, index), "the namenode orders no deletion");
    // A thread of the volume deletes the files, and the replica is forgotten then.
    for (int i = 0; i < 1000 && run.replica(file, index) != null; i++) {
      run.pause();
    }
    if (run.replica(file, index) != null) {
      throw new IllegalStateException("the replica was to be deleted, and is there");
    }
    run.event(datanode, "replica", run.blockEntity(file) + "@" + datanode, "invalidate_replica", a)
        .put("generation_stamp", now.stamp);
  }

  /** Whether the NameNode orders the deletion of a replica that is reported to it, and it is done. */
  private boolean isOrdered(long id, ReplicaAccess replica, int index) throws Exception {
    DatanodeDescriptor known = cluster.manager().getDatanode(cluster.uuids[index]);
    BlockAccess.report(
        cluster.fsn,
        known,
        replica.storage,
        new Block(id, replica.bytes, replica.stamp),
        replica.original);
    BlockAccess.work(cluster.fsn.getBlockManager());
    List<BlockInfo> queued = BlockAccess.queued(known);
    BlockAccess.queue(known, Collections.emptyList());
    boolean ordered = false;
    try {
      for (DatanodeCommand one : cluster.heartbeat(cluster.datanode(index)).getCommands()) {
        if (one instanceof BlockCommand && one.getAction() == DatanodeProtocol.DNA_INVALIDATE) {
          for (Block each : ((BlockCommand) one).getBlocks()) {
            ordered |= each.getBlockId() == id && isDeleted(each, index);
          }
        }
      }
    } finally {
      BlockAccess.queue(known, queued);
    }
    return ordered;
  }

  private boolean isDeleted(Block ordered, int index) {
    try {
      cluster
          .datanode(index)
          .getFSDataset()
          .invalidate(cluster.pool, new Block[] {ordered});
      return true;
    } catch (IOException otherGeneration) {
      return false;
    }
  }

  void clientCrash(String client, Map<String, String> a) {
    run.live(client);
    run.dead.add(client);
    run.streams
        .getOrDefault(client, Map.of())
        .values()
        .forEach(one -> one.writers.values().forEach(ByteWriter::close));
    run.streams.remove(client);
    run.recovering.remove(client);
    run.event(client, "node", client, "client_crash", a);
  }

  void crash(String datanode, Map<String, String> a) throws Exception {
    run.up(datanode);
    int index = run.index(datanode);
    Map<Long, ReplicaAccess> kept = new HashMap<>();
    for (long id : run.blocks.values()) {
      ReplicaAccess one = ReplicaAccess.of(cluster.datanode(index), cluster.pool, id);
      if (one != null) {
        kept.put(id, one);
      }
    }
    run.atCrash.set(index, kept);
    cluster.stopDatanode(index);
    if (run.crashesAreNoticed) {
      cluster.manager().removeDatanode(cluster.manager().getDatanode(cluster.uuids[index]));
    }
    run.tasks.get(index).clear();
    run.event(datanode, "node", datanode, "datanode_crash", a);
  }

  void restart(String datanode, Map<String, String> a, boolean losing) throws Exception {
    int index = run.index(datanode);
    NotPossible.needs(cluster.stopped[index] != null, datanode + " is up");
    for (ReplicaAccess one : run.atCrash.get(index).values()) {
      if (losing && one.original == ReplicaState.RBW && one.data.length() > 0) {
        cut(one.data, 1);
        cut(one.meta, 4);
      }
    }
    run.contact.comesBack(index);
    cluster.startDatanode(index);
    run.event(
        datanode,
        "node",
        datanode,
        losing ? "datanode_restart_losing_bytes" : "datanode_restart",
        a);
  }

  void cut(File file, int bytes) throws IOException {
    try (RandomAccessFile opened = new RandomAccessFile(file, "rw")) {
      opened.setLength(opened.length() - bytes);
    }
  }
}
