"""What is computed of the specification of GFS beyond what every system has: table 1 of the paper, and the clock skew.

Not here: the rules themselves, which stand in `genstamp_spec.gfs`.
"""
