"""The explorer's server: the page, its scripts, and the answers to its questions, for this machine only.

A page of another site cannot ask: the host that a request names must be this server's, which ends DNS rebinding, and a
question is JSON, which a browser sends to another origin only with its consent.
"""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from genstamp.errors import GenstampError
from genstamp.explorer import answers
from genstamp.explorer.asked import MOST_BYTES, Asked, Reach, TraceText, Walk, read
from genstamp.explorer.errors import ExplorerError, TooLargeError
from genstamp.explorer.explored import Explored
from genstamp.explorer.page import POLICY, SCRIPTS, STYLE, page, static
from genstamp_model.errors import ModelError

LOOPBACK: Final = "127.0.0.1"

_QUESTIONS: Final[dict[str, tuple[type[Asked], Callable[[Explored, Any], dict[str, Any]]]]] = {
    "walk": (Walk, answers.walk),
    "reach": (Reach, answers.reach),
    "trace": (TraceText, answers.trace),
    "file": (Walk, answers.file),
    "graph": (Asked, answers.whole),
}
_TYPES: Final = {".js": "text/javascript", ".css": "text/css"}


def application(explored: Explored, beginning: dict[str, Any], port: int) -> ASGIApp:
    """The server's application.

    Args:
        explored: the system.
        beginning: the run that the page begins with, as JSON.
        port: that the server listens on; a request that names another is refused.
    """
    html = page(explored, beginning)

    async def whole_page(request: Request) -> Response:
        return Response(html, media_type="text/html")

    routes = [Route("/", whole_page)]
    routes += [Route(f"/{name}", _file(name)) for name in (*SCRIPTS, STYLE)]
    routes += [Route(f"/{name}", _answer(explored, *one), methods=["POST"]) for name, one in _QUESTIONS.items()]
    return _Guarded(Starlette(routes=routes), port)


def listening(port: int) -> socket.socket:
    """A socket on loopback; port 0 lets the system choose.

    Raises:
        ExplorerError: the port is taken.
    """
    found = socket.socket()
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((LOOPBACK, port))
        # From now on a browser's connection waits until the server takes it.
        found.listen()
    except OSError as problem:
        found.close()
        raise ExplorerError(f"port {port} of {LOOPBACK} cannot be used: {problem.strerror or problem}") from problem
    return found


def server(app: ASGIApp) -> uvicorn.Server:
    """What answers requests, in the thread in which it is run."""
    # A reader has one page, or a few; more connections than that are answered with 503.
    return uvicorn.Server(
        uvicorn.Config(app, log_level="warning", access_log=False, server_header=False, limit_concurrency=64)
    )


def _file(name: str) -> Callable[[Request], Awaitable[Response]]:
    text, kind = static(name), _TYPES[f".{name.rpartition('.')[2]}"]

    async def file(request: Request) -> Response:
        return Response(text, media_type=kind)

    return file


def _answer(
    explored: Explored, kind: type[Asked], answer: Callable[[Explored, Any], dict[str, Any]]
) -> Callable[[Request], Awaitable[Response]]:
    async def answered(request: Request) -> Response:
        try:
            if request.headers.get("content-type", "").partition(";")[0] != "application/json":
                raise ExplorerError("a question is asked as application/json")
            asked = read(await _body(request), kind)
            return JSONResponse(await run_in_threadpool(answer, explored, asked))
        except ExplorerError as problem:
            return JSONResponse({"error": str(problem)}, problem.status)
        except (GenstampError, ModelError) as problem:
            return JSONResponse({"error": str(problem)}, ExplorerError.status)

    return answered


async def _body(request: Request) -> bytes:
    found = bytearray()
    async for chunk in request.stream():
        found += chunk
        if len(found) > MOST_BYTES:
            raise TooLargeError(f"the request is longer than {MOST_BYTES} bytes")
    return bytes(found)


class _Guarded:
    """Refuses requests that name another host, and forbids the page to load anything from elsewhere."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._hosts = {f"{name}:{port}".encode() for name in (LOOPBACK, "localhost")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            accepted = " or ".join(sorted(host.decode() for host in self._hosts))
            refused = JSONResponse({"error": f"the request names another host; expected {accepted}"}, 421)
            await refused(scope, receive, send)
            return

        async def guarded(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_HEADERS]
            await send(message)

        await self._app(scope, receive, guarded)


_HEADERS: Final = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
]
