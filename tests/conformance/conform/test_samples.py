"""The samples in Go and Java conform, and genstamp finds their bug; an adapter for HDFS just begun conforms so far."""

import os
import re
import shlex
import shutil
import subprocess
import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest

from genstamp.adapters import ChildAdapter, Cluster, Done, NotPossible, Outcome, ReferenceAdapter
from genstamp.errors import AdapterRefusedError
from genstamp.java import java_home
from genstamp.stateful import Driving, Report, conform
from genstamp.systems import found, own, system_named

SAMPLES = Path(__file__).parents[3] / "examples" / "adapters"
SPECIFICATION = SAMPLES / "lease_service.py"
SERVICE = found(f"{SPECIFICATION}:LEASE_SERVICE")[0]
DRIVING = own(f"{SPECIFICATION}:DRIVING", Driving)

BUG = [
    "call grant(client client1)",
    "tick 60001 ms",
    "call grant(client client2)",
    "call write(client client2)",
    "call write(client client1)",
]


@pytest.fixture(scope="module")
def go_command(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The sample in Go, compiled once; nothing is downloaded."""
    go = shutil.which("go")
    if go is None:
        pytest.skip("go is not installed")
    program = tmp_path_factory.mktemp("go") / "lease_service"
    settings = {"GOPROXY": "off", "GOTOOLCHAIN": "local", "GOFLAGS": "-buildvcs=false", "GOWORK": "off"}
    command = [go, "build", "-o", str(program), str(SAMPLES / "lease_service.go")]
    subprocess.run(command, env=os.environ | settings, check=True)
    return shlex.quote(str(program))


@pytest.fixture(scope="module")
def java_command() -> str:
    """Launches the sample in Java, as its first lines say; the runtime of the wheel has no compiler."""
    java = java_home() / "bin" / "java"
    modules = subprocess.run([java, "--list-modules"], capture_output=True, text=True, check=True).stdout
    if "jdk.compiler" not in modules:
        pytest.skip("no JDK of version 17 or newer is installed")
    # The program is too short for the optimizing compiler to pay.
    return shlex.join([str(java), "-XX:TieredStopAtLevel=1", str(SAMPLES / "LeaseService.java")])


@pytest.fixture(params=["go", "java"])
def command(request: pytest.FixtureRequest) -> str:
    started: str = request.getfixturevalue(f"{request.param}_command")
    return started


def run(command: str) -> Report:
    return conform(ChildAdapter(command), SERVICE, examples=8, seed=1, driving=DRIVING)


@pytest.mark.slow
def test_sample_conforms_and_gives_every_answer(command: str) -> None:
    report = run(command)
    assert report.verdict == "conforms", str(report.failure)
    assert report.never_seen == ()
    assert report.figures.not_possible > 0


@pytest.mark.slow
def test_planted_bug_is_found_in_five_steps(command: str) -> None:
    report = run(f"{command} --no-fencing")
    assert report.failure is not None
    assert [request.text(DRIVING) for request in report.failure.requests] == BUG
    assert report.failure.labels == ("the store has seen no later stamp",)


@pytest.mark.slow
def test_sample_reads_any_name_and_refuses_what_it_does_not_know(command: str) -> None:
    name = 'c"\\/\n\té\x01 {[,:]} \U0001f600'
    cluster = Cluster(files=("/a",), clients=(name,), datanodes=(), semantics="default", system="lease_service")
    adapter = ChildAdapter(command)
    try:
        assert adapter.start(cluster).first_generation_stamp == 1
        granted = adapter.call("grant", {"client": name})
        assert isinstance(granted, Done)
        assert [event.arguments for event in granted.events] == [{"client": name}]
        with pytest.raises(AdapterRefusedError, match="unknown event"):
            adapter.call("release", {"client": name})
        with pytest.raises(AdapterRefusedError, match=r"hdfs\.lease"):
            adapter.start(Cluster((), (), (), "default", system="hdfs.lease"))
    finally:
        adapter.stop()


def test_go_is_formatted() -> None:
    gofmt = shutil.which("gofmt")
    if gofmt is None:
        pytest.skip("gofmt is not installed")
    done = subprocess.run([gofmt, "-l", SAMPLES], capture_output=True, text=True, check=True)
    assert done.stdout == ""


class OnlyTwoSteps(ReferenceAdapter):
    """An adapter that has just been begun."""

    def call(self, event: str, arguments: Mapping[str, str]) -> Outcome:
        if event in ("create", "renew_lease"):
            return super().call(event, arguments)
        return NotPossible("not driven yet")

    fault = call


@pytest.mark.slow
def test_adapter_that_was_just_begun_conforms_so_far(repository: Path, tmp_path: Path) -> None:
    page = (repository / "docs" / "adapter-protocol.md").read_text(encoding="utf-8")
    [block] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (tmp_path / "so_far.py").write_text(textwrap.dedent(block), encoding="utf-8")
    so_far = own(f"{tmp_path / 'so_far.py'}:SO_FAR", Driving)
    lease = system_named("hdfs.lease")
    report = conform(OnlyTwoSteps(), lease, "hadoop-3.4", examples=5, seed=1, driving=so_far)
    assert report.verdict == "conforms", str(report.failure)
    assert {event for event, _ in report.figures.seen} == {"create", "renew_lease"}
    whole = conform(OnlyTwoSteps(), lease, "hadoop-3.4", examples=1, seed=1, shrink_seconds=0)
    assert whole.failure is not None
    assert "was said not to be possible" in whole.failure.problem
