package genstamp.adapter.lease;

import com.fasterxml.jackson.databind.node.ObjectNode;
import genstamp.adapter.Call;
import genstamp.adapter.NotPossible;
import genstamp.adapter.Refusals;
import genstamp.adapter.Run;
import genstamp.adapter.Start;
import genstamp.adapter.Told;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockAccess;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.namenode.INodeFile;
import org.apache.hadoop.hdfs.server.namenode.LeaseAccess;
import org.apache.hadoop.hdfs.server.protocol.BlockRecoveryCommand;
import org.apache.hadoop.hdfs.server.protocol.BlockRecoveryCommand.RecoveringBlock;
import org.apache.hadoop.hdfs.server.protocol.DatanodeCommand;
import org.apache.hadoop.hdfs.server.protocol.ReceivedDeletedBlockInfo;
import org.apache.hadoop.hdfs.server.protocol.ReceivedDeletedBlockInfo.BlockStatus;
import org.apache.hadoop.hdfs.server.protocol.StorageReceivedDeletedBlocks;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.util.Time;

/**
 * A run of hdfs.lease in a directory of its own; runs share the NameNode. Clients and datanodes are
 * what they say.
 */
final class LeaseRun implements Run {
  private static final long[] GATES_MS = {30_000, 1_800_000};
  private static final long[] BLOCK_SIZES = {128L * 1024 * 1024, 1, 2};

  final LeaseCluster cluster;
  final int number;
  final String root;
  final List<String> files;
  final List<String> clients;
  final List<String> datanodes;
  final long blockSize;
  final long gateMs;
  final Set<String> dead = new HashSet<>();
  final Set<String> running = new TreeSet<>();
  final Map<List<String>, Stream> streams = new HashMap<>();
  final Map<Long, Replicas> replicas = new HashMap<>();
  final Map<List<String>, RecoveringBlock> led = new HashMap<>();
  final Map<String, Set<Long>> storedThere = new HashMap<>();
  final Set<Long> unlogged = new HashSet<>();
  final Set<Long> counted = new HashSet<>();
  Late late;
  long passedMs;
  private final Told told;
  private final long first;
  private final FileSteps byFile;
  private final BlockSteps byBlock;
  private final LateSteps byLate;
  private final CloseSteps byClose;
  private final DatanodeSteps byDatanode;
  private final OutageSteps byOutage;

  /** The seed decides the size of blocks, and how long an attempt is young. */
  LeaseRun(LeaseCluster cluster, int number, Start request) throws Exception {
    this.cluster = cluster;
    this.number = number;
    root = "/run" + number;
    files = request.files();
    clients = request.clients();
    datanodes = request.datanodes();
    blockSize = BLOCK_SIZES[(int) (request.seed() % 3)];
    gateMs = GATES_MS[(int) (request.seed() / 3 % 2)];
    told = new Told(cluster.fsn.getBlockPoolId());
    byFile = new FileSteps(this);
    byBlock = new BlockSteps(this);
    byLate = new LateSteps(this, byBlock);
    byClose = new CloseSteps(this);
    byDatanode = new DatanodeSteps(this);
    byOutage = new OutageSteps(this);
    cluster.bm().setBlockRecoveryTimeout(gateMs);
    if (inSafeMode()) {
      cluster.nn.setSafeMode(SafeModeAction.SAFEMODE_LEAVE, false);
    }
    for (Faked node : cluster.nodes) {
      if (cluster.known(node) != null) {
        BlockAccess.dies(cluster.bm(), cluster.known(node));
      }
    }
    for (String name : datanodes) {
      cluster.register(faked(name));
      cluster.heartbeat(faked(name));
      running.add(name);
    }
    cluster.nn.mkdirs(root, FsPermission.getDirDefault(), true);
    first = cluster.bm().getBlockIdManager().getGenerationStamp() + 1;
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
    String client = a.get("client"), file = a.get("file"), datanode = a.get("datanode");
    switch (name) {
      case "create":
        byFile.create(name, client, file, a, EnumSet.of(CreateFlag.CREATE));
        break;
      case "create_over":
        live(client);
        NotPossible.needs(inode(file) != null || inSafeMode(), file + " does not exist");
        byFile.create(name, client, file, a, EnumSet.of(CreateFlag.CREATE, CreateFlag.OVERWRITE));
        blocksAreGone();
        break;
      case "append":
        byFile.append(name, client, file, a, false);
        break;
      case "append_at_block_boundary":
        byFile.append(name, client, file, a, true);
        break;
      case "recover_lease":
        byFile.recoverLease(client, file, a);
        break;
      case "renew_lease":
        live(client);
        if (ask(
                name,
                a,
                null,
                null,
                () -> {
                  Call.latest(ClientProtocol.class, cluster.nn, "renewLease", holder(client), null);
                  return true;
                })
            .isPresent()) {
          of(name, a);
        }
        break;
      case "delete":
        byFile.delete(client, file, a);
        break;
      case "rename":
        byFile.rename(client, a.get("source"), a.get("target"), a);
        break;
      case "release_expired_lease":
        byFile.release(a.get("holder"), file, a);
        break;
      case "add_block":
        byBlock.addBlock(client, file, a);
        break;
      case "add_block_unanswered":
        byBlock.addBlockUnanswered(client, file, a);
        break;
      case "add_block_is_analysed":
        byLate.addBlockIsAnalysed(client, file);
        break;
      case "add_block_goes_on":
        byLate.addBlockGoesOn(client, file, a);
        break;
      case "abandon_block":
        byBlock.abandonBlock(client, file, a);
        break;
      case "get_additional_datanode":
        byBlock.getAdditionalDatanode(client, file, a);
        break;
      case "write":
        byBlock.write(client, file, a);
        break;
      case "last_packet":
        byBlock.lastPacket(client, file, a);
        break;
      case "fsync":
        byBlock.fsync(client, file, a);
        break;
      case "fsync_is_delayed":
        byLate.fsyncIsDelayed(client, file);
        break;
      case "fsync_arrives_late":
        byLate.fsyncArrivesLate(client, file, a);
        break;
      case "late_call_ends":
        NotPossible.needs(byLate.lateCall() != null, "no call is under way");
        late = null;
        break;
      case "complete":
        byClose.complete(client, file, a);
        break;
      case "complete_unanswered":
        byClose.completeUnanswered(client, file, a);
        break;
      case "finalize_replicas":
        byDatanode.finalizeReplicas(file);
        break;
      case "block_received":
        byDatanode.blockReceived(file, datanode, a);
        break;
      case "block_received_earlier":
        byDatanode.blockReceivedEarlier(file, datanode, a);
        break;
      case "replica_reported":
        byDatanode.replicaReported(file, datanode, a);
        break;
      case "commit_block_synchronization":
        byDatanode.commit(a.get("primary"), file, a);
        break;
      case "client_crash":
        live(client);
        dead.add(client);
        streams.keySet().removeIf(key -> key.get(0).equals(client));
        event(client, "node", client, name, a);
        break;
      case "datanode_stops":
        byOutage.datanodeStops(datanode, a);
        break;
      case "datanode_returns":
        byOutage.datanodeReturns(datanode, a);
        break;
      case "namenode_restart":
        byOutage.namenodeRestart(a);
        break;
      case "safe_mode_ends":
        byOutage.safeModeEnds();
        break;
      default:
        throw new IllegalArgumentException("unknown event '" + name + "'");
    }
    handOut();
  }

  @Override
  public void end() throws Exception {
    if (inSafeMode()) {
      cluster.nn.setSafeMode(SafeModeAction.SAFEMODE_LEAVE, false);
    }
    cluster.nn.delete(root, true);
    blocksAreGone();
  }

  ObjectNode event(
      String node, String kind, String entity, String event, Map<String, String> arguments) {
    return told.add(node, kind, entity, event, arguments, passedMs);
  }

  ObjectNode of(String event, Map<String, String> a) {
    return event(
        "namenode", "file", a.getOrDefault("file", a.getOrDefault("source", "namenode")), event, a);
  }

  Replicas of(long block) {
    return replicas.computeIfAbsent(block, none -> new Replicas());
  }

  @Override
  public void tick(long ms) throws Exception {
    Time.pass(ms);
    passedMs += ms;
    for (String one : running) {
      heard(one);
    }
  }

  String path(String file) {
    return root + file;
  }

  String holder(String client) {
    return client + "@" + number;
  }

  boolean inSafeMode() {
    return cluster.fsn.isInSafeMode();
  }

  INodeFile inode(String file) {
    return LeaseAccess.file(cluster.fsn, path(file));
  }

  BlockInfo last(String file) {
    INodeFile inode = inode(file);
    return inode == null ? null : inode.getLastBlock();
  }

  Stream stream(String client, String file) {
    return streams.get(List.of(client, file));
  }

  long inodeId(String client, String file) {
    Stream stream = stream(client, file);
    return stream == null ? 0 : stream.inode;
  }

  /** The last block as its client passes it: with all that is acknowledged. */
  ExtendedBlock passed(Stream stream) {
    if (stream == null || stream.block == null) {
      return null;
    }
    ExtendedBlock block = new ExtendedBlock(stream.block);
    block.setNumBytes(of(block.getBlockId()).bytes);
    return block;
  }

  ExtendedBlock noBlock() {
    return new ExtendedBlock(cluster.fsn.getBlockPoolId(), 0, 0, 0);
  }

  boolean owns(String client, String file) {
    return !inSafeMode()
        && LeaseAccess.owns(cluster.fsn, path(file), holder(client), inodeId(client, file));
  }

  boolean matches(BlockInfo known, ExtendedBlock passed) {
    return known != null
        && passed != null
        && known.getBlockId() == passed.getBlockId()
        && known.getGenerationStamp() == passed.getGenerationStamp();
  }

  boolean full(BlockInfo block) {
    return block.getNumBytes() >= blockSize;
  }

  Faked faked(String datanode) {
    int index = datanodes.indexOf(datanode);
    if (index < 0) {
      throw new IllegalArgumentException("no datanode " + datanode);
    }
    return cluster.node(index);
  }

  String named(String uuid) {
    for (String one : datanodes) {
      if (faked(one).uuid.equals(uuid)) {
        return one;
      }
    }
    throw new IllegalStateException("no datanode " + uuid);
  }

  String names(Collection<String> uuids) {
    return uuids.stream().map(this::named).sorted().distinct().collect(Collectors.joining(","));
  }

  void blocksAreGone() throws InterruptedException {
    for (int i = 0; !BlockAccess.deleted(cluster.bm()).isEmpty() && i < 1000; i++) {
      Thread.sleep(3);
    }
    Thread.sleep(15); // the last of the queue is taken out before its blocks are removed
  }

  void live(String client) {
    NotPossible.needs(!dead.contains(client), client + " is down");
  }

  void up(String datanode) {
    NotPossible.needs(running.contains(datanode), datanode + " is down");
  }

  /** The last block of a file and the recovery of it that was begun last. */
  long[] recovery(String file) {
    BlockInfo last = file == null ? null : last(file);
    return last == null
        ? new long[] {0, 0}
        : new long[] {last.getBlockId(), BlockAccess.recoveryId(last)};
  }

  /** Who is to lead the recovery of a block; "none" where nobody is. */
  String primary(long block) {
    for (String one : datanodes) {
      DatanodeDescriptor known = cluster.known(faked(one));
      if (known != null) {
        for (BlockInfo queued : BlockAccess.queued(known)) {
          if (queued.getBlockId() == block) {
            return one;
          }
        }
      }
    }
    return "none";
  }

  /** If a recovery was begun since, the event says which and who leads it. */
  ObjectNode telling(ObjectNode told, String file, long[] before) {
    long[] now = recovery(file);
    if (now[1] != 0 && (now[0] != before[0] || now[1] != before[1])) {
      told.put("recovery_id", now[1]);
      ((ObjectNode) told.get("arguments")).put("primary", primary(now[0]));
    }
    return told;
  }

  <T> Optional<T> ask(
      String event, Map<String, String> a, String file, long[] before, Asking<T> asking)
      throws Exception {
    try {
      T answer = asking.ask();
      return Optional.of(answer);
    } catch (IOException refusal) {
      if (!(refusal instanceof RemoteException)) {
        throw refusal;
      }
      telling(of(event, a), file, before).put("refused_with", Refusals.name(refusal));
      handOut();
      return Optional.empty();
    }
  }

  /** Whoever shall lead a recovery is told by the next heartbeat, which comes at once. */
  void handOut() throws IOException {
    for (String one : running) {
      if (cluster.known(faked(one)) != null
          && !BlockAccess.queued(cluster.known(faked(one))).isEmpty()) {
        heard(one);
      }
    }
  }

  void heard(String datanode) throws IOException {
    for (DatanodeCommand command : cluster.heartbeat(faked(datanode)).getCommands()) {
      if (command instanceof BlockRecoveryCommand) {
        for (RecoveringBlock one : ((BlockRecoveryCommand) command).getRecoveringBlocks()) {
          for (String file : files) {
            INodeFile inode = inode(file);
            if (inode != null
                && Arrays.stream(inode.getBlocks())
                    .anyMatch(block -> block.getBlockId() == one.getBlock().getBlockId())) {
              led.put(List.of(datanode, file), one);
            }
          }
        }
      }
    }
  }

  void tell(String datanode, BlockInfo block, BlockStatus status) throws Exception {
    Block replica =
        new Block(block.getBlockId(), of(block.getBlockId()).bytes, block.getGenerationStamp());
    StorageReceivedDeletedBlocks[] report = {
      new StorageReceivedDeletedBlocks(
          faked(datanode).storage,
          new ReceivedDeletedBlockInfo[] {new ReceivedDeletedBlockInfo(replica, status, null)})
    };
    cluster.dn.blockReceivedAndDeleted(
        faked(datanode).registration, cluster.fsn.getBlockPoolId(), report);
    cluster.bm().flushBlockOps();
  }

  boolean isPreviousLast(ExtendedBlock previous, String file) {
    BlockInfo last = last(file);
    if (previous == null) {
      return last == null || (last.isComplete() && full(last));
    }
    return matches(last, previous);
  }

  void blockIsAdded(String file, ExtendedBlock block, ExtendedBlock previous) {
    of(block.getBlockId());
    INodeFile inode = inode(file);
    BlockInfo[] blocks = inode.getBlocks();
    for (int i = 0; i < blocks.length - 2; i++) {
      counted.add(blocks[i].getBlockId());
    }
    if (previous != null && previous.getBlockId() != block.getBlockId()) {
      unlogged.remove(previous.getBlockId());
      Replicas there = of(previous.getBlockId());
      there.finalized = there.bytes > 0;
    }
  }

  /**
   * The block that will be the last one once the last one is dropped is not of those that are only
   * counted.
   */
  void needsBlockBefore(String file) {
    INodeFile inode = inode(file);
    BlockInfo[] blocks = inode == null ? BlockInfo.EMPTY_ARRAY : inode.getBlocks();
    NotPossible.needs(
        blocks.length < 2 || !counted.contains(blocks[blocks.length - 2].getBlockId()),
        "of the block before the last one of " + file + " nothing is told any more");
  }

  /** A call of a client. */
  interface Asking<T> {
    T ask() throws IOException;
  }
}
