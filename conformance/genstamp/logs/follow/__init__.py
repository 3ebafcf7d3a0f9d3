"""Logs that are checked while they are written, with Spark's Structured Streaming.

One process reads what is appended (`tail`, `spool`) and keeps it for Spark, which brings the events of a key together
and checks them with those of the same key that it has kept (`store`, `streaming`). Leaves out what is read and how it
is checked (`genstamp.logs.readers`, `genstamp.logs.check`): both are the same as for logs that are at rest.
"""
