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
   * A create that leaves a replica without files. Most of what HDFS then answers to requests for
   * it, the specification does not say.
   */
  WITHOUT_FILES;

  private static final Set<Known> LEFT_OUT =
      "shown".equals(System.getProperty("genstamp.known")) ? Set.of() : Set.of(values());

  public boolean isLeftOut() {
    return LEFT_OUT.contains(this);
  }
}
