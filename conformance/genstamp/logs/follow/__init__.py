"""Logs that are checked while they are written, with Spark's Structured Streaming.

Tasks read what was appended (`positions`, `source`), and others check the keys that it concerns with all that is kept
of them (`keeping`, `streaming`). Not here: what is read and how it is checked (`genstamp.logs.readers`,
`genstamp.logs.check`): both are the same as for logs that are at rest.
"""
