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

  /** The file of a replica's bytes. */
  public static java.io.File bytes(DataNode datanode, String pool, long block) {
    return new java.io.File(
        ((ReplicaInfo) datanode.getFSDataset().getReplica(pool, block)).getBlockURI());
  }

  private LossAccess() {}
}
