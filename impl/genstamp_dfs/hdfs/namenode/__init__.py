"""The namenode core: files, leases, blocks, and the recovery of both.

- `namenode`: the face; `calls` says which request is answered by which method, `retry_cache` what was answered.
- `fs_namesystem` and the files that it names: the calls, by concern.
- `namespace`, `blocks`, `lease_manager`, `datanode_manager`: what there is.
- `block_manager`, with its functions in `redundancy`, `corruption`, `completion`, `block_reports`: what becomes of
  blocks and replicas.
- `edit_log`, `edit_ops`, `image`, `checkpoint`, `storage_directory`: what is on disk; `start`, `edit_replay`,
  `image_state`: how it comes back.
- `configuration`: HDFS' settings, and which holes are closed.
"""
