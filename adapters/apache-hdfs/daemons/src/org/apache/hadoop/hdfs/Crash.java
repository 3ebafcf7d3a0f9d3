package org.apache.hadoop.hdfs;

import org.apache.hadoop.fs.FSDataOutputStream;

/**
 * A client that ends without a word: no close, no renewal. In this package, as the streamer is
 * private to it.
 */
public final class Crash {
  private Crash() {}

  /** Ends the writer of a stream and the renewal of its client's lease. */
  public static void crash(DistributedFileSystem files, FSDataOutputStream out) throws Exception {
    DFSOutputStream stream = (DFSOutputStream) out.getWrappedStream();
    files.getClient().getLeaseRenewer().interruptAndJoin();
    stream.getStreamer().close(true);
    stream.closeThreads(true);
  }
}
