"""What is remembered of a state: the calls that it answers, and what follows them. Not here: how it is computed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from genstamp_model.evaluate import Arguments, State
from genstamp_model.language.model import Action
from genstamp_model.language.trace import Check

Shown: TypeAlias = tuple[object, ...]
"""All of an event that a model judges."""

Words: TypeAlias = tuple[tuple[str, str], ...]
"""Arguments in the words of a run, by name."""

HiddenStep: TypeAlias = tuple[str, Arguments]
"""A hidden action by name, with its arguments."""


@dataclass(frozen=True)
class Offer:
    """A call that a state of the model answers.

    Attributes:
        event: name of the event.
        arguments: its arguments in the run's words, by name.
        refused_with: the exception with which the model refuses it, if it does.
        changes: something happens, be it in a call that is refused; False where a check refuses or all is done already.
    """

    event: str
    arguments: Words
    refused_with: str | None
    changes: bool


@dataclass(frozen=True, eq=False)
class Call:
    """An action with its arguments, and how it is answered; the same for every state that answers so.

    Attributes:
        action: the action.
        arguments: its arguments.
        check: the check that refuses it; None where it is performed.
        said: its arguments in words, messages left out.
        words: what a caller says.
        refused_with: the exception with which it is refused, if it is.
        changing, idle: what it offers where it changes the state, and where it does not.
    """

    action: Action
    arguments: Arguments
    check: Check | None
    said: Words
    words: Words
    refused_with: str | None
    changing: Offer
    idle: Offer

    def is_of(self, words: Mapping[str, str]) -> bool:
        """Whether some words, by parameter, name no other arguments."""
        return all(words.get(name, word) == word for name, word in self.said)


class Known:
    """A state, with all that was computed of it so far.

    Attributes:
        state: the state.
        calls: by event, the calls that the state answers.
        offers: by event, what it offers.
        after: by call, the state after it.
        hidden: the hidden steps that lead to another state, with that state.
        taken: by what is shown of an event, what it can be.
    """

    __slots__ = ("after", "calls", "hidden", "offers", "state", "taken")

    def __init__(self, state: State) -> None:
        self.state = state
        self.calls: dict[str, tuple[Call, ...]] = {}
        self.offers: dict[str, tuple[Offer, ...]] = {}
        self.after: dict[Call, State] = {}
        self.hidden: tuple[tuple[HiddenStep, State], ...] | None = None
        self.taken: dict[Shown, tuple[tuple[Call, State], ...]] = {}
