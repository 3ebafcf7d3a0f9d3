"""What a node of any of our file systems may ask of the world, and how it asks other nodes.

The cores of HDFS and of GFS are written over these; a simulation (`genstamp_dfs.simulation`) and real processes
(`genstamp_dfs.server`, `genstamp_dfs.gfs.server`) carry them out.
"""
