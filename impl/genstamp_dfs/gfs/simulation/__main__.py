"""`python -m genstamp_dfs.gfs.simulation --seed N`: the events of one run as JSON lines on standard output.

The seed and what came out go to standard error. Exit code 0 if everything is well, 12 if a promise was broken, 13 if
something did not come to its end.
"""

import argparse
import sys

from genstamp_dfs.events import encode_lines
from genstamp_dfs.gfs.simulation.run import run_seed
from genstamp_dfs.gfs.simulation.sweep import add_run_arguments, plan_options
from genstamp_dfs.simulation.outcomes import EXIT_LIVENESS, EXIT_SAFETY


def main() -> int:
    """Run what the arguments say; gives the exit code."""
    parser = argparse.ArgumentParser(prog="genstamp_dfs.gfs.simulation", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="of the run; the same seed gives the same events")
    add_run_arguments(parser)
    arguments = parser.parse_args()
    options = plan_options(arguments)
    print(f"seed {arguments.seed}, {options}", file=sys.stderr)
    result = run_seed(arguments.seed, options)
    sys.stdout.buffer.write(encode_lines(result.events))
    for what, number in sorted((result.totals + result.outcomes).items()):
        print(f"{number:>10} {what}", file=sys.stderr)
    for problem in result.problems:
        print(f"problem: {problem}", file=sys.stderr)
    if not result.is_safe:
        return EXIT_SAFETY
    return EXIT_LIVENESS if result.problems else 0


if __name__ == "__main__":
    sys.exit(main())
