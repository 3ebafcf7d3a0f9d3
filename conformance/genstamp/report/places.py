"""Places of files relative to the repository, so that no report shows a path of this machine."""

from pathlib import Path

from genstamp.report.case import Place
from genstamp_model.errors import Source


def place(source: Source | None) -> Place | None:
    """The place of a declaration; None if it has no source."""
    return None if source is None else Place(shown_file(source.file), max(1, source.line))


def shown_file(file: str) -> str:
    """A file's path relative to the repository of the current directory, else to that directory, else only its name."""
    path = Path(file).resolve()
    for directory in filter(None, (_repository(), Path.cwd())):
        if path.is_relative_to(directory):
            return path.relative_to(directory).as_posix()
    return path.name


def _repository() -> Path | None:
    """The root of the Git repository that the current directory is in; None if it is in none."""
    here = Path.cwd()
    return next((one for one in (here, *here.parents) if (one / ".git").exists()), None)
