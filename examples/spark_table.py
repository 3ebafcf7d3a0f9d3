"""Spark writes a table to a cluster of the reference implementation, and reads it back.

A namenode and three datanodes are started as processes of their own, with their files in a temporary directory. Spark
knows nothing of them but an address; the client that it has of HDFS is Hadoop's own.

    python examples/spark_table.py
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from genstamp.logs.session import spark_session


@contextmanager
def cluster() -> Iterator[str]:
    """A cluster for as long as a block of code runs; gives its address."""
    with tempfile.TemporaryDirectory() as directory:
        command = [sys.executable, "-m", "genstamp", "dfs", "up", directory]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None, "standard output is a pipe"
        try:
            ready = json.loads(process.stdout.readline())
            yield f"hdfs://{ready['host']}:{ready['namenode']['port']}"
        finally:
            process.terminate()
            process.wait()
            process.stdout.close()


def main() -> None:
    """Write, read, and say what came back."""
    with cluster() as address, spark_session("local[2]") as spark:
        numbers = spark.range(1000).selectExpr("id", "id % 10 AS digit")
        numbers.write.partitionBy("digit").parquet(f"{address}/numbers")
        table = spark.read.parquet(f"{address}/numbers")
        print(f"{table.count()} rows, {table.where('digit = 7').count()} of them end in 7")


if __name__ == "__main__":
    main()
