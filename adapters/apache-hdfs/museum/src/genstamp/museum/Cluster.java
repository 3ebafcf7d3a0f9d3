package genstamp.museum;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.EnumSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.crypto.CryptoProtocolVersion;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.NameNodeProxies;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.hdfs.server.namenode.INodeFile;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * A NameNode and its datanodes of any release since 2.7.1, and a client's calls. What differs
 * between the releases is called by name, with null for arguments that came later.
 */
final class Cluster implements AutoCloseable {
  static final long BLOCK = 1 << 20;

  final MiniDFSCluster mini;
  final ClientProtocol nameNode;

  /**
   * @param directory for the daemons' files; the old MiniDFSCluster takes it from the configuration
   */
  Cluster(File directory, int datanodes) throws IOException {
    Configuration configuration = new HdfsConfiguration();
    configuration.set("hdfs.minidfs.basedir", directory.getPath());
    configuration.setInt("dfs.heartbeat.interval", 1);
    configuration.setInt("dfs.namenode.safemode.extension", 0);
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
            new org.apache.hadoop.io.EnumSetWritable<>(EnumSet.of(CreateFlag.CREATE)),
            true,
            (short) replication,
            BLOCK,
            CryptoProtocolVersion.supported());
  }

  ExtendedBlock addBlock(String path, String client, ExtendedBlock previous, HdfsFileStatus file)
      throws Exception {
    Object added = called(nameNode, "addBlock", path, client, previous, null, id(file), null);
    return new ExtendedBlock(((LocatedBlock) added).getBlock());
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

  Object lastBlock(String path) throws Exception {
    Object inode = called(mini.getNamesystem().getFSDirectory(), "getINode", path);
    return INodeFile.valueOf((org.apache.hadoop.hdfs.server.namenode.INode) inode, path)
        .getLastBlock();
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

  /** Calls the public method of that name that takes at least these arguments. */
  private static Object called(Object target, String name, Object... given) throws Exception {
    for (Method method : target.getClass().getMethods()) {
      if (method.getName().equals(name) && fits(method.getParameterTypes(), given)) {
        try {
          method.setAccessible(true);
          return method.invoke(target, Arrays.copyOf(given, method.getParameterCount()));
        } catch (InvocationTargetException thrown) {
          throw thrown.getCause() instanceof Exception failure ? failure : thrown;
        }
      }
    }
    throw new NoSuchMethodException(target.getClass() + " has no " + name);
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
