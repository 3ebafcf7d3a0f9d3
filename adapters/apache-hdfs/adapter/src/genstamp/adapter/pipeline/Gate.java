package genstamp.adapter.pipeline;

import java.io.IOException;
import java.io.InterruptedIOException;

/**
 * Where the responder of one datanode waits until a step lets it go on. A responder that is let go
 * by {@code close} ends without another effect.
 */
final class Gate {
  /** What a responder is about to do. */
  enum Stop {
    NONE,
    FINALIZE,
    /** Take an acknowledgement: the bytes count as acknowledged here then. */
    ACKNOWLEDGE,
    /** Write the acknowledgement upwards. */
    SEND
  }

  private static final long WAIT_MS = 8_000;

  private Stop stop = Stop.NONE;
  private long sequence;
  private long offset;
  private boolean permitted;
  private boolean closed;
  private int received;

  /** Lets the responder that waits go on. */
  synchronized void permit() {
    permitted = true;
    notifyAll();
  }

  /** From now on responders end where they would wait. */
  synchronized void close() {
    closed = true;
    notifyAll();
  }

  /** Opens a gate for the responders of new connections. */
  synchronized void open() {
    closed = false;
    permitted = false;
    received = 0;
    stop = Stop.NONE;
  }

  synchronized Stop stop() {
    return stop;
  }

  /** The number of the packet that is acknowledged; negative for an error or a message. */
  synchronized long sequence() {
    return sequence;
  }

  /** Where the packet ends in the block. */
  synchronized long offset() {
    return offset;
  }

  /** Waits until the responder has come to one of these; gives whether it has. */
  synchronized boolean comesTo(Stop one, Stop other) throws InterruptedException {
    long until = System.nanoTime() + WAIT_MS * 1_000_000;
    while (permitted || stop != one && stop != other) {
      long left = (until - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        return false;
      }
      wait(left);
    }
    return true;
  }

  /** How many packets were received since the gate was opened. */
  synchronized int received() {
    return received;
  }

  synchronized void countReceived() {
    received++;
    notifyAll();
  }

  /** Called by the responder. */
  synchronized void pass(Stop wanted, long ofSequence, long ofOffset) throws IOException {
    stop = wanted;
    if (wanted != Stop.SEND) {
      sequence = ofSequence;
      offset = ofOffset;
    }
    notifyAll();
    try {
      while (!permitted && !closed) {
        wait();
      }
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("the connection has ended");
    } finally {
      stop = Stop.NONE;
      permitted = false;
    }
    if (closed) {
      throw new IOException("the connection has ended");
    }
  }
}
