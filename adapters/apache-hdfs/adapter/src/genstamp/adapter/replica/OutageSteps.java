package genstamp.adapter.replica;

import static genstamp.adapter.NotPossible.needs;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Map;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.ReplicaAccess;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.util.Time;

/** Stops and restarts of the datanode, and a volume without room. */
final class OutageSteps {
  /** How long a planned restart may take: longer than a run. */
  private static final long IN_TIME_MS = 3_600_000;

  private final ReplicaRun run;

  /** What the datanode has left of a replica for its restart; null if nothing. */
  private File note;

  private boolean isPlanned;
  private boolean isFull;

  OutageSteps(ReplicaRun run) {
    this.run = run;
  }

  void stops(boolean forAnUpgrade) throws Exception {
    ReplicaInfo there = run.replica();
    boolean isRbw = there != null && there.getState() == ReplicaState.RBW;
    needs(!forAnUpgrade || !isRbw || run.isWritten(), "nobody is there to leave a note");
    if (forAnUpgrade && isRbw) {
      note = ReplicaAccess.restartNote(new File(there.getBlockURI()));
      leavesNote();
    }
    isPlanned = forAnUpgrade;
    run.stopWriting();
    run.cluster.stop();
  }

  /** So BlockReceiver#receiveBlock does it, whose part the writer plays here. */
  private void leavesNote() throws Exception {
    try (OutputStream out = run.written().createRestartMetaStream()) {
      out.write(Long.toString(Time.now() + IN_TIME_MS).getBytes(StandardCharsets.UTF_8));
    }
    if (!note.exists()) {
      throw new IllegalStateException(note + " is not where it was to be");
    }
  }

  void restartTakesTooLong() throws IOException {
    needs(run.cluster.isDown() && isPlanned, "the datanode is not down for an upgrade");
    isPlanned = false;
    if (note != null) {
      Files.writeString(note.toPath(), "0");
    }
  }

  void comesBack(Map<String, String> a) throws Exception {
    needs(run.cluster.isDown(), "the datanode is up");
    run.cluster.comeBack();
    note = null;
    isPlanned = false;
    if (isFull) {
      run.cluster.fill();
    }
    run.told("datanode_restart", a);
  }

  void diskFills() {
    needs(!isFull, "there is no room");
    isFull = true;
    run.cluster.fill();
  }

  boolean isFull() {
    return isFull;
  }

  void end() {
    if (isFull && !run.cluster.isDown()) {
      run.cluster.empty();
    }
  }
}
