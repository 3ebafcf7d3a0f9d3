package genstamp.adapter.lease;

/** What the datanodes have of a block; all have the same. */
final class Replicas {
  long bytes;
  boolean finalized;
}
