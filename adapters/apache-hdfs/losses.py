"""Shows what Apache HDFS loses, and compares it with what was seen before.

    python adapters/apache-hdfs/losses.py [--release 3.4.1] [--repaired] [--record] [NAME ...]

Needs Maven and a JDK of 17 or newer; Hadoop comes through Maven and stays in its own repository. Each loss is a short
Java program below `losses/src/genstamp/losses` against a real cluster of that release (MiniDFSCluster, unchanged jars).
`--repaired` weaves repairs of one method each into Hadoop (`Repairs.java`) and shows the losses that they end.

What is seen goes to standard output, one JSON object a line; it is compared with `losses/seen/RELEASE.json` or,
repaired, `losses/seen/RELEASE-repaired.json`, which `--record` writes. The exit code is 0 if everything is as recorded,
and 1 if something differs or could not be shown.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from building import RELEASES, java_command

HERE = Path(__file__).parent


def main() -> int:
    """Shows the losses that the command line names, or all, and compares them with the record."""
    given = _arguments()
    record = HERE / "losses" / "seen" / f"{given.release}{'-repaired' if given.repaired else ''}.json"
    recorded = _recorded(record)
    repaired = f"genstamp.repaired={str(given.repaired).lower()}"
    command = java_command("losses", given.release, "genstamp.losses.Main", repaired)
    seen, failed = {}, 0
    for line in _shown(command, given.names):
        name = line["name"]
        print(json.dumps(line), flush=True)
        seen[name] = line["seen"]
        if "failure" in line:
            failed += 1
            _say(f"{name}: not shown: {line['failure']}")
        elif not given.record and line["seen"] != recorded.get(name):
            failed += 1
            _say(f"{name}: differs: {line['seen']}, where {recorded.get(name, 'nothing')} was recorded")
    missing = set(given.names or recorded) - set(seen)
    if missing:
        failed += len(missing)
        _say(f"not shown: {', '.join(sorted(missing))}")
    if given.record and not failed:
        record.parent.mkdir(exist_ok=True)
        record.write_text(json.dumps({**recorded, **seen}, indent=1, sort_keys=True) + "\n")
    _say(f"Hadoop {given.release}: {len(seen)} losses shown, {failed} not as recorded")
    return 1 if failed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="losses to show (all)")
    parser.add_argument("--release", choices=RELEASES, default=RELEASES[0], help=f"of Hadoop ({RELEASES[0]})")
    parser.add_argument("--repaired", action="store_true", help="repair Hadoop first")
    parser.add_argument("--record", action="store_true", help="write what is seen to seen/RELEASE.json")
    return parser.parse_args()


def _recorded(path: Path) -> dict[str, dict[str, object]]:
    return json.loads(path.read_text()) if path.exists() else {}


def _shown(command: list[str], names: list[str]) -> Iterator[dict[str, object]]:
    with tempfile.TemporaryDirectory(prefix="genstamp-losses-") as directory:
        whole = [*command, directory, *names]
        with subprocess.Popen(whole, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            yield from map(json.loads, process.stdout)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
