"""A client of GFS as a core without I/O: `client` is what applications use."""
