"""GFS in one process, one seed, virtual time; what users were promised is held against what is there.

- `cluster`: a master, chunkservers and clients on simulated machines.
- `plan`, `workload`: what the clients of a run do; what goes wrong is made as for HDFS (`genstamp_dfs.simulation`).
- `rotting`: which bits of stored bytes may rot; `surplus`: which replicas may be given up.
- `ledger`, `cells`: what acknowledged appends, writes and snapshots promise.
- `orders`: what the order of mutations has to be.
- `watching`: what has to be so at every moment; `reading`: everything is read in the end, from every replica.
- `run`: one run and its verdict; `sweep`: many.

`python -m genstamp_dfs.gfs.simulation --seed 7` writes the events of a run as JSON lines;
`python -m genstamp_dfs.gfs.simulation.sweep --seeds 500` makes many runs.

Not here: bandwidth, and a full disk of the master.
"""
