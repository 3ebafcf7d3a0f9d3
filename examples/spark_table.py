"""Spark writes a table to a cluster of the reference implementation, and reads it back.

A namenode and three datanodes are started as processes of their own, with their files in a temporary directory. Spark
knows nothing of them but an address; the client that it has of HDFS is Hadoop's own.

    python examples/spark_table.py
"""

import tempfile
from pathlib import Path

from genstamp.dfs.local_cluster import hdfs_cluster
from genstamp.logs.session import spark_session


def main() -> None:
    """Write, read, and say what came back."""
    with (
        tempfile.TemporaryDirectory() as directory,
        hdfs_cluster(Path(directory) / "cluster") as cluster,
        spark_session("local[2]") as spark,
    ):
        numbers = spark.range(1000).selectExpr("id", "id % 10 AS digit")
        numbers.write.partitionBy("digit").parquet(f"{cluster.uri}/numbers")
        table = spark.read.parquet(f"{cluster.uri}/numbers")
        print(f"{table.count()} rows, {table.where('digit = 7').count()} of them end in 7")


if __name__ == "__main__":
    main()
