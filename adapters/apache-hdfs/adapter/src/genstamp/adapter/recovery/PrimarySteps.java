package genstamp.adapter.recovery;

import com.fasterxml.jackson.databind.node.ObjectNode;
import genstamp.adapter.NotPossible;
import genstamp.adapter.Refusals;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.RecoveryInProgressException;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockAccess;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.PrimaryAccess;
import org.apache.hadoop.hdfs.server.datanode.ReplicaAccess;
import org.apache.hadoop.hdfs.server.namenode.INodeFile;
import org.apache.hadoop.hdfs.server.namenode.NameNodeAccess;
import org.apache.hadoop.hdfs.server.protocol.BlockRecoveryCommand;
import org.apache.hadoop.hdfs.server.protocol.BlockRecoveryCommand.RecoveringBlock;
import org.apache.hadoop.hdfs.server.protocol.DatanodeCommand;
import org.apache.hadoop.hdfs.server.protocol.HeartbeatResponse;
import org.apache.hadoop.hdfs.server.protocol.InterDatanodeProtocol;
import org.apache.hadoop.hdfs.server.protocol.ReplicaRecoveryInfo;
import org.apache.hadoop.ipc.RemoteException;

/**
 * What a primary does: the calls to other datanodes one at a time, its decisions by Hadoop's own
 * task.
 */
final class PrimarySteps {
  private final RecoveryRun run;
  private final RecoveryCluster cluster;

  PrimarySteps(RecoveryRun run) {
    this.run = run;
    cluster = run.cluster;
  }

  void receiveCommand(String file, String datanode, Map<String, String> a) throws Exception {
    RecoveringBlock command = command(file, datanode);
    run.tasks.get(run.index(datanode)).put(run.block(file), new Task(command));
    run.event(datanode, "block", run.blockEntity(file), "receive_recovery_command", a)
        .put("generation_stamp", command.getBlock().getGenerationStamp())
        .put("recovery_id", command.getNewGenerationStamp());
  }

  /** The recovery of a file's block that a heartbeat brings; other recoveries go on waiting. */
  RecoveringBlock command(String file, String datanode) throws Exception {
    long id = run.block(file);
    DataNode dn = run.up(datanode);
    DatanodeDescriptor known = cluster.manager().getDatanode(cluster.uuids[run.index(datanode)]);
    List<BlockInfo> queued = BlockAccess.queued(known);
    BlockInfo wanted = null;
    for (BlockInfo one : queued) {
      if (one.getBlockId() == id) {
        wanted = one;
      }
    }
    NotPossible.needs(wanted != null, "no recovery of " + file + " is queued for " + datanode);
    run.contact.isHeardByHeartbeat(datanode);
    BlockAccess.queue(known, List.of(wanted));
    queued.remove(wanted);
    RecoveringBlock command = null;
    try {
      HeartbeatResponse answer = cluster.heartbeat(dn);
      for (DatanodeCommand one : answer.getCommands()) {
        if (one instanceof BlockRecoveryCommand) {
          command = ((BlockRecoveryCommand) one).getRecoveringBlocks().iterator().next();
        }
      }
    } catch (IOException outOfDate) {
      throw new NotPossible("the recovery is out of date: " + outOfDate);
    } finally {
      queued.addAll(BlockAccess.queued(known));
      BlockAccess.queue(known, queued);
    }
    NotPossible.needs(command != null, "the heartbeat brought no recovery");
    return command;
  }

  void init(String primary, String file, String datanode, Map<String, String> a) {
    Task task = asking(primary, file, datanode);
    int index = run.index(datanode);
    run.up(datanode);
    try {
      ReplicaRecoveryInfo info =
          asks(primary, datanode, other -> other.initReplicaRecovery(task.command));
      task.answers.put(index, info == null ? "null" : info);
      ObjectNode told =
          run.event(
                  datanode,
                  "replica",
                  run.blockEntity(file) + "@" + datanode,
                  "init_replica_recovery",
                  a)
              .put("recovery_id", task.command.getNewGenerationStamp());
      if (info == null) {
        told.putObject("observed").put("replica_state", "none");
      } else {
        told.put("generation_stamp", info.getGenerationStamp())
            .put("num_bytes", info.getNumBytes());
        told.putObject("observed").put("replica_state", info.getOriginalReplicaState().name());
      }
    } catch (IOException refused) {
      IOException refusal = unwrapped(refused);
      task.answers.put(index, refusal);
      task.preempted |= refusal instanceof RecoveryInProgressException;
      run.event(
              datanode,
              "replica",
              run.blockEntity(file) + "@" + datanode,
              "init_replica_recovery",
              a)
          .put("recovery_id", task.command.getNewGenerationStamp())
          .put("refused_with", Refusals.name(refusal));
    }
  }

  void initFailed(String primary, String file, String datanode, Map<String, String> a) {
    Task task = asking(primary, file, datanode);
    int index = run.index(datanode);
    NotPossible.needs(cluster.stopped[index] != null, datanode + " is up and would answer");
    task.answers.put(index, new IOException("no answer"));
    run.event(
            primary,
            "replica",
            run.blockEntity(file) + "@" + datanode,
            "init_replica_recovery_failed",
            a)
        .put("recovery_id", task.command.getNewGenerationStamp());
  }

  void sync(String primary, String file, Map<String, String> a) {
    Task task = task(primary, file);
    NotPossible.needs(toAsk(task).isEmpty(), "not all were asked");
    NotPossible.needs(!task.agreed, "agreed already");
    boolean goesOn;
    try {
      goesOn =
          replay(
              task,
              primary,
              file,
              true,
              (block, stamp, length, close, delete, targets, storages) -> {
                task.delete = delete;
                task.length = length;
              });
    } catch (IOException problem) {
      task.participants.clear();
      throw new NotPossible("the task fails: " + problem.getMessage());
    }
    NotPossible.needs(goesOn, "the task was preempted");
    task.agreed = true;
    List<String> names = new ArrayList<>();
    task.participants.forEach(one -> names.add(run.datanodes.get(one)));
    Collections.sort(names);
    ObjectNode told =
        run.event(primary, "block", run.blockEntity(file), "sync_block", a)
            .put("recovery_id", task.command.getNewGenerationStamp())
            .put("num_bytes", task.length);
    told.putObject("observed")
        .put("participants", String.join(",", names))
        .put("delete", String.valueOf(task.delete));
  }

  void update(String primary, String file, String datanode, Map<String, String> a) {
    Task task = updating(primary, file, datanode);
    int index = run.index(datanode);
    run.up(datanode);
    long recovery = task.command.getNewGenerationStamp();
    ReplicaRecoveryInfo found = (ReplicaRecoveryInfo) task.answers.get(index);
    ObjectNode told;
    try {
      String storage =
          asks(
              primary,
              datanode,
              other ->
                  other.updateReplicaUnderRecovery(
                      new ExtendedBlock(cluster.pool, found),
                      recovery,
                      run.block(file),
                      task.length));
      task.updates.put(index, storage);
      told =
          run.event(
              datanode,
              "replica",
              run.blockEntity(file) + "@" + datanode,
              "update_replica_under_recovery",
              a);
      ReplicaAccess now = run.replica(file, index);
      told.put("generation_stamp", now.stamp)
          .put("recovery_id", recovery)
          .put("num_bytes", now.bytes);
    } catch (IOException refusal) {
      task.updates.put(index, refusal);
      told =
          run.event(
                  datanode,
                  "replica",
                  run.blockEntity(file) + "@" + datanode,
                  "update_replica_under_recovery",
                  a)
              .put("refused_with", Refusals.name(refusal))
              .put("recovery_id", recovery)
              .put("num_bytes", task.length);
    }
  }

  void updateFailed(String primary, String file, String datanode, Map<String, String> a) {
    Task task = updating(primary, file, datanode);
    int index = run.index(datanode);
    NotPossible.needs(cluster.stopped[index] != null, datanode + " is up and would answer");
    task.updates.put(index, new IOException("no answer"));
    run.event(
            primary, "replica", run.blockEntity(file) + "@" + datanode, "update_replica_failed", a)
        .put("recovery_id", task.command.getNewGenerationStamp());
  }

  void abandon(String primary, String file, Map<String, String> a) {
    Task task = task(primary, file);
    NotPossible.needs(toAsk(task).isEmpty() && toUpdate(task).isEmpty(), "the task goes on");
    List<Integer> before = new ArrayList<>(task.participants);
    try {
      boolean goesOn =
          replay(
              task,
              primary,
              file,
              !task.agreed,
              (block, stamp, length, close, delete, targets, storages) -> {});
      NotPossible.needs(!goesOn, "the task would commit");
    } catch (IOException gaveUp) {
      // as it should
    } finally {
      task.participants.clear();
      task.participants.addAll(before);
    }
    run.tasks.get(run.index(primary)).remove(run.block(file));
    run.event(primary, "block", run.blockEntity(file), "abandon_recovery", a)
        .put("recovery_id", task.command.getNewGenerationStamp());
  }

  void commit(String primary, String file, Map<String, String> a) {
    deliver(report(primary, file), a);
  }

  /** What a primary tells the NameNode at the end of its task, which is over then. */
  Report report(String primary, String file) {
    Task task = task(primary, file);
    NotPossible.needs(task.agreed && toUpdate(task).isEmpty(), "there is something to do before");
    boolean any =
        task.delete || task.updates.values().stream().anyMatch(one -> one instanceof String);
    NotPossible.needs(any, "no participant was updated");
    Report[] told = {null};
    try {
      replay(
          task,
          primary,
          file,
          false,
          (block, stamp, length, close, delete, targets, storages) ->
              told[0] =
                  new Report(
                      primary, file, block, stamp, length, close, delete, targets, storages));
    } catch (IOException problem) {
      throw new IllegalStateException("the task failed before its commit", problem);
    }
    run.tasks.get(run.index(primary)).remove(run.block(file));
    return told[0];
  }

  /** The NameNode gets a report. */
  void deliver(Report report, Map<String, String> a) {
    IOException refused = null;
    try {
      cluster.nnOfDatanodes.commitBlockSynchronization(
          report.block(),
          report.stamp(),
          report.length(),
          report.close(),
          report.delete(),
          report.targets(),
          report.storages());
    } catch (IOException refusal) {
      refused = refusal;
    }
    String entity = run.blockEntity(report.file());
    ObjectNode told =
        run.event("namenode", "block", entity, "commit_block_synchronization", a)
            .put("recovery_id", report.stamp())
            .put("num_bytes", report.length());
    INodeFile inode = NameNodeAccess.file(cluster.fsn, run.root + report.file());
    if (refused != null) {
      told.put("refused_with", Refusals.name(refused));
    } else if (inode != null) {
      told.putObject("observed")
          .put("closed", String.valueOf(!inode.isUnderConstruction()))
          .put("deleted", String.valueOf(inode.getLastBlock() == null));
    }
  }

  Task task(String primary, String file) {
    long id = run.block(file);
    run.up(primary);
    Task task = run.tasks.get(run.index(primary)).get(id);
    NotPossible.needs(task != null, primary + " leads no recovery of " + file);
    return task;
  }

  /** A task that has still to ask a datanode. */
  Task asking(String primary, String file, String datanode) {
    Task task = task(primary, file);
    NotPossible.needs(
        toAsk(task).contains(run.index(datanode)), primary + " has not to ask " + datanode);
    return task;
  }

  /** A task that has still to update a datanode's replica. */
  Task updating(String primary, String file, String datanode) {
    Task task = task(primary, file);
    NotPossible.needs(
        toUpdate(task).contains(run.index(datanode)), primary + " has not to update " + datanode);
    return task;
  }

  Set<Integer> locations(Task task) {
    Set<Integer> all = new LinkedHashSet<>();
    for (DatanodeInfo one : task.command.getLocations()) {
      all.add(Arrays.asList(cluster.uuids).indexOf(one.getDatanodeUuid()));
    }
    return all;
  }

  Set<Integer> toAsk(Task task) {
    Set<Integer> left = locations(task);
    left.removeAll(task.answers.keySet());
    return task.preempted || task.agreed ? Set.of() : left;
  }

  List<Integer> toUpdate(Task task) {
    List<Integer> left = new ArrayList<>(task.agreed ? task.participants : List.of());
    left.removeAll(task.updates.keySet());
    return left;
  }

  /** How a primary asks: itself by a call, others over the wire, as BlockRecoveryWorker does. */
  InterDatanodeProtocol asked(String primary, String datanode) throws IOException {
    DataNode dn = run.up(datanode);
    return primary.equals(datanode)
        ? dn
        : DataNode.createInterDataNodeProtocolProxy(
            dn.getDatanodeId(), cluster.conf, 600_000, false);
  }

  /**
   * One call; a connection to a process that is no more is thrown away, and the call made again.
   */
  <T> T asks(String primary, String datanode, Call<T> call) throws IOException {
    for (int i = 0; ; i++) {
      try {
        return call.on(asked(primary, datanode));
      } catch (RemoteException refusal) {
        throw refusal;
      } catch (IOException broken) {
        if (primary.equals(datanode) || i == 5) {
          throw broken;
        }
        run.pause();
      }
    }
  }

  IOException unwrapped(IOException refusal) {
    return refusal instanceof RemoteException
        ? ((RemoteException) refusal).unwrapRemoteException()
        : refusal;
  }

  /** Hadoop's own task, over the answers that were heard; true if it came to its commit. */
  boolean replay(Task task, String primary, String file, boolean records, PrimaryAccess.Commit last)
      throws IOException {
    boolean[] committed = {false};
    Map<String, InterDatanodeProtocol> proxies = new HashMap<>();
    for (int one : locations(task)) {
      proxies.put(
          cluster.uuids[one],
          new InterDatanodeProtocol() {
            @Override
            public ReplicaRecoveryInfo initReplicaRecovery(RecoveringBlock block)
                throws IOException {
              Object answer = task.answers.get(one);
              if (answer instanceof IOException) {
                throw (IOException) answer;
              }
              return answer instanceof ReplicaRecoveryInfo ? (ReplicaRecoveryInfo) answer : null;
            }

            @Override
            public String updateReplicaUnderRecovery(
                ExtendedBlock old, long recovery, long block, long length) throws IOException {
              if (records) {
                task.participants.add(one);
                task.length = length;
                return "storage";
              }
              Object answer = task.updates.get(one);
              if (answer instanceof IOException) {
                throw (IOException) answer;
              }
              return (String) answer;
            }
          });
    }
    PrimaryAccess.recover(
        cluster.datanode(run.index(primary)),
        cluster.pool,
        task.command,
        proxies,
        (block, stamp, length, close, delete, targets, storages) -> {
          committed[0] = true;
          last.commit(block, stamp, length, close, delete, targets, storages);
        });
    return committed[0];
  }

  private interface Call<T> {
    T on(InterDatanodeProtocol datanode) throws IOException;
  }
}
