package org.apache.hadoop.hdfs.server.blockmanagement;

/** What of the storages that a real NameNode knows is package-private. */
public final class StorageAccess {
  private StorageAccess() {}

  /** The NameNode does not know the storage of this datanode any more; gives what it knew. */
  public static DatanodeStorageInfo forgetStorage(DatanodeDescriptor node) {
    synchronized (node.storageMap) {
      String only = node.storageMap.keySet().iterator().next();
      return node.storageMap.remove(only);
    }
  }

  public static void knowStorage(DatanodeDescriptor node, DatanodeStorageInfo storage) {
    synchronized (node.storageMap) {
      node.storageMap.put(storage.getStorageID(), storage);
    }
  }
}
