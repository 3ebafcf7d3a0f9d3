package genstamp.adapter;

import java.util.Map;

/** One run: from a request {@code start} to the next one. */
public interface Run {
  /** The first generation stamp that the NameNode will grant. */
  long firstStamp();

  /** What has happened and was not handed over yet. */
  Told told();

  /**
   * Makes one step or fault happen.
   *
   * @throws NotPossible if it cannot happen now; nothing has changed then
   */
  void step(String event, Map<String, String> arguments) throws Exception;

  /** Lets virtual time pass. */
  void tick(long ms) throws Exception;

  /** Leaves the cluster as the next run expects it. */
  void end() throws Exception;
}
