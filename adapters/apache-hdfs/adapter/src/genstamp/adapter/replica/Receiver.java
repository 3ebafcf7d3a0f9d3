package genstamp.adapter.replica;

import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.server.datanode.ReplicaHandler;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.ReplicaOutputStreams;

/**
 * A thread of the datanode: makes a request, and receives what follows if it is the replica's
 * writer then. A request that stops the writer interrupts and joins it.
 */
final class Receiver extends Thread implements Closeable {
  private final BlockingQueue<FutureTask<?>> tasks = new LinkedBlockingQueue<>();
  private volatile boolean done;
  ReplicaHandler handler;
  ReplicaOutputStreams streams;

  Receiver() {
    super("receiver");
    setDaemon(true);
    start();
  }

  @Override
  public void run() {
    try {
      while (!done) {
        tasks.take().run();
      }
    } catch (InterruptedException stopped) {
      // It ends, as a BlockReceiver does.
    } finally {
      closeStreams();
    }
  }

  void closeStreams() {
    try {
      if (streams != null) {
        streams.close();
      }
      if (handler != null) {
        handler.close();
      }
    } catch (IOException closed) {
      // It is closed all the same.
    }
    streams = null;
    handler = null;
  }

  <T> T on(Callable<T> what) throws Exception {
    FutureTask<T> task = new FutureTask<>(what);
    tasks.add(task);
    try {
      return task.get(20, TimeUnit.SECONDS);
    } catch (ExecutionException wrong) {
      if (wrong.getCause() instanceof Exception) {
        throw (Exception) wrong.getCause();
      }
      throw wrong;
    }
  }

  @Override
  public void close() {
    done = true;
    tasks.add(new FutureTask<>(() -> null));
    try {
      join(5_000);
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }
}
