package genstamp.adapter.recovery;

import genstamp.adapter.NotPossible;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockAccess;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeStorageInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.StorageAccess;
import org.apache.hadoop.util.Time;

/** What the NameNode believes of datanodes: stale, dead, or without the storage that it knew. */
final class ContactSteps {
  /** Longer than the intervals after which a datanode is stale and dead. */
  private static final long SILENCE_MS = 2 * RecoveryCluster.STALE_MS;

  private final RecoveryRun run;
  private final RecoveryCluster cluster;
  private final Set<Integer> silent = new HashSet<>();
  private final Set<Integer> dead = new HashSet<>();
  private final Map<Integer, DatanodeStorageInfo> forgotten = new HashMap<>();

  ContactSteps(RecoveryRun run) {
    this.run = run;
    cluster = run.cluster;
  }

  boolean isSilent(int index) {
    return silent.contains(index);
  }

  void becomesStale(String datanode, Map<String, String> a) {
    int index = run.index(datanode);
    NotPossible.needs(!silent.contains(index), datanode + " was silent before");
    knowStorage(index);
    silent.add(index);
    known(index).setLastUpdateMonotonic(Time.monotonicNow() - SILENCE_MS);
    event(datanode, "datanode_becomes_stale", a);
  }

  void isTakenForDead(String datanode, Map<String, String> a) {
    int index = run.index(datanode);
    NotPossible.needs(cluster.stopped[index] != null, datanode + " is up");
    NotPossible.needs(silent.contains(index) && !dead.contains(index), datanode + " is not stale");
    BlockAccess.diesWithReplicas(cluster.fsn, known(index));
    dead.add(index);
    event(datanode, "datanode_is_taken_for_dead", a);
  }

  void isHeard(String datanode, Map<String, String> a) throws IOException {
    int index = run.index(datanode);
    run.up(datanode);
    NotPossible.needs(
        silent.contains(index) || forgotten.containsKey(index), datanode + " was heard of lately");
    knowStorage(index);
    cluster.heartbeatWithoutCommands(index);
    silent.remove(index);
    event(datanode, "datanode_is_heard_of", a);
  }

  /** The same where a step has the datanode send a heartbeat. */
  void isHeardByHeartbeat(String datanode) throws IOException {
    if (silent.contains(run.index(datanode))) {
      isHeard(datanode, Map.of("datanode", datanode));
    }
    isKnownByReport(datanode);
  }

  /** The same where a step has it report a replica, which makes no datanode fresh. */
  void isKnownByReport(String datanode) throws IOException {
    if (forgotten.containsKey(run.index(datanode))) {
      isHeard(datanode, Map.of("datanode", datanode));
    }
  }

  void storageIsForgotten(String datanode, Map<String, String> a) {
    int index = run.index(datanode);
    run.up(datanode);
    NotPossible.needs(
        !silent.contains(index) && !forgotten.containsKey(index),
        datanode + " was not heard of lately");
    NotPossible.needs(!run.blocks.isEmpty(), "a block is placed on storages that are known");
    forgotten.put(index, StorageAccess.forgetStorage(known(index)));
    event(datanode, "storage_is_forgotten", a);
  }

  /** The datanode registers anew. */
  void comesBack(int index) {
    knowStorage(index);
    silent.remove(index);
    dead.remove(index);
  }

  private void knowStorage(int index) {
    DatanodeStorageInfo storage = forgotten.remove(index);
    if (storage != null) {
      StorageAccess.knowStorage(known(index), storage);
    }
  }

  private DatanodeDescriptor known(int index) {
    return cluster.manager().getDatanode(cluster.uuids[index]);
  }

  private void event(String datanode, String event, Map<String, String> a) {
    run.event("namenode", "node", datanode, event, a);
  }
}
