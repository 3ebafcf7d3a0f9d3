"""Files that `genstamp init` begins with."""
