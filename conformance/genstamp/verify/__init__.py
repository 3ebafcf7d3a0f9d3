"""`genstamp verify`: every judge on the default configurations, one table at the end.

A *job* is one piece of work in a process of its own, so that one that fails, or dies, does not stop the others. It
gives *rows*, each a claim with its verdict. `plan` says what is judged; the modules that do it are imported by the
job's process only, so that a layer that is broken gives a row and not a traceback.

Not here: the judges themselves, and printing (`genstamp.cli.verify`).
"""
