"""hdfs.lease: files, leases and the calls that they decide about; what becomes of blocks is told coarsely."""

from genstamp_model.language import Bool, Configuration, System, count, invariant, when
from genstamp_spec.hdfs.parts.late_calls import LateCalls
from genstamp_spec.hdfs.parts.namenode_opening import Appending, Overwriting
from genstamp_spec.hdfs.parts.state import File, Holder
from genstamp_spec.lifecycles.lease import LeaseLifecycle


class LeaseProperties(LateCalls, Appending, Overwriting):
    @invariant(inductive=True, given=("only_granted_leases_cover_files",))
    def one_lease_per_open_file(s, file: File) -> Bool:
        """S17: a file is under construction if and only if exactly one lease covers it, its client name's."""
        open_ = s.under_construction(file)
        leases = count(Holder, lambda holder: s.lease_files[holder].has(file))
        named = ~s.client_name[file].is_none() & s.lease_files[s.client_name[file]].has(file)
        return when(open_, (leases == 1) & named, (leases == 0) & s.client_name[file].is_none())

    @invariant(inductive=True, given=("one_lease_per_open_file",))
    def only_granted_leases_cover_files(s, holder: Holder) -> Bool:
        """A holder has a lease if and only if it covers a file."""
        return s.lease[holder].at(LeaseLifecycle.released) == s.lease_files[holder].is_empty()


ZERO = {"bytes": 1, "older": 0, "renames": 0, "restarts": 0, "late_calls": 0, "lost": 0, "crashes": 0}
LEASE = System(
    "hdfs.lease",
    parts=[LeaseProperties],
    configurations=[
        Configuration("one", sizes={"Client": 2, "File": 1, "Datanode": 1}, limits={**ZERO, "stamps": 2}),
    ],
)
