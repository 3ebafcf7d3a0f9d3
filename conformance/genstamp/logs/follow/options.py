"""How logs are followed.

Not here: doing it (`genstamp.logs.follow.streaming`), which needs Spark.
"""

from dataclasses import dataclass, field
from pathlib import Path

from genstamp.logs.check import SITUATIONS_MAX


@dataclass(frozen=True)
class Limits:
    """Bounds of what is kept.

    Attributes:
        rows: events that are kept, over all parts.
        parts: into how many the keys are divided.
    """

    rows: int = 2_000_000
    parts: int = 8


@dataclass(frozen=True)
class FollowOptions:
    """How logs are followed.

    Attributes:
        out: directory for the tables; one that an earlier run has left is gone on with.
        every_s: seconds from one look at the logs to the next.
        once: to check what is there, and end.
        group: name of the cluster for sources that name no block pool.
        limits: of what is kept.
        situations_max: bound of the slow path, for each key.
    """

    out: Path
    every_s: float = 10.0
    once: bool = False
    group: str | None = None
    limits: Limits = field(default_factory=Limits)
    situations_max: int = SITUATIONS_MAX
