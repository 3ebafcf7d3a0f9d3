package genstamp.adapter.replica;

import static genstamp.adapter.NotPossible.needs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import genstamp.adapter.Known;
import genstamp.adapter.NotPossible;
import genstamp.adapter.Refusals;
import genstamp.adapter.Run;
import genstamp.adapter.Start;
import genstamp.adapter.Told;
import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.Replica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInPipeline;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;

/** A run of hdfs.replica: one block of its own, and who writes it. */
final class ReplicaRun implements Run {
  static final long FIRST_STAMP = 1001;
  static final int BYTES = 2;

  /** A byte of the model is a chunk with its checksum. */
  static final int UNIT = 512;

  private static final int GENERATIONS = 3;

  final ReplicaCluster cluster;
  final long id;
  final Set<String> condemned = new HashSet<>();
  Receiver writer;
  private final String datanode;
  private final Random chance;
  private final Told told;
  private final Map<String, Long> given = new LinkedHashMap<>();
  private final WriterSteps byWriter = new WriterSteps(this);
  private final RecoverySteps byRecovery = new RecoverySteps(this);
  private final OutageSteps outages = new OutageSteps(this);

  ReplicaRun(ReplicaCluster cluster, int number, Start request) {
    this.cluster = cluster;
    id = 5_000_000L + number;
    datanode = request.datanodes().get(0);
    chance = new Random(request.seed() * 31 + 7);
    told = new Told(cluster.pool);
  }

  @Override
  public long firstStamp() {
    return FIRST_STAMP;
  }

  @Override
  public Told told() {
    return told;
  }

  @Override
  public void tick(long ms) {
    // Nothing here goes by time.
  }

  @Override
  public void end() {
    stopWriting();
    outages.end();
  }

  @Override
  public void step(String event, Map<String, String> a) throws Exception {
    switch (event) {
      case "give_out_stamp" -> giveOutStamp(a);
      case "datanode_restart" -> outages.comesBack(a);
      case "restart_window_passes" -> outages.restartTakesTooLong();
      case "condemn" -> {
        stamp(a, "generation");
        needs(condemned.add(a.get("generation")), "condemned already");
      }
      default -> {
        needs(!cluster.isDown(), "the datanode is down");
        serve(event, a);
      }
    }
  }

  private void serve(String event, Map<String, String> a) throws Exception {
    switch (event) {
      case "datanode_stops", "datanode_stops_for_upgrade" -> {
        needs(chance.nextInt(3) == 0, "not so often");
        outages.stops(event.equals("datanode_stops_for_upgrade"));
      }
      case "disk_fills" -> outages.diskFills();
      case "create_rbw" -> byWriter.createRbw(a);
      case "create_rbw_again" -> byWriter.createRbwAgain(a);
      case "append" -> byWriter.append(a);
      case "recover_append" -> byWriter.recoverAppend(a);
      case "recover_rbw" -> byWriter.recoverRbw(a);
      case "recover_close" -> byWriter.recoverClose(a);
      case "create_temporary", "serve_transfer" -> byWriter.createTemporary(event, a);
      case "convert_temporary_to_rbw" -> byWriter.convertTemporaryToRbw(a);
      case "unfinalize_block" -> byWriter.unfinalizeBlock(a);
      case "receive_packet" -> byWriter.receivePacket(a);
      case "write_to_disk", "write_to_disk_fails" ->
          byWriter.writeToDisk(event.equals("write_to_disk"));
      case "receive_ack" -> byWriter.receiveAck(a);
      case "finalize_block" -> byWriter.finalizeBlock(a);
      case "init_replica_recovery" -> byRecovery.initReplicaRecovery(a);
      case "update_replica_under_recovery", "serve_update_by_copy" -> byRecovery.update(event, a);
      case "invalidate" -> byRecovery.invalidate(a);
      case "transfer_replica" -> byRecovery.transfer(a);
      default -> throw new NotPossible(event + " is not driven");
    }
  }

  private void giveOutStamp(Map<String, String> a) {
    needs(given.size() < GENERATIONS, "every generation has its stamp");
    given.put("g" + (given.size() + 1), FIRST_STAMP + given.size());
    told("give_out_stamp", a);
  }

  /** A create that replaces a replica. */
  void replaces() {
    needs(
        !outages.isFull() || !Known.WITHOUT_FILES.isLeftOut(),
        "the replica stays, and its files will be deleted");
  }

  ObjectNode told(String event, Map<String, String> a) {
    return told.add(datanode, "replica", id + "@" + datanode, event, a, 0);
  }

  @SuppressWarnings("deprecation")
  ReplicaInfo replica() {
    Replica found = cluster.replicas().getReplica(cluster.pool, id);
    return (ReplicaInfo) found;
  }

  ExtendedBlock block(long bytes, long stamp) {
    return new ExtendedBlock(cluster.pool, id, bytes * UNIT, stamp);
  }

  long stamp(Map<String, String> a, String name) {
    Long stamp = given.get(a.get(name));
    needs(stamp != null, "the stamp was not given out");
    return stamp;
  }

  /** A number that the request leaves to the adapter, which adds it: mostly the one that fits. */
  int pick(Map<String, String> a, String name, long fitting) {
    if (a.containsKey(name)) {
      return Integer.parseInt(a.get(name));
    }
    boolean fits = chance.nextInt(4) > 0 && fitting >= 0 && fitting <= BYTES;
    int picked = fits ? (int) fitting : chance.nextInt(BYTES + 1);
    a.put(name, String.valueOf(picked));
    return picked;
  }

  /** The length of the replica, in bytes of the model; 0 if there is none. */
  long length() {
    ReplicaInfo there = replica();
    return there == null ? 0 : there.getNumBytes() / UNIT;
  }

  boolean isWritten() {
    return writer != null && writer.isAlive();
  }

  ReplicaInPipeline written() {
    needs(isWritten(), "nobody writes the replica");
    return writer.handler.getReplica();
  }

  void stopWriting() {
    if (writer != null) {
      writer.close();
      writer = null;
    }
  }

  /** Makes a call on a thread of its own; an event tells of it, or of its refusal. */
  <T> T serves(String event, Map<String, String> a, Callable<T> request) throws Exception {
    return serves(event, a, request, (answer, told) -> {});
  }

  /** As above, where the event shows what was answered. */
  <T> T serves(
      String event, Map<String, String> a, Callable<T> request, BiConsumer<T, ObjectNode> shows)
      throws Exception {
    Receiver thread = new Receiver();
    try {
      T answer = thread.on(request);
      shows.accept(answer, told(event, a));
      return answer;
    } catch (IOException | RuntimeException refusal) {
      refused(event, a, refusal);
      return null;
    } finally {
      thread.close();
    }
  }

  void refused(String event, Map<String, String> a, Exception refusal) {
    if (refusal instanceof NotPossible) {
      throw (NotPossible) refusal;
    }
    told(event, a).put("refused_with", Refusals.name(refusal));
  }
}
