"""The Google File System, begun: so far the records that applications append and read back."""
