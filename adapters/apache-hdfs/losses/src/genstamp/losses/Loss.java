package genstamp.losses;

import java.io.File;

/**
 * What Apache HDFS loses, leaves open for ever, or answers wrongly, as a short program against a
 * real cluster.
 */
interface Loss {
  /**
   * Does it on clusters below {@code directory}, and notes what is seen.
   *
   * @throws Exception if the cluster did something else than the program waits for; the loss is
   *     then not shown
   */
  void run(File directory, Seen seen) throws Exception;
}
