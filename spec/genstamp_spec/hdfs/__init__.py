"""HDFS: leases, the write pipeline, lease and block recovery, as parts, systems made of them, and a museum of bugs."""
