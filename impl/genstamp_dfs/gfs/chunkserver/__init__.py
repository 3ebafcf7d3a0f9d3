"""A chunkserver as a core without I/O.

- `replica_file`, `replicas`: chunks on a disk, with checksums and versions.
- `data_buffer`, `data_flow`: pushed data, before a mutation uses it.
- `primaries`, `mutations`: leases that it believes in, and what it does in whose order.
- `copies`: replicas that are made from others.
- `chunkserver`: all of them, and what it tells the master.
"""
