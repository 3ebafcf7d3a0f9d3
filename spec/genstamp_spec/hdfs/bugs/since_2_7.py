"""What changed after Hadoop 2.7.4, by number in Apache's issue tracker: the list by which its semantics are complete.

Each number is stated by the semantics `hadoop-2.7` of some system, as a fault, a hole or a difference of that name, or
left out with a reason, here or in `left_out.py`. A table of both is in docs/coverage.md.
"""

from typing import Final

CHANGED_SINCE_2_7_4: Final = (
    *(2484, 6757, 8870, 8999, 9236, 10220, 10240, 10549, 11576, 11755, 11799, 11817, 11890, 11945, 11960),
    *(12070, 12278, 12299, 12369, 12638, 12754, 12886, 13758, 13840, 14498, 14575, 14581, 14758, 14941, 14946),
    *(15170, 15211, 15422, 15704, 15725, 15789, 15875, 16064, 16127, 16146, 16235, 16408, 16598, 16922, 17129),
    *(17150, 17299, 17358, 17430, 17453, 17477),
)
"""Those of the facts that no release up to 2.7.4 has (the facts' sections 0 and A to L)."""

NOT_STATED: Final = (
    (8999, "by default no block may be COMMITTED when its file is closed, as before"),
    (11799, "by default a pipeline does not go on for want of a replacement, as before"),
    (14758, "the hard limit was 60 soft limits and is 20; here it is whatever is longer than the soft limit"),
    (15704, "the fault came with 2.8: the monitor of 2.7.4 goes on with the next lease"),
    (17129, "only 3.3.6 has the fault: in 2.7.4, too, one thread sends incremental and full reports"),
)
"""Those without a semantics that states them, and why; of others `left_out.py` says it."""

NO_SEMANTICS: Final = (
    ("hdfs.write_path_restarts", "what it composes is in hdfs.write_path and hdfs.lease"),
    ("hdfs.write_path_truncate", "what it composes is in hdfs.write_path and hdfs.truncate"),
)
"""Systems with a semantics `hadoop-3.4` and none of `hadoop-2.7`, and why."""

SHOWN_ELSEWHERE: Final = (
    (11576, "hdfs.lease", "here the gate between two attempts may open at any time"),
    (11576, "hdfs.recovery", "here the gate between two attempts may open at any time"),
    (11576, "hdfs.block_recovery", "here the gate between two attempts may open at any time"),
    (11576, "hdfs.block_recovery_ends", "a bug of this system, by itself: with all the others it is too large"),
    (11576, "hdfs.journal", "here the gate between two attempts may open at any time"),
    (11576, "hdfs.truncate", "here the gate between two attempts may open at any time"),
    (11576, "hdfs.write_path", "here the gate between two attempts may open at any time"),
    (11817, "hdfs.truncate", "no hard limit passes while a block is committed and short of replicas"),
    (11817, "hdfs.truncate_ends", "no hard limit passes while a block is committed and short of replicas"),
    (12638, "hdfs.truncate_ends", "what is left without a file keeps no truncate from its end"),
    (14498, "hdfs.journal", "no block is committed empty"),
    (13758, "hdfs.recovery", "a heartbeat that fails delays only, and is told in hdfs.block_recovery"),
    (13758, "hdfs.write_path", "a heartbeat that fails delays only, and is told in hdfs.block_recovery"),
    (15704, "hdfs.monitor", "a fault between 2.8 and 3.2.2"),
    (17129, "hdfs.reports", "a fault of 3.3.6 only"),
    (2484, "hdfs.expiry", "which exception it is makes no difference to what never comes"),
    (10240, "hdfs.expiry", "what is committed too early is in hdfs.lease"),
)
"""Numbers that a system's parts could show, and that its semantics `hadoop-2.7` leaves to others, with the reason."""
