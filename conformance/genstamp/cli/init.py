"""The verb `init`: writes a protocol to begin with."""

import keyword
import re
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer


def init(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The protocol's name, such as ring: ring.py is written.")],
) -> None:
    """Write NAME.py, a small protocol with a property, a witness and a bug, to change into your own."""
    if not re.fullmatch("[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise typer.BadParameter(
            f"'{name}' cannot name a module of Python; expected small letters, digits and underscores, such as ring",
            param_hint="NAME",
        )
    file = Path(f"{name}.py")
    text = files("genstamp.templates").joinpath("protocol.py").read_text(encoding="utf-8")
    text = text.replace('LOCK = System(\n    "lock"', f'{name.upper()} = System(\n    "{name}"').replace(
        "FILE", file.name
    )
    try:
        with file.open("x", encoding="utf-8") as out:
            out.write(text)
    except FileExistsError as problem:
        raise typer.BadParameter(f"{file} exists, and stays as it is; choose another name") from problem
    except OSError as problem:
        raise typer.BadParameter(f"{file} cannot be written: {problem.strerror or problem}") from problem
    typer.echo(f"{file} is written; next: genstamp verify {file}")
