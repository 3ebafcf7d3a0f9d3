package genstamp.adapter.lease;

import com.fasterxml.jackson.databind.node.ObjectNode;
import genstamp.adapter.Call;
import genstamp.adapter.NotPossible;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.crypto.CryptoProtocolVersion;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LastBlockWithStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockAccess;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.BlockUCState;
import org.apache.hadoop.hdfs.server.namenode.INodeFile;
import org.apache.hadoop.hdfs.server.namenode.LeaseAccess;
import org.apache.hadoop.io.EnumSetWritable;

/** Calls that open, take over, move and delete files, and the lease monitor. */
final class FileSteps {
  private final LeaseRun run;
  private final LeaseCluster cluster;

  FileSteps(LeaseRun run) {
    this.run = run;
    cluster = run.cluster;
  }

  void create(
      String name, String client, String file, Map<String, String> a, EnumSet<CreateFlag> flags)
      throws Exception {
    run.live(client);
    INodeFile inode = run.inode(file);
    if (inode != null
        && name.equals("create")
        && LeaseAccess.takenOver(cluster.fsn, run.holder(client), inode)) {
      needsReplicasBefore(file);
    }
    long[] before = run.recovery(file);
    Optional<HdfsFileStatus> answer =
        run.ask(
            name,
            a,
            file,
            before,
            () ->
                (HdfsFileStatus)
                    Call.latest(
                        ClientProtocol.class,
                        cluster.nn,
                        "create",
                        run.path(file),
                        FsPermission.getFileDefault(),
                        run.holder(client),
                        new EnumSetWritable<>(flags),
                        false,
                        (short) run.datanodes.size(),
                        run.blockSize,
                        CryptoProtocolVersion.supported(),
                        null,
                        null));
    if (answer.isPresent()) {
      nobodyWaits(file);
      run.streams.put(List.of(client, file), new Stream(answer.get().getFileId()));
      run.of(name, a);
    }
  }

  void append(String name, String client, String file, Map<String, String> a, boolean boundary)
      throws Exception {
    run.live(client);
    INodeFile inode = run.inode(file);
    if (inode != null && !run.inSafeMode()) {
      needsBoundary(client, file, inode, boundary);
    }
    long[] before = run.recovery(file);
    Optional<LastBlockWithStatus> answer =
        run.ask(
            name,
            a,
            file,
            before,
            () ->
                cluster.nn.append(
                    run.path(file),
                    run.holder(client),
                    new EnumSetWritable<>(EnumSet.of(CreateFlag.APPEND))));
    if (!answer.isPresent()) {
      return;
    }
    nobodyWaits(file);
    Stream stream = new Stream(inode.getId());
    run.streams.put(List.of(client, file), stream);
    LocatedBlock located = answer.get().getLastBlock();
    ObjectNode told = run.of(name, a);
    if (located == null) {
      return;
    }
    stream.stage = "streaming";
    stream.block = located.getBlock();
    run.of(stream.block.getBlockId()).finalized = false;
    run.unlogged.remove(stream.block.getBlockId());
    told.put("generation_stamp", stream.block.getGenerationStamp());
  }

  void needsBoundary(String client, String file, INodeFile inode, boolean asked) {
    List<BlockInfo> blocks = new ArrayList<>(Arrays.asList(inode.getBlocks()));
    if (inode.isUnderConstruction()) {
      if (!LeaseAccess.takenOver(cluster.fsn, run.holder(client), inode)) {
        return;
      }
      needsReplicasBefore(file);
      if (isStuck(inode)) {
        NotPossible.needs(!asked, file + " cannot be released");
        return;
      }
      if (!blocks.isEmpty()) {
        BlockInfo end = blocks.get(blocks.size() - 1);
        if (!end.isComplete() && BlockAccess.expected(end).isEmpty() && end.getNumBytes() == 0) {
          blocks.remove(blocks.size() - 1);
        }
      }
      if (!blocks.stream().allMatch(BlockInfo::isComplete)) {
        NotPossible.needs(!asked, file + " has something to recover");
        return;
      }
      if (!blocks.isEmpty()
          && !cluster.bm().isSufficientlyReplicated(blocks.get(blocks.size() - 1))) {
        NotPossible.needs(!asked, file + " would be closed, and not opened for want of a replica");
        return;
      }
    }
    long bytes = blocks.isEmpty() ? run.blockSize : blocks.get(blocks.size() - 1).getNumBytes();
    NotPossible.needs(!asked || bytes > 0, "the last block of " + file + " is empty, not full");
    boolean isBoundary = bytes == run.blockSize;
    NotPossible.needs(
        isBoundary == asked,
        "the last block of " + file + " is " + (isBoundary ? "" : "not ") + "full");
  }

  /** The last block is complete, and the one before is not: whatever would release it does nothing. */
  private static boolean isStuck(INodeFile inode) {
    BlockInfo last = inode.getLastBlock(), before = LeaseAccess.penultimate(inode);
    return last != null
        && before != null
        && last.isComplete()
        && before.getBlockUCState() == BlockUCState.COMMITTED;
  }

  void needsReplicasBefore(String file) {
    INodeFile inode = run.inode(file);
    BlockInfo last = inode.getLastBlock(), before = LeaseAccess.penultimate(inode);
    if (run.inSafeMode() || last == null || before == null) {
      return;
    }
    NotPossible.needs(
        !(last.getBlockUCState() == BlockUCState.COMMITTED
            && before.isComplete()
            && BlockAccess.stored(cluster.bm(), before).isEmpty()),
        "of the block before the last no replica is known");
  }

  void recoverLease(String client, String file, Map<String, String> a) throws Exception {
    run.live(client);
    if (run.inode(file) != null) {
      needsReplicasBefore(file);
    }
    long[] before = run.recovery(file);
    Optional<Boolean> answer =
        run.ask(
            "recover_lease",
            a,
            file,
            before,
            () -> cluster.nn.recoverLease(run.path(file), run.holder(client)));
    if (answer.isPresent()) {
      ObjectNode told = run.telling(run.of("recover_lease", a), file, before);
      told.putObject("observed").put("closed", String.valueOf(answer.get()));
    }
  }

  void delete(String client, String file, Map<String, String> a) throws Exception {
    run.live(client);
    NotPossible.needs(run.inode(file) != null || run.inSafeMode(), file + " does not exist");
    if (run.ask(
            "delete", a, file, run.recovery(file), () -> cluster.nn.delete(run.path(file), false))
        .isPresent()) {
      nobodyWaits(file);
      run.blocksAreGone();
      run.of("delete", a);
    }
  }

  void rename(String client, String source, String target, Map<String, String> a) throws Exception {
    run.live(client);
    NotPossible.needs(
        !(run.inode(target) != null && run.inode(source) != null && !run.inSafeMode()),
        target + " is not free");
    if (run.ask(
            "rename",
            a,
            source,
            run.recovery(source),
            () -> {
              cluster.nn.rename2(run.path(source), run.path(target));
              return true;
            })
        .isPresent()) {
      exchange(run.streams, source, target);
      exchange(run.led, source, target);
      run.of("rename", a);
    }
  }

  <T> void exchange(Map<List<String>, T> known, String first, String second) {
    Map<List<String>, T> moved = new HashMap<>();
    known.forEach(
        (key, value) ->
            moved.put(
                List.of(
                    key.get(0),
                    key.get(1).equals(first)
                        ? second
                        : key.get(1).equals(second) ? first : key.get(1)),
                value));
    known.clear();
    known.putAll(moved);
  }

  String holderName(String holder) {
    return holder.startsWith("HDFS_NameNode")
        ? "namenode"
        : holder.substring(0, holder.indexOf('@'));
  }

  void release(String holder, String file, Map<String, String> a) throws Exception {
    NotPossible.needs(!run.inSafeMode(), "the monitor does nothing in safe mode");
    INodeFile inode = run.inode(file);
    String lease = inode == null ? null : LeaseAccess.leaseOf(cluster.fsn, inode);
    NotPossible.needs(
        lease != null && holderName(lease).equals(holder),
        file + " is not in the lease of " + holder);
    NotPossible.needs(
        LeaseAccess.expiredHard(cluster.fsn, inode),
        "the lease of " + holder + " is not past its hard limit");
    needsReplicasBefore(file);
    Map<String, String> found = new LinkedHashMap<>();
    Map<String, long[]> before = new HashMap<>();
    for (String one : run.files) {
      INodeFile other = run.inode(one);
      if (other != null && LeaseAccess.expiredHard(cluster.fsn, other)) {
        found.put(one, LeaseAccess.leaseOf(cluster.fsn, other));
        before.put(one, run.recovery(one));
      }
    }
    LeaseAccess.checkLeases(cluster.fsn);
    // In the order in which they came, as far as it shows: by the stamps that recoveries got.
    List<String> order = new ArrayList<>(found.keySet());
    order.sort(
        Comparator.comparingLong(
            path -> run.recovery(path)[1] == before.get(path)[1] ? 0 : run.recovery(path)[1]));
    for (String path : order) {
      INodeFile other = run.inode(path);
      ObjectNode told =
          run.of(
              "release_expired_lease", Map.of("holder", holderName(found.get(path)), "file", path));
      String now = LeaseAccess.leaseOf(cluster.fsn, other);
      if (other.isUnderConstruction()
          && !isStuck(other)
          && found.get(path).equals(now)
          && LeaseAccess.expiredHard(cluster.fsn, other)) {
        told.put("refused_with", "IOException");
        continue;
      }
      run.telling(told, path, before.get(path))
          .putObject("observed")
          .put("closed", String.valueOf(!other.isUnderConstruction()));
    }
  }

  void nobodyWaits(String file) {
    run.streams.forEach(
        (key, stream) -> {
          if (key.get(1).equals(file)) {
            stream.unanswered = false;
          }
        });
  }
}
