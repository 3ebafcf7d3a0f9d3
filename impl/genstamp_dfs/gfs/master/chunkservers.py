"""The chunkservers that the master has heard of since it started; nothing of it is durable.

Not here: what they have (`chunks`), and what they are told (`reports`).

Source: sections 2.6.2 and 4.2.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import Final

MOST_CHUNKSERVERS: Final = 2**16 - 1
"""As many as a slot of a location can tell apart."""


@dataclass(eq=False, slots=True)
class Chunkserver:
    """A chunkserver.

    Attributes:
        name: its name.
        number: what stands for it in the table of chunks, from 1.
        rack: where it stands.
        free_bytes: how much room its disk has.
        heard_us: when it was last heard of, in microseconds of the master's clock.
        is_live: whether it has registered, and was not silent for too long since.
        creations_us: when chunks were made on it of late.
        clones: how many chunks are being copied to it or from it.
        corrupt: handles and versions of its replicas that do not match their checksums.
        leaving: versions of replicas that are counted on no more, as others are there, by handle.
        told_garbage: handles of current replicas that were called garbage in the answer to its last call: it may not
            have deleted them yet, and no version keeps it from that later.
        life: id of the life that registered last, as callers say it; empty if it did not say.
        last_call: number of that life's last call.
    """

    name: str
    number: int
    rack: str = ""
    free_bytes: int = 0
    heard_us: int = 0
    is_live: bool = False
    creations_us: deque[int] = field(default_factory=deque)
    clones: int = 0
    corrupt: dict[int, int] = field(default_factory=dict)
    leaving: dict[int, int] = field(default_factory=dict)
    told_garbage: frozenset[int] = frozenset()
    life: bytes = b""
    last_call: int = -1

    def may_get(self, handle: int) -> bool:
        """Whether it may be asked to make a replica of a chunk: none stands in the way that is corrupt, or may go."""
        return handle not in self.corrupt and handle not in self.told_garbage


class Chunkservers:
    """All chunkservers that were heard of, by name and by number."""

    def __init__(self) -> None:
        self._by_name: dict[str, Chunkserver] = {}
        self._by_number: list[Chunkserver] = []

    def meet(self, name: str) -> Chunkserver:
        """The chunkserver of this name, who may be new."""
        found = self._by_name.get(name)
        if found is None:
            assert len(self._by_number) < MOST_CHUNKSERVERS, "there are too many chunkservers"
            found = self._by_name[name] = Chunkserver(name, len(self._by_number) + 1)
            self._by_number.append(found)
        return found

    def find(self, name: str) -> Chunkserver | None:
        """The chunkserver of this name, if it lives as far as is known."""
        found = self._by_name.get(name)
        return found if found is not None and found.is_live else None

    def of_number(self, number: int) -> Chunkserver:
        """The chunkserver of a location."""
        return self._by_number[number - 1]

    def live(self) -> list[Chunkserver]:
        """All that live as far as is known, in the order in which they were first heard of."""
        return [chunkserver for chunkserver in self._by_number if chunkserver.is_live]

    def names(self, numbers: list[int]) -> list[str]:
        """The names of those that live among some locations, in order."""
        found = (self.of_number(number) for number in numbers)
        return sorted(chunkserver.name for chunkserver in found if chunkserver.is_live)
