package genstamp.adapter.lease;

import org.apache.hadoop.hdfs.protocol.ExtendedBlock;

/** A client's stream on one file, as far as the NameNode's answers go. */
final class Stream {
  final long inode;
  String stage = "open"; // open, streaming, closing
  ExtendedBlock block;
  boolean unanswered;

  Stream(long inode) {
    this.inode = inode;
  }
}
