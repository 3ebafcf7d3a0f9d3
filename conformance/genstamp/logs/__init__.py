"""Logs against the specification, on Spark: sources to events, events to verdicts.

`job.check_paths` is the whole; `check.verdicts` checks without Spark. The only importer of pyspark beside the
distributed explorer. Not here: the command line (`genstamp.cli.logs.verb`).
"""
