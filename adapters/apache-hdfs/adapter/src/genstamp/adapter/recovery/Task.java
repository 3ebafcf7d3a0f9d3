package genstamp.adapter.recovery;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hdfs.server.protocol.BlockRecoveryCommand.RecoveringBlock;

/**
 * What a primary has heard: answers of initReplicaRecovery and of updateReplicaUnderRecovery, by
 * datanode.
 */
final class Task {
  final RecoveringBlock command;
  final Map<Integer, Object> answers = new LinkedHashMap<>();
  final Map<Integer, Object> updates = new LinkedHashMap<>();
  boolean preempted;
  boolean agreed;
  boolean delete;
  long length;
  final List<Integer> participants = new ArrayList<>();

  Task(RecoveringBlock command) {
    this.command = command;
  }
}
