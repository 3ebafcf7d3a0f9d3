"""Clocks of one speed: those of the master and of all chunkservers that count tick at once.

In gfs.chunk_lease clocks tick one after the other, and two of one speed are a tick apart in between. That shows all
that clocks can do which run apart by a tick or more, and nothing of clocks that do not run apart at all.
"""

from genstamp_model.language import *
from genstamp_spec.gfs.parts.lease_master import FREE, LeaseMaster
from genstamp_spec.gfs.parts.lease_state import Chunkserver


class ClocksOfOneSpeed(LeaseMaster, lane="master"):
    """Where clocks may not run apart at all, this is the only way in which time passes while anybody counts."""

    @action(hidden=True)
    def all_clocks_tick(s) -> None:
        """Time passes at the master and at whoever counts; at the end of the lease a primary believes no more."""
        over = those(Chunkserver, lambda each: s.counting.has(each) & (s.since[each] + 1 >= s.lease_ticks()))
        s.lease_age = when(s.lease.at(*FREE), 0, smallest(s.lease_age + 1, s.master_waits()))
        s.since.update(lambda each: when(s.counting.has(each) & ~over.has(each), s.since[each] + 1, 0))
        s.ahead.update(lambda each: when(over.has(each), 0, s.ahead[each]))
        s.behind.update(lambda each: when(over.has(each), 0, s.behind[each]))
        s.stop(over)
