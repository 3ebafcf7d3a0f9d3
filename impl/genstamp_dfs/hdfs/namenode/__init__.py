"""The namenode core: files, leases, blocks, and the recovery of both."""
