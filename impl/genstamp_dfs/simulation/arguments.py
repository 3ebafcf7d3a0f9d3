"""Arguments that the commands of simulated runs have in common.

Not here: what only one of them has.
"""

import argparse
from collections.abc import Callable

from genstamp_dfs.hdfs.protocol import Semantics
from genstamp_dfs.simulation.plan import PlanOptions

MEAN_DISK_FAULT_S = 100


def at_least(least: int) -> Callable[[str], int]:
    """A type of argument: whole numbers from `least` on.

    >>> at_least(1)("3")
    3
    """

    def number(text: str) -> int:
        value = int(text) if text.removeprefix("-").isdecimal() else None
        if value is None or value < least:
            raise argparse.ArgumentTypeError(f"{text!r} is refused, accepted: whole numbers from {least} on")
        return value

    return number


def add_disk_fault_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--mean-disk-fault-s`, which runs of each file system have."""
    parser.add_argument(
        "--mean-disk-fault-s",
        type=at_least(0),
        default=MEAN_DISK_FAULT_S,
        help="mean seconds between two disks that are full or fail to sync; 0 for none",
    )


def add_run_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what every run has: `--semantics`, `--mean-fault-s`, `--mean-disk-fault-s` and `--sync-ms`."""
    parser.add_argument(
        "--semantics",
        choices=[choice.value for choice in Semantics],
        default=Semantics.REPAIRED.value,
        help="Hadoop's with its holes, or with these closed (the default)",
    )
    parser.add_argument(
        "--mean-fault-s",
        type=at_least(0),
        default=PlanOptions().mean_fault_s,
        help="mean seconds between two faults; 0 for none",
    )
    add_disk_fault_argument(parser)
    parser.add_argument(
        "--sync-ms",
        type=at_least(0),
        default=PlanOptions().sync_ms,
        help="a sync of packets that others do not wait for takes less than this; 0 for no time",
    )


def plan_options(arguments: argparse.Namespace) -> PlanOptions:
    """What these arguments say of the plan."""
    return PlanOptions(
        mean_fault_s=arguments.mean_fault_s,
        mean_disk_fault_s=arguments.mean_disk_fault_s,
        sync_ms=arguments.sync_ms,
    )
