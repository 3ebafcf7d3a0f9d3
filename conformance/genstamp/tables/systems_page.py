"""The page of systems: one table, with a link to the page of each.

Not here: what a system says: `read_page`.
"""

from collections.abc import Iterator, Sequence

from genstamp.lock import Lock, SystemEntry
from genstamp_model.language import System


def page(systems: Sequence[System], lock: Lock) -> str:
    """The page as Markdown."""
    lines = [
        "# Systems",
        "",
        "Made by `genstamp tables` from the specification and spec.lock. A system's page has its state, its calls as",
        "numbered texts in HDFS' order of checks, and its properties. Each property is *proved* for any stamps and",
        "lengths by induction, or *checked* in every state within the limits of each configuration. A witness is a",
        "state that must be reachable; otherwise the guards are too strict. A release is searched in a system's first",
        "configuration, and in those that show one of its differences by itself; `genstamp check SYSTEM --semantics",
        "NAME` searches the others.",
        "",
        "Two other checkers, TLC and Spin, check the smallest configuration of each system, and check it",
        "[again](verify.md) when the exported text changes; each page names the configurations on which they agree.",
        "TLC takes minutes for a few hundred thousand states, so not every configuration was checked. Spin does not",
        "check liveness here, and TLC does not check it where very many steps are fair.",
        "",
        "The states are the total of all configurations that are searched every time, under the default semantics.",
        "",
        "| system | what it is about | configurations | states |",
        "| --- | --- | ---: | ---: |",
        *(_row(system, lock.get(system.name, SystemEntry())) for system in systems),
        "",
    ]
    return "\n".join(lines)


def _row(system: System, entry: SystemEntry) -> str:
    states = f"{sum(found):,}" if (found := list(_distinct(system, entry))) else "not in the lock"
    return f"| [{system.name}](read/{system.name}.md) | {system.doc} | {len(system.configurations)} | {states} |"


def _distinct(system: System, entry: SystemEntry) -> Iterator[int]:
    semantics = entry.semantics.get(system.default_semantics)
    for one in system.configurations:
        if semantics and not one.on_demand and one.name in semantics.searches:
            yield semantics.searches[one.name].distinct
