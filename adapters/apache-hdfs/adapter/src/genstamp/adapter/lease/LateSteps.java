package genstamp.adapter.lease;

import genstamp.adapter.NotPossible;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hdfs.AddBlockFlag;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.namenode.INodeFile;
import org.apache.hadoop.hdfs.server.namenode.LeaseAccess;

/** Calls that are analysed or delayed, and go on when others were answered. */
final class LateSteps {
  private final LeaseRun run;
  private final LeaseCluster cluster;
  private final BlockSteps blocks;

  LateSteps(LeaseRun run, BlockSteps blocks) {
    this.run = run;
    cluster = run.cluster;
    this.blocks = blocks;
  }

  Late lateCall() {
    if (run.late != null && !LeaseAccess.exists(cluster.fsn, run.late.inode)) {
      run.late = null;
    }
    return run.late;
  }

  Late needsLate(String event, String client, String file) {
    Late call = lateCall();
    INodeFile inode = run.inode(file);
    NotPossible.needs(
        call != null
            && inode != null
            && call.event.equals(event)
            && call.client.equals(client)
            && call.inode == inode.getId(),
        "no such call is under way");
    return call;
  }

  void needsLateOwner(String client, String file, Late call) {
    NotPossible.needs(
        LeaseAccess.owns(cluster.fsn, run.path(file), run.holder(client), call.inode),
        "the call will be refused");
  }

  void addBlockIsAnalysed(String client, String file) {
    run.live(client);
    NotPossible.needs(lateCall() == null, "another call is under way");
    Stream stream = blocks.needsNoBlock(client, file);
    NotPossible.needs(run.isPreviousLast(stream.block, file), client + " repeats a call");
    NotPossible.needs(
        LeaseAccess.penultimateComplete(cluster.fsn, run.path(file)),
        "the block before the previous one is not complete");
    run.late = new Late("add_block_goes_on", client, stream.inode, run.passed(stream));
  }

  void addBlockGoesOn(String client, String file, Map<String, String> a) throws Exception {
    run.live(client);
    Late call = needsLate("add_block_goes_on", client, file);
    if (!run.inSafeMode()) {
      needsLateOwner(client, file, call);
      NotPossible.needs(!run.running.isEmpty(), "no datanode is running");
      BlockInfo last = run.last(file);
      NotPossible.needs(
          !(call.block == null && last != null && last.isComplete() && !run.full(last)),
          "the last block has room");
    }
    boolean isFirst = run.isPreviousLast(call.block, file);
    Optional<LocatedBlock> answer =
        run.ask(
            "add_block_goes_on",
            a,
            file,
            run.recovery(file),
            () ->
                cluster.nn.addBlock(
                    run.path(file),
                    run.holder(client),
                    call.block,
                    null,
                    call.inode,
                    null,
                    EnumSet.noneOf(AddBlockFlag.class)));
    if (!answer.isPresent()) {
      return;
    }
    run.late = null;
    run.of("add_block_goes_on", a);
    if (!isFirst) {
      return;
    }
    run.blockIsAdded(file, answer.get().getBlock(), call.block);
    Stream stream = run.stream(client, file);
    if (stream != null
        && !stream.stage.equals("streaming")
        && (stream.block == null || call.block == null
            ? stream.block == call.block
            : stream.block.getGenerationStamp() == call.block.getGenerationStamp())) {
      stream.unanswered = true;
    }
  }

  void fsyncIsDelayed(String client, String file) {
    run.live(client);
    NotPossible.needs(lateCall() == null, "another call is under way");
    Stream stream = run.stream(client, file);
    ExtendedBlock passed = run.passed(stream);
    NotPossible.needs(
        passed != null && stream.stage.equals("streaming") && passed.getNumBytes() > 0,
        client + " has written nothing");
    run.late = new Late("fsync_arrives_late", client, stream.inode, passed);
  }

  void fsyncArrivesLate(String client, String file, Map<String, String> a) throws Exception {
    run.live(client);
    Late call = needsLate("fsync_arrives_late", client, file);
    if (!run.inSafeMode()) {
      needsLateOwner(client, file, call);
    }
    if (run.ask(
            "fsync_arrives_late",
            a,
            file,
            run.recovery(file),
            () -> {
              cluster.nn.fsync(
                  run.path(file), call.inode, run.holder(client), call.block.getNumBytes());
              return true;
            })
        .isPresent()) {
      run.late = null;
      BlockInfo last = run.last(file);
      run.of("fsync_arrives_late", a).put("num_bytes", last == null ? null : last.getNumBytes());
    }
  }
}
