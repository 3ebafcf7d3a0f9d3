"""Checks an implementation, a run or a log against the specification: tracking, reports, the command line."""
