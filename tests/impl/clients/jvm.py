"""Java with Hadoop's client as it lies among PySpark's jars, in a process of its own."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape
from zipfile import ZipFile

import pyspark
from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway
from tests.impl.server.processes import LIMIT_S

from genstamp.java import java_home

JARS = Path(pyspark.__file__).parent / "jars"

NEEDED = ("py4j-*.jar", "hadoop-client-*.jar", "slf4j-api-*.jar", "jcl-over-slf4j-*.jar", "log4j-*.jar")
"""In the order in which they stand on the class path, Py4J first as its own launcher has it."""

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


def java_command(
    configuration: Path, main_class: str, *arguments: str, options: Sequence[str] = SHORT_LIVED
) -> list[str]:
    """The command that runs a class of Hadoop."""
    java = str(java_home() / "bin" / "java")
    return [java, *options, "-cp", class_path(configuration), main_class, *arguments]


def archive_classes(archive: Path, configuration: Path, main_class: str, *arguments: str) -> list[str]:
    """Run a class of Hadoop, and keep the classes that it loads in the form that Java has them in memory.

    Returns:
        The options with which the same class starts faster next time; the usual ones if this Java keeps no classes.
    """
    options = [*SHORT_LIVED, "-Xlog:disable", f"-XX:ArchiveClassesAtExit={archive}"]
    command = java_command(configuration, main_class, *arguments, options=options)
    subprocess.run(command, check=True, capture_output=True, timeout=LIMIT_S)
    return [*SHORT_LIVED, "-Xlog:disable", f"-XX:SharedArchiveFile={archive}"] if archive.exists() else SHORT_LIVED


class Jvm:
    """A virtual machine that does what it is told from here; it ends with this process at the latest."""

    def __init__(self, configuration: Path) -> None:
        py4j, _, others = class_path(configuration).partition(os.pathsep)
        port, token, self.process = launch_gateway(
            jarpath=py4j,
            classpath=others,
            javaopts=SHORT_LIVED,
            java_path=str(java_home() / "bin" / "java"),
            die_on_exit=True,
            enable_auth=True,
            return_proc=True,
        )
        parameters = GatewayParameters(port=port, auth_token=token, auto_convert=True)
        self._gateway = JavaGateway(gateway_parameters=parameters)
        self.classes: Any = self._gateway.jvm
        hadoop = self.classes.org.apache.hadoop
        self.files: Any = hadoop.fs.FileSystem.newInstance(hadoop.conf.Configuration())

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
