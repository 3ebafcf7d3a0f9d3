package genstamp.adapter.pipeline;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.function.Supplier;
import org.apache.hadoop.hdfs.protocol.datatransfer.Op;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto.BlockConstructionStage;
import org.apache.hadoop.hdfs.protocolPB.PBHelperClient;

/**
 * The address under which one datanode is named to whoever writes to it. Writers are held; copies
 * between datanodes go through.
 */
final class Gateway {
  private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
  private final Supplier<InetSocketAddress> datanode;
  private Passage held;

  /** The supplier gives null while the datanode is down. */
  Gateway(Supplier<InetSocketAddress> datanode) throws IOException {
    this.datanode = datanode;
    Passage.start("server", this::accept);
  }

  InetSocketAddress address() {
    return (InetSocketAddress) server.getLocalSocketAddress();
  }

  /** The request that has come, or is being served; null if there is none. */
  synchronized Passage held() {
    return held;
  }

  synchronized void forget() {
    held = null;
  }

  private synchronized void hold(Passage passage) {
    held = passage;
  }

  private void accept() {
    while (true) {
      try {
        Socket up = server.accept();
        up.setTcpNoDelay(true);
        Passage.start("packets", () -> serve(up));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket up) {
    try {
      DataInputStream in = new DataInputStream(new BufferedInputStream(up.getInputStream()));
      Message request = Message.request(in);
      if (isWriter(request)) {
        Passage passage = new Passage(up, request);
        hold(passage);
        passage.readPackets(in);
      } else {
        passThrough(up, in, request);
      }
    } catch (IOException ended) {
      close(up);
    }
  }

  private static boolean isWriter(Message request) throws IOException {
    if (request.bytes()[2] != Op.WRITE_BLOCK.code) {
      return false;
    }
    BlockConstructionStage stage =
        OpWriteBlockProto.parseFrom(PBHelperClient.vintPrefixed(request.arguments())).getStage();
    return stage != BlockConstructionStage.TRANSFER_RBW
        && stage != BlockConstructionStage.TRANSFER_FINALIZED;
  }

  private void passThrough(Socket up, DataInputStream in, Message request) throws IOException {
    InetSocketAddress target = datanode.get();
    if (target == null) {
      throw new IOException("the datanode is down");
    }
    Socket down = new Socket();
    down.connect(target);
    down.getOutputStream().write(request.bytes());
    Passage.start("answers of a copy", () -> copy(down, up));
    copy(in, down.getOutputStream(), down);
  }

  private static void copy(Socket from, Socket to) {
    try {
      copy(from.getInputStream(), to.getOutputStream(), to);
    } catch (IOException ended) {
      close(to);
    }
  }

  private static void copy(InputStream in, OutputStream out, Closeable ends) {
    byte[] some = new byte[8192];
    try {
      for (int count; (count = in.read(some)) > 0; ) {
        out.write(some, 0, count);
        out.flush();
      }
    } catch (IOException ended) {
      // The other end is closed, too.
    }
    close(ends);
  }

  private static void close(Closeable one) {
    try {
      one.close();
    } catch (IOException closed) {
      // It is closed all the same.
    }
  }
}
