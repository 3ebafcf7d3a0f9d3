"""Systems of GFS: parts put together, with what they promise."""
