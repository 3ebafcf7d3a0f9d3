package genstamp.museum;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.crypto.CryptoProtocolVersion;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.NameNodeProxies;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.hdfs.server.namenode.INode;
import org.apache.hadoop.hdfs.server.namenode.INodeFile;
import org.apache.hadoop.io.EnumSetWritable;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * A NameNode and its datanodes of any release since 2.7.1, and a client's calls. What differs
 * between the releases is called by name, with null for arguments that came later.
 */
final class Cluster implements AutoCloseable {
  static final long BLOCK = 1 << 20;

  final MiniDFSCluster mini;
  final ClientProtocol nameNode;
  private final File directory;

  /**
   * @param directory for the daemons' files; the old MiniDFSCluster takes it from the configuration
   * @param settings names and values, by turns
   */
  Cluster(File directory, int datanodes, String... settings) throws IOException {
    this.directory = directory;
    Configuration configuration = new HdfsConfiguration();
    configuration.set("hdfs.minidfs.basedir", directory.getPath());
    configuration.setInt("dfs.heartbeat.interval", 1);
    configuration.setInt("dfs.namenode.safemode.extension", 0);
    for (int i = 0; i < settings.length; i += 2) {
      configuration.set(settings[i], settings[i + 1]);
    }
    mini = new MiniDFSCluster.Builder(configuration).numDataNodes(datanodes).build();
    mini.waitActive();
    nameNode =
        NameNodeProxies.createNonHAProxy(
                configuration,
                mini.getNameNode().getNameNodeAddress(),
                ClientProtocol.class,
                UserGroupInformation.getCurrentUser(),
                false)
            .getProxy();
  }

  @Override
  public void close() {
    mini.shutdown();
  }

  HdfsFileStatus create(String path, String client, int replication) throws Exception {
    return (HdfsFileStatus)
        called(
            nameNode,
            "create",
            path,
            FsPermission.getFileDefault(),
            client,
            new EnumSetWritable<>(EnumSet.of(CreateFlag.CREATE)),
            true,
            (short) replication,
            BLOCK,
            CryptoProtocolVersion.supported());
  }

  LocatedBlock addLocated(String path, String client, ExtendedBlock previous, HdfsFileStatus file)
      throws Exception {
    return (LocatedBlock)
        called(nameNode, "addBlock", path, client, previous, null, id(file), null);
  }

  ExtendedBlock addBlock(String path, String client, ExtendedBlock previous, HdfsFileStatus file)
      throws Exception {
    return new ExtendedBlock(addLocated(path, client, previous, file).getBlock());
  }

  /** Opens a closed file for a client that writes nothing yet. */
  HdfsFileStatus append(String path, String client) throws Exception {
    EnumSetWritable<CreateFlag> flags = new EnumSetWritable<>(EnumSet.of(CreateFlag.APPEND));
    return nameNode.append(path, client, flags).getFileStatus();
  }

  LocatedBlock lastLocated(String path) throws IOException {
    return nameNode.getBlockLocations(path, 0, Long.MAX_VALUE).getLastLocatedBlock();
  }

  static long id(HdfsFileStatus file) throws Exception {
    return (Long) called(file, "getFileId");
  }

  /** Without heartbeats no datanode fetches a command: a recovery that starts now waits. */
  void stopHeartbeats() throws Exception {
    for (DataNode datanode : mini.getDataNodes()) {
      DataNodeTestUtils.setHeartbeatsDisabledForTests(datanode, true);
    }
  }

  /** All datanodes are being decommissioned from now on; no monitor looks at how far they are. */
  void decommission() throws Exception {
    for (DataNode datanode : mini.getDataNodes()) {
      descriptor(datanode).startDecommission();
    }
  }

  /** What the NameNode knows of a datanode. */
  DatanodeDescriptor descriptor(DataNode datanode) throws Exception {
    return mini.getNamesystem()
        .getBlockManager()
        .getDatanodeManager()
        .getDatanode(datanode.getDatanodeId());
  }

  /** Waits until a file is closed, for 15 seconds at most, and says whether it is. */
  boolean closes(String path) throws Exception {
    long end = System.nanoTime() + 15_000_000_000L;
    while (isOpen(path) && System.nanoTime() < end) {
      Thread.sleep(50);
    }
    return !isOpen(path);
  }

  /** What is below the directories of all datanodes and begins with the name of the block. */
  List<Path> filesOf(ExtendedBlock block) throws IOException {
    try (Stream<Path> all = Files.walk(directory.toPath())) {
      return all.filter(one -> one.getFileName().toString().startsWith(block.getBlockName()))
          .sorted()
          .toList();
    }
  }

  boolean isOpen(String path) throws Exception {
    return file(path).isUnderConstruction();
  }

  private INodeFile file(String path) throws Exception {
    Object inode = called(mini.getNamesystem().getFSDirectory(), "getINode", path);
    return INodeFile.valueOf((INode) inode, path);
  }

  Object lastBlock(String path) throws Exception {
    return file(path).getLastBlock();
  }

  String stateOfLastBlock(String path) throws Exception {
    return called(lastBlock(path), "getBlockUCState").toString();
  }

  /** The id of the recovery that a block waits for. */
  long recoveryId(String path) throws Exception {
    Object block = lastBlock(path);
    try {
      return (Long) called(block, "getBlockRecoveryId");
    } catch (NoSuchMethodException movedLater) {
      Object construction = called(block, "getUnderConstructionFeature");
      return (Long) called(construction, "getBlockRecoveryId");
    }
  }

  /** Reports by hand that the first datanode of a block has recovered it, with one byte. */
  Object reportRecovery(String path, LocatedBlock located) throws Exception {
    DatanodeID[] targets = {located.getLocations()[0]};
    String[] storages = {located.getStorageIDs()[0]};
    mini.getNameNodeRpc()
        .commitBlockSynchronization(
            located.getBlock(), recoveryId(path), 1, true, false, targets, storages);
    return null;
  }

  int leases() throws Exception {
    return (Integer) called(leaseManager(), "countLease");
  }

  /**
   * One pass of the lease monitor, to which all hard limits have passed. The NameNode's lock is
   * held all the time, as by the monitor, so that its own thread has no part in it.
   */
  void passOfTheMonitor() throws Exception {
    mini.getNamesystem().writeLock();
    try {
      called(leaseManager(), "setLeasePeriod", -1L, -1L);
      called(leaseManager(), "checkLeases");
      called(leaseManager(), "setLeasePeriod", Long.MAX_VALUE, Long.MAX_VALUE);
    } finally {
      mini.getNamesystem().writeUnlock();
    }
  }

  private Object leaseManager() throws Exception {
    return called(mini.getNamesystem(), "getLeaseManager");
  }

  /** Calls the method of that name that takes at least these arguments, and the fewest beside. */
  static Object called(Object target, String name, Object... given) throws Exception {
    Method best = null;
    for (Method method : methods(target.getClass())) {
      if (method.getName().equals(name)
          && fits(method.getParameterTypes(), given)
          && (best == null || method.getParameterCount() < best.getParameterCount())) {
        best = method;
      }
    }
    if (best == null) {
      throw new NoSuchMethodException(target.getClass() + " has no " + name);
    }
    try {
      best.setAccessible(true);
      return best.invoke(target, Arrays.copyOf(given, best.getParameterCount()));
    } catch (InvocationTargetException thrown) {
      throw thrown.getCause() instanceof Exception failure ? failure : thrown;
    }
  }

  private static List<Method> methods(Class<?> type) {
    List<Method> all = new ArrayList<>(List.of(type.getMethods()));
    for (Class<?> one = type; one != Object.class; one = one.getSuperclass()) {
      all.addAll(List.of(one.getDeclaredMethods()));
    }
    return all;
  }

  private static boolean fits(Class<?>[] types, Object[] given) {
    if (types.length < given.length) {
      return false;
    }
    for (int i = 0; i < types.length; i++) {
      boolean primitive = types[i].isPrimitive();
      Object argument = i < given.length ? given[i] : null;
      if (argument == null ? primitive : !primitive && !types[i].isInstance(argument)) {
        return false;
      }
    }
    return true;
  }
}
