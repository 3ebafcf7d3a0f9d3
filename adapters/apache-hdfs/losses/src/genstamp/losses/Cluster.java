package genstamp.losses;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.EnumSet;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.crypto.CryptoProtocolVersion;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.SafeModeAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.MiniDFSCluster.DataNodeProperties;
import org.apache.hadoop.hdfs.MiniDFSNNTopology;
import org.apache.hadoop.hdfs.MiniDFSNNTopology.NNConf;
import org.apache.hadoop.hdfs.MiniDFSNNTopology.NSConf;
import org.apache.hadoop.hdfs.NameNodeProxies;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LastBlockWithStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.hdfs.server.datanode.LossAccess;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.INodeFile;
import org.apache.hadoop.hdfs.server.namenode.ha.HATestUtil;
import org.apache.hadoop.io.EnumSetWritable;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.test.GenericTestUtils;

/**
 * A cluster of Apache HDFS in this process, unchanged, and the few ways in which the losses look at
 * it.
 */
final class Cluster implements AutoCloseable {
  static final long BLOCK = 1 << 20;
  private static final int PERIOD_MS = 50;

  final MiniDFSCluster mini;
  private final DistributedFileSystem overBoth;

  private Cluster(MiniDFSCluster mini, DistributedFileSystem overBoth) {
    this.mini = mini;
    this.overBoth = overBoth;
  }

  /** One NameNode; settings are names and values in turn. */
  static Cluster of(File directory, int datanodes, String... settings) throws IOException {
    MiniDFSCluster mini =
        new MiniDFSCluster.Builder(configuration(settings), directory)
            .numDataNodes(datanodes)
            .build();
    mini.waitActive();
    return new Cluster(mini, null);
  }

  /** Two NameNodes, the first of which is active. */
  static Cluster highlyAvailable(File directory, int datanodes, String... settings)
      throws Exception {
    Configuration configuration = configuration(settings);
    MiniDFSCluster mini =
        new MiniDFSCluster.Builder(configuration, directory)
            .nnTopology(twoNameNodes())
            .numDataNodes(datanodes)
            .build();
    mini.waitActive();
    mini.transitionToActive(0);
    return new Cluster(
        mini, (DistributedFileSystem) HATestUtil.configureFailoverFs(mini, configuration));
  }

  /** Their web addresses are fixed, for a standby gives its image to the other one there. */
  private static MiniDFSNNTopology twoNameNodes() {
    NSConf service = new NSConf("service");
    for (String name : new String[] {"first", "second"}) {
      service.addNN(new NNConf(name).setHttpPort(NetUtils.getFreeSocketPort()));
    }
    return new MiniDFSNNTopology().addNameservice(service);
  }

  private static Configuration configuration(String... settings) {
    Configuration configuration = new HdfsConfiguration();
    configuration.setInt("dfs.heartbeat.interval", 1);
    configuration.setInt("dfs.replication", 1);
    configuration.setLong("dfs.blocksize", BLOCK);
    configuration.setInt("dfs.namenode.safemode.extension", 0);
    configuration.setInt("dfs.namenode.fs-limits.min-block-size", 1024);
    configuration.setInt("dfs.ha.tail-edits.period", 1);
    configuration.setInt("dfs.client.failover.max.attempts", 4);
    configuration.setInt("dfs.client.retry.window.base", 10);
    configuration.setInt("dfs.client.block.write.locateFollowingBlock.retries", 2);
    for (int i = 0; i < settings.length; i += 2) {
      configuration.set(settings[i], settings[i + 1]);
    }
    return configuration;
  }

  @Override
  public void close() {
    mini.shutdown();
  }

  DistributedFileSystem files() throws IOException {
    return overBoth != null ? overBoth : mini.getFileSystem();
  }

  /** A client of its own, with a lease holder of its own. */
  DistributedFileSystem anotherClient() throws IOException {
    return (DistributedFileSystem)
        FileSystem.newInstance(mini.getURI(), new Configuration(mini.getConfiguration(0)));
  }

  /** Over RPC, so that no object is shared with the NameNode, and without retries. */
  ClientProtocol nameNode() throws IOException {
    int active = active();
    return NameNodeProxies.createNonHAProxy(
            mini.getConfiguration(active),
            mini.getNameNode(active).getNameNodeAddress(),
            ClientProtocol.class,
            UserGroupInformation.getCurrentUser(),
            false)
        .getProxy();
  }

  /** A client of its own; something happens before each of its calls of that name, and after it. */
  DFSClient client(String name, Event before, Event after) throws IOException {
    ClientProtocol real = files().getClient().getNamenode();
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          boolean named = method.getName().equals(name);
          if (named) {
            before.happens();
          }
          try {
            return method.invoke(real, arguments);
          } catch (InvocationTargetException failure) {
            throw failure.getCause();
          } finally {
            if (named) {
              after.happens();
            }
          }
        };
    Class<?>[] type = {ClientProtocol.class};
    Object proxy = Proxy.newProxyInstance(Cluster.class.getClassLoader(), type, handler);
    return new DFSClient(
        null, (ClientProtocol) proxy, new Configuration(mini.getConfiguration(0)), null);
  }

  FSNamesystem namesystem() throws IOException {
    return mini.getNamesystem(active());
  }

  private int active() throws IOException {
    for (int i = 0; i < mini.getNumNameNodes(); i++) {
      if (mini.getNameNode(i) != null && mini.getNameNode(i).isActiveState()) {
        return i;
      }
    }
    throw new IOException("no NameNode is active");
  }

  INodeFile file(String path) throws IOException {
    return INodeFile.valueOf(namesystem().getFSDirectory().getINode(path), path);
  }

  BlockInfo lastBlock(String path) throws IOException {
    return file(path).getLastBlock();
  }

  long length(String path) throws IOException {
    return files().getFileStatus(new Path(path)).getLen();
  }

  /** What a reader gets; the exception of one that gets nothing. */
  int bytesRead(String path) throws IOException {
    return DFSTestUtil.readFileBuffer(files(), new Path(path)).length;
  }

  void write(String path, int bytes) throws Exception {
    DFSTestUtil.createFile(
        files(),
        new Path(path),
        4096,
        bytes,
        BLOCK,
        files().getDefaultReplication(new Path(path)),
        1);
  }

  /** Calls create of ClientProtocol as a client of that name; gives the file's id. */
  HdfsFileStatus create(String path, String client, CreateFlag... more) throws IOException {
    EnumSet<CreateFlag> flags = EnumSet.of(CreateFlag.CREATE, more);
    return nameNode()
        .create(
            path,
            FsPermission.getFileDefault(),
            client,
            new EnumSetWritable<>(flags),
            true,
            (short) 1,
            BLOCK,
            CryptoProtocolVersion.supported(),
            null,
            null);
  }

  LastBlockWithStatus append(String path, String client, CreateFlag... more) throws IOException {
    return nameNode()
        .append(path, client, new EnumSetWritable<>(EnumSet.of(CreateFlag.APPEND, more)));
  }

  /** The block under a stamp that the NameNode grants for it. */
  ExtendedBlock newStamp(ExtendedBlock block, String client) throws IOException {
    LocatedBlock granted = nameNode().updateBlockForPipeline(new ExtendedBlock(block), client);
    ExtendedBlock stamped = new ExtendedBlock(granted.getBlock());
    stamped.setNumBytes(block.getNumBytes());
    return stamped;
  }

  static void hsyncWithLength(FSDataOutputStream stream) throws IOException {
    ((HdfsDataOutputStream) stream).hsync(EnumSet.of(HdfsDataOutputStream.SyncFlag.UPDATE_LENGTH));
  }

  /** Without heartbeats no datanode fetches a command: a recovery that starts now waits. */
  void heartbeats(boolean on) {
    for (DataNode datanode : mini.getDataNodes()) {
      DataNodeTestUtils.setHeartbeatsDisabledForTests(datanode, !on);
    }
  }

  void saveNamespace() throws IOException {
    files().setSafeMode(SafeModeAction.ENTER);
    files().saveNamespace();
    files().setSafeMode(SafeModeAction.LEAVE);
  }

  void restartNameNode() throws Exception {
    mini.restartNameNode(0, true);
    mini.triggerHeartbeats();
    mini.triggerBlockReports();
  }

  /** Whether another client's recovery closes the file within so many seconds. */
  boolean closes(String path, int seconds) throws Exception {
    DistributedFileSystem files = files();
    return happens(() -> files.isFileClosed(new Path(path)), seconds);
  }

  DataNode datanode(int transferPort) throws IOException {
    for (DataNode datanode : mini.getDataNodes()) {
      if (datanode.getXferPort() == transferPort) {
        return datanode;
      }
    }
    throw new IOException("no datanode has the port " + transferPort);
  }

  /**
   * A new file of a client that hflushes so many bytes to all datanodes, and dies; its last block.
   */
  ExtendedBlock writtenByADeadClient(String path, int bytes) throws IOException {
    DistributedFileSystem writer = anotherClient();
    FSDataOutputStream stream = writer.create(new Path(path));
    stream.write(new byte[bytes]);
    stream.hflush();
    ExtendedBlock block = DFSTestUtil.getFirstBlock(files(), new Path(path));
    writer.getClient().closeAllFilesBeingWritten(true);
    return block;
  }

  /** Stops a datanode, cuts the file of a replica, as a machine that fails does, and starts it. */
  DataNode losingBytes(DataNode datanode, ExtendedBlock block, int kept) throws Exception {
    File file = LossAccess.bytes(datanode, block.getBlockPoolId(), block.getBlockId());
    DataNodeProperties down = mini.stopDataNode(datanode.getDatanodeId().getXferAddr());
    try (RandomAccessFile bytes = new RandomAccessFile(file, "rw")) {
      bytes.setLength(kept);
    }
    return restarted(down, true);
  }

  /** Starts a datanode that was stopped, and waits until the NameNode has a full report of it. */
  DataNode restarted(DataNodeProperties down, boolean keepsPorts) throws Exception {
    mini.restartDataNode(down, keepsPorts);
    DataNode back = mini.getDataNodes().get(mini.getDataNodes().size() - 1);
    mini.waitDatanodeFullyStarted(back, 30_000);
    DataNodeTestUtils.triggerHeartbeat(back);
    DataNodeTestUtils.triggerBlockReport(back);
    return back;
  }

  static boolean happens(Condition condition, int seconds) throws InterruptedException {
    try {
      GenericTestUtils.waitFor(condition::holdsNow, PERIOD_MS, seconds * 1000);
      return true;
    } catch (TimeoutException never) {
      return false;
    }
  }

  /** As {@link #happens}, where the program cannot go on without it. */
  static void await(String what, Condition condition) throws Exception {
    if (!happens(condition, 30)) {
      throw new IOException("waited 30 s in vain until " + what);
    }
  }

  /**
   * A replica's writer is the thread that asked for it, and is interrupted later: so it is none of
   * ours.
   */
  static void asAWriter(Callable<?> request) throws Exception {
    FutureTask<Object> task = new FutureTask<>(request::call);
    new Thread(task).start();
    task.get();
  }

  /** Something that happens to a cluster. */
  interface Event {
    void happens() throws Exception;
  }

  /** Something that may become true. */
  interface Condition {
    boolean holds() throws Exception;

    default boolean holdsNow() {
      try {
        return holds();
      } catch (Exception failure) {
        throw new IllegalStateException(failure);
      }
    }
  }
}
