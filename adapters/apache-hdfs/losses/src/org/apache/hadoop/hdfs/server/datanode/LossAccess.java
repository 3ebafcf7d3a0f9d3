package org.apache.hadoop.hdfs.server.datanode;

/** What only this package of Hadoop's may call. */
public final class LossAccess {
  /** Breaks each connection of a datanode, as a network that fails. */
  public static void closeAllPeers(DataNode datanode) {
    datanode.getXferServer().closeAllPeers();
  }

  /** Connections that a datanode serves. */
  public static int transfers(DataNode datanode) {
    return datanode.getXferServer().getNumPeersXceiver();
  }

  /** State, stamp and lengths of a replica. */
  public static String replica(DataNode datanode, String pool, long block) {
    ReplicaInfo replica = (ReplicaInfo) datanode.getFSDataset().getReplica(pool, block);
    if (replica == null) {
      return "none";
    }
    return replica.getState()
        + " "
        + replica.getNumBytes()
        + " received, "
        + replica.getBytesOnDisk()
        + " on disk";
  }

  /** The stamp of a replica that is there. */
  public static long stamp(DataNode datanode, String pool, long block) {
    return datanode.getFSDataset().getReplica(pool, block).getGenerationStamp();
  }

  /** Whether the caller's thread leads a recovery. */
  public static boolean recovers() {
    return java.util.Arrays.stream(Thread.currentThread().getStackTrace())
        .anyMatch(frame -> frame.getClassName().startsWith(BlockRecoveryWorker.class.getName()));
  }

  /** The file of a replica's bytes. */
  public static java.io.File bytes(DataNode datanode, String pool, long block) {
    return new java.io.File(
        ((ReplicaInfo) datanode.getFSDataset().getReplica(pool, block)).getBlockURI());
  }

  private LossAccess() {}
}
