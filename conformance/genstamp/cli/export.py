"""The verb `export`: writes a system in the language of another checker."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from genstamp.cli.choosing import completed, limited
from genstamp.systems import chosen
from genstamp_model.export.promela import promela_model
from genstamp_model.export.tla import tla, tla_config
from genstamp_model.export.tla_names import module_name
from genstamp_model.language import Instance


class Language(StrEnum):
    """The output language."""

    TLA = "tla"
    PROMELA = "promela"


def export(
    language: Annotated[Language, typer.Argument(help="The language of the export.")],
    system: Annotated[
        str,
        typer.Argument(
            metavar="SYSTEM[:CONFIGURATION]", autocompletion=completed, help="By default the first configuration."
        ),
    ],
    output: Annotated[Path, typer.Option(help="Directory to write to; it is created if absent.")] = Path(),
    semantics: Annotated[str | None, typer.Option(help="Semantics; by default the default of the system.")] = None,
    bug: Annotated[list[str] | None, typer.Option(help="A bug or hole to add; may be repeated.")] = None,
    set_limit: Annotated[
        list[str] | None, typer.Option("--limit", metavar="NAME=N", help="Change a limit of the configuration.")
    ] = None,
) -> None:
    """Write a system for another checker: NAME.tla and NAME.cfg for TLC, NAME.pml for Spin.

    Quantifiers, records, names and comments are kept. Equal systems give equal files.
    """
    declared, configurations = chosen(system)
    instance = Instance(declared.model(semantics, bug or ()), limited(configurations[0], set_limit or ()))
    files = exported(language, instance)
    try:
        output.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (output / name).write_text(text, encoding="utf-8")
            typer.echo(output / name)
    except OSError as problem:
        raise typer.BadParameter(f"{output}: {problem.strerror or problem}", param_hint="--output") from problem


def exported(language: Language, instance: Instance) -> dict[str, str]:
    """The texts of the files, by name."""
    if language is Language.PROMELA:
        return {f"{module_name(instance.model.system)}.pml": promela_model(instance)}
    module = tla(instance)
    return {f"{module.name}.tla": module.text, f"{module.name}.cfg": tla_config(instance)}
