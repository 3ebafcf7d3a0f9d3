package genstamp.adapter.recovery;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.BlockConstructionStage;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketHeader;
import org.apache.hadoop.hdfs.protocol.datatransfer.PipelineAck;
import org.apache.hadoop.hdfs.protocol.datatransfer.Sender;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.hdfs.protocolPB.PBHelperClient;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenSecretManager;
import org.apache.hadoop.hdfs.server.datanode.CachingStrategy;
import org.apache.hadoop.util.DataChecksum;

/**
 * A writer's connection to one real DataNode, over which one packet of one byte goes at a time, and
 * is waited for.
 */
final class ByteWriter implements Closeable {
  private final Socket socket = new Socket();
  private final DataOutputStream out;
  private final DataInputStream in;
  private final DataChecksum checksum = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 1);
  private long sequence;
  private long offset;

  ByteWriter(InetSocketAddress datanode, ExtendedBlock block, String client, String storage)
      throws IOException {
    socket.setSoTimeout(8_000);
    socket.setTcpNoDelay(true);
    socket.connect(datanode, 8_000);
    out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
    in = new DataInputStream(socket.getInputStream());
    new Sender(out)
        .writeBlock(
            block,
            StorageType.DISK,
            BlockTokenSecretManager.DUMMY_TOKEN,
            client,
            DatanodeInfo.EMPTY_ARRAY,
            new StorageType[0],
            null,
            BlockConstructionStage.PIPELINE_SETUP_CREATE,
            1,
            0,
            0,
            0,
            checksum,
            CachingStrategy.newDefaultStrategy(),
            false,
            false,
            new boolean[0],
            storage,
            new String[0]);
    out.flush();
    BlockOpResponseProto answer = BlockOpResponseProto.parseFrom(PBHelperClient.vintPrefixed(in));
    if (answer.getStatus() != Status.SUCCESS) {
      throw new IOException("set-up refused: " + answer);
    }
  }

  void packet(byte content) throws IOException {
    byte[] data = {content};
    byte[] sums = new byte[4];
    checksum.calculateChunkedSums(data, 0, 1, sums, 0);
    send(new PacketHeader(4 + 4 + 1, offset, sequence, false, 1, false), sums, data);
    offset++;
  }

  void last() throws IOException {
    send(new PacketHeader(4, offset, sequence, true, 0, false), new byte[0], new byte[0]);
  }

  private void send(PacketHeader header, byte[] sums, byte[] data) throws IOException {
    header.write(out);
    out.write(sums);
    out.write(data);
    out.flush();
    PipelineAck ack = new PipelineAck();
    ack.readFields(in);
    if (ack.getSeqno() != sequence || !ack.isSuccess()) {
      throw new IOException("acknowledged with " + ack);
    }
    sequence++;
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException closed) {
      // It is closed all the same.
    }
  }
}
