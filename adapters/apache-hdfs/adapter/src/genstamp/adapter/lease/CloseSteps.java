package genstamp.adapter.lease;

import com.fasterxml.jackson.databind.node.ObjectNode;
import genstamp.adapter.NotPossible;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.BlockUCState;
import org.apache.hadoop.hdfs.server.namenode.INodeFile;
import org.apache.hadoop.hdfs.server.namenode.LeaseAccess;
import org.apache.hadoop.util.VersionInfo;

/** complete(), answered or not. */
final class CloseSteps {
  // Before HDFS-10240 the call would go through, and no client makes it that has not ended its block.
  private static final boolean REFUSES_UNDER_RECOVERY =
      !VersionInfo.getVersion().startsWith("2.");

  private final LeaseRun run;
  private final LeaseCluster cluster;

  CloseSteps(LeaseRun run) {
    this.run = run;
    cluster = run.cluster;
  }

  void complete(String client, String file, Map<String, String> a) throws Exception {
    run.live(client);
    Stream stream = run.stream(client, file);
    if (!run.inSafeMode()) {
      needsEnd(stream, client, file);
    }
    Optional<Boolean> closed = askToComplete("complete", stream, client, file, a);
    if (!closed.isPresent()) {
      return;
    }
    BlockInfo last = run.last(file);
    if (closed.get()) {
      run.streams.remove(List.of(client, file));
    } else if (last != null && last.getBlockUCState() == BlockUCState.COMMITTED) {
      run.unlogged.add(last.getBlockId());
    }
    ObjectNode observed =
        run.of("complete", a).putObject("observed").put("closed", String.valueOf(closed.get()));
    if (last != null) {
      observed.put("block_state", last.getBlockUCState().name());
    }
  }

  void completeUnanswered(String client, String file, Map<String, String> a) throws Exception {
    run.live(client);
    Stream stream = run.stream(client, file);
    if (!run.inSafeMode()) {
      needsEnd(stream, client, file);
      INodeFile inode = run.inode(file);
      NotPossible.needs(
          run.owns(client, file)
              && inode != null
              && Arrays.stream(inode.getBlocks()).allMatch(BlockInfo::isComplete),
          client + " would not close " + file);
    }
    if (askToComplete("complete_unanswered", stream, client, file, a).isPresent()) {
      stream.unanswered = true;
      run.of("complete_unanswered", a);
    }
  }

  Optional<Boolean> askToComplete(
      String name, Stream stream, String client, String file, Map<String, String> a)
      throws Exception {
    ExtendedBlock passed = stream == null ? run.noBlock() : run.passed(stream);
    return run.ask(
        name,
        a,
        file,
        run.recovery(file),
        () ->
            cluster.nn.complete(
                run.path(file), run.holder(client), passed, run.inodeId(client, file)));
  }

  void needsEnd(Stream stream, String client, String file) {
    BlockInfo last = run.last(file);
    if (!run.owns(client, file)) {
      boolean streaming = stream != null && stream.stage.equals("streaming");
      NotPossible.needs(
          !(streaming && run.matches(last, stream.block)), client + " has not ended its block");
      return;
    }
    boolean open = stream != null && stream.stage.equals("open");
    boolean refused =
        REFUSES_UNDER_RECOVERY
            && last != null
            && last.getBlockUCState() == BlockUCState.UNDER_RECOVERY
            && LeaseAccess.penultimateComplete(cluster.fsn, run.path(file));
    if (refused && !open) {
      return;
    }
    NotPossible.needs(
        stream != null && !stream.stage.equals("streaming") && !stream.unanswered,
        client + " is not done with its last block of " + file);
    NotPossible.needs(
        !(open && last != null && !last.isComplete()),
        client + " does not know the last block of " + file);
  }
}
