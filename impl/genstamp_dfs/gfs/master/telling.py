"""What the events of requests tell: each is named after its request, and says who took part and what was answered.

What an answer can show are all records that were logged when it was made: `records` says how many these are.

Steps inside a request have events of their own, where they are done: begin_snapshot, create_chunk, copy_chunk,
begin_grant, leave_out, log_version, grant_lease, extend_lease, revoke_lease, give_up_lease, expire_lease, detect_stale,
adopt_version, hear_corrupt, move_replica. Those of the log are in `log_telling`.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from genstamp_dfs.gfs.errors import GfsRefusal
from genstamp_dfs.gfs.master.base import Base
from genstamp_dfs.gfs.messages import master_protocol as messages
from genstamp_dfs.gfs.protocol import ChunkLease, ChunkLocations
from genstamp_dfs.world.request import Caller, Request

Describe = Callable[[Base, Any, Caller, Any, GfsRefusal | None, int], None]


def _tell_path(
    event: str, base: Base, request: Any, caller: Caller, answer: Any, refusal: GfsRefusal | None, shown: int
) -> None:
    """A call on a path, or on two."""
    path = next(getattr(request, name) for name in ("path", "source", "hidden") if hasattr(request, name))
    arguments = {"client": caller.machine}
    for name in ("target", "index"):
        if hasattr(request, name):
            arguments[name] = str(getattr(request, name))
    observed, version = _observed(answer)
    observed["records"] = str(shown - 1)
    base.tell(event, "file", path, arguments, refusal=refusal, version=version, observed=observed)


def _observed(answer: Any) -> tuple[dict[str, str], int | None]:
    """What an answer shows, and the version that is in it."""
    match answer:
        case ChunkLease(handle=handle, version=version, primary=primary, secondaries=secondaries):
            return {"handle": str(handle), "primary": primary, "secondaries": ",".join(secondaries)}, version
        case ChunkLocations(handle=handle, version=version, chunkservers=chunkservers):
            return {"handle": str(handle), "chunkservers": ",".join(chunkservers)}, version
        case str():
            return {"hidden": answer}, None
        case _:
            return {}, None


def _tell_node(
    event: str, base: Base, request: Any, caller: Caller, answer: Any, refusal: GfsRefusal | None, shown: int
) -> None:
    """What a chunkserver tells of itself."""
    garbage = ",".join(str(handle) for handle, _ in answer.garbage) if answer is not None else ""
    observed = {"garbage": garbage} if garbage else {}
    observed["records"] = str(shown - 1)
    name = request.chunkserver
    base.tell(event, "node", name, {"chunkserver": name}, refusal=refusal, observed=observed)


CALLS: Final[dict[type[Request[Any]], Describe]] = {
    messages.Create: partial(_tell_path, "create"),
    messages.MakeDirectory: partial(_tell_path, "make_directory"),
    messages.Delete: partial(_tell_path, "delete"),
    messages.Undelete: partial(_tell_path, "undelete"),
    messages.Rename: partial(_tell_path, "rename"),
    messages.Snapshot: partial(_tell_path, "snapshot"),
    messages.List: partial(_tell_path, "list"),
    messages.GetFileInfo: partial(_tell_path, "get_file_info"),
    messages.FindChunk: partial(_tell_path, "find_chunk"),
    messages.FindLease: partial(_tell_path, "find_lease"),
    messages.Register: partial(_tell_node, "register"),
    messages.Heartbeat: partial(_tell_node, "heartbeat"),
}
"""How to tell of each request."""
