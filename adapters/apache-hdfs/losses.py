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
import sys
from pathlib import Path

from building import java_command
from records import compared, shown

RELEASES = ("3.4.1", "3.5.0", "3.3.6")
HERE = Path(__file__).parent


def main() -> int:
    """Shows the losses that the command line names, or all, and compares them with the record."""
    given = _arguments()
    record = HERE / "losses" / "seen" / f"{given.release}{'-repaired' if given.repaired else ''}.json"
    repaired = f"genstamp.repaired={str(given.repaired).lower()}"
    command = java_command("losses", given.release, "genstamp.losses.Main", repaired)
    lines = map(json.loads, shown(command, given.names))
    return 1 if compared(lines, given.release, record, given.names or None, write=given.record) else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="losses to show (all)")
    parser.add_argument("--release", choices=RELEASES, default=RELEASES[0], help=f"of Hadoop ({RELEASES[0]})")
    parser.add_argument("--repaired", action="store_true", help="repair Hadoop first")
    parser.add_argument("--record", action="store_true", help="write what is seen to seen/RELEASE.json")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
