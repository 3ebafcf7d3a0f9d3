"""`python -m genstamp_dfs.gfs.simulation --seed N`: the events of one run as JSON lines on standard output.

The seed and what came out go to standard error. Exit code 0 if everything is well, 12 if a promise was broken, 13 if
something did not come to its end.
"""

import sys

from genstamp_dfs.gfs.simulation.sweep import COMMANDS

if __name__ == "__main__":
    sys.exit(COMMANDS.run())
