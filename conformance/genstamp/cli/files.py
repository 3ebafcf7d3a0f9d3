"""Files that verbs write beside standard output."""

from pathlib import Path

from genstamp.errors import TraceFileError


def write_text(file: Path, text: str) -> None:
    """Write a file in UTF-8.

    Raises:
        TraceFileError: it cannot be written.
    """
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise TraceFileError(file, problem.strerror or str(problem)) from problem
