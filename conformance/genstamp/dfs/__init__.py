"""Operations of the verb `dfs` on files of a cluster, in pieces, so that no file has to fit into memory.

- `transfer`: to and from the cluster.
- `health`: which blocks of which files have too few replicas, or none.

Not here: the command line (`genstamp.cli.dfs.verb`), and the cluster itself (`genstamp_dfs`).
"""
