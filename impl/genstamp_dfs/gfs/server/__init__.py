"""The cores of GFS as real processes: asyncio, gRPC, real files.

- `wire`: bytes of calls, answers and connections.
- `channels`, `streams`, `runtime`: the world as a core sees it (`genstamp_dfs.gfs.runtime`).
- `listener`: who listens.
- `storage`: whose directory it is, and with which limits it was made.
- `node_server`, `master_server`, `shadow_server`, `chunkserver_server`, `cluster`: processes that can be started.
- `client`: for programs.

A node is found by its name: that of a chunkserver is its address, HOST:PORT, and the master's address is told to
everybody. Servers listen on loopback unless they are told otherwise, and nobody has to say who he is.
"""

import os

# gRPC writes lines of its own about connections that end; whoever wants them sets the variable.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
