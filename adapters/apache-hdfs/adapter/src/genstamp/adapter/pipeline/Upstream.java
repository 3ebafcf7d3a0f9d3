package genstamp.adapter.pipeline;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Arrays;
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

/** The writer's end of its connection to the first datanode; a packet is one chunk. */
final class Upstream implements Closeable {
  /** What one pipeline is asked for. */
  record Request(
      ExtendedBlock block,
      BlockConstructionStage stage,
      String client,
      DatanodeInfo[] chain,
      String[] storages,
      int minChunks,
      int maxChunks,
      long newStamp) {}

  /** A byte of the model. */
  static final int CHUNK = 512;

  private static final int WAIT_MS = 8_000;

  private final Socket socket = new Socket();
  private final DataOutputStream out;
  private final DataInputStream in;
  private final DataChecksum checksum = 
      DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, CHUNK);

  Upstream(InetSocketAddress first, Request asked) throws IOException {
    socket.setSoTimeout(WAIT_MS);
    socket.setTcpNoDelay(true);
    socket.connect(first, WAIT_MS);
    out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
    in = new DataInputStream(socket.getInputStream());
    StorageType[] types = new StorageType[asked.chain.length];
    Arrays.fill(types, StorageType.DISK);
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
            (long) asked.minChunks * CHUNK,
            (long) asked.maxChunks * CHUNK,
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

  /** How many chunks these bytes are. */
  static int chunks(long bytes) {
    return (int) (bytes / CHUNK);
  }

  BlockOpResponseProto response() throws IOException {
    return BlockOpResponseProto.parseFrom(PBHelperClient.vintPrefixed(in));
  }

  /** Sends the packet of this number, counted from 1. */
  void packet(int number) throws IOException {
    byte[] data = new byte[CHUNK];
    Arrays.fill(data, (byte) number);
    byte[] sums = new byte[4];
    checksum.calculateChunkedSums(data, 0, CHUNK, sums, 0);
    send(header(number, 4 + CHUNK, CHUNK), sums, data);
  }

  /** Sends the empty packet that ends the block. */
  void last(int number) throws IOException {
    send(header(number, 0, 0), new byte[0], new byte[0]);
  }

  private static PacketHeader header(int number, int payload, int length) {
    return new PacketHeader(
        4 + payload, (number - 1L) * CHUNK, number - 1L, length == 0, length, false);
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
