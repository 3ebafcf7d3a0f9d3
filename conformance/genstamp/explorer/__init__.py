"""The explorer in the browser: a system's states and steps as a page, served on loopback or written to one file.

All states, steps and refusals are those of `genstamp_model.evaluate`; shortest runs come from `genstamp_model.explore`.
`Explored` knows the instances of one system, `runs` reads a run that a page or a link names, `told` says all that a
page shows of it. `server` answers a page's questions, `page` writes the page.
"""

from genstamp.explorer.explored import Explored, Setup

__all__ = ["Explored", "Setup"]
