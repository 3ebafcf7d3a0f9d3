"""Results that are computed only for the specification of GFS: table 1 of the paper, and the clock skew.

Not here: the rules themselves, which are in `genstamp_spec.gfs`.
"""
