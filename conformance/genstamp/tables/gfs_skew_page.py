"""The page of clock skew: where two primaries of one chunk become possible, and a shortest run to them.

Not here: how it is computed (`genstamp.gfs.skew`) and drawn (`genstamp.gfs.skew_chart`).
"""

from typing import Final

from genstamp.gfs.skew import JUST_BEYOND, LEASES, shortest_run, sweep
from genstamp.gfs.skew_chart import chart
from genstamp.gfs.skew_shown import rows, told, verdict_lines
from genstamp_spec.gfs.parts.lease_state import LEASE, MARGIN

PICTURE: Final = "gfs-skew.svg"

_BEGINNING: Final = f"""\
# The clock skew at which GFS has two primaries

A primary believes in its lease by its own clock, and the master takes the lease for over by another one. The paper
(section 3.1) has the master wait until the old lease expires, and says nothing of clocks that run apart. Here
`gfs.chunk_lease` is searched for every setting of a grid, to its end or to two primaries, with two chunkservers, one
crash of a chunkserver and two restarts of the master at most:

- *lease*: ticks of its own clock for which a primary believes in its lease;
- *grace*: ticks that the master waits on when the lease is over by its clock;
- *skew*: ticks by which a chunkserver's clock and the master's may run apart during a lease, either way.

![Where two primaries are possible]({PICTURE})

Two primaries are possible exactly where **skew > grace**, whatever the lease: a test holds this against the grid. A
clock that is too slow by `skew` shows `lease` ticks while `lease + skew` pass at the master, which waits for
`lease + grace`. So the grace must be as long as clocks may be apart at the end of one lease; how far apart they were
before does not matter, as a primary counts from its own last word with the master, and not from a time that the master
names. In rates: a chunkserver's clock may run at `lease / (lease + grace)` of the master's speed, and no slower:
{LEASE}/{LEASE + MARGIN} of it with the specification's own lease of {LEASE} ticks and grace of {MARGIN}. A pause of a
chunkserver counts too: while it does not look at its clock, that might as well stand still.

With a skew of 0 all clocks tick at once, and a master without any grace is safe: a primary counts from its own last
word before the grant, so that its lease is over by the tick at which it is over for the master. That is the boundary
itself, where no clocks of real machines are. With any other skew clocks tick one after the other, and two of one speed
are a tick apart in between.

`genstamp gfs skew` computes it; `--bug NAME` shows what becomes of the region under a fault. Made by `genstamp tables`.

Steps of a shortest run to two primaries; - where the search, at its end, has found none:
"""


def page() -> str:
    """The page as Markdown; searches every setting of the grid, once a process."""
    swept = sweep()
    lines = [_BEGINNING]
    for lease in LEASES:
        heading, *body = rows(swept, lease)
        lines += [f"| {' | '.join(heading)} |", f"| --- |{' ---: |' * (len(heading) - 1)}"]
        lines += [*(f"| {' | '.join(row)} |" for row in body), ""]
    lines += [*(f"- {line}" for line in verdict_lines(swept)), ""]
    run = shortest_run(JUST_BEYOND)
    if run is not None:
        lines += ["## Just beyond the boundary", "", f"With {told(JUST_BEYOND)}, a shortest run:", ""]
        lines += ["```text", *run.lines(), "```", ""]
    return "\n".join(lines)


def picture() -> str:
    """The picture of the page; the same searches."""
    return chart(sweep())
