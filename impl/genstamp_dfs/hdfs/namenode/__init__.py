"""The namenode core: files, leases, blocks, and the recovery of both.

- `namenode`: the face; `calls` names the function that answers a request, `retry_cache` has what was answered.
- `fs_namesystem`: the state, which calls and monitors get as `fsn`, and what most of them need of it. A module for each
  concern has the functions: `create`, `append`, `add_block`, `pipeline_calls`, `complete`, `truncate`,
  `lease_recovery`, `block_recovery_calls`, `datanode_calls`, `tree_calls`, `attribute_calls`, `read_calls`; `monitors`.
- `namespace`, `blocks`, `lease_manager`, `datanode_manager`: what there is.
- `block_manager`: what is known of blocks and replicas, `bm` to its functions in `redundancy`, `corruption`,
  `completion`, `block_reports`.
- `edit_log`, `edit_ops`, `image`, `checkpoint`, `storage_directory`: what is on disk; `start`, `edit_replay`,
  `image_state`: how it comes back.
- `configuration`: HDFS' settings, and which holes are closed.
"""
