package genstamp.adapter.recovery;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;

/** A client's stream on one file. */
final class Stream {
  final long inode;
  ExtendedBlock block;
  List<Integer> pipeline = new ArrayList<>();
  Map<Integer, String> storages = new HashMap<>();
  Map<Integer, ByteWriter> writers = new HashMap<>();
  Set<Integer> setUp = new HashSet<>();
  Map<Integer, Integer> received = new HashMap<>();
  Set<Integer> finalized = new HashSet<>();
  int acked;
  String stage = "no block";

  Stream(long inode) {
    this.inode = inode;
  }

  int byAll() {
    int least = Integer.MAX_VALUE;
    for (int one : pipeline) {
      least = Math.min(least, received.getOrDefault(one, 0));
    }
    return pipeline.isEmpty() ? 0 : least;
  }

  int sent() {
    int most = 0;
    for (int one : pipeline) {
      most = Math.max(most, received.getOrDefault(one, 0));
    }
    return most;
  }
}
