"""Builds the Java parts against a release of Hadoop, with Maven, and says how to start them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
# hadoop-minicluster of these brings a jackson-core that its own databind can use.
_NEW_JACKSON = ("3.5.0",)
_ONLY_LEASE = ("2.10.2",)
_JAVA = (
    "-Xmx900m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:+EnableDynamicAgentLoading",
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "-Djava.net.preferIPv4Stack=true",
    f"-Dlog4j.configuration=file:{HERE / 'log4j.properties'}",
)


def java_command(part: str, release: str, main: str, *properties: str) -> list[str]:
    """The command that runs a class of a part, which is compiled first.

    Args:
        part: `adapter`, `differential`, `losses` or `museum`.
        release: of Hadoop; its jars come through Maven, about 110 MB the first time.
        main: the class.
        properties: of Java, as `name=value`.

    Exits with a sentence where Maven or a JDK is missing.
    """
    for tool in ("mvn", "javac"):
        if shutil.which(tool) is None:
            sys.exit(f"{tool} is not on the path: Apache HDFS is built with Maven and a JDK of 17 or newer")
    target = HERE / "target" / f"{part}-{release}"
    listing = target / "classpath"
    command = ["mvn", "-q", "-B", "compile", "dependency:build-classpath"]
    command += [f"-Dpart={part}", f"-Dhadoop.version={release}", f"-Dmdep.outputFile={listing}"]
    command += ["-DnewJackson"] if release in _NEW_JACKSON else []
    command += ["-DonlyLease"] if part == "adapter" and release in _ONLY_LEASE else []
    print(f"building {part} against Hadoop {release}", file=sys.stderr, flush=True)
    subprocess.run(command, cwd=HERE, check=True, stdout=sys.stderr)
    classes = f"{target / 'classes'}:{listing.read_text().strip()}"
    return ["java", *_JAVA, *(f"-D{one}" for one in properties), "-cp", classes, main]
