package genstamp.adapter.pipeline;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;

/**
 * A connection to a datanode from whoever is before it in the chain. Request, packets and answers
 * are held until a step lets one through; that a side has ended is not passed on by itself.
 */
final class Passage {
  private static final int WAIT_MS = 8_000;

  private final Socket up;
  private final DataOutputStream toUp;
  private final Message request;
  private final Deque<Message> packets = new ArrayDeque<>();
  private final Deque<Message> answers = new ArrayDeque<>();
  private Socket down;
  private DataOutputStream toDown;
  private boolean downEnded;

  Passage(Socket up, Message request) throws IOException {
    this.up = up;
    this.request = request;
    toUp = new DataOutputStream(up.getOutputStream());
  }

  /** The request goes through to the datanode. */
  void connect(InetSocketAddress datanode) throws IOException {
    down = new Socket();
    down.setTcpNoDelay(true);
    down.connect(datanode, WAIT_MS);
    toDown = new DataOutputStream(down.getOutputStream());
    DataInputStream in = new DataInputStream(new BufferedInputStream(down.getInputStream()));
    start("answers", () -> readAnswers(in));
    request.write(toDown);
  }

  boolean isConnected() {
    return down != null;
  }

  /** Reads the packets that come from above, until that end is closed. */
  void readPackets(DataInputStream in) {
    try {
      while (true) {
        Message packet = Message.packet(in);
        synchronized (this) {
          packets.add(packet);
          notifyAll();
        }
      }
    } catch (IOException ended) {
      // Who is below learns of it by a step.
    }
  }

  private void readAnswers(DataInputStream in) {
    try {
      while (true) {
        Message answer = Message.delimited(in);
        synchronized (this) {
          answers.add(answer);
          notifyAll();
        }
      }
    } catch (IOException ended) {
      synchronized (this) {
        downEnded = true;
        notifyAll();
      }
    }
  }

  /** The oldest packet that is held goes through to the datanode. */
  void passPacket() throws IOException {
    Message packet;
    synchronized (this) {
      packet = packets.remove();
    }
    packet.write(toDown);
  }

  /** The oldest answer that is held goes through to whoever is before the datanode. */
  void passAnswer() throws IOException {
    Message answer;
    synchronized (this) {
      answer = answers.remove();
    }
    answer.write(toUp);
  }

  synchronized Message answer() {
    return answers.peek();
  }

  /** The last answer that has come. */
  synchronized Message lastAnswer() {
    return answers.peekLast();
  }

  synchronized int answers() {
    return answers.size();
  }

  synchronized boolean hasPacket() {
    return !packets.isEmpty();
  }

  /** The datanode has closed the connection. */
  synchronized boolean hasEnded() {
    return downEnded;
  }

  /** Whoever is before the datanode finds the connection closed. */
  void cutUp() {
    close(up);
  }

  /** The datanode finds the connection closed. */
  void endDown() {
    try {
      if (down != null && !down.isClosed()) {
        down.shutdownOutput();
      }
    } catch (IOException closed) {
      // It is closed all the same.
    }
  }

  /** Waits until the datanode has closed its end. */
  void awaitEnd() throws InterruptedException {
    if (down != null) {
      if (!await(() -> downEnded)) {
        throw new IllegalStateException("a datanode does not close its connection");
      }
      close(down);
    }
  }

  /** Waits until something of this passage holds; gives whether it does. */
  synchronized boolean await(BooleanSupplier holds) throws InterruptedException {
    long until = System.nanoTime() + WAIT_MS * 1_000_000L;
    while (!holds.getAsBoolean()) {
      long left = (until - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        return false;
      }
      // What is waited for may come about elsewhere.
      wait(Math.min(left, 5));
    }
    return true;
  }

  static void start(String name, Runnable work) {
    Thread thread = new Thread(work, "gateway " + name);
    thread.setDaemon(true);
    thread.start();
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException closed) {
      // It is closed all the same.
    }
  }
}
