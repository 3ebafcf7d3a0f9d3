"""The verb `gfs`: servers and files of the reference implementation of GFS."""
