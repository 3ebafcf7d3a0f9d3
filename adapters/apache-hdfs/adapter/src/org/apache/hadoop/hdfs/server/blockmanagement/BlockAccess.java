package org.apache.hadoop.hdfs.server.blockmanagement;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorage;
import org.apache.hadoop.hdfs.server.protocol.ReceivedDeletedBlockInfo;
import org.apache.hadoop.hdfs.server.protocol.ReceivedDeletedBlockInfo.BlockStatus;
import org.apache.hadoop.hdfs.server.protocol.StorageReceivedDeletedBlocks;
import org.apache.hadoop.util.Time;

/** What of a real BlockManager is package-private. */
public final class BlockAccess {
  private BlockAccess() {}

  /** The blocks whose recovery waits for this datanode's heartbeat; the queue stays as it is. */
  public static List<BlockInfo> queued(DatanodeDescriptor node) {
    BlockInfo[] all = node.getLeaseRecoveryCommand(Integer.MAX_VALUE);
    List<BlockInfo> found = new ArrayList<>();
    if (all != null) {
      for (BlockInfo one : all) {
        found.add(one);
        node.addBlockToBeRecovered(one);
      }
    }
    return found;
  }

  /** Leave only these in the queue. */
  public static void queue(DatanodeDescriptor node, List<BlockInfo> blocks) {
    node.getLeaseRecoveryCommand(Integer.MAX_VALUE);
    for (BlockInfo one : blocks) {
      node.addBlockToBeRecovered(one);
    }
  }

  /**
   * One replica, as a full report of its datanode would tell of it; nothing else of that datanode
   * is reported.
   */
  public static void report(
      FSNamesystem fsn, DatanodeDescriptor node, String storage, Block block, ReplicaState state)
      throws IOException {
    fsn.writeLock();
    try {
      fsn.getBlockManager()
          .processIncrementalBlockReport(
              node,
              new StorageReceivedDeletedBlocks(
                  new DatanodeStorage(storage),
                  new ReceivedDeletedBlockInfo[] {
                    new ReceivedDeletedBlockInfo(
                        block,
                        state == ReplicaState.FINALIZED
                            ? BlockStatus.RECEIVED_BLOCK
                            : BlockStatus.RECEIVING_BLOCK,
                        null)
                  }));
    } finally {
      fsn.writeUnlock();
    }
  }

  /** What the redundancy monitor does, for deletions. */
  public static void work(BlockManager manager) {
    manager.computeInvalidateWork(Integer.MAX_VALUE);
  }

  /** The datanode was silent for too long, and the heartbeat monitor takes it for dead. */
  public static void dies(BlockManager manager, DatanodeDescriptor node) {
    DatanodeManager all = manager.getDatanodeManager();
    node.setLastUpdateMonotonic(Time.monotonicNow() - 10L * Integer.MAX_VALUE);
    all.getHeartbeatManager().heartbeatCheck();
  }

  /**
   * The same for one datanode that is silent for longer than the cluster was told; the NameNode
   * keeps what it knows of its replicas, as of those of a datanode in maintenance.
   */
  public static void diesWithReplicas(FSNamesystem fsn, DatanodeDescriptor node) {
    fsn.writeLock();
    try {
      fsn.getBlockManager().getDatanodeManager().removeDeadDatanode(node, false);
    } finally {
      fsn.writeUnlock();
    }
  }

  /** Blocks of deleted files are removed by a step: the thread that does it in the NameNode ends. */
  public static void stopRemoval() throws InterruptedException {
    for (Thread one : Thread.getAllStackTraces().keySet()) {
      if (one.getName().equals("MarkedDeleteBlockScrubberThread")) {
        one.interrupt();
        one.join();
      }
    }
  }

  /** The blocks of deleted files leave the block map; before 3.3.2 they have left already. */
  public static void removeDeleted(FSNamesystem fsn) {
    fsn.writeLock();
    try {
      Queue<List<BlockInfo>> deleted = deleted(fsn.getBlockManager());
      for (List<BlockInfo> all; (all = deleted.poll()) != null; ) {
        all.forEach(fsn.getBlockManager()::removeBlock);
      }
    } finally {
      fsn.writeUnlock();
    }
  }

  /** The blocks of deleted files that are in the block map still. */
  @SuppressWarnings("unchecked")
  public static Queue<List<BlockInfo>> deleted(BlockManager manager) {
    try {
      Object queue = BlockManager.class.getMethod("getMarkedDeleteQueue").invoke(manager);
      return (Queue<List<BlockInfo>>) queue;
    } catch (NoSuchMethodException before) {
      return new ArrayDeque<>();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Nothing waits for this datanode. */
  public static void forget(DatanodeDescriptor node) {
    node.getLeaseRecoveryCommand(Integer.MAX_VALUE);
  }

  /** Uuids of the datanodes at which a replica is known, corrupt ones left out. */
  public static List<String> stored(BlockManager manager, BlockInfo block) {
    List<String> found = new ArrayList<>();
    for (DatanodeStorageInfo one : manager.blocksMap.getStorages(block)) {
      DatanodeDescriptor node = one.getDatanodeDescriptor();
      if (!manager.corruptReplicas.isReplicaCorrupt(block, node)) {
        found.add(node.getDatanodeUuid());
      }
    }
    return found;
  }

  /** Uuids of the expected locations of a block that is not COMPLETE. */
  public static List<String> expected(BlockInfo block) {
    List<String> found = new ArrayList<>();
    BlockUnderConstructionFeature feature = block.getUnderConstructionFeature();
    if (feature != null) {
      for (DatanodeStorageInfo one : feature.getExpectedStorageLocations()) {
        found.add(one.getDatanodeDescriptor().getDatanodeUuid());
      }
    }
    return found;
  }

  public static long recoveryId(BlockInfo block) {
    BlockUnderConstructionFeature feature =
        block == null ? null : block.getUnderConstructionFeature();
    return feature == null ? 0 : feature.getBlockRecoveryId();
  }
}
