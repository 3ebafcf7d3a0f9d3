"""The verb `tables`: writes the pages that are generated from the specification.

Not here: the contents of the pages (`genstamp.tables`) and pictures (`diagram`).
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Final

import typer

from genstamp import exit_codes, lock
from genstamp.adapters import REFERENCE_SYSTEMS
from genstamp.cli.verify import refuse_no_checkout
from genstamp.made import left_over, outdated
from genstamp.systems import every_system
from genstamp.tables import (
    coverage_page,
    derived_page,
    gfs_skew_page,
    gfs_table1_page,
    holes_page,
    logs_sources_page,
    logs_tables_page,
    model_coverage_page,
    museum_page,
    mutation_page,
    read_page,
    steps_page,
    systems_page,
)
from genstamp.verify.summing import LOCK

Maker = Callable[[Path], str]
FolderMaker = Callable[[Path], Mapping[str, str]]

HOLES: Final = "holes"

PAGES: Mapping[str, Maker] = {
    "adapter-steps.md": lambda repository: steps_page.page(),
    "systems.md": lambda repository: systems_page.page(every_system(), lock.read(repository / LOCK)),
    "coverage.md": lambda repository: coverage_page.page(every_system(), lock.read(repository / LOCK)),
    "tables.md": lambda repository: derived_page.page(),
    "museum.md": lambda repository: museum_page.page(
        every_system(), lock.read(repository / LOCK), museum_page.showings(repository)
    ),
    "holes.md": lambda repository: holes_page.page(every_system()),
    "model-coverage.md": lambda repository: model_coverage_page.page(REFERENCE_SYSTEMS, repository),
    "gfs-table1.md": lambda repository: gfs_table1_page.page(),
    "gfs-skew.md": lambda repository: gfs_skew_page.page(),
    gfs_skew_page.PICTURE: lambda repository: gfs_skew_page.picture(),
    "logs-sources.md": lambda repository: logs_sources_page.page(),
    "logs-tables.md": lambda repository: logs_tables_page.page(),
    "mutation.md": lambda repository: mutation_page.page(lock.read(repository / LOCK), repository),
}
"""The text of each page, given the repository's root."""

FOLDERS: Mapping[str, FolderMaker] = {
    HOLES: lambda repository: holes_page.pages(every_system(), lock.read(repository / LOCK)),
    steps_page.FOLDER: lambda repository: steps_page.pages(),
    model_coverage_page.FOLDER: lambda repository: model_coverage_page.pages(REFERENCE_SYSTEMS, repository),
    read_page.FOLDER: lambda repository: read_page.pages(every_system(), lock.read(repository / LOCK), repository),
}
"""The texts of the pages of a folder, by file name."""


def tables(
    repository: Annotated[Path, typer.Option(help="The repository's root.")] = Path(),
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 12 if a page is not current.")] = False,
) -> None:
    """Write the pages in docs/ that are generated from the specification: systems, tables, bugs, holes, ..."""
    refuse_no_checkout(repository, instead="")
    if check:
        old = not_current(repository)
        for name in old:
            typer.echo(f"docs/{name} is not current; write it with: genstamp tables")
        if not old:
            typer.echo("all pages in docs are current")
        raise typer.Exit(exit_codes.VIOLATED if old else exit_codes.HOLDS)
    made = dict(_made(repository, FOLDERS))
    for name, text in made.items():
        path = repository / "docs" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        typer.echo(path)
    for name in _left_over(repository, made):
        (repository / "docs" / name).unlink()
        typer.echo(f"docs/{name} is removed: nothing makes it any more", err=True)


def not_current(repository: Path, *, searches: bool = True) -> list[str]:
    """Names of the pages that `genstamp tables` would change, add or remove, sorted.

    Args:
        repository: its root.
        searches: whether holes are searched for; else what their pages say that searches found is taken as it is.

    Raises:
        LockError: the repository has no lock.
    """
    folders = FOLDERS if searches else {**FOLDERS, HOLES: _without_searches}
    made = dict(_made(repository, folders))
    return sorted(outdated(repository / "docs", made) + _left_over(repository, made))


def _left_over(repository: Path, made: Collection[str]) -> list[str]:
    """Pages in the folders whose pages are all made that nothing makes any more."""
    docs = repository / "docs"
    return [
        f"{folder}/{name}"
        for folder in FOLDERS
        for name in left_over(docs / folder, {Path(one).name for one in made if one.startswith(f"{folder}/")})
    ]


def _without_searches(repository: Path) -> dict[str, str]:
    return holes_page.pages(every_system(), lock.read(repository / LOCK), holes_page.kept(repository / "docs" / HOLES))


def _made(repository: Path, folders: Mapping[str, FolderMaker]) -> Iterator[tuple[str, str]]:
    yield from ((name, made(repository)) for name, made in PAGES.items())
    for folder, made_all in folders.items():
        yield from ((f"{folder}/{name}", text) for name, text in made_all(repository).items())
