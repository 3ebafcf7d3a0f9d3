package genstamp.losses;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.net.Socket;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.BlockConstructionStage;
import org.apache.hadoop.hdfs.protocol.datatransfer.Sender;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocolPB.PBHelperClient;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenSecretManager;
import org.apache.hadoop.hdfs.server.datanode.CachingStrategy;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.LossAccess;
import org.apache.hadoop.hdfs.server.protocol.BlockRecoveryCommand.RecoveringBlock;
import org.apache.hadoop.util.DataChecksum;

/** Requests to the one datanode that has the replica of a closed file. */
final class Replicas {
  private static final int BYTES = 1000;

  /** The calls are those of a primary; no primary of Hadoop is known to ask for such a length (facts B.4). */
  static void lengthIsCheckedBeforeTheStamp(File directory, Seen seen) throws Exception {
    try (Cluster cluster = Cluster.of(directory, 1)) {
      ExtendedBlock block = closed(cluster);
      DataNode datanode = cluster.mini.getDataNodes().get(0);
      long recoveryId = block.getGenerationStamp() + 1;
      seen.note("stamp before", stamp(datanode, block));
      seen.note("recovery id", recoveryId);
      datanode.initReplicaRecovery(recovering(block, recoveryId));
      seen.noteAnswer(
          "update to one byte more than there are",
          () ->
              datanode.updateReplicaUnderRecovery(
                  block, recoveryId, block.getBlockId(), BYTES + 1));
      seen.note("stamp after the refusal", stamp(datanode, block));
      cluster.mini.triggerBlockReports();
      seen.note("corrupt after a full report", isCorrupt(cluster));
    }
  }

  /** Recovery and copy are asked for at the datanode, with stamps in the order of the model (facts B.5). */
  static void transferSparesAYoungerRecovery(File directory, Seen seen) throws Exception {
    try (Cluster cluster = Cluster.of(directory, 1)) {
      ExtendedBlock block = closed(cluster);
      DataNode datanode = cluster.mini.getDataNodes().get(0);
      long recoveryId = block.getGenerationStamp() + 2;
      datanode.initReplicaRecovery(recovering(block, recoveryId));
      seen.note("replica under recovery", replica(datanode, block));
      ExtendedBlock copy = new ExtendedBlock(block);
      copy.setGenerationStamp(recoveryId - 1);
      Cluster.asAWriter(
          () -> {
            datanode.getFSDataset().createTemporary(StorageType.DISK, null, copy, true).close();
            return null;
          });
      seen.note("replica after the copy's set-up", replica(datanode, block));
      seen.noteAnswer(
          "update by the recovery",
          () -> datanode.updateReplicaUnderRecovery(block, recoveryId, block.getBlockId(), BYTES));
      seen.noteAnswer("a reader", () -> cluster.bytesRead("/f"));
    }
  }

  /** One request over the data transfer protocol, under a stamp that is not that of the block (HDFS-17299). */
  static void createReplacesOnlyItsOwn(File directory, Seen seen) throws Exception {
    try (Cluster cluster = Cluster.of(directory, 1)) {
      ExtendedBlock block = closed(cluster);
      DataNode datanode = cluster.mini.getDataNodes().get(0);
      seen.note("replica before", replica(datanode, block));
      seen.note("set-up under another stamp", setUp(datanode, block, block.getGenerationStamp() + 1));
      seen.note("replica after", replica(datanode, block));
      seen.noteAnswer("a reader", () -> cluster.bytesRead("/f"));
    }
  }

  /** Status of the answer to a set-up of a new pipeline that consists of that datanode. */
  private static String setUp(DataNode datanode, ExtendedBlock block, long stamp)
      throws IOException {
    try (Socket socket = new Socket("127.0.0.1", datanode.getXferPort())) {
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      new Sender(out)
          .writeBlock(
              block,
              StorageType.DISK,
              BlockTokenSecretManager.DUMMY_TOKEN,
              "client",
              DatanodeInfo.EMPTY_ARRAY,
              new StorageType[0],
              null,
              BlockConstructionStage.PIPELINE_SETUP_CREATE,
              1,
              0,
              0,
              stamp,
              DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 512),
              CachingStrategy.newDefaultStrategy(),
              false,
              false,
              new boolean[0],
              null,
              new String[0]);
      out.flush();
      DataInputStream in = new DataInputStream(socket.getInputStream());
      return BlockOpResponseProto.parseFrom(PBHelperClient.vintPrefixed(in)).getStatus().name();
    } catch (IOException closed) {
      return closed.getClass().getSimpleName();
    }
  }

  private static ExtendedBlock closed(Cluster cluster) throws Exception {
    cluster.write("/f", BYTES);
    return new ExtendedBlock(cluster.namesystem().getBlockPoolId(), cluster.lastBlock("/f"));
  }

  private static RecoveringBlock recovering(ExtendedBlock block, long recoveryId) {
    return new RecoveringBlock(block, DatanodeInfo.EMPTY_ARRAY, recoveryId);
  }

  private static long stamp(DataNode datanode, ExtendedBlock block) {
    return LossAccess.stamp(datanode, block.getBlockPoolId(), block.getBlockId());
  }

  private static String replica(DataNode datanode, ExtendedBlock block) {
    return LossAccess.replica(datanode, block.getBlockPoolId(), block.getBlockId());
  }

  private static boolean isCorrupt(Cluster cluster) throws Exception {
    return cluster.nameNode().getBlockLocations("/f", 0, BYTES).get(0).isCorrupt();
  }

  private Replicas() {}
}
