"""The Google File System: master, chunkservers and clients as cores over `genstamp_dfs.world`.

- `protocol`, `messages`, `errors`: what the nodes say to each other, and what they refuse.
- `records`: what applications append, and how it is found again.
- `master`, `chunkserver`, `client`: the cores.
- `simulation`: all of them in one process, with virtual time and everything that goes wrong; `server`: as processes.
"""
