"""The verb `dfs`: servers and files of the reference implementation of HDFS."""
