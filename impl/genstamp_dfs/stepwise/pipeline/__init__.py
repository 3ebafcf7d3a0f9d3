"""The steps of hdfs.pipeline on the real cores: one writer, one block, its pipeline and its readers."""
