"""Faults of HDFS that the museum does not show, and why: a fault is shown where it breaks a promise, or not at all."""

LEFT_OUT: tuple[tuple[str, str], ...] = ()
"""Number in Apache's issue tracker, and the reason."""
