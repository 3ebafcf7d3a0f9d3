"""The datanode core: replicas, and the recovery of a block at its primary."""
