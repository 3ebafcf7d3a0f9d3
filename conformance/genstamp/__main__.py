"""`python -m genstamp`: the command line, of whichever copy of the project Python finds first."""

from genstamp.cli import main

main()
