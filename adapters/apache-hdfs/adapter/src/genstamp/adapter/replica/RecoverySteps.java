package genstamp.adapter.replica;

import static genstamp.adapter.NotPossible.needs;
import static genstamp.adapter.replica.ReplicaRun.UNIT;

import com.fasterxml.jackson.databind.node.ObjectNode;
import genstamp.adapter.Known;
import java.io.File;
import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.protocol.BlockRecoveryCommand.RecoveringBlock;
import org.apache.hadoop.hdfs.server.protocol.ReplicaRecoveryInfo;
import org.apache.hadoop.test.GenericTestUtils;

/** Requests of primaries, and deletions. */
final class RecoverySteps {
  private static final long COPY = 1_000_000;

  private final ReplicaRun run;
  private boolean copied;

  RecoverySteps(ReplicaRun run) {
    this.run = run;
  }

  void initReplicaRecovery(Map<String, String> a) throws Exception {
    long old = run.stamp(a, "old");
    long now = run.stamp(a, "new");
    RecoveringBlock block = new RecoveringBlock(run.block(0, old), DatanodeInfo.EMPTY_ARRAY, now);
    run.serves(
        "init_replica_recovery",
        a,
        () -> run.cluster.replicas().initReplicaRecovery(block),
        RecoverySteps::show);
  }

  private static void show(ReplicaRecoveryInfo info, ObjectNode told) {
    if (info == null) {
      told.putObject("observed").put("replica_state", "NONE");
      return;
    }
    told.put("num_bytes", info.getNumBytes() / UNIT);
    told.putObject("observed")
        .put("replica_state", info.getOriginalReplicaState().name())
        .put("stamp", String.valueOf(info.getGenerationStamp()));
  }

  void update(String event, Map<String, String> a) throws Exception {
    long recovery = run.stamp(a, "generation");
    ReplicaInfo there = run.replica();
    long disk = there == null ? 0 : there.getBytesOnDisk() / UNIT;
    long old = run.pick(a, "old_bytes", disk);
    long now = run.pick(a, "new_bytes", old);
    boolean copies = event.equals("serve_update_by_copy");
    boolean isUnderRecovery = there != null && there.getState() == ReplicaState.RUR;
    boolean becomesTooLong =
        isUnderRecovery && run.length() > disk && (copies || now == run.length());
    needs(!becomesTooLong || !Known.LONGER_THAN_ITS_FILE.isLeftOut(), "the file will be too short");
    needs(!copies || (!copied && now != old && now != run.length()), "one copy is enough");
    long stamp = there == null ? recovery : there.getGenerationStamp();
    long target = copies ? run.id + COPY : run.id;
    Object updated =
        run.serves(
            event,
            a,
            () ->
                run.cluster
                    .replicas()
                    .updateReplicaUnderRecovery(
                        run.block(old, stamp), recovery, target, now * UNIT));
    copied |= copies && updated != null;
  }

  void transfer(Map<String, String> a) throws Exception {
    ExtendedBlock block = run.block(0, run.stamp(a, "generation"));
    run.serves(
        "transfer_replica",
        a,
        () -> {
          try {
            run.cluster.transfer(block);
            return block;
          } catch (IOException refusal) {
            // Whoever asks is told of an error only; 3.5.0 throws a class below it (facts B.5.21).
            throw new IOException(refusal);
          }
        },
        (sent, told) -> {
          told.put("num_bytes", sent.getNumBytes() / UNIT);
          told.putObject("observed").put("stamp", String.valueOf(sent.getGenerationStamp()));
        });
  }

  void invalidate(Map<String, String> a) throws Exception {
    long stamp = run.stamp(a, "generation");
    ReplicaInfo there = run.replica();
    needs(
        run.condemned.contains(a.get("generation")) && there != null, "there is nothing to delete");
    File file = new File(there.getBlockURI());
    Block block = new Block(run.id, there.getNumBytes(), stamp);
    Receiver thread = new Receiver();
    try {
      thread.on(
          () -> {
            run.cluster.replicas().invalidate(run.cluster.pool, new Block[] {block});
            return null;
          });
      // The files are deleted by a thread of their volume, and the replica is forgotten then.
      GenericTestUtils.waitFor(() -> !file.exists() && run.replica() == null, 2, 8_000);
      run.stopWriting();
      run.told("invalidate", a);
    } catch (IOException | RuntimeException refusal) {
      run.refused("invalidate", a, refusal);
    } finally {
      thread.close();
    }
  }
}
