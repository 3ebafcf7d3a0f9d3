package genstamp.adapter.lease;

import org.apache.hadoop.hdfs.protocol.ExtendedBlock;

/** A call that is under way while others are answered. */
final class Late {
  final String event;
  final String client;
  final long inode;
  final ExtendedBlock block;

  Late(String event, String client, long inode, ExtendedBlock block) {
    this.event = event;
    this.client = client;
    this.inode = inode;
    this.block = block;
  }
}
