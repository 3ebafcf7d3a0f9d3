package genstamp.adapter.recovery;

import com.fasterxml.jackson.databind.node.ObjectNode;
import genstamp.adapter.Call;
import genstamp.adapter.NotPossible;
import genstamp.adapter.Refusals;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hdfs.AddBlockFlag;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.BlockUCState;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.ReplicaAccess;
import org.apache.hadoop.hdfs.server.namenode.INodeFile;
import org.apache.hadoop.hdfs.server.namenode.NameNodeAccess;

/** What clients do: calls of ClientProtocol, and packets to each datanode of a pipeline. */
final class ClientSteps {
  private final RecoveryRun run;
  private final RecoveryCluster cluster;

  ClientSteps(RecoveryRun run) {
    this.run = run;
    cluster = run.cluster;
  }

  private static final Pattern REFUSED_SET_UP =
      Pattern.compile("opWriteBlock .* received exception ([\\w.]+)[\\s\\S]*");

  void create(String client, String file, Map<String, String> a) {
    run.live(client);
    try {
      HdfsFileStatus status =
          cluster.create(run.root + file, run.holder(client), run.datanodes.size());
      run.streams
          .computeIfAbsent(client, k -> new HashMap<>())
          .put(file, new Stream(status.getFileId()));
      run.event("namenode", "file", file, "create", a);
    } catch (IOException refusal) {
      run.event("namenode", "file", file, "create", a).put("refused_with", Refusals.name(refusal));
    }
  }

  void addBlock(String client, String file, Map<String, String> a) {
    run.live(client);
    Stream stream = run.stream(client, file);
    if (!isFenced(client, file, null) && !isClosed(file)) {
      NotPossible.needs(stream == null || stream.block == null, "the stream has its block");
      strangerOrWriter(client, file);
    }
    List<DatanodeInfo> excluded = new ArrayList<>();
    for (int i = 0; i < RecoveryCluster.DATANODES; i++) {
      if (i < run.datanodes.size() && cluster.stopped[i] == null) {
        continue;
      }
      excluded.add(cluster.manager().getDatanode(cluster.uuids[i]));
    }
    try {
      LocatedBlock located =
          cluster.nn.addBlock(
              run.root + file,
              run.holder(client),
              null,
              excluded.toArray(new DatanodeInfo[0]),
              stream == null ? 0 : stream.inode,
              null,
              EnumSet.noneOf(AddBlockFlag.class));
      stream.block = new ExtendedBlock(located.getBlock());
      stream.stage = "set-up";
      for (int i = 0; i < located.getLocations().length; i++) {
        int index =
            Arrays.asList(cluster.uuids).indexOf(located.getLocations()[i].getDatanodeUuid());
        stream.pipeline.add(index);
        stream.storages.put(index, located.getStorageIDs()[i]);
      }
      run.blocks.put(file, located.getBlock().getBlockId());
      List<String> names = new ArrayList<>();
      stream.pipeline.forEach(i -> names.add(run.datanodes.get(i)));
      Collections.sort(names);
      ObjectNode told = run.event("namenode", "block", run.blockEntity(file), "add_block", a);
      told.put("generation_stamp", located.getBlock().getGenerationStamp());
      told.putObject("observed").put("locations", String.join(",", names));
    } catch (IOException refusal) {
      run.event("namenode", "file", file, "add_block", a)
          .put("refused_with", Refusals.name(refusal));
    }
  }

  void createRbw(String client, String file, String datanode, Map<String, String> a) {
    run.live(client);
    Stream stream = run.stream(client, file);
    NotPossible.needs(stream != null && stream.block != null, client + " has no block of " + file);
    NotPossible.needs(
        stream.stage.equals("set-up") || stream.stage.equals("streaming"),
        "the stream is at " + stream.stage);
    int index = run.index(datanode);
    NotPossible.needs(stream.pipeline.contains(index), datanode + " is not in the pipeline");
    DataNode dn = run.up(datanode);
    NotPossible.needs(
        !stream.setUp.contains(index) || run.replica(file, index) != null, "set up already");
    cluster.heard();
    try {
      ByteWriter writer =
          new ByteWriter(
              dn.getXferAddress(), stream.block, run.holder(client), stream.storages.get(index));
      stream.writers.put(index, writer);
      stream.received.put(index, 0);
      stream.setUp.add(index);
      if (stream.setUp.size() == stream.pipeline.size()) {
        stream.stage = "streaming";
      }
      run.event(datanode, "replica", run.blockEntity(file) + "@" + datanode, "create_rbw", a)
          .put("generation_stamp", run.replica(file, index).stamp);
    } catch (IOException refusal) {
      String why = refusal.getClass().getSimpleName();
      Pattern said = Pattern.compile("opWriteBlock .* received exception ([\\w.]+)[\\s\\S]*");
      for (int i = 0; i < 20 && why.equals(refusal.getClass().getSimpleName()); i++) {
        for (String line : cluster.heard()) {
          Matcher found = said.matcher(line);
          if (found.matches()) {
            why = found.group(1).substring(found.group(1).lastIndexOf('.') + 1);
          }
        }
        run.pause();
      }
      run.event(datanode, "replica", run.blockEntity(file) + "@" + datanode, "create_rbw", a)
          .put("refused_with", why);
    }
  }

  void receivePacket(String client, String file, String datanode, Map<String, String> a) {
    run.live(client);
    Stream stream = run.stream(client, file);
    // A pipeline of one takes bytes as soon as it is set up, whatever the others do.
    boolean open = stream != null && Set.of("set-up", "streaming").contains(stream.stage);
    NotPossible.needs(open, client + " does not write " + file);
    ByteWriter writer = writer(stream, file, datanode);
    int index = run.index(datanode);
    int offset = stream.received.get(index);
    try {
      writer.packet(content(file, offset));
    } catch (IOException e) {
      throw new IllegalStateException(
          "a packet was not taken though the replica is being written", e);
    }
    stream.received.put(index, offset + 1);
    ReplicaAccess now = run.replica(file, index);
    run.event(datanode, "replica", run.blockEntity(file) + "@" + datanode, "receive_packet", a)
        .put("generation_stamp", now.stamp)
        .put("num_bytes", now.bytes);
  }

  void hflush(String client, String file, Map<String, String> a) {
    Stream stream = at(client, file, "streaming");
    allWrite(stream, file);
    int byAll = stream.byAll();
    NotPossible.needs(
        byAll > stream.acked || stream.sent() == byAll, "nothing new was acknowledged by all");
    if (stream.acked == 0) {
      try {
        cluster.nn.fsync(run.root + file, stream.inode, run.holder(client), -1);
      } catch (IOException refusal) {
        throw new NotPossible("the namenode refused the fsync: " + refusal);
      }
    }
    stream.acked = byAll;
    run.event(client, "block", run.blockEntity(file), "hflush", a).put("num_bytes", stream.acked);
  }

  void lastPacket(String client, String file, Map<String, String> a) {
    Stream stream = at(client, file, "streaming");
    allWrite(stream, file);
    NotPossible.needs(stream.sent() == stream.byAll(), "not everything is acknowledged");
    stream.stage = "closing";
    stream.acked = stream.byAll();
    run.event(client, "block", run.blockEntity(file), "last_packet", a);
  }

  void finalizeReplica(String client, String file, String datanode, Map<String, String> a) {
    Stream stream = at(client, file, "closing");
    ByteWriter writer = writer(stream, file, datanode);
    int index = run.index(datanode);
    try {
      writer.last();
    } catch (IOException e) {
      throw new IllegalStateException(
          "the last packet was not taken though the replica is being written", e);
    }
    stream.finalized.add(index);
    ReplicaAccess now = run.replica(file, index);
    if (now.state != ReplicaState.FINALIZED) {
      throw new IllegalStateException("not finalized but " + now.state);
    }
    writer.close();
    run.event(datanode, "replica", run.blockEntity(file) + "@" + datanode, "finalize_replica", a)
        .put("generation_stamp", now.stamp)
        .put("num_bytes", now.bytes);
  }

  void complete(String client, String file, Map<String, String> a) {
    run.live(client);
    Stream any = run.stream(client, file);
    Stream stream = any == null || any.stage.equals("closed") ? null : any;
    ExtendedBlock last = null;
    if (stream != null) {
      last = passed(stream);
    } else if (run.recovering.getOrDefault(client, Set.of()).contains(file)
        && underRecovery(file)) {
      last =
          new ExtendedBlock(
              cluster.pool, new Block(NameNodeAccess.lastBlock(cluster.fsn, run.root + file)));
    }
    if (!isFenced(client, file, stream) && (last == null || !underRecovery(file))) {
      strangerOrWriter(client, file);
      if (any != null) {
        NotPossible.needs(!any.stage.equals("closed"), "the stream is closed");
        boolean done = any.stage.equals("closing") && any.finalized.containsAll(any.pipeline);
        NotPossible.needs(any.block == null || done, "the last packet is not acknowledged by all");
        last = passed(any);
      } else {
        last = null;
      }
    }
    try {
      boolean closed =
          cluster.nn.complete(
              run.root + file, run.holder(client), last, any == null ? 0 : any.inode);
      if (closed && stream != null) {
        stream.stage = "closed";
      }
      ObjectNode told = run.event("namenode", "file", file, "complete", a);
      ObjectNode observed = told.putObject("observed").put("closed", String.valueOf(closed));
      BlockInfo known = NameNodeAccess.lastBlock(cluster.fsn, run.root + file);
      if (known != null) {
        observed.put("block_state", run.stateOf(known));
      }
    } catch (IOException refusal) {
      run.event("namenode", "file", file, "complete", a)
          .put("refused_with", Refusals.name(refusal));
    }
  }

  void renewLease(String client, Map<String, String> a) throws IOException {
    run.live(client);
    Call.latest(
        ClientProtocol.class, cluster.nn, "renewLease", run.holder(client), Collections.emptyList());
    run.event("namenode", "lease", client, "renew_lease", a);
  }

  void recoverLease(String client, String file, Map<String, String> a) {
    run.live(client);
    long before = run.recoveryId(file);
    try {
      boolean closed = cluster.nn.recoverLease(run.root + file, run.holder(client));
      if (run.stream(client, file) == null) {
        run.recovering.computeIfAbsent(client, k -> new HashSet<>()).add(file);
      }
      ObjectNode told = run.event("namenode", "file", file, "recover_lease", a);
      told.putObject("observed").put("closed", String.valueOf(closed));
      if (run.recoveryId(file) != before && run.recoveryId(file) != 0) {
        told.put("recovery_id", run.recoveryId(file));
      }
    } catch (IOException refusal) {
      run.event("namenode", "file", file, "recover_lease", a)
          .put("refused_with", Refusals.name(refusal));
    }
  }

  Stream at(String client, String file, String stage) {
    run.live(client);
    Stream stream = run.stream(client, file);
    NotPossible.needs(stream != null && stream.block != null, client + " has no block of " + file);
    NotPossible.needs(
        stream.stage.equals(stage),
        "the stream is at " + stream.stage + ", the step needs " + stage);
    return stream;
  }

  /** The real replica is being written, by this stream. */
  ByteWriter writer(Stream stream, String file, String datanode) {
    int index = run.index(datanode);
    NotPossible.needs(stream.pipeline.contains(index), datanode + " is not in the pipeline");
    run.up(datanode);
    ByteWriter writer = stream.writers.get(index);
    ReplicaAccess replica = run.replica(file, index);
    boolean takes =
        writer != null
            && replica != null
            && replica.state == ReplicaState.RBW
            && replica.stamp == stream.block.getGenerationStamp();
    NotPossible.needs(takes, "the writer at " + datanode + " is stopped");
    return writer;
  }

  void allWrite(Stream stream, String file) {
    for (int one : stream.pipeline) {
      writer(stream, file, run.datanodes.get(one));
    }
  }

  byte content(String file, int offset) {
    return (byte) (file.hashCode() + 31 * offset);
  }

  void strangerOrWriter(String client, String file) {
    NotPossible.needs(
        !run.recovering.getOrDefault(client, Set.of()).contains(file),
        client + " waits for the recovery of " + file);
  }

  boolean isFenced(String client, String file, Stream stream) {
    INodeFile inode = NameNodeAccess.file(cluster.fsn, run.root + file);
    if (inode == null || inode.isUnderConstruction()) {
      return inode == null
          || !run.holder(client).equals(NameNodeAccess.clientName(cluster.fsn, run.root + file));
    }
    BlockInfo last = inode.getLastBlock();
    ExtendedBlock passed = stream == null ? null : stream.block;
    if (last == null || passed == null) {
      return (last == null) != (passed == null);
    }
    return last.getGenerationStamp() != passed.getGenerationStamp();
  }

  boolean isClosed(String file) {
    INodeFile inode = NameNodeAccess.file(cluster.fsn, run.root + file);
    return inode != null && !inode.isUnderConstruction();
  }

  boolean underRecovery(String file) {
    BlockInfo last = NameNodeAccess.lastBlock(cluster.fsn, run.root + file);
    return last != null && last.getBlockUCState() == BlockUCState.UNDER_RECOVERY;
  }

  ExtendedBlock passed(Stream stream) {
    return stream.block == null
        ? null
        : new ExtendedBlock(
            cluster.pool,
            stream.block.getBlockId(),
            stream.acked,
            stream.block.getGenerationStamp());
  }
}
