"""The command `genstamp`: a file or a folder for each verb; `genstamp.cli.verbs` puts them together.

Imports next to nothing before `main` runs: Ctrl-C while modules load ends the command as it does later.
"""

import sys
from os import _exit, write

TOLD = "genstamp: interrupted"
# That of `genstamp.exit_codes`, which takes longer to load.
_UNDETERMINED = 3


def main() -> None:
    """Run the command line; an error of the caller is one line on standard error, never a traceback."""
    try:
        import signal

        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, end_at_once)
        from genstamp.cli.verbs import run

        run()
    except KeyboardInterrupt:
        print(TOLD, file=sys.stderr)
        sys.exit(_UNDETERMINED)


def end_at_once(*_: object) -> None:
    """End the process at an interrupt while modules load: nothing is found yet, and they could lose an exception."""
    write(2, f"{TOLD}\n".encode())
    _exit(_UNDETERMINED)
