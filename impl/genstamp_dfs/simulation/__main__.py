"""`python -m genstamp_dfs.simulation --seed N`: the events of one run as JSON lines on standard output.

The seed and what came out go to standard error. Exit code 0 if all promises were kept and all files closed, 12 if a
promise was broken, 13 if a file stayed open.
"""

import argparse
import sys

from genstamp_dfs.events import encode_lines
from genstamp_dfs.hdfs.protocol import Semantics
from genstamp_dfs.simulation.simulation import SimulationOptions, simulate

EXIT_SAFETY = 12
EXIT_LIVENESS = 13


def main() -> int:
    """Run what the arguments say; gives the exit code."""
    parser = argparse.ArgumentParser(prog="genstamp_dfs.simulation", description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--semantics", choices=[choice.value for choice in Semantics], default=Semantics.REPAIRED.value)
    parser.add_argument("--files-per-client", type=int, default=SimulationOptions.files_per_client)
    arguments = parser.parse_args()
    options = SimulationOptions(semantics=Semantics(arguments.semantics), files_per_client=arguments.files_per_client)
    print(f"seed {arguments.seed}, {options}", file=sys.stderr)
    result = simulate(arguments.seed, options)
    sys.stdout.buffer.write(encode_lines(result.events))
    print(
        f"{len(result.events)} events in {result.virtual_s:.0f} virtual seconds, {len(result.closed)} files closed, "
        f"{len(result.unclosed)} left open",
        file=sys.stderr,
    )
    for sentence in result.broken:
        print(f"broken: {sentence}", file=sys.stderr)
    if result.broken:
        return EXIT_SAFETY
    return EXIT_LIVENESS if result.unclosed else 0


if __name__ == "__main__":
    sys.exit(main())
