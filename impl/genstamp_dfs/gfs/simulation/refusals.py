"""Names of refusals, under which they are counted and told."""

from genstamp_dfs.errors import HdfsIOException, Refusal


def refusal_name(refusal: Refusal) -> str:
    """The name of a refusal, or of how another node did not answer."""
    return refusal.hadoop_name if isinstance(refusal, HdfsIOException) else type(refusal).__name__
