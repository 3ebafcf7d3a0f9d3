"""A log message that reports a step, and the patterns of such messages.

Not here: the patterns and their meaning: those of the NameNode and of datanodes are in `log_namenode` and
`log_datanode`.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from genstamp.events import Kind, Place
from genstamp.logs.readers.log_head import LogLine
from genstamp.logs.readers.log_state import LogState
from genstamp.logs.readers.sighting import Concern, Sighting, whole_number

FRAGMENTS = {
    b"block": rb"blk_(?P<block>-?\d+)_(?P<stamp>\d+)",
    b"named": rb"(?:(?P<pool>BP-[\w.:-]+):)?blk_(?P<block>-?\d+|x+)_(?P<stamp>\d+|x+)",
    b"pooled": rb"(?:(?P<pool>BP-[\w.:-]+):)?blk_(?P<block>-?\d+)_(?P<stamp>\d+)",
    b"state": rb"(?:\{(?:block)?UCState=(?P<state>\w+)[^}]{0,5000}\})?",
    # Since 3.0 the NameNode's own holder has the time in its name, and so a comma.
    b"lease": rb"\[Lease\.\s+Holder: (?P<holder>[^\]]{1,500}?), pending ?creates: (?P<files>\d+)\]",
    b"replica": rb"replica=(?:null|\w+, blk_-?\d+_(?P<replica_stamp>\d+), (?P<replica_state>\w+))",
    b"datanode": rb"(?:\w+\[)?(?P<datanode>[\w.-]+:\d+)",
}
"""Parts of patterns that are in many, written %(name)b: a block, a block that may have been made anonymous, a block
with its pool, a state, a lease, a replica, a datanode.
"""


class UnreadableError(Exception):
    """A line does not go on as what it begins like: the text says why."""


@dataclass
class Message:
    """A line that is being read.

    Attributes:
        place: where it stands.
        line: its parts.
        match: what the pattern found in the message.
        state: of the log.
    """

    place: Place
    line: LogLine
    match: re.Match[bytes]
    state: LogState

    def text(self, group: str) -> str:
        """The match of a group of the pattern; empty if there is none."""
        try:
            found = self.match[group]
        except IndexError:  # Another form of the message has it.
            return ""
        return "" if found is None else found.decode(errors="backslashreplace")

    def number(self, group: str) -> int | None:
        """The match of a group, as a number that fits a column."""
        text = self.text(group)
        if not text.strip("x"):  # Nothing, or made anonymous.
            return None
        number = whole_number(text)
        if number is None:
            raise UnreadableError(f"the {group} {text[:40]} does not fit 64 bits")
        return number

    def namespace(self) -> str:
        """The namespace of the line: that of the pool it names, or of its NameNode."""
        return self.state.namespace(self.line, self.text("pool"))

    def seen(
        self,
        event: str,
        kind: Kind,
        entity: str,
        concerns: list[Concern] | None = None,
        *,
        namespace: str = "",
        node: str = "",
        **told: Any,
    ) -> Sighting:
        """An event that the line reports, as `LogState.seen`; if nothing else is said, of the entity alone, in the
        namespace of the line, at its NameNode.
        """
        return self.state.seen(
            self.place,
            self.line,
            event,
            kind,
            entity,
            [Concern(kind, entity)] if concerns is None else concerns,
            namespace=namespace or self.namespace(),
            node=node or self.state.namenode(self.line),
            **told,
        )

    def count(self, what: str) -> None:
        """Counts the line as one that is no event."""
        self.state.counts.lines[self.place.file, what] += 1


Handler = Callable[[Message], Iterator[Sighting]]


class Pattern(NamedTuple):
    """A form of message, and what to do with it."""

    regex: re.Pattern[bytes]
    handler: Handler


class Patterns:
    """Forms of messages by how they begin; a message that begins so and has none of the forms should have been an
    event.
    """

    def __init__(self) -> None:
        self._forms: dict[bytes, list[Pattern]] = {}

    def says(self, beginning: bytes, *forms: bytes) -> Callable[[Handler], Handler]:
        """Decorates what handles messages that begin so and have one of some forms; the first form that fits is taken.

        Args:
            beginning: the first characters, literally.
            forms: regular expressions for the whole beginning of the message; %(name)b is a part of `FRAGMENTS`.
        """

        def decorate(handler: Handler) -> Handler:
            known = self._forms.setdefault(beginning, [])
            known.extend(Pattern(re.compile(form % FRAGMENTS), handler) for form in forms)
            return handler

        return decorate

    def ignores(self, beginning: bytes, *forms: bytes) -> None:
        """Messages that begin so and have one of some forms are known and report no step."""
        self.says(beginning, *forms)(_ignored)

    def together(self, other: "Patterns") -> "Patterns":
        """The forms of both."""
        both = Patterns()
        for patterns in (self, other):
            for beginning, forms in patterns._forms.items():
                both._forms.setdefault(beginning, []).extend(forms)
        return both

    def forms(self, message: bytes) -> Sequence[Pattern] | None:
        """The forms that a message may have; None if it begins like none of them."""
        found = self._beginnings.match(message)
        return None if found is None else self._forms[found[0]]

    def beginnings(self) -> Mapping[bytes, bool]:
        """How messages begin, and for each whether all that begin so are known and report no step."""
        return {
            beginning: [form.handler for form in forms] == [_ignored] and forms[0].regex.pattern == beginning
            for beginning, forms in self._forms.items()
        }

    def stated(self) -> Mapping[bytes, Sequence[tuple[re.Pattern[bytes], bool]]]:
        """How messages begin that state a step, with the forms of each, and whether these are of a step.

        A form that finds nothing in a message states nothing by itself: others have to be there, too.
        """
        forms = {
            beginning: [(form.regex, form.handler is not _ignored and bool(form.regex.groupindex)) for form in those]
            for beginning, those in self._forms.items()
        }
        return {beginning: those for beginning, those in forms.items() if any(is_step for _, is_step in those)}

    @cached_property
    def _beginnings(self) -> re.Pattern[bytes]:
        longest_first = sorted(self._forms, key=len, reverse=True)
        return re.compile(b"|".join(map(re.escape, longest_first)))


NO_STEP = "of a block or lease, no step of it"
"""The names under which known lines that report no step are counted."""


def _ignored(message: Message) -> Iterator[Sighting]:
    message.count(NO_STEP)
    return iter(())
