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
    Receiver thread = new Receiver();
    try {
      ReplicaRecoveryInfo info = thread.on(() -> run.cluster.replicas().initReplicaRecovery(block));
      ObjectNode told = run.told("init_replica_recovery", a);
      if (info == null) {
        told.putObject("observed").put("replica_state", "NONE");
      } else {
        told.put("num_bytes", info.getNumBytes() / UNIT);
        told.putObject("observed")
            .put("replica_state", info.getOriginalReplicaState().name())
            .put("stamp", String.valueOf(info.getGenerationStamp()));
      }
    } catch (IOException | RuntimeException refusal) {
      run.refused("init_replica_recovery", a, refusal);
    } finally {
      thread.close();
    }
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
    Receiver thread = new Receiver();
    try {
      thread.on(
          () -> {
            run.cluster.transfer(block);
            return null;
          });
      ObjectNode told = run.told("transfer_replica", a);
      told.put("num_bytes", block.getNumBytes() / UNIT);
      told.putObject("observed").put("stamp", String.valueOf(block.getGenerationStamp()));
    } catch (IOException refusal) {
      // Whoever asks is told of an error only; 3.5.0 throws a class below it (facts B.5.21).
      run.refused("transfer_replica", a, new IOException(refusal));
    } finally {
      thread.close();
    }
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
