"""The museum: historic faults of HDFS, each a variation that breaks a declared property."""
