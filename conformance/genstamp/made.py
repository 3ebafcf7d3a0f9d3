"""Files that are made from the specification and kept beside it: are they what would be made now?

Not here: making them: `genstamp.cli.diagram` and `genstamp.cli.tables`.
"""

from collections.abc import Collection, Mapping
from pathlib import Path


def outdated(directory: Path, texts: Mapping[str, str]) -> list[str]:
    """Names of the files of a directory that are missing or have another text, sorted.

    Args:
        texts: what each file should hold, by name.
    """
    return sorted(name for name, text in texts.items() if _text(directory / name) != text)


def left_over(directory: Path, made: Collection[str]) -> list[str]:
    """Names of the files of a directory, all of whose files are made, that nothing makes any more, sorted.

    Args:
        made: names of the files that are made.
    """
    return sorted(path.name for path in directory.glob("*") if path.is_file() and path.name not in made)


def _text(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None
