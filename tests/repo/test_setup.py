"""`make` sets a machine up once, and again only when what it sets up has changed."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

INPUTS = ("requirements-build.lock", "requirements.lock", "pyproject.toml")

# Stands in for the Python of the machine and, as it copies itself there, for that of the environment it "makes".
PRETEND_PYTHON = """\
#!/bin/sh
echo "$@" >> {calls}
case "$*" in
  "-m venv .venv") mkdir -p .venv/bin; cp "$0" .venv/bin/python ;;
  *{failing}*) exit 1 ;;
esac
"""


class Machine:
    """A copy of what set-up reads, with a Python that only notes how it was called."""

    def __init__(self, directory: Path, repository: Path) -> None:
        self.clone = directory / "clone"
        self.calls = directory / "calls"
        self.python = directory / "python"
        self.clone.mkdir()
        for name in ("Makefile", *INPUTS):
            shutil.copy(repository / name, self.clone)
            os.utime(self.clone / name, (1, 1))
        self.pretend(failing="nothing")

    def pretend(self, failing: str) -> None:
        """Lets calls that contain this text fail from now on."""
        self.python.write_text(PRETEND_PYTHON.format(calls=self.calls, failing=failing))
        self.python.chmod(0o755)

    def make(self) -> tuple[int, list[str]]:
        """Exit code of a set-up and the calls of Python that it made."""
        self.calls.write_text("")
        command = ["make", "--no-print-directory", "setup", f"PYTHON={self.python}"]
        environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS")}
        done = subprocess.run(command, cwd=self.clone, env=environment, capture_output=True, check=False)
        return done.returncode, self.calls.read_text().splitlines()


@pytest.fixture
def machine(tmp_path: Path, repository: Path) -> Machine:
    return Machine(tmp_path, repository)


def test_second_run_sets_up_nothing(machine: Machine) -> None:
    code, calls = machine.make()
    assert code == 0
    assert [call for call in calls if call.startswith("-m venv")] == ["-m venv .venv"]
    assert sum("--require-hashes -r" in call for call in calls) == 2
    assert machine.make() == (0, [])


@pytest.mark.parametrize("changed", INPUTS)
def test_change_of_what_is_installed_sets_up_again(machine: Machine, changed: str) -> None:
    machine.make()
    ready = (machine.clone / ".venv" / ".ready").stat().st_mtime
    os.utime(machine.clone / changed, (ready + 1, ready + 1))
    code, calls = machine.make()
    assert code == 0
    assert any("--require-hashes -r requirements.lock" in call for call in calls)


def test_set_up_that_failed_is_done_again(machine: Machine) -> None:
    machine.pretend(failing="--editable")
    assert machine.make()[0] != 0
    machine.pretend(failing="nothing")
    code, calls = machine.make()
    assert code == 0
    assert any("--editable" in call for call in calls)


def test_everything_installed_is_checked_by_hash(machine: Machine) -> None:
    installs = [call for call in machine.make()[1] if "pip install" in call]
    assert installs
    # Without isolation nothing is fetched behind the lock's back; our own package brings nothing along.
    assert all("--no-build-isolation" in call for call in installs)
    assert all("--require-hashes" in call or "--no-deps --editable ." in call for call in installs)


def test_python_that_is_too_old_is_named(machine: Machine) -> None:
    machine.pretend(failing="version_info")
    code, calls = machine.make()
    assert code != 0
    assert len(calls) == 1


def program(directory: Path, name: str, text: str) -> None:
    """Put a program into a directory that is on the PATH."""
    (directory / name).write_text(f"#!/bin/sh\n{text}\n")
    (directory / name).chmod(0o755)


APACHE = "apache RUNS=25 APACHE_ARGS=--walk"


@pytest.mark.parametrize(
    ("failing", "expected"),
    [
        ("nothing", ["test", "site", "verify-all", APACHE]),
        ("test", ["test"]),
        ("apache", ["test", "site", "verify-all", APACHE]),
    ],
)
def test_ci_runs_the_commands(tmp_path: Path, repository: Path, failing: str, expected: list[str]) -> None:
    required = '"$GENSTAMP_REQUIRE_DATA" "$GENSTAMP_REQUIRE_PEERS"'
    program(tmp_path, "make", f'echo "$@" {required} >> {tmp_path}/calls\n[ "$1" != {failing} ]')
    for tool in ("spin", "cc", "chromium", "chromedriver", "mvn", "javac"):
        program(tmp_path, tool, "")
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", repository / ".ci" / "run"], env=environment, cwd=tmp_path, check=False)
    assert (done.returncode == 0) == (failing == "nothing")
    assert (tmp_path / "calls").read_text().splitlines() == [f"{target} 1 1" for target in expected]


SPIN, BROWSER = "spin gcc libc6-dev", "chromium chromium-driver"


@pytest.mark.parametrize(
    ("ends_with", "there", "packages"),
    [(0, (), f"{SPIN} {BROWSER}"), (1, (), ""), (0, ("spin", "cc"), BROWSER), (0, ("chromium", "chromedriver"), SPIN)],
)
def test_ci_installs_what_is_missing_and_goes_on_where_that_fails(
    tmp_path: Path, repository: Path, ends_with: int, there: tuple[str, ...], packages: str
) -> None:
    program(tmp_path, "make", f'echo make "$1" >> {tmp_path}/calls')
    program(tmp_path, "apt-get", f'echo apt-get "$@" >> {tmp_path}/calls\nexit {ends_with}')
    for tool in there:
        program(tmp_path, tool, "")
    bash, dirname = shutil.which("bash"), shutil.which("dirname")
    assert bash is not None
    assert dirname is not None
    (tmp_path / "dirname").symlink_to(dirname)
    environment = {"PATH": str(tmp_path)}
    done = subprocess.run([bash, repository / ".ci" / "run"], env=environment, cwd=tmp_path, check=False)
    assert done.returncode == 0
    install = f"apt-get install --quiet --yes --no-install-recommends {packages}"
    installed = ["apt-get update --quiet", install][: 2 - ends_with]
    assert (tmp_path / "calls").read_text().splitlines() == [*installed, "make test", "make site", "make verify-all"]
