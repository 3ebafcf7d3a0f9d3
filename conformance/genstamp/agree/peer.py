"""The interface of a peer: another checker that searches an exported model, and its results.

Not here: the peers themselves (`tlc`, `spin`) and the comparison.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final, Protocol

from genstamp_model.language.model import Instance, Model

RANGES: Final = "every number stays in its declared range"
STOPS: Final = "no step is missing where the system may not stop"
"""Claims that are not properties of a model: checked by every peer, the second one only where the model has a
`may_stop`.
"""

_PLACE: Final = re.compile(r"\w+\.py:\d+")
"""A line of the specification, as the comments of an export name it."""


class Verdict(StrEnum):
    """The result of a checker for one property; a witness is seen or not, all others hold or are violated."""

    HOLDS = "holds"
    VIOLATED = "violated"
    SEEN = "seen"
    NOT_SEEN = "not seen"
    UNDETERMINED = "undetermined"


@dataclass(frozen=True)
class Found:
    """The results of a checker in one configuration.

    Every number is about all states that can be reached within the limits by steps that keep all numbers in their
    range, regardless of violated properties: a checker that stops at a violation runs again without that property.

    Attributes:
        distinct: distinct states; None where the search did not finish.
        depth: most steps on a shortest path to a state; None where the checker does not search breadth first.
        generated: states with those found again, as the checker counts them; never compared.
        verdicts: by name of the property, `RANGES` and `STOPS` included. A missing property was not checked.
        seconds: wall time, compilation or start of the checker included.
        undetermined: why the search did not finish, as text; empty where it did.
    """

    distinct: int | None
    depth: int | None
    generated: int | None
    verdicts: Mapping[str, Verdict]
    seconds: float
    undetermined: str = ""
    notes: tuple[str, ...] = field(default=())


class Peer(Protocol):
    """Another checker."""

    @property
    def name(self) -> str:
        """As in `--peer NAME`."""

    def version(self) -> str | None:
        """Name and version for people; None where the checker is not on this machine."""

    def text(self, instance: Instance) -> str:
        """The input of the peer: the model with all of its properties, in the peer's language."""

    def run(self, instance: Instance, directory: Path, limit_s: float) -> Found:
        """Search all states that an instance reaches within its limits.

        Args:
            instance: what to search.
            directory: an empty one for the exported model and the checker's output.
            limit_s: seconds after which the search is given up, and what is not known yet is undetermined.
        """


def digest(peer: Peer, instance: Instance) -> str:
    """SHA-256 of the text that a peer is given, in hexadecimal: while it is the same, so is the answer.

    Without the lines of the specification that its comments name, which change when a file is edited above them.
    """
    return hashlib.sha256(_PLACE.sub("", peer.text(instance)).encode()).hexdigest()


def claims(model: Model) -> list[str]:
    """Everything that can be compared: the names of all properties, and of what every search judges."""
    always = [RANGES] if model.may_stop is None else [RANGES, STOPS]
    return [*always, *(claim.name for claim in model.properties)]
