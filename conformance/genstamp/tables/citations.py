"""Which places of the notes on Hadoop's source, and which promises of GFS, the specification cites, and where.

An action cites a place in its own docstring, or in that of a method that it calls for a check or an effect. A property
names what it is in the first words of its docstring. Not here: what was reached: `coverage_page`.
"""

import ast
import re
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from typing import Final

from genstamp_model.errors import Source
from genstamp_model.language.model import Action, Property
from genstamp_spec.gfs.places import PROMISES as GFS_PROMISES
from genstamp_spec.hdfs.places import PROMISES

PROMISED: Final = {place.name: place.says for place in PROMISES} | dict(GFS_PROMISES)
"""The text of each promise, by its name, in order; those of HDFS are numbered, those of GFS have names."""

_PLACE = re.compile(
    r"(?<![\w.])(?P<base>[A-I]\.\d{1,2}|[A-J](?=[\s,;)]|\.(?!\d)|$)|J\.3|[AB]\d{1,2}'?|[SL]\d{1,2}|(?:[A-Z][a-z]+){2,})"
    r"(?: (?P<kind>row|step)s? (?P<numbers>\d+'?(?:(?:, | and | to )\d+'?)*))?(?!\w)"
)


def cited(text: str, known: Collection[str]) -> list[str]:
    """The known places that a text cites, in its order, each once.

    >>> cited("facts A7, E.9 step 4, G.6 rows 3 and 6; F.1 row 5", ["A7", "E.9", "G.6 row 3", "G.6 row 6", "F.1 row 5"])
    ['A7', 'E.9', 'G.6 row 3', 'G.6 row 6', 'F.1 row 5']
    >>> cited("facts H.1.3", ["H"])
    ['H']
    """
    found: dict[str, None] = {}
    for match in _PLACE.finditer(" ".join(text.split())):
        base, kind, numbers = match["base"], match["kind"], match["numbers"]
        exact = [f"{base} {kind} {number}" for number in _numbers(numbers)] if kind else []
        exact = [name for name in exact if name in known]
        # Of stamps (H) the page is one place, whichever section of it is cited.
        found |= dict.fromkeys(exact or [name for name in (base, base.partition(".")[0]) if name in known][:1])
    return list(found)


def _numbers(text: str) -> Iterator[str]:
    """`3 and 6` gives 3 and 6, `2 to 4` gives 2, 3 and 4."""
    for part in re.split(r", | and ", text):
        first, _, last = part.partition(" to ")
        if last:
            yield from (str(number) for number in range(int(first), int(last) + 1))
        else:
            yield first


def cited_by_action(action: Action, known: Collection[str]) -> list[str]:
    """The places that an action's own docstring cites."""
    return cited(action.doc, known)


def cited_by_helpers(action: Action, known: Collection[str]) -> list[str]:
    """The places that are cited by the methods in which an action's checks and effects are written."""
    sources = [check.source for check in action.checks] + [effect.source for effect in action.effects]
    found: dict[str, None] = {}
    for source in sources:
        found |= dict.fromkeys(cited(function_around(source)[1], known))
    return list(found)


def promised_by(claim: Property, known: Collection[str] = PROMISED) -> list[str]:
    """The places, promises unless others are known too, that a property names before the colon of its docstring."""
    head, colon, _ = claim.doc.partition(":")
    return cited(head, known) if colon else []


def function_around(source: Source) -> tuple[str, str]:
    """The name and the docstring of the function in which a line stands; empty where there is none."""
    around = [one for one in _functions(source.file) if one[0] <= source.line <= one[1]]
    return max(around)[2:] if around else ("", "")


def first_sentence(doc: str) -> str:
    """The first paragraph of a docstring on one line: a sentence or two."""
    return " ".join(doc.split("\n\n")[0].split())


@cache
def _functions(file: str) -> list[tuple[int, int, str, str]]:
    """First and last line, name and docstring of every function of a file."""
    path = Path(file)
    if not path.is_file():
        return []
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        (node.lineno, node.end_lineno or node.lineno, node.name, ast.get_docstring(node) or "")
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    ]
