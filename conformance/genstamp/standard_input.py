"""Standard input as bytes, for the verbs that take `-` for a file."""

import sys
from typing import BinaryIO

from genstamp.errors import StandardInputError


def standard_input() -> BinaryIO:
    """Standard input.

    Raises:
        StandardInputError: it is closed.
    """
    if sys.stdin is None:
        raise StandardInputError
    return sys.stdin.buffer
