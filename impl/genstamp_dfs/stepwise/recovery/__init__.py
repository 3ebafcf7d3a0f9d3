"""The steps of hdfs.recovery on the real cores: files of one block each, leases, and lease and block recovery."""
