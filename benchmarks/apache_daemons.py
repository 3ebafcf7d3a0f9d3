"""A NameNode and three datanodes of Apache Hadoop as processes on loopback, with the real clients that a run asks for.

The jars come from Maven and are kept outside the repository; what is ours is compiled from
adapters/apache-hdfs/daemons. Not here: what the runs do (`Runs.java` there) and what is declared of them
(`benchmarks.apache_logs`).
"""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.sax.saxutils import escape

SOURCES = Path(__file__).parents[1] / "adapters" / "apache-hdfs" / "daemons"
NODES = 3
_META_HEADER = 7  # Bytes of a replica's file of checksums before the first of them.
_JAVA = ["java", "-Xmx320m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djava.net.preferIPv4Stack=true"]
_OPENS = "--add-opens", "java.base/java.lang=ALL-UNNAMED"

_SITE = {
    "dfs.namenode.rpc-bind-host": "127.0.0.1",
    "dfs.namenode.lease-recheck-interval-ms": "500",
    "dfs.namenode.fs-limits.min-block-size": "1",
    "dfs.namenode.safemode.extension": "0",
    "dfs.namenode.heartbeat.recheck-interval": "10000",
    "dfs.heartbeat.interval": "1",
    "dfs.blocksize": "131072",
    "dfs.replication": str(NODES),
    "dfs.permissions.enabled": "false",
    "dfs.namenode.datanode.registration.ip-hostname-check": "false",
    "dfs.client.socket-timeout": "20000",
    "dfs.client.block.write.replace-datanode-on-failure.best-effort": "true",
}


def libraries(release: str) -> Path:
    """The directory of a release's jars, fetched by Maven the first time.

    Raises:
        subprocess.CalledProcessError: Maven finds no such release.
        FileNotFoundError: there is no Maven.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    jars = cache / "genstamp" / "apache-hdfs-daemons" / release
    if not any(jars.glob("*.jar")):
        goal = ["dependency:copy-dependencies", f"-DoutputDirectory={jars}", f"-Dhadoop.version={release}"]
        subprocess.run(["mvn", "-q", "-B", "-f", str(SOURCES / "pom.xml"), *goal], check=True)
    return jars


def compiled(jars: Path, classes: Path) -> Path:
    """Compiles what is ours against some jars; gives the directory of the classes."""
    sources = [str(each) for each in sorted((SOURCES / "src").rglob("*.java"))]
    subprocess.run(
        ["javac", "-nowarn", "-cp", f"{jars}/*", "-d", str(classes), *sources], check=True, capture_output=True
    )
    return classes


class Cluster:
    """Daemons of one run.

    Args:
        jars, classes: what they are started from.
        directory: of their data and logs, `namenode`, `datanode0` and so on; their configuration goes beside it.
        port: the first of some forty on loopback.
        settings: beside those that every run has.
        debug: whether state changes are logged at DEBUG.
        behind_proxies: whether clients and datanodes reach a datanode by its name, 127.0.0.(2 + its number).
    """

    def __init__(
        self, jars: Path, classes: Path, directory: Path, port: int, settings: dict[str, str], *, debug: bool,
        behind_proxies: bool,
    ) -> None:  # fmt: skip
        self._classpath = f"{classes}:{jars}/*"
        self.directory, self._port, self._debug = directory, port, debug
        self._settings = {
            **_SITE,
            "fs.defaultFS": f"hdfs://127.0.0.1:{port}",
            "dfs.namenode.name.dir": f"file://{directory}/namenode/name",
            "dfs.namenode.http-address": f"127.0.0.1:{port + 1}",
            "dfs.client.use.datanode.hostname": str(behind_proxies).lower(),
            "dfs.datanode.use.datanode.hostname": str(behind_proxies).lower(),
            **settings,
        }
        self._behind_proxies = behind_proxies
        self._site = directory.with_name(f"{directory.name}-site")
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._said = directory.with_name(f"{directory.name}.out").open("ab")

    def _command(self, name: str, main: str, *arguments: str) -> list[str]:
        return ["nice", *_JAVA, *_OPENS, "-cp", f"{self._configured(name)}:{self._classpath}", main, *arguments]

    def _configured(self, name: str) -> Path:
        settings = dict(self._settings)
        if name.startswith("datanode"):
            node = int(name.removeprefix("datanode"))
            port = self._port + 10 * (node + 1)
            settings["dfs.datanode.hostname"] = f"127.0.0.{2 + node}" if self._behind_proxies else "127.0.0.1"
            settings["dfs.datanode.data.dir"] = f"file://{self.directory}/{name}/data"
            for what, at in {"address": port, "http.address": port + 1, "ipc.address": port + 2}.items():
                settings[f"dfs.datanode.{what}"] = f"127.0.0.1:{at}"
        site = self._site / name
        site.mkdir(parents=True, exist_ok=True)
        (self.directory / name).mkdir(parents=True, exist_ok=True)
        rows = (
            f"<property><name>{key}</name><value>{escape(value)}</value></property>" for key, value in settings.items()
        )
        text = f"<configuration>{''.join(rows)}</configuration>"
        for file in ("core-site.xml", "hdfs-site.xml"):  # Both, as the defaults of HDFS come between them.
            (site / file).write_text(text)
        (site / "log4j.properties").write_text(self._levels(self.directory / name / f"{name}.log"))
        return site

    def _levels(self, log: Path) -> str:
        changes = ("org.apache.hadoop.hdfs.StateChange", "BlockStateChange") if self._debug else ()
        return "".join(
            f"log4j.{line}\n"
            for line in (
                "rootLogger=INFO, file",
                "appender.file=org.apache.log4j.FileAppender",
                f"appender.file.File={log}",
                "appender.file.layout=org.apache.log4j.PatternLayout",
                "appender.file.layout.ConversionPattern=%d{ISO8601} %p %c: %m%n",
                *(f"logger.{each}=DEBUG" for each in changes),
            )
        )

    def start(self, name: str) -> None:
        """Starts the `namenode`, or a datanode by its number."""
        main = (
            "genstamp.daemons.ServedNameNode"
            if name == "namenode"
            else "org.apache.hadoop.hdfs.server.datanode.DataNode"
        )
        command = self._command(name if name == "namenode" else f"datanode{name}", main)
        self._processes[name] = subprocess.Popen(command, stdout=self._said, stderr=self._said, start_new_session=True)

    def _carry_out(self, order: str, name: str) -> None:
        if order == "start":
            self.start(name)
        elif order == "kill":
            self._processes[name].send_signal(signal.SIGKILL)
            self._processes[name].wait()
        elif order == "empty":  # As if it had lost power: what was not synced is gone.
            for replica in (self.directory / f"datanode{name}").glob("data/current/BP-*/current/rbw/blk_*"):
                os.truncate(replica, _META_HEADER if replica.suffix == ".meta" else 0)
        else:
            self._processes[name].send_signal({"hang": signal.SIGSTOP, "wake": signal.SIGCONT}[order])

    @contextmanager
    def running(self) -> Iterator[None]:
        """From a new namespace on; ends all that was started."""
        main = "org.apache.hadoop.hdfs.server.namenode.NameNode"
        formatting = self._command("namenode", main, "-format", "-nonInteractive")
        subprocess.run(formatting, check=True, stdout=self._said, stderr=self._said)
        try:
            for name in ("namenode", *map(str, range(NODES))):
                self.start(name)
            yield
        finally:
            self._end()

    def _end(self) -> None:
        for each in self._processes.values():
            each.send_signal(signal.SIGCONT)
            each.terminate()
        for each in self._processes.values():
            try:
                each.wait(20)
            except subprocess.TimeoutExpired:
                each.kill()
                each.wait()
        self._said.close()

    def lines(self, run: str, seed: int) -> Iterator[str]:
        """What the clients of a run say, while their orders are carried out."""
        command = self._command("client", "genstamp.daemons.Driver", run)
        settings = [f"-Dgenstamp.seed={seed}", f"-Dgenstamp.base={self._port}"]
        at = command.index("-cp")
        command[at:at] = settings
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=self._said, text=True) as clients:
            assert clients.stdin is not None and clients.stdout is not None
            for line in clients.stdout:
                if not line.startswith("! "):
                    yield line.rstrip("\n")
                    continue
                yield line.rstrip("\n")
                order = line[2:].split()
                if order == ["end"]:
                    break
                self._carry_out(*order)
                clients.stdin.write("done\n")
                clients.stdin.flush()
            clients.kill()
