package genstamp.adapter;

import java.util.Set;

/**
 * Where the specification is known to be wrong about HDFS: such steps are left out, so that a test
 * goes on beyond them. The property {@code genstamp.known=shown} makes them, as the stories need
 * it. README.md says what each is.
 */
public enum Known {
  /**
   * Requests to a finalized replica that is longer than its file, as an update can leave it. HDFS
   * refuses some of them where the specification does not.
   */
  LONGER_THAN_ITS_FILE,
  /**
   * Requests that replace a replica where no volume has room: HDFS deletes its files, and refuses.
   */
  REPLACES_WITHOUT_ROOM,
  /** Copies that fail: HDFS answers as if they had come about (failed-transfer-is-a-success). */
  FAILED_TRANSFER_IS_A_SUCCESS,
  /** getAdditionalDatanode where the NameNode does not know a storage of the pipeline. */
  UNKNOWN_STORAGE_NAMES_NO_OTHER,
  /** getAdditionalDatanode for a writer whose block is under recovery: it has lost its lease. */
  FENCED_WRITER_IS_NAMED_NO_OTHER,
  /**
   * A datanode that stops to restart after it has received the last packet, and before its replica
   * is final: it does not find the replica as it was.
   */
  RESTART_AFTER_THE_LAST_PACKET,
  /**
   * A datanode that stops to restart with bytes that are not acknowledged: all of them count as
   * acknowledged once it is back (restart-keeps-what-was-acknowledged).
   */
  RESTART_ACKNOWLEDGES_ALL,
  /**
   * The end of a block that was opened again under its own stamp: the NameNode counts the replicas
   * that were reported before, and the block is complete at once.
   */
  REUSED_STAMP_KEEPS_REPORTED_REPLICAS;

  private static final Set<Known> LEFT_OUT =
      "shown".equals(System.getProperty("genstamp.known")) ? Set.of() : Set.of(values());

  public boolean isLeftOut() {
    return LEFT_OUT.contains(this);
  }
}
