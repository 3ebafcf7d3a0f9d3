package genstamp.adapter.pipeline;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.apache.hadoop.hdfs.protocol.datatransfer.PipelineAck;

/** Bytes of data transfer as they were read, cut where one message ends and the next begins. */
record Message(byte[] bytes) {
  private static final int LENGTHS = 4 + 2;

  /** A message that its length, of variable size, stands before. */
  static Message delimited(DataInputStream in) throws IOException {
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    delimited(in, read);
    return new Message(read.toByteArray());
  }

  /** A request: version, operation, and its arguments. */
  static Message request(DataInputStream in) throws IOException {
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    for (int i = 0; i < 3; i++) {
      read.write(in.readUnsignedByte());
    }
    delimited(in, read);
    return new Message(read.toByteArray());
  }

  static Message packet(DataInputStream in) throws IOException {
    byte[] start = new byte[LENGTHS];
    in.readFully(start);
    DataInputStream lengths = new DataInputStream(new ByteArrayInputStream(start));
    int payload = lengths.readInt() - 4;
    int header = lengths.readUnsignedShort();
    byte[] all = new byte[LENGTHS + header + payload];
    System.arraycopy(start, 0, all, 0, LENGTHS);
    in.readFully(all, LENGTHS, header + payload);
    return new Message(all);
  }

  private static void delimited(DataInputStream in, ByteArrayOutputStream read) throws IOException {
    int length = 0;
    for (int shift = 0; ; shift += 7) {
      int next = in.readUnsignedByte();
      read.write(next);
      length |= (next & 0x7f) << shift;
      if (next < 0x80) {
        break;
      }
    }
    byte[] body = new byte[length];
    in.readFully(body);
    read.write(body);
  }

  void write(DataOutputStream out) throws IOException {
    out.write(bytes);
    out.flush();
  }

  /** The arguments of a request, after version, operation and length. */
  DataInputStream arguments() {
    return new DataInputStream(new ByteArrayInputStream(bytes, 3, bytes.length - 3));
  }

  PipelineAck asAck() throws IOException {
    PipelineAck ack = new PipelineAck();
    ack.readFields(new ByteArrayInputStream(bytes));
    return ack;
  }
}
