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

A primary measures its lease by its own clock; the master decides by another clock when the lease has expired. In the
paper (section 3.1) the master waits until the old lease expires; the paper does not consider clock skew. Here
`gfs.chunk_lease` is searched for every setting of a grid, exhaustively or until two primaries are found. The model has
two chunkservers, at most one crash of a chunkserver and at most two restarts of the master. The parameters are:

- *lease*: ticks of its own clock for which a primary holds its lease;
- *grace*: ticks that the master waits after the lease has expired by its clock;
- *skew*: ticks by which a chunkserver's clock and the master's may differ during a lease, in either direction.

![Where two primaries are possible]({PICTURE})

Two primaries are possible exactly where **skew > grace**, for every lease; a test checks this on the grid. A clock
that is too slow by `skew` shows `lease` ticks while `lease + skew` ticks pass at the master, which waits for `lease +
grace`. So the grace must be at least the skew that can build up during one lease. An earlier skew does not matter,
because a primary counts from its own last message to the master, not from a time that the master names. As a rate: a
chunkserver's clock may run at `lease / (lease + grace)` of the master's speed, and no slower. With the
specification's own lease of {LEASE} ticks and grace of {MARGIN}, that is {LEASE}/{LEASE + MARGIN}. A pause of a
chunkserver counts as skew: a clock that is not read might as well stand still.

With a skew of 0 all clocks tick at once, and a master without any grace is safe: a primary counts from its last message
before the grant, so its lease has expired by the tick at which it expires at the master. This is the boundary itself;
clocks of real machines are never there. With any other skew the clocks tick one after the other, and two clocks of the
same speed differ by one tick in between.

`genstamp gfs skew` computes this region; `--bug NAME` computes it with a fault. Made by `genstamp tables`.

The entries are the steps of a shortest run to two primaries, or - where the complete search found no such run:
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
