"""Shows on old releases of Apache HDFS that they had faults of the museum, and on 3.4.1 that these are gone.

    python adapters/apache-hdfs/museum.py [--release RELEASE] [--record] [NAME ...]

Needs Maven and a JDK of 17 or newer. Each fault is a short Java program below `museum/src/genstamp/museum` against a
real cluster of a release (MiniDFSCluster, unchanged jars). `SHOWN_ON` says which old release each is shown on.

What is seen goes to standard output, one JSON object a line; it is compared with `museum/seen/RELEASE.json`, which
`--record` writes. The exit code is 0 if everything is as recorded, and 1 if something differs or could not be shown.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from building import java_command
from records import compared, shown

HERE = Path(__file__).parent
REPAIRED = "3.4.1"
SHOWN_ON = {
    "HDFS-9289": "2.7.1",
    "HDFS-9600": "2.7.1",
    "HDFS-9690": "2.7.1",
    "HDFS-10220": "2.7.1",
    "HDFS-10240": "2.10.2",
    "HDFS-10549": "2.7.1",
    "HDFS-10763": "2.7.1",
    "HDFS-11486": "2.7.1",
    "HDFS-11499": "2.7.1",
    "HDFS-11576": "2.7.1",
    "HDFS-11817": "2.7.1",
    "HDFS-11960": "2.7.1",
    "HDFS-12070": "2.7.1",
    "HDFS-12299": "2.7.1",
    "HDFS-12886": "2.7.1",
    "HDFS-13840": "2.10.2",
    "HDFS-14498": "2.7.1",
    "HDFS-15704": "2.10.2",
    "HDFS-15725": "2.7.1",
}


def main() -> int:
    """Shows the faults that the command line names, or all, on their old release and on 3.4.1."""
    given = _arguments()
    failed = 0
    for release in sorted({*SHOWN_ON.values(), REPAIRED}):
        names = [name for name in given.names or SHOWN_ON if release in (SHOWN_ON[name], REPAIRED)]
        if names and given.release in (None, release):
            command = java_command("museum", release, "genstamp.museum.Main")
            # Old releases print a line of their own among those of the program.
            lines = (json.loads(line) for line in shown(command, names) if line.startswith("{"))
            record = HERE / "museum" / "seen" / f"{release}.json"
            failed += compared(lines, release, record, names, write=given.record)
    return 1 if failed else 0


def _arguments() -> argparse.Namespace:
    releases = sorted({*SHOWN_ON.values(), REPAIRED})
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[*SHOWN_ON, []], metavar="NAME", help="faults to show (all)")
    parser.add_argument("--release", choices=releases, help="show on this one only")
    parser.add_argument("--record", action="store_true", help="write what is seen to museum/seen/RELEASE.json")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
