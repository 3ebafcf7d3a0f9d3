"""What the rest of a run says of a step: whether a version leads to a lease, and whether an extension was heard of.

A model takes an exchange as one step; a run tells its end later. All that a projection has to know in advance is
collected here, in one pass over the run.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from genstamp.events import Event


@dataclass
class Answered:
    """Facts about a whole run; events are named by their place in it.

    Attributes:
        primaries: of a version that was logged for a grant, who became the primary.
        grants: grants under a version that was logged for them.
        heard: extensions of which the primary has heard.
    """

    primaries: dict[int, str] = field(default_factory=dict)
    grants: set[int] = field(default_factory=set)
    heard: set[int] = field(default_factory=set)


def answered(events: Sequence[Event]) -> Answered:
    """Look through a run."""
    found = Answered()
    logged: dict[tuple[str, int | None], int] = {}
    extended: dict[tuple[str, str], int] = {}
    for place, event in enumerate(events):
        match event.event:
            case "start_master":
                logged.clear()
            case "log_version":
                logged[event.entity, event.generation_stamp] = place
            case "grant_lease":
                version_logged = logged.pop((event.entity, event.generation_stamp), None)
                if version_logged is not None:
                    found.primaries[version_logged] = event.arguments["chunkserver"]
                    found.grants.add(place)
            case "extend_lease":
                extended[event.entity, event.arguments["chunkserver"]] = place
            case "learn_extension":
                extension = extended.pop((event.entity, event.node), None)
                if extension is not None:
                    found.heard.add(extension)
    return found
