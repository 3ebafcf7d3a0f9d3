package genstamp.adapter.replica;

import static genstamp.adapter.NotPossible.needs;
import static genstamp.adapter.replica.ReplicaRun.BYTES;
import static genstamp.adapter.replica.ReplicaRun.UNIT;

import genstamp.adapter.Call;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.BlockMetadataHeader;
import org.apache.hadoop.hdfs.server.datanode.ReplicaHandler;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInPipeline;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.ReplicaOutputStreams;
import org.apache.hadoop.util.DataChecksum;

/** Requests that open, write and finalize a replica. */
final class WriterSteps {
  private static final DataChecksum CHECKSUM =
      DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, UNIT);

  /** The length that a request names where Hadoop does not look at it: that of a whole block. */
  private static final int BLOCK = 10;

  private final ReplicaRun run;

  WriterSteps(ReplicaRun run) {
    this.run = run;
  }

  void createRbw(Map<String, String> a) throws Exception {
    long stamp = run.stamp(a, "generation");
    opens(
        "create_rbw",
        a,
        true,
        () ->
            run.cluster
                .replicas()
                .createRbw(StorageType.DISK, null, run.block(BLOCK, stamp), false));
  }

  void createRbwAgain(Map<String, String> a) throws Exception {
    long stamp = run.stamp(a, "generation");
    needs(run.replica() != null, "there is no replica");
    run.replaces();
    needs(!run.isWritten(), "Hadoop stops no writer here, who goes on with files that are no more");
    opens(
        "create_rbw_again",
        a,
        true,
        () ->
            (ReplicaHandler)
                Call.latest(
                    FsDatasetSpi.class,
                    run.cluster.replicas(),
                    "createRbw",
                    StorageType.DISK,
                    null,
                    run.block(BLOCK, stamp),
                    false,
                    stamp));
  }

  void append(Map<String, String> a) throws Exception {
    long old = run.stamp(a, "old");
    long now = run.stamp(a, "new");
    long bytes = run.pick(a, "expected_bytes", run.length());
    opens(
        "append",
        a,
        false,
        () -> run.cluster.replicas().append(run.block(BLOCK, old), now, bytes * UNIT));
  }

  void recoverAppend(Map<String, String> a) throws Exception {
    long old = run.stamp(a, "old");
    long now = run.stamp(a, "new");
    long bytes = run.pick(a, "expected_bytes", run.length());
    opens(
        "recover_append",
        a,
        false,
        () -> run.cluster.replicas().recoverAppend(run.block(BLOCK, old), now, bytes * UNIT));
  }

  void recoverRbw(Map<String, String> a) throws Exception {
    long old = run.stamp(a, "old");
    long now = run.stamp(a, "new");
    long acked =
        run.replica() instanceof ReplicaInPipeline
            ? ((ReplicaInPipeline) run.replica()).getBytesAcked()
            : 0;
    long least = run.pick(a, "min_bytes", acked / UNIT);
    long most = run.pick(a, "max_bytes", run.length());
    opens(
        "recover_rbw",
        a,
        false,
        () ->
            run.cluster
                .replicas()
                .recoverRbw(run.block(BLOCK, old), now, least * UNIT, most * UNIT));
  }

  void recoverClose(Map<String, String> a) throws Exception {
    long old = run.stamp(a, "old");
    long now = run.stamp(a, "new");
    long bytes = run.pick(a, "expected_bytes", run.length());
    run.serves(
        "recover_close",
        a,
        () -> run.cluster.replicas().recoverClose(run.block(bytes, old), now, bytes * UNIT));
  }

  void createTemporary(String event, Map<String, String> a) throws Exception {
    long stamp = run.stamp(a, "generation");
    boolean isTransfer = event.equals("serve_transfer");
    needs(!isTransfer || run.replica() != null, "there is no replica");
    opens(
        event,
        a,
        true,
        () ->
            run.cluster
                .replicas()
                .createTemporary(StorageType.DISK, null, run.block(BLOCK, stamp), isTransfer));
  }

  void convertTemporaryToRbw(Map<String, String> a) throws Exception {
    long stamp = run.stamp(a, "generation");
    long bytes = run.pick(a, "visible_bytes", run.length());
    ReplicaInfo there = run.replica();
    // With bytes that are received and not on disk Hadoop would count them as there (R4).
    needs(
        there == null
            || there.getState() != ReplicaState.TEMPORARY
            || there.getBytesOnDisk() == there.getNumBytes(),
        "a copy joins when it is received");
    Object joined =
        run.serves(
            "convert_temporary_to_rbw",
            a,
            () -> run.cluster.replicas().convertTemporaryToRbw(run.block(bytes, stamp)));
    if (joined != null) {
      run.stopWriting();
    }
  }

  void unfinalizeBlock(Map<String, String> a) throws Exception {
    long stamp = run.stamp(a, "generation");
    ReplicaInfo there = run.replica();
    needs(
        there != null
            && there.getState() == ReplicaState.TEMPORARY
            && there.getGenerationStamp() == stamp,
        "there is no such copy");
    run.stopWriting();
    run.serves(
        "unfinalize_block",
        a,
        () -> {
          run.cluster.replicas().unfinalizeBlock(run.block(0, stamp));
          return null;
        });
    if (run.replica() != null) {
      throw new IllegalStateException("the copy is still there");
    }
  }

  void receivePacket(Map<String, String> a) {
    ReplicaInPipeline replica = run.written();
    needs(replica.getNumBytes() < BYTES * UNIT, "two bytes are enough");
    replica.setNumBytes(replica.getNumBytes() + UNIT);
    run.told("receive_packet", a);
  }

  void writeToDisk(boolean succeeds) throws Exception {
    ReplicaInPipeline replica = run.written();
    long disk = replica.getBytesOnDisk();
    needs(disk < replica.getNumBytes(), "all is on disk");
    Receiver thread = run.writer;
    thread.on(
        () -> {
          byte[] chunk = new byte[UNIT];
          byte[] sum = new byte[CHECKSUM.getChecksumSize()];
          Arrays.fill(chunk, (byte) (1 + disk / UNIT));
          CHECKSUM.calculateChunkedSums(chunk, 0, UNIT, sum, 0);
          thread.streams.writeDataToDisk(chunk, 0, UNIT);
          thread.streams.getChecksumOut().write(sum);
          thread.streams.flushDataOut();
          thread.streams.flushChecksumOut();
          if (succeeds) {
            replica.setLastChecksumAndDataLen(disk + UNIT, sum);
          }
          return null;
        });
    if (!succeeds) {
      thread.close();
    }
  }

  void receiveAck(Map<String, String> a) {
    ReplicaInPipeline replica = run.written();
    needs(
        replica.getReplicaInfo().getState() == ReplicaState.RBW,
        "the replica is not being written");
    needs(replica.getBytesAcked() < replica.getNumBytes(), "all is acknowledged");
    replica.setBytesAcked(replica.getBytesAcked() + UNIT);
    run.told("receive_ack", a);
  }

  void finalizeBlock(Map<String, String> a) throws Exception {
    ReplicaInPipeline replica = run.written();
    boolean isCopy = replica.getReplicaInfo().getState() == ReplicaState.TEMPORARY;
    needs(replica.getBytesOnDisk() == replica.getNumBytes(), "something is on its way to the disk");
    needs(
        isCopy || replica.getBytesAcked() == replica.getNumBytes(),
        "something is not acknowledged");
    Receiver thread = run.writer;
    try {
      thread.on(
          () -> {
            long stamp = replica.getReplicaInfo().getGenerationStamp();
            long bytes = replica.getNumBytes() / UNIT;
            thread.closeStreams();
            run.cluster.replicas().finalizeBlock(run.block(bytes, stamp), false);
            return null;
          });
      run.told("finalize_block", a);
    } catch (IOException | RuntimeException refusal) {
      run.refused("finalize_block", a, refusal);
    } finally {
      thread.close();
    }
  }

  /** A request that makes its thread the writer of the replica. */
  private void opens(
      String event, Map<String, String> a, boolean creates, Callable<ReplicaHandler> request)
      throws Exception {
    Receiver thread = new Receiver();
    try {
      ReplicaHandler handler = thread.on(request);
      thread.handler = handler;
      ReplicaInPipeline replica = handler.getReplica();
      thread.streams = thread.on(() -> streams(replica, creates));
      run.writer = thread;
      run.told(event, a);
    } catch (IOException | RuntimeException refusal) {
      thread.close();
      run.refused(event, a, refusal);
    }
  }

  private static ReplicaOutputStreams streams(ReplicaInPipeline replica, boolean creates)
      throws IOException {
    ReplicaOutputStreams streams = replica.createStreams(creates, CHECKSUM);
    if (creates) {
      BlockMetadataHeader.writeHeader(
          new DataOutputStream(streams.getChecksumOut()), streams.getChecksum());
    }
    return streams;
  }
}
