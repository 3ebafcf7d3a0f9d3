"""The explorer's page, as the server gives it, and as one file that needs nothing else.

Both are one template with the same scripts. The file has the states of its run inside, and nothing to ask.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources
from typing import Any, Final

import jinja2
import msgspec

from genstamp.explorer.explored import Explored

_ALWAYS: Final = ("elements.js", "state.js", "walk.js")
SCRIPTS: Final = (*_ALWAYS, "server.js", "graph.js", "begin.js")
"""In the order in which they are loaded; a file without a server has no `server.js` and no `graph.js`."""
STYLE: Final = "explorer.css"

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
"""All that the page may load is on the server that it came from."""


def page(explored: Explored, beginning: dict[str, Any]) -> str:
    """The page of a server.

    Args:
        explored: the system.
        beginning: the run to begin with, as JSON.
    """
    return _rendered(explored, beginning, scripts=SCRIPTS, inline=None)


def file(explored: Explored, run: dict[str, Any], trace: dict[str, Any]) -> str:
    """A run as one file, which opens without a server.

    Args:
        explored: the system.
        run: the whole run, as JSON.
        trace: the same in the Informal Trace Format, to save.
    """
    scripts = "\n".join(static(name) for name in (*_ALWAYS, "begin.js"))
    style = static(STYLE)
    policy = f"default-src 'none'; script-src {_hash(scripts)}; style-src {_hash(style)}; img-src data:"
    inline = {"scripts": scripts, "style": style, "policy": policy, "trace": trace}
    return _rendered(explored, run, scripts=(), inline=inline)


@cache
def static(name: str) -> str:
    """The text of a script or style."""
    return (resources.files("genstamp.explorer") / "static" / name).read_text(encoding="utf-8")


def _rendered(
    explored: Explored, run: dict[str, Any], *, scripts: tuple[str, ...], inline: dict[str, Any] | None
) -> str:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("genstamp.explorer"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    trace = None if inline is None else inline["trace"]
    about = {**explored.plain, "live": inline is None, "run": run, "trace": trace}
    # Within a script element only `<` could end the text.
    data = msgspec.json.encode(about).decode().replace("<", "\\u003c")
    return environment.get_template("explorer.html").render(
        system=explored.system.name, doc=explored.plain["doc"], data=data, scripts=scripts, style=STYLE, inline=inline
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
