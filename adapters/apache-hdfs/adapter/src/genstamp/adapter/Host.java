package genstamp.adapter;

/** What runs are made on: a cluster, or a part of one. */
public interface Host {
  Run start(Start request) throws Exception;
}
