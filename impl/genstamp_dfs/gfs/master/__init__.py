"""The master of GFS: one that decides, and shadows that read what it has logged.

- `master`: the requests, and what goes on in the background.
- `namespace`, `chunks`, `state`, `operations`: what the operation log keeps.
- `operation_log`, `checkpoint`, `recovery`: how it survives.
- `log_replicas`, `shadow`: who else has the log, and answers reads from it.
- `chunkservers`, `leases`, `reports`: what is known only while the master lives.
- `chunk_calls`, `tree_calls`, `snapshot`: what clients ask for.
- `placement`, `replication`, `garbage`: what the master does by itself.

Source: Ghemawat, Gobioff, Leung, "The Google File System", SOSP 2003, sections 2.6, 3.1, 3.4 and 4.
"""
