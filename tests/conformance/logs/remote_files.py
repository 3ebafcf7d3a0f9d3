"""File systems on other machines, on loopback: a cluster of the reference implementation, and a server of S3.

Not here: what is read there.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hdfs_native import Client, WriteOptions
from moto.server import ThreadedMotoServer
from tests.impl.server.processes import Processes, until


@contextmanager
def hdfs(directory: Path) -> Iterator[str]:
    """A cluster of HDFS; gives the URI of its root, without the last slash."""
    cluster = Processes(directory, datanodes=1)
    port = cluster.start()["namenode"]["port"]
    root = f"hdfs://127.0.0.1:{port}"

    def is_writable() -> bool:
        try:
            Client(root).create("/written", WriteOptions(replication=1)).close()
        except RuntimeError as problem:  # Until the datanode has told of itself.
            assert "SafeModeException" in str(problem), problem
            return False
        return True

    try:
        until(is_writable)
        yield root
    finally:
        cluster.stop()


def put(root: str, directory: str, files: Path) -> str:
    """Writes the files of a local directory into one of HDFS; gives its URI."""
    client = Client(root)
    for file in sorted(files.iterdir()):
        options = WriteOptions(create_parent=True, replication=1)
        with client.create(f"{directory}/{file.name}", options) as written:
            written.write(file.read_bytes())
    return f"{root}{directory}"


@contextmanager
def s3(bucket: str, files: Path) -> Iterator[str]:
    """A server of S3 with the files of a local directory in a bucket; gives the URI of the bucket."""
    server = ThreadedMotoServer("127.0.0.1", 0)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "any")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "any")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        import s3fs

        s3fs.S3FileSystem.clear_instance_cache()
        store = s3fs.S3FileSystem()
        store.mkdir(bucket)
        for file in files.iterdir():
            store.pipe_file(f"{bucket}/logs/{file.name}", file.read_bytes())
        yield f"s3://{bucket}/logs"
        s3fs.S3FileSystem.clear_instance_cache()
    server.stop()
