package genstamp.adapter.recovery;

import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;

/** A call of commitBlockSynchronization by a primary about the block of a file. */
record Report(
    String primary,
    String file,
    ExtendedBlock block,
    long stamp,
    long length,
    boolean close,
    boolean delete,
    DatanodeID[] targets,
    String[] storages) {}
