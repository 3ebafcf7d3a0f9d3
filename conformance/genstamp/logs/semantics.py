"""Whether the known faults of HDFS are allowed, as in a release of Hadoop, or are violations."""

from typing import Literal

Semantics = Literal["hadoop-3.4", "repaired"]
