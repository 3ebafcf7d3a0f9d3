package genstamp.adapter.replica;

import genstamp.adapter.Host;
import genstamp.adapter.Ports;
import genstamp.adapter.Run;
import genstamp.adapter.Start;
import java.io.File;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.MiniDFSCluster.DataNodeProperties;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.PrimaryAccess;
import org.apache.hadoop.hdfs.server.datanode.ReplicaAccess;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.apache.hadoop.test.GenericTestUtils;

/**
 * A datanode of Apache HDFS in this process that does not talk to its NameNode: each request is a
 * call of FsDatasetSpi.
 */
public final class ReplicaCluster implements Host {
  private final MiniDFSCluster mini;
  final String pool;
  private DataNodeProperties down;
  private int runs;

  public ReplicaCluster(File where) throws Exception {
    Configuration conf = new HdfsConfiguration();
    conf.setLong("dfs.blockreport.initialDelay", 100_000_000L);
    conf.setInt("dfs.datanode.scan.period.hours", -1);
    conf.setInt("dfs.datanode.directoryscan.interval", -1);
    conf.set("dfs.namenode.http-address", "127.0.0.1:0");
    conf.setLong("dfs.datanode.xceiver.stop.timeout.millis", 5_000);
    conf.setInt("dfs.namenode.heartbeat.recheck-interval", Integer.MAX_VALUE);
    mini =
        new MiniDFSCluster.Builder(conf, where)
            .numDataNodes(1)
            .storagesPerDatanode(1)
            .dataNodeConfOverlays(Ports.ofDatanodes(1))
            .checkDataNodeAddrConfig(true)
            .build();
    mini.waitActive();
    PrimaryAccess.quiet(datanode());
    pool = mini.getNamesystem().getBlockPoolId();
  }

  @Override
  public Run start(Start request) throws Exception {
    if (isDown()) {
      comeBack();
    }
    return new ReplicaRun(this, ++runs, request);
  }

  private DataNode datanode() {
    return mini.getDataNodes().get(0);
  }

  FsDatasetSpi<?> replicas() {
    return datanode().getFSDataset();
  }

  boolean isDown() {
    return down != null;
  }

  /** Its volume has no room any more. */
  void fill() {
    setCapacity(1);
  }

  void empty() {
    setCapacity(-1);
  }

  private void setCapacity(long bytes) {
    try (FsDatasetSpi.FsVolumeReferences volumes = replicas().getFsVolumeReferences()) {
      ((FsVolumeImpl) volumes.get(0)).setCapacityForTesting(bytes);
    } catch (IOException closed) {
      throw new IllegalStateException(closed);
    }
  }

  /** The datanode prepares to send the replica on; the block gets the stamp and length to send. */
  void transfer(ExtendedBlock block) throws IOException {
    ReplicaAccess.transferToNobody(datanode(), block);
  }

  void stop() throws Exception {
    down = mini.stopDataNode(0);
  }

  void comeBack() throws Exception {
    DataNodeProperties old = down;
    down = null;
    mini.restartDataNode(old, true);
    GenericTestUtils.waitFor(() -> PrimaryAccess.isRegistered(datanode(), pool), 5, 20_000);
    PrimaryAccess.quiet(datanode());
  }
}
