package genstamp.adapter.pipeline;

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
import org.apache.hadoop.hdfs.protocolPB.PBHelperClient;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenSecretManager;
import org.apache.hadoop.hdfs.server.datanode.CachingStrategy;
import org.apache.hadoop.util.DataChecksum;

/** The writer's end of its connection to the first datanode; a packet is one byte. */
final class Upstream implements Closeable {
  /** What one pipeline is asked for. */
  record Request(
      ExtendedBlock block,
      BlockConstructionStage stage,
      String client,
      DatanodeInfo[] chain,
      String[] storages,
      long minBytes,
      long maxBytes,
      long newStamp) {}

  private static final int WAIT_MS = 8_000;

  private final Socket socket = new Socket();
  private final DataOutputStream out;
  private final DataInputStream in;
  private final DataChecksum checksum = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 1);

  Upstream(InetSocketAddress first, Request asked) throws IOException {
    socket.setSoTimeout(WAIT_MS);
    socket.setTcpNoDelay(true);
    socket.connect(first, WAIT_MS);
    out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
    in = new DataInputStream(socket.getInputStream());
    StorageType[] types = new StorageType[asked.chain.length];
    java.util.Arrays.fill(types, StorageType.DISK);
    new Sender(out)
        .writeBlock(
            asked.block,
            StorageType.DISK,
            BlockTokenSecretManager.DUMMY_TOKEN,
            asked.client,
            asked.chain,
            types,
            null,
            asked.stage,
            asked.chain.length,
            asked.minBytes,
            asked.maxBytes,
            asked.newStamp,
            checksum,
            CachingStrategy.newDefaultStrategy(),
            false,
            false,
            new boolean[asked.chain.length],
            asked.storages[0],
            asked.storages);
    out.flush();
  }

  BlockOpResponseProto response() throws IOException {
    return BlockOpResponseProto.parseFrom(PBHelperClient.vintPrefixed(in));
  }

  /** Sends the packet of this number, counted from 1. */
  void packet(int number) throws IOException {
    byte[] data = {(byte) number};
    byte[] sums = new byte[4];
    checksum.calculateChunkedSums(data, 0, 1, sums, 0);
    send(new PacketHeader(4 + 4 + 1, number - 1L, number - 1L, false, 1, false), sums, data);
  }

  /** Sends the empty packet that ends the block. */
  void last(int number) throws IOException {
    send(new PacketHeader(4, number - 1L, number - 1L, true, 0, false), new byte[0], new byte[0]);
  }

  private void send(PacketHeader header, byte[] sums, byte[] data) throws IOException {
    header.write(out);
    out.write(sums);
    out.write(data);
    out.flush();
  }

  PipelineAck ack() throws IOException {
    PipelineAck ack = new PipelineAck();
    ack.readFields(in);
    return ack;
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
