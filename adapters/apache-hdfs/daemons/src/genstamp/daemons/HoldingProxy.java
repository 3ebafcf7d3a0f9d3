package genstamp.daemons;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.protocol.datatransfer.Op;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto;

/**
 * Stands before a datanode, which is registered under its name, and lets everything through, but
 * for one request to write as the last node of a pipeline: it is held, and delivered when its
 * sender has long given it up.
 */
final class HoldingProxy {
  private static volatile boolean holds;
  private static final CountDownLatch HELD = new CountDownLatch(1);
  private static byte[] request;
  private static Socket sender;
  private static int target;

  private HoldingProxy() {}

  /**
   * Listens on 127.0.0.(2 + node), at the ports for data and for RPC that the datanode has on
   * 127.0.0.1.
   */
  static void before(int node) throws IOException {
    int port = Driver.BASE + 10 * (node + 1);
    listen(node, port);
    listen(node, port + 2); // Primaries call each other there.
  }

  private static void listen(int node, int port) throws IOException {
    ServerSocket server =
        new ServerSocket(port, 50, InetAddress.getByName("127.0.0." + (2 + node)));
    start(
        () -> {
          while (true) {
            Socket from = server.accept();
            start(() -> serve(from, port));
          }
        });
  }

  /** From now on the next such request is held. */
  static void hold() {
    holds = true;
  }

  static void awaitHeld() throws Exception {
    if (!HELD.await(60, TimeUnit.SECONDS)) {
      throw new IOException("no request to write came within 60 s");
    }
  }

  /** Ends the connection of the one who sent the request: to him the datanode has failed. */
  static void fail() throws IOException {
    sender.close();
  }

  /** Delivers the request; gives what the datanode answers first, and keeps the connection. */
  static int deliver() throws IOException {
    Socket to = new Socket("127.0.0.1", target);
    to.getOutputStream().write(request);
    to.getOutputStream().flush();
    return to.getInputStream().read();
  }

  private static void serve(Socket from, int port) throws IOException {
    InputStream in = from.getInputStream();
    byte[] beginning = new byte[0];
    do {
      byte[] more = new byte[1 << 16];
      int got = in.read(more);
      if (got < 0) {
        from.close();
        return;
      }
      int size = beginning.length;
      beginning = Arrays.copyOf(beginning, size + got);
      System.arraycopy(more, 0, beginning, size, got);
    } while (isUnfinished(beginning));
    if (holds && isLastOfPipeline(beginning)) {
      holds = false;
      request = beginning;
      sender = from;
      target = port;
      HELD.countDown();
      return;
    }
    Socket to = new Socket("127.0.0.1", port);
    to.getOutputStream().write(beginning);
    start(() -> copy(to, from));
    copy(from, to);
  }

  /** The beginning of a request to write, which may come in pieces. */
  private static boolean isUnfinished(byte[] beginning) {
    try {
      isLastOfPipeline(beginning);
      return false;
    } catch (IOException cutOff) {
      return true;
    }
  }

  private static boolean isLastOfPipeline(byte[] beginning) throws IOException {
    if (beginning.length < 3 || beginning[2] != Op.WRITE_BLOCK.code) {
      return false;
    }
    DataInputStream in =
        new DataInputStream(new ByteArrayInputStream(beginning, 3, beginning.length - 3));
    OpWriteBlockProto asked = OpWriteBlockProto.parseDelimitedFrom(in);
    return asked != null && asked.getTargetsCount() == 0;
  }

  private static void copy(Socket from, Socket to) throws IOException {
    byte[] buffer = new byte[1 << 16];
    try (InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      for (int got = in.read(buffer); got > 0; got = in.read(buffer)) {
        out.write(buffer, 0, got);
        out.flush();
      }
    }
  }

  interface Work {
    void run() throws IOException;
  }

  private static void start(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException closed) {
                // A peer has gone, as peers of a killed daemon do.
              }
            });
    thread.setDaemon(true);
    thread.start();
  }
}
