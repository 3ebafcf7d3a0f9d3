"""The chunkserver of GFS as a core without I/O.

- `chunk_file`: the bytes and checksums of one replica, which no crash leaves at odds; `replicas`: all of them.
- `data_buffer`, `pushing`: data that waits for a mutation, and how it travels along a chain.
- `leases`: what the chunkserver believes; `primary`: the order of mutations; `applying`: what is ordered by others.
- `copying`, `reading`, `reporting`: copies, reads, heartbeats.
"""
