"""HDFS: the write path of one block, lease recovery and block recovery, as Hadoop 3.4.1 does them.

- `namenode`, `datanode`, `client`: cores without I/O. What another node sends is a method call, what is sent back
  is the result or one of Hadoop's exceptions; time comes in as a number. All state is in plain fields.
- `cluster`: the cores together, one method for each atomic step of the protocol, and the event that each leaves.
- `driver`: a cluster under somebody's hand, step by step.

Left out in this version: pipeline recovery, append, truncate, delete, rename and overwrite; files of more than one
block; namenode restart, safe mode, edit log and standby; replication of short blocks; permissions and quotas;
erasure coding; retries of lost answers (a call and its answer are one step). What a single module leaves out is
said there.
"""
