"""`python -m genstamp_dfs.simulation --seed N`: the events of one run as JSON lines on standard output.

The seed and what came out go to standard error. Exit code 0 if everything is well, 12 if a promise about bytes was
broken, 13 if a file stayed open.
"""

import argparse
import sys

from genstamp_dfs.events import encode_lines
from genstamp_dfs.hdfs.protocol import Semantics
from genstamp_dfs.simulation.arguments import add_run_arguments, plan_options
from genstamp_dfs.simulation.outcomes import EXIT_LIVENESS, EXIT_SAFETY
from genstamp_dfs.simulation.run import run_seed


def main() -> int:
    """Run what the arguments say; gives the exit code."""
    parser = argparse.ArgumentParser(prog="genstamp_dfs.simulation", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="of the run; the same seed gives the same events")
    add_run_arguments(parser)
    arguments = parser.parse_args()
    options = plan_options(arguments)
    print(f"seed {arguments.seed}, {arguments.semantics}, {options}", file=sys.stderr)
    result = run_seed(arguments.seed, Semantics(arguments.semantics), options)
    sys.stdout.buffer.write(encode_lines(result.events))
    for what, number in sorted(result.totals.items()):
        print(f"{number:>10} {what}", file=sys.stderr)
    for problem in result.problems:
        print(f"problem: {problem}", file=sys.stderr)
    if not result.is_safe:
        return EXIT_SAFETY
    return EXIT_LIVENESS if result.problems else 0


if __name__ == "__main__":
    sys.exit(main())
