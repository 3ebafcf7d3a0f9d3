package genstamp.adapter.recovery;

import com.fasterxml.jackson.databind.node.ObjectNode;
import genstamp.adapter.NotPossible;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockAccess;
import org.apache.hadoop.hdfs.server.namenode.INodeFile;
import org.apache.hadoop.hdfs.server.namenode.NameNodeAccess;
import org.apache.hadoop.hdfs.server.protocol.ReplicaRecoveryInfo;

/**
 * What hdfs.block_recovery has beside hdfs.recovery: files that somebody has recovered or deletes,
 * and messages that are lost, come late or come twice.
 */
final class MessageSteps {
  private static final String OUTSIDER = "outsider";

  private final RecoveryRun run;
  private final RecoveryCluster cluster;
  private final PrimarySteps byPrimary;
  private final List<LateCall> calls = new ArrayList<>();
  private final List<Report> reports = new ArrayList<>();

  MessageSteps(RecoveryRun run, PrimarySteps byPrimary) {
    this.run = run;
    this.byPrimary = byPrimary;
    cluster = run.cluster;
  }

  /** A file is created once in a run. */
  void isNew(String file) {
    NotPossible.needs(
        !run.blocks.containsKey(file) && inode(file) == null, file + " was created before");
  }

  /** A stranger creates the file when its lease is past the soft limit, so that it is recovered. */
  void release(String file, Map<String, String> a) {
    INodeFile inode = inode(file);
    NotPossible.needs(inode != null && inode.isUnderConstruction(), file + " is not open");
    long before = run.recoveryId(file);
    run.heartbeats(); // The datanode that was heard of last leads the recovery.
    NameNodeAccess.setLeasePeriod(cluster.fsn, -1, RecoveryRun.NEVER_MS);
    String answer;
    try {
      cluster.create(run.root + file, run.holder(OUTSIDER), 1);
      throw new IllegalStateException("a file that exists was created");
    } catch (IOException refusal) {
      answer = refusal.toString();
    } finally {
      NameNodeAccess.setLeasePeriod(cluster.fsn, RecoveryRun.NEVER_MS, RecoveryRun.NEVER_MS);
    }
    boolean closed = !inode.isUnderConstruction();
    long after = run.recoveryId(file);
    NotPossible.needs(closed || after != before, "nothing came of it: " + answer);
    ObjectNode told = run.event("namenode", "file", file, "release", a);
    if (!closed) {
      told.put("recovery_id", after);
    }
  }

  /** The file leaves the tree. Its block follows by a step of its own, or, before 3.4.0, at once. */
  void delete(String file, Map<String, String> a) throws IOException {
    INodeFile inode = inode(file);
    NotPossible.needs(inode != null && inode.isUnderConstruction(), file + " is not open");
    NotPossible.needs(inode.getLastBlock() != null, file + " has no block");
    cluster.nn.delete(run.root + file, false);
    run.event("namenode", "file", file, "delete", a);
    if (run.stored(run.block(file)) == null) {
      run.event("namenode", "block", run.blockEntity(file), "block_is_removed", a);
    }
  }

  void removeBlock(String file, Map<String, String> a) {
    NotPossible.needs(
        inode(file) == null && run.stored(run.block(file)) != null, file + " was not deleted");
    BlockAccess.removeDeleted(cluster.fsn);
    run.event("namenode", "block", run.blockEntity(file), "block_is_removed", a);
  }

  void loseCommand(String file, String datanode, Map<String, String> a) throws Exception {
    byPrimary.command(file, datanode);
    run.event(datanode, "block", run.blockEntity(file), "recovery_command_is_lost", a);
  }

  void initTimesOut(String primary, String file, String datanode, Map<String, String> a) {
    int index = called(primary, datanode);
    Task task = byPrimary.asking(primary, file, datanode);
    task.answers.put(index, new IOException("no answer in time"));
    calls.add(
        new LateCall(
            "init_replica_recovery_late",
            index,
            dn -> dn.initReplicaRecovery(task.command) != null));
    timedOut(primary, file, datanode, "init_replica_recovery_times_out", a);
  }

  void updateTimesOut(String primary, String file, String datanode, Map<String, String> a) {
    int index = called(primary, datanode);
    Task task = byPrimary.updating(primary, file, datanode);
    task.updates.put(index, new IOException("no answer in time"));
    ExtendedBlock found =
        new ExtendedBlock(cluster.pool, (ReplicaRecoveryInfo) task.answers.get(index));
    long stamp = task.command.getNewGenerationStamp();
    long length = task.length;
    long block = run.block(file);
    calls.add(
        new LateCall(
            "update_replica_late",
            index,
            dn -> dn.updateReplicaUnderRecovery(found, stamp, block, length) != null));
    timedOut(primary, file, datanode, "update_replica_times_out", a);
  }

  private int called(String primary, String datanode) {
    run.up(datanode);
    NotPossible.needs(!primary.equals(datanode), primary + " does not wait for itself");
    return run.index(datanode);
  }

  private void timedOut(
      String primary, String file, String datanode, String event, Map<String, String> a) {
    run.event(primary, "replica", run.blockEntity(file) + "@" + datanode, event, a);
  }

  /** The first late call that a datanode carries out; one that is refused may come again. */
  void comesLate(String event, Map<String, String> a) {
    for (Iterator<LateCall> all = calls.iterator(); all.hasNext(); ) {
      LateCall call = all.next();
      String datanode = run.datanodes.get(call.datanode());
      if (call.event().equals(event) && cluster.stopped[call.datanode()] == null) {
        try {
          if (call.made().by(cluster.datanode(call.datanode()))) {
            all.remove();
            run.event(datanode, "node", datanode, event, a);
            return;
          }
        } catch (IOException refused) {
          // The next one may be carried out.
        }
      }
    }
    throw new NotPossible("no late call is carried out");
  }

  void reportBack(String primary, String file, Map<String, String> a) {
    reports.add(byPrimary.report(primary, file));
    run.event(primary, "block", run.blockEntity(file), "report_back", a);
  }

  /** A report arrives, which may come again. */
  void commit(String primary, String file, Map<String, String> a) {
    List<Report> sent = new ArrayList<>();
    for (Report one : reports) {
      if (one.primary().equals(primary) && one.file().equals(file)) {
        sent.add(one);
      }
    }
    NotPossible.needs(!sent.isEmpty(), primary + " has reported nothing about " + file);
    byPrimary.deliver(sent.get(run.chance.nextInt(sent.size())), a);
  }

  private INodeFile inode(String file) {
    return NameNodeAccess.file(cluster.fsn, run.root + file);
  }
}
