package genstamp.adapter.recovery;

import java.io.IOException;
import org.apache.hadoop.hdfs.server.datanode.DataNode;

/** A call to a datanode, by its index, whose primary waits for the answer no longer. */
record LateCall(String event, int datanode, Made made) {

  /** Carries it out; false if there was nothing to do. */
  interface Made {
    boolean by(DataNode datanode) throws IOException;
  }
}
