"""Runs a Java program that shows things of Apache HDFS, and compares what is seen with what was recorded."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any


def shown(command: list[str], names: list[str]) -> Iterator[str]:
    """The lines that the program prints when it shows the things of these names, in a directory of its own."""
    with (
        tempfile.TemporaryDirectory(prefix="genstamp-shown-") as directory,
        subprocess.Popen([*command, directory, *names], stdout=subprocess.PIPE, text=True) as process,
    ):
        assert process.stdout is not None
        yield from process.stdout


def compared(
    lines: Iterable[dict[str, Any]], release: str, record: Path, names: Collection[str] | None, *, write: bool
) -> int:
    """How many things were not shown as recorded; each line goes to standard output, what differs to standard error.

    Args:
        lines: by the program: name, what was seen, and perhaps a failure.
        release: of Hadoop.
        record: what was seen before, by name; there need be none.
        names: what was to be shown; None, and all that is recorded was.
        write: take what is seen into the record instead, if nothing has failed.
    """
    recorded = json.loads(record.read_text()) if record.exists() else {}
    seen, failed = {}, 0
    for line in lines:
        name = line["name"]
        print(json.dumps(line), flush=True)
        seen[name] = line["seen"]
        if "failure" in line:
            failed += 1
            _say(f"{name}: not shown on {release}: {line['failure']}")
        elif not write and line["seen"] != recorded.get(name):
            failed += 1
            _say(f"{name}: differs on {release}: {line['seen']}, where {recorded.get(name, 'nothing')} was recorded")
    missing = set(recorded if names is None else names) - set(seen)
    if missing:
        failed += len(missing)
        _say(f"not shown on {release}: {', '.join(sorted(missing))}")
    if write and not failed:
        record.parent.mkdir(exist_ok=True)
        record.write_text(json.dumps({**recorded, **seen}, indent=1, sort_keys=True) + "\n")
    _say(f"Hadoop {release}: {len(seen)} tried, {failed} not as recorded")
    return failed


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
