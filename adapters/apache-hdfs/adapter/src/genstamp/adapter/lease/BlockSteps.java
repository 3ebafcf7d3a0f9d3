package genstamp.adapter.lease;

import com.fasterxml.jackson.databind.node.ObjectNode;
import genstamp.adapter.NotPossible;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.hadoop.hdfs.AddBlockFlag;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockAccess;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;

/** Calls about the last block of an open file. */
final class BlockSteps {
  private final LeaseRun run;
  private final LeaseCluster cluster;

  BlockSteps(LeaseRun run) {
    this.run = run;
    cluster = run.cluster;
  }

  void addBlock(String client, String file, Map<String, String> a) throws Exception {
    run.live(client);
    if (run.owns(client, file)) {
      needsNoBlock(client, file);
    }
    LocatedBlock located = askForBlock("add_block", client, file, a);
    if (located == null) {
      return;
    }
    Stream stream = run.stream(client, file);
    stream.stage = "streaming";
    stream.block = located.getBlock();
    stream.unanswered = false;
    run.of("add_block", a)
        .put("generation_stamp", located.getBlock().getGenerationStamp())
        .putObject("observed")
        .put("locations", run.names(BlockAccess.expected(run.last(file))));
  }

  void addBlockUnanswered(String client, String file, Map<String, String> a) throws Exception {
    run.live(client);
    if (!run.inSafeMode()) {
      Stream stream = needsNoBlock(client, file);
      NotPossible.needs(run.isPreviousLast(stream.block, file), client + " repeats a call");
      NotPossible.needs(!run.running.isEmpty(), "no datanode is running");
    }
    if (askForBlock("add_block_unanswered", client, file, a) != null) {
      run.stream(client, file).unanswered = true;
      run.of("add_block_unanswered", a);
    }
  }

  LocatedBlock askForBlock(String name, String client, String file, Map<String, String> a)
      throws Exception {
    ExtendedBlock previous = run.passed(run.stream(client, file));
    Optional<LocatedBlock> answer =
        run.ask(
            name,
            a,
            file,
            run.recovery(file),
            () ->
                cluster.nn.addBlock(
                    run.path(file),
                    run.holder(client),
                    previous,
                    null,
                    run.inodeId(client, file),
                    null,
                    EnumSet.noneOf(AddBlockFlag.class)));
    if (!answer.isPresent()) {
      return null;
    }
    run.blockIsAdded(file, answer.get().getBlock(), previous);
    return answer.get();
  }

  Stream needsNoBlock(String client, String file) {
    NotPossible.needs(run.owns(client, file), client + " does not own " + file);
    Stream stream = run.stream(client, file);
    NotPossible.needs(
        stream != null && !stream.stage.equals("streaming"), client + " wants no block of " + file);
    return stream;
  }

  void abandonBlock(String client, String file, Map<String, String> a) throws Exception {
    run.live(client);
    Stream stream = run.stream(client, file);
    if (run.owns(client, file)) {
      BlockInfo last = run.last(file);
      NotPossible.needs(
          stream != null && stream.block != null && stream.stage.equals("streaming"),
          client + " has no block");
      NotPossible.needs(
          last != null && last.getGenerationStamp() == stream.block.getGenerationStamp(),
          "its block is not the last");
      NotPossible.needs(
          run.of(last.getBlockId()).bytes == 0, "something was written to the block of " + client);
      run.needsBlockBefore(file);
    }
    ExtendedBlock block = stream == null || stream.block == null ? run.noBlock() : stream.block;
    if (!run.ask(
            "abandon_block",
            a,
            file,
            run.recovery(file),
            () -> {
              cluster.nn.abandonBlock(
                  block, run.inodeId(client, file), run.path(file), run.holder(client));
              return true;
            })
        .isPresent()) {
      return;
    }
    BlockInfo last = run.last(file);
    stream.stage = last == null ? "open" : "closing";
    stream.block = last == null ? null : new ExtendedBlock(cluster.fsn.getBlockPoolId(), last);
    run.of("abandon_block", a);
  }

  void getAdditionalDatanode(String client, String file, Map<String, String> a) throws Exception {
    run.live(client);
    Stream stream = run.stream(client, file);
    ExtendedBlock block = stream == null || stream.block == null ? run.noBlock() : stream.block;
    // A real client names who is left of its pipeline, and asks for as many more as are up. With
    // nobody left it does not ask; Hadoop would answer with a NullPointerException.
    List<String> left = new ArrayList<>();
    BlockInfo last = run.last(file);
    if (last != null && !last.isComplete()) {
      for (String one : run.running) {
        if (BlockAccess.expected(last).contains(run.faked(one).uuid)) {
          left.add(one);
        }
      }
    }
    NotPossible.needs(
        !run.owns(client, file) || !left.isEmpty(), "no datanode is left that writes " + file);
    DatanodeInfo[] existing =
        left.stream().map(one -> cluster.known(run.faked(one))).toArray(DatanodeInfo[]::new);
    String[] storages =
        left.stream().map(one -> run.faked(one).storage.getStorageID()).toArray(String[]::new);
    Optional<LocatedBlock> answer =
        run.ask(
            "get_additional_datanode",
            a,
            file,
            run.recovery(file),
            () ->
                cluster.nn.getAdditionalDatanode(
                    run.path(file),
                    run.inodeId(client, file),
                    block,
                    existing,
                    storages,
                    DatanodeInfo.EMPTY_ARRAY,
                    run.running.size() - left.size(),
                    run.holder(client)));
    if (answer.isPresent()) {
      ObjectNode told = run.of("get_additional_datanode", a);
      if (left.size() < run.running.size()) {
        told.putObject("observed")
            .put(
                "locations",
                run.names(
                    Arrays.stream(answer.get().getLocations())
                        .map(DatanodeInfo::getDatanodeUuid)
                        .collect(Collectors.toList())));
      }
    }
  }

  void write(String client, String file, Map<String, String> a) {
    Stream stream = run.stream(client, file);
    BlockInfo last = run.last(file);
    NotPossible.needs(
        !run.dead.contains(client) && !run.running.isEmpty(),
        client + " or all datanodes are down");
    NotPossible.needs(
        stream != null && stream.block != null && stream.stage.equals("streaming"),
        client + " streams no block");
    NotPossible.needs(
        run.matches(last, stream.block) && !last.isComplete(),
        "the block of " + client + " is not written any more");
    Replicas there = run.of(last.getBlockId());
    NotPossible.needs(
        !there.finalized && there.bytes < run.blockSize,
        "the block of " + client + " is finalized, or full");
    there.bytes++;
    run.event(client, "block", file, "write", a).put("num_bytes", there.bytes);
  }

  void lastPacket(String client, String file, Map<String, String> a) {
    Stream stream = run.stream(client, file);
    NotPossible.needs(
        stream != null && stream.stage.equals("streaming"),
        client + " streams no block of " + file);
    stream.stage = "closing";
    run.event(client, "block", file, "last_packet", a);
  }

  void fsync(String client, String file, Map<String, String> a) throws Exception {
    run.live(client);
    Stream stream = run.stream(client, file);
    ExtendedBlock passed = run.passed(stream);
    long bytes = passed == null ? 0 : passed.getNumBytes();
    if (run.owns(client, file)) {
      BlockInfo last = run.last(file);
      NotPossible.needs(
          last != null && stream != null && stream.stage.equals("streaming") && bytes > 0,
          client + " has written nothing to " + file + ", or has ended its block");
      NotPossible.needs(
          run.matches(last, passed), "the block of " + client + " is not the last one any more");
    }
    if (run.ask(
            "fsync",
            a,
            file,
            run.recovery(file),
            () -> {
              cluster.nn.fsync(
                  run.path(file), run.inodeId(client, file), run.holder(client), bytes);
              return true;
            })
        .isPresent()) {
      run.of("fsync", a).put("num_bytes", run.last(file).getNumBytes());
    }
  }
}
