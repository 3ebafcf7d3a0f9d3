"""Java with Hadoop's client as it lies among PySpark's jars, in a process of its own."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any
from xml.sax.saxutils import escape
from zipfile import ZipFile

import pyspark
from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

from genstamp.java import java_home

JARS = Path(pyspark.__file__).parent / "jars"

NEEDED = ("hadoop-client-*.jar", "slf4j-api-*.jar", "jcl-over-slf4j-*.jar", "log4j-*.jar")
"""In the order in which they stand on the class path."""

(_API,) = JARS.glob("hadoop-client-api-*.jar")
VERSION = _API.stem.removeprefix("hadoop-client-api-")
"""Of Hadoop's client."""

SHORT_LIVED = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
"""For a process that ends before a better compiler would pay."""

WAITS = {"dfs.client.retry.policy.enabled": "true", "dfs.client.retry.policy.spec": "100,300"}
"""A client of a single namenode gives up at once unless it is told to wait: here for half a minute."""

SETTINGS = {"dfs.blocksize": str(1 << 20), **WAITS}
"""What core-site.xml says beside the address."""


def write_configuration(directory: Path, address: str, settings: Mapping[str, str] = SETTINGS) -> Path:
    """A jar with the configuration for the cluster at an address: of a directory, Java would archive no classes."""
    directory.mkdir(parents=True, exist_ok=True)
    properties = "".join(
        f"  <property><name>{name}</name><value>{escape(value)}</value></property>\n"
        for name, value in {"fs.defaultFS": address, **settings}.items()
    )
    with ZipFile(directory / "configuration.jar", "w") as jar:
        jar.writestr("core-site.xml", f"<configuration>\n{properties}</configuration>\n")
    return directory / "configuration.jar"


def class_path(configuration: Path) -> str:
    """What Hadoop's client needs of PySpark's jars, and the configuration."""
    jars = [jar for pattern in NEEDED for jar in sorted(JARS.glob(pattern))]
    return os.pathsep.join(map(str, [*jars, configuration]))


def java_command(classes: str, main_class: str, *arguments: str, options: Sequence[str] = SHORT_LIVED) -> list[str]:
    """The command that runs a class of a class path."""
    return [str(java_home() / "bin" / "java"), *options, "-cp", classes, main_class, *arguments]


class Jvm:
    """A virtual machine that does what it is told from here; it ends with this process at the latest.

    Args:
        classes: class path of Hadoop's client and of its configuration.
    """

    def __init__(self, classes: str) -> None:
        (py4j,) = JARS.glob("py4j-*.jar")
        port, token, self.process = launch_gateway(
            jarpath=str(py4j),
            classpath=classes,
            javaopts=SHORT_LIVED,
            java_path=str(java_home() / "bin" / "java"),
            die_on_exit=True,
            enable_auth=True,
            return_proc=True,
        )
        parameters = GatewayParameters(port=port, auth_token=token, auto_convert=True)
        self._gateway = JavaGateway(gateway_parameters=parameters)
        self.classes: Any = self._gateway.jvm
        self._conf: Any = self.classes.org.apache.hadoop.conf.Configuration
        self.files: Any = self.classes.org.apache.hadoop.fs.FileSystem.newInstance(self._conf())

    def path(self, path: str) -> Any:
        """A path as Java has it."""
        return self.classes.org.apache.hadoop.fs.Path(path)

    def options(self, enumeration: str, name: str) -> Any:
        """An array of one constant, as Java takes options of which there may be several."""
        kind = self.classes.java.lang.Class.forName(enumeration)
        options = self.classes.java.lang.reflect.Array.newInstance(kind, 1)
        options[0] = self.classes.java.lang.Enum.valueOf(kind, name)
        return options

    def copy(self, source: Any, target: Any) -> None:
        """All bytes of a stream into another; both are closed."""
        self.classes.org.apache.hadoop.io.IOUtils.copyBytes(source, target, 1 << 16, True)

    def run(self, tool: str, *arguments: str) -> "CompletedProcess[bytes]":
        """A command of Hadoop by its class, as a process of its own would run it, with a client of its own."""
        configuration = self._conf()
        configuration.setBoolean("fs.hdfs.impl.disable.cache", True)
        given = self._gateway.new_array(self.classes.java.lang.String, len(arguments))
        for place, argument in enumerate(arguments):
            given[place] = argument
        system = self.classes.java.lang.System
        usual = system.out, system.err
        streams = [self.classes.java.io.ByteArrayOutputStream() for _ in usual]
        system.setOut(self.classes.java.io.PrintStream(streams[0]))
        system.setErr(self.classes.java.io.PrintStream(streams[1]))
        try:
            command = getattr(self.classes, tool)(configuration)
            code = self.classes.org.apache.hadoop.util.ToolRunner.run(command, given)
        finally:
            system.setOut(usual[0])
            system.setErr(usual[1])
        out, err = (bytes(stream.toByteArray()) for stream in streams)
        return CompletedProcess(arguments, code, out, err)

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()
        self._wait()

    def close(self) -> None:
        """End it; what it has open stays open in the cluster."""
        if self.process.poll() is None:
            self._gateway.shutdown()
            self.process.stdin.close()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self._wait()

    def _wait(self) -> None:
        self.process.wait()
        self._gateway.close()
        self.process.stdin.close()
