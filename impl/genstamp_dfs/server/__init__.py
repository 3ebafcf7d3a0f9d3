"""The cores as real processes: asyncio, sockets, real files, Hadoop's wire protocols towards clients.

- `wire`: bytes.
- `disk`: real files.
- `local_runtime`, `runtime`, `connection`, `rpc_client`: the world as a core sees it (`genstamp_dfs.world.runtime`).
- `rpc_server`, `transfer_server`: who listens.
- `namenode_server`, `datanode_server`, `cluster`: processes that can be started; `process` is what they share, and
  `minding` keeps them running.
- `event_file`: what nodes tell of what they do.

Servers bind to loopback unless they are told otherwise.
"""
