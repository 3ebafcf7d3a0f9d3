package genstamp.adapter.pipeline;

import genstamp.adapter.Host;
import genstamp.adapter.Run;
import genstamp.adapter.Start;
import genstamp.adapter.recovery.RecoveryCluster;
import java.io.File;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.datanode.PrimaryAccess;

/** A NameNode and datanodes, each behind a gateway for those who write to it. */
public final class PipelineCluster implements Host {
  final RecoveryCluster hdfs;
  final Gateway[] gateways = new Gateway[RecoveryCluster.DATANODES];
  final Gate[] gates = new Gate[RecoveryCluster.DATANODES];
  final String[] storages = new String[RecoveryCluster.DATANODES];
  private int runs;

  public PipelineCluster(File where) throws Exception {
    hdfs = new RecoveryCluster(where);
    Gates.install();
    for (int i = 0; i < size(); i++) {
      int index = i;
      gateways[i] =
          new Gateway(
              () -> hdfs.stopped[index] != null ? null : hdfs.datanode(index).getXferAddress());
      gates[i] = new Gate();
      storages[i] = known(i).getStorageInfos()[0].getStorageID();
      guard(i);
    }
  }

  @Override
  public Run start(Start request) throws Exception {
    return new PipelineRun(this, ++runs, request);
  }

  int size() {
    return RecoveryCluster.DATANODES;
  }

  DatanodeDescriptor known(int index) {
    return hdfs.manager().getDatanode(hdfs.uuids[index]);
  }

  int indexOf(DatanodeID datanode) {
    return java.util.Arrays.asList(hdfs.uuids).indexOf(datanode.getDatanodeUuid());
  }

  /** The datanode under the address of its gateway. */
  DatanodeInfo behindGateway(int index) {
    DatanodeID real = known(index);
    return new DatanodeInfoBuilder()
        .setNodeID(
            new DatanodeID(
                "127.0.0.1",
                "127.0.0.1",
                real.getDatanodeUuid(),
                gateways[index].address().getPort(),
                real.getInfoPort(),
                real.getInfoSecurePort(),
                real.getIpcPort()))
        .build();
  }

  /** The datanode of a gateway's address, or -1. */
  int behind(String address) {
    for (int i = 0; i < size(); i++) {
      if (address.endsWith(":" + gateways[i].address().getPort())) {
        return i;
      }
    }
    return -1;
  }

  void startDatanode(int index) throws Exception {
    hdfs.startDatanode(index);
    guard(index);
  }

  private void guard(int index) {
    Gates.guard(PrimaryAccess.servingThreads(hdfs.datanode(index)), gates[index]);
  }
}
