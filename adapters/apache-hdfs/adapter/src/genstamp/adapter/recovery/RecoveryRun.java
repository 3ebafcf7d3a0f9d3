package genstamp.adapter.recovery;

import com.fasterxml.jackson.databind.node.ObjectNode;
import genstamp.adapter.NotPossible;
import genstamp.adapter.Run;
import genstamp.adapter.Start;
import genstamp.adapter.Told;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockAccess;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockUnderConstructionFeature;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.ReplicaAccess;
import org.apache.hadoop.hdfs.server.namenode.INodeFile;
import org.apache.hadoop.hdfs.server.namenode.NameNodeAccess;
import org.apache.hadoop.util.Time;

/** A run of hdfs.recovery or hdfs.block_recovery in a directory of its own; runs share the cluster. */
final class RecoveryRun implements Run {

  private static final Pattern RECOVERING =
      Pattern.compile("Recovering \\[Lease\\.  Holder: (.*), pending creates: \\d+\\], src=(.*)");

  /** A limit that no lease passes. */
  static final long NEVER_MS = Long.MAX_VALUE / 4;

  final RecoveryCluster cluster;
  final int number;
  final String root;
  final List<String> files;
  final List<String> clients;
  final List<String> datanodes;
  final Set<String> dead = new HashSet<>();
  final Map<String, Map<String, Stream>> streams = new HashMap<>();
  final Map<String, Set<String>> recovering = new HashMap<>();
  final Map<String, Long> blocks = new HashMap<>();
  final List<Map<Long, Task>> tasks = new ArrayList<>();
  final List<Map<Long, ReplicaAccess>> atCrash = new ArrayList<>();
  /** In hdfs.recovery the NameNode knows at once that a datanode is down, and leases expire. */
  final boolean crashesAreNoticed;

  final Random chance;
  final ContactSteps contact;
  long passedMs;

  /** How often the lease monitor looks at leases. */
  private final long recheckMs;

  private final Told told;
  private final long first;
  private final ClientSteps byClient;
  private final PrimarySteps byPrimary;
  private final DatanodeSteps byDatanode;
  private final MessageSteps messages;

  RecoveryRun(RecoveryCluster cluster, int number, Start request) throws Exception {
    this.cluster = cluster;
    this.number = number;
    root = "/run" + number;
    files = request.files();
    clients = request.clients();
    datanodes = request.datanodes();
    chance = new Random(request.seed());
    recheckMs = request.timeMs("lease_recheck_ms", 2_000);
    crashesAreNoticed = request.system().equals("hdfs.recovery");
    NameNodeAccess.setLeasePeriod(
        cluster.fsn,
        request.timeMs("soft_limit_ms", crashesAreNoticed ? 60_000 : NEVER_MS),
        request.timeMs("hard_limit_ms", crashesAreNoticed ? 1_200_000 : NEVER_MS));
    cluster.fsn.getBlockManager().setBlockRecoveryTimeout(request.timeMs("recovery_gate_ms", 90_000));
    told = new Told(cluster.pool);
    byClient = new ClientSteps(this);
    byPrimary = new PrimarySteps(this);
    byDatanode = new DatanodeSteps(this);
    messages = new MessageSteps(this, byPrimary);
    contact = new ContactSteps(this);
    if (datanodes.size() > RecoveryCluster.DATANODES) {
      throw new IllegalArgumentException(
          "at most " + RecoveryCluster.DATANODES + " datanodes, not " + datanodes.size());
    }
    for (int i = 0; i < RecoveryCluster.DATANODES; i++) {
      if (cluster.stopped[i] != null) {
        cluster.startDatanode(i);
      }
      BlockAccess.queue(cluster.manager().getDatanode(cluster.uuids[i]), Collections.emptyList());
      tasks.add(new HashMap<>());
      atCrash.add(null);
    }
    heartbeats();
    cluster.nn.mkdirs(root, FsPermission.getDirDefault(), true);
    first = cluster.fsn.getBlockManager().getBlockIdManager().getGenerationStamp() + 1;
  }

  @Override
  public long firstStamp() {
    return first;
  }

  @Override
  public Told told() {
    return told;
  }

  @Override
  public void step(String name, Map<String, String> a) throws Exception {
    cluster.heard(); // What was said before is not about this step.
    String client = a.get("client"),
        file = a.get("file"),
        datanode = a.get("datanode"),
        primary = a.get("primary");
    if (file != null && !files.contains(file)) {
      throw new IllegalArgumentException("no file " + file);
    }
    switch (name) {
      case "create":
        if (!crashesAreNoticed) {
          messages.isNew(file);
        }
        byClient.create(client, file, a);
        break;
      case "add_block":
        byClient.addBlock(client, file, a);
        break;
      case "create_rbw":
        byClient.createRbw(client, file, datanode, a);
        break;
      case "receive_packet":
        byClient.receivePacket(client, file, datanode, a);
        break;
      case "hflush":
        byClient.hflush(client, file, a);
        break;
      case "last_packet":
        byClient.lastPacket(client, file, a);
        break;
      case "finalize_replica":
        byClient.finalizeReplica(client, file, datanode, a);
        break;
      case "block_received":
        byDatanode.blockReceived(file, datanode, a);
        break;
      case "complete":
        byClient.complete(client, file, a);
        break;
      case "renew_lease":
        byClient.renewLease(client, a);
        break;
      case "recover_lease":
        byClient.recoverLease(client, file, a);
        break;
      case "receive_recovery_command":
        byPrimary.receiveCommand(file, datanode, a);
        break;
      case "init_replica_recovery":
        byPrimary.init(primary, file, datanode, a);
        break;
      case "init_replica_recovery_failed":
        byPrimary.initFailed(primary, file, datanode, a);
        break;
      case "sync_block":
        byPrimary.sync(primary, file, a);
        break;
      case "abandon_recovery":
        byPrimary.abandon(primary, file, a);
        break;
      case "update_replica_under_recovery":
        byPrimary.update(primary, file, datanode, a);
        break;
      case "update_replica_failed":
        byPrimary.updateFailed(primary, file, datanode, a);
        break;
      case "commit_block_synchronization":
        if (crashesAreNoticed) {
          byPrimary.commit(primary, file, a);
        } else {
          messages.commit(primary, file, a);
        }
        break;
      case "invalidate_replica":
        byDatanode.invalidate(file, datanode, a);
        break;
      case "client_crash":
        byDatanode.clientCrash(client, a);
        break;
      case "datanode_crash":
        byDatanode.crash(datanode, a);
        break;
      case "datanode_restart":
        byDatanode.restart(datanode, a, false);
        break;
      case "datanode_restart_losing_bytes":
        byDatanode.restart(datanode, a, true);
        break;
      case "release":
        messages.release(file, a);
        break;
      case "delete":
        messages.delete(file, a);
        break;
      case "block_is_removed":
        messages.removeBlock(file, a);
        break;
      case "recovery_command_is_lost":
        messages.loseCommand(file, datanode, a);
        break;
      case "init_replica_recovery_times_out":
        messages.initTimesOut(primary, file, datanode, a);
        break;
      case "update_replica_times_out":
        messages.updateTimesOut(primary, file, datanode, a);
        break;
      case "init_replica_recovery_late":
      case "update_replica_late":
        messages.comesLate(name, a);
        break;
      case "report_back":
        messages.reportBack(primary, file, a);
        break;
      case "datanode_becomes_stale":
        contact.becomesStale(datanode, a);
        break;
      case "datanode_is_taken_for_dead":
        contact.isTakenForDead(datanode, a);
        break;
      case "datanode_is_heard_of":
        contact.isHeard(datanode, a);
        break;
      case "storage_is_forgotten":
        contact.storageIsForgotten(datanode, a);
        break;
      default:
        throw new IllegalArgumentException("unknown event " + name);
    }
  }

  @Override
  public void end() throws IOException {
    streams
        .values()
        .forEach(
            all -> all.values().forEach(one -> one.writers.values().forEach(ByteWriter::close)));
    for (int i = 0; i < RecoveryCluster.DATANODES; i++) {
      contact.comesBack(i);
    }
    cluster.nn.delete(root, true);
    BlockAccess.removeDeleted(cluster.fsn);
  }

  ObjectNode event(
      String node, String kind, String entity, String event, Map<String, String> arguments) {
    return told.add(node, kind, entity, event, arguments, passedMs);
  }

  void heartbeats() {
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < RecoveryCluster.DATANODES; i++) {
      order.add(i);
    }
    Collections.shuffle(order, chance);
    long ms = Time.monotonicNow();
    for (String uuid : cluster.uuids) {
      // Later than any heartbeat before, also where no time has passed since.
      ms = Math.max(ms, cluster.manager().getDatanode(uuid).getLastUpdateMonotonic());
    }
    for (int i : order) {
      DatanodeDescriptor known = cluster.manager().getDatanode(cluster.uuids[i]);
      if (cluster.stopped[i] == null && !contact.isSilent(i)) {
        known.setLastUpdateMonotonic(++ms);
      }
    }
  }

  @Override
  public void tick(long ms) {
    long until = passedMs + ms;
    for (long pass = (passedMs / recheckMs + 1) * recheckMs; pass <= until; pass += recheckMs) {
      Time.pass(pass - passedMs);
      passedMs = pass;
      checkLeases();
    }
    Time.pass(until - passedMs);
    passedMs = until;
    heartbeats();
  }

  void checkLeases() {
    Map<String, Long> before = new HashMap<>();
    for (String file : files) {
      before.put(file, recoveryId(file));
    }
    cluster.heard();
    NameNodeAccess.checkLeases(cluster.fsn);
    for (String line : cluster.heard()) {
      Matcher found = RECOVERING.matcher(line);
      if (found.matches() && found.group(2).startsWith(root + "/")) {
        String file = found.group(2).substring(root.length());
        String holder =
            found.group(1).startsWith("HDFS_NameNode")
                ? "namenode"
                : found.group(1).substring(0, found.group(1).indexOf('@'));
        ObjectNode told =
            event(
                "namenode",
                "file",
                file,
                "release_expired_lease",
                Map.of("holder", holder, "file", file));
        INodeFile inode = NameNodeAccess.file(cluster.fsn, root + file);
        told.putObject("observed").put("closed", String.valueOf(!inode.isUnderConstruction()));
        long after = recoveryId(file);
        if (after != before.get(file)) {
          told.put("recovery_id", after);
        }
      }
    }
  }

  long recoveryId(String file) {
    BlockInfo last = NameNodeAccess.lastBlock(cluster.fsn, root + file);
    BlockUnderConstructionFeature uc = last == null ? null : last.getUnderConstructionFeature();
    return uc == null ? 0 : uc.getBlockRecoveryId();
  }

  String holder(String client) {
    return client + "@" + number;
  }

  int index(String datanode) {
    int found = datanodes.indexOf(datanode);
    if (found < 0) {
      throw new IllegalArgumentException("no datanode " + datanode);
    }
    return found;
  }

  DataNode up(String name) {
    int index = index(name);
    NotPossible.needs(cluster.stopped[index] == null, name + " is down");
    return cluster.datanode(index);
  }

  void live(String client) {
    if (!clients.contains(client)) {
      throw new IllegalArgumentException("no client " + client);
    }
    NotPossible.needs(!dead.contains(client), client + " is down");
  }

  Stream stream(String client, String file) {
    return streams.getOrDefault(client, Map.of()).get(file);
  }

  long block(String file) {
    Long id = blocks.get(file);
    NotPossible.needs(id != null, file + " has no block");
    return id;
  }

  String blockEntity(String file) {
    return String.valueOf(blocks.get(file));
  }

  ReplicaAccess replica(String file, int datanode) {
    return ReplicaAccess.of(cluster.datanode(datanode), cluster.pool, block(file));
  }

  BlockInfo stored(long id) {
    return cluster.fsn.getBlockManager().getStoredBlock(new Block(id));
  }

  String stateOf(BlockInfo block) {
    return block.getBlockUCState().name();
  }

  void pause() {
    try {
      Thread.sleep(5);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
