package genstamp.adapter;

/** What runs are made on: a cluster, or a part of one. */
public interface Host {
  Run start(Start request) throws Exception;

  /** Whether runs go by the times that a request {@code start} names. */
  default boolean takesTimes() {
    return false;
  }
}
