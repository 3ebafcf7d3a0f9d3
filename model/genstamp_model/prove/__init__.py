"""Judges that ask Z3: proof by induction, and bounded model checking.

`prove` shows that what holds initially and is kept by every step holds always: integers are unbounded and the limits of
a configuration are ignored; its sizes are not. `bmc` looks at the first this many steps, within the limits. Out of
scope: index sets of open size, leads-to.
"""

from genstamp_model.prove.bounded import bmc, reach
from genstamp_model.prove.encoding import rooms
from genstamp_model.prove.induction import prove
from genstamp_model.prove.report import Break, Obligation, Proof, Report, Verdict
from genstamp_model.prove.strengthen import Strengthening, Supporting, strengthen
from genstamp_model.prove.within import Bounded, Reached, Within

__all__ = [
    "Bounded",
    "Break",
    "Obligation",
    "Proof",
    "Reached",
    "Report",
    "Strengthening",
    "Supporting",
    "Verdict",
    "Within",
    "bmc",
    "prove",
    "reach",
    "rooms",
    "strengthen",
]
